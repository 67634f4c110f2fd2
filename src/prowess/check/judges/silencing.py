"""
What a file tells linters and type checkers to overlook in it, as a whole.

One line that is passed over, somebody may well have a reason for, and it is named; a file of which nothing
is looked at any more shows nothing. So it is with what is opened somewhere and never closed, whatever rules
it names. Only comments say such things: what is quoted, or shown as an example on a page, is read by nobody.
"""

import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from prowess.check.kept.code_lines import code_lines, comments_in

_PYTHON_TYPES = r"\b(?:mypy|pyright|basedpyright|ty|pyrefly)\b"
_WEB = r"\b(?:eslint|biome|oxlint|tsc|npm|pnpm|yarn|bun)\b"
_WEB_LINT = (
    r"\b(?:eslint|biome|oxlint)\b"
    r"|\b(?:npm|pnpm|yarn|bun)\b(?!(?: run)? (?:-\S+ )*(?:test|start|ci|i|install)\b)"
)
_COVERAGE = r"\b(?:nyc|c8|istanbul)\b|\bcoverage\b"
_SHOWS = re.compile(r"^[ \t]*(?:#|<!--)")
_FENCE = re.compile(r"^[ \t]{0,3}(```|~~~)")
_WEB_FILES = "js jsx ts tsx mjs cjs mts cts".split()
_C_FILES = "c cc cpp cxx h hpp".split()
_STYLES = "css scss sass less".split()
_MARKDOWN = "md markdown".split()
_BY_SLASHES = (*_WEB_FILES, *_STYLES, *_C_FILES, "go", "php")


@dataclass(frozen=True, slots=True)
class _Mark:
    """`said` opens what `ends` closes, of files that end like this; `rules` in both are those it names."""

    files: Sequence[str]
    said: re.Pattern[str]
    commands: str
    ends: re.Pattern[str] | None = None


def _mark(files: Sequence[str], said: str, commands: str, ends: str = "") -> _Mark:
    return _Mark(files, re.compile(said), commands, re.compile(ends) if ends else None)


_RULES = r"(?P<rules>[\w.\-/@:, \t]*)"
_CODES = r"(?:[ \t]*:[ \t]*(?P<rules>[A-Z]+\d+(?:[, \t]+[A-Z]+\d+)*))?"
_BRACKETS = r"(?:\[(?P<rules>[^\]]*)\])?"
_PY = ("py", "pyi")
_MARKS = (
    _mark(_PY, rf"[ \t]*#[ \t]*ruff:[ \t]*noqa\b{_CODES}", r"\bruff\b"),
    _mark(_PY, rf"[ \t]*#[ \t]*ruff:[ \t]*file-ignore\b{_BRACKETS}", r"\bruff\b"),
    _mark(
        _PY,
        rf"#[ \t]*ruff:[ \t]*disable\b{_BRACKETS}",
        r"\bruff\b",
        rf"[ \t]*#[ \t]*ruff:[ \t]*enable\b{_BRACKETS}",
    ),
    _mark(_PY, rf"[ \t]*#[ \t]*flake8[:=][ \t]*noqa\b{_CODES}", r"\b(?:flake8|ruff)\b"),
    _mark(_PY, r"#[ \t]*mypy:[ \t]*(?:ignore[-_]errors|disable-error-code)", r"\bmypy\b"),
    _mark(_PY, r"#[ \t]*type:[ \t]*ignore\b", _PYTHON_TYPES),
    _mark(
        _PY, r"#[ \t]*pyright:[ \t]*(?:basic|report\w+[ \t]*=[ \t]*(?:false|none))", _PYTHON_TYPES
    ),
    _mark(_PY, r"[ \t]*#[ \t]*pylint:[ \t]*skip-file", r"\bpylint\b"),
    _mark(
        _PY,
        rf"#[ \t]*pylint:[ \t]*disable={_RULES}",
        r"\bpylint\b",
        rf"#[ \t]*pylint:[ \t]*enable={_RULES}",
    ),
    _mark(_PY, r"[ \t]*#[ \t]*isort:[ \t]*skip_file\b", r"\b(?:isort|ruff)\b"),
    _mark(
        _PY,
        r"#[ \t]*isort:[ \t]*off\b",
        r"\bisort\b|\bruff\b(?! format)",
        r"#[ \t]*isort:[ \t]*on\b",
    ),
    _mark(
        _PY,
        r"#[ \t]*(?:fmt:[ \t]*off|yapf:[ \t]*disable)\b",
        r"\b(?:black|yapf)\b|\bruff format\b",
        r"#[ \t]*(?:fmt:[ \t]*on|yapf:[ \t]*enable)\b",
    ),
    _mark(_WEB_FILES, r"(?://|/\*)\s*@ts-nocheck\b", _WEB),
    _mark(
        _WEB_FILES,
        r"/\*\s*(?:eslint|oxlint)-disable\s*(?:\*/|--)",
        _WEB,
        r"/\*\s*(?:eslint|oxlint)-enable\s*(?:\*/|--)",
    ),
    _mark(
        _WEB_FILES,
        rf"/\*\s*(?:eslint|oxlint)-disable(?![\w-]){_RULES}",
        _WEB_LINT,
        rf"/\*\s*(?:eslint|oxlint)-enable(?![\w-]){_RULES}",
    ),
    _mark(
        _WEB_FILES,
        r"/\*\s*eslint\s[^*:]*:[\s\[\"']*(?:off|warn|0|1)\b",
        _WEB_LINT,
    ),
    _mark(
        _WEB_FILES,
        rf"(?://|/\*)\s*tslint:disable(?![\w-]):?{_RULES}",
        r"\btslint\b",
        rf"(?://|/\*)\s*tslint:enable(?![\w-]):?{_RULES}",
    ),
    _mark((*_WEB_FILES, *_STYLES), rf"(?://|/\*)\s*biome-ignore-all\b{_RULES}", _WEB),
    _mark(
        (*_WEB_FILES, *_STYLES),
        r"(?://|/\*)\s*biome-ignore-start\b",
        _WEB_LINT,
        r"(?://|/\*)\s*biome-ignore-end\b",
    ),
    _mark(_WEB_FILES, r"(?://|/\*)\s*deno-(?:lint|fmt)-ignore-file\b", r"\bdeno\b"),
    _mark(_WEB_FILES, r"(?://|/\*)\s*(?:istanbul|v8)\s+ignore\s+file\b", _COVERAGE),
    _mark(
        _WEB_FILES,
        r"(?://|/\*)\s*(?:(?:c8|v8)\s+ignore\s+start|node:coverage\s+disable)\b",
        _COVERAGE,
        r"(?://|/\*)\s*(?:(?:c8|v8)\s+ignore\s+stop|node:coverage\s+enable)\b",
    ),
    _mark(
        _STYLES,
        rf"(?://|/\*)\s*stylelint-disable(?![\w-]){_RULES}",
        rf"\bstylelint\b|{_WEB_LINT}",
        rf"(?://|/\*)\s*stylelint-enable(?![\w-]){_RULES}",
    ),
    _mark(
        ("rs",),
        r"[ \t]*#!\[allow\([^)\n]*\b(?:warnings|unused|clippy::all)\b",
        r"\b(?:clippy|cargo)\b",
    ),
    _mark(
        ("rs",),
        r"#![ \t]*\[[ \t]*(?:cfg_attr\(.*\b)?(?:allow|expect)[ \t]*\((?P<rules>[\w:, \t]*)",
        r"\bclippy\b|\bcargo (?:check|build)\b",
    ),
    _mark(("rs",), r"#![ \t]*\[rustfmt::skip\]", r"\b(?:rustfmt|cargo fmt)\b"),
    _mark(
        _C_FILES,
        r"(?://|/\*)\s*clang-format\s+off\b",
        r"\bclang-format\b",
        r"(?://|/\*)\s*clang-format\s+on\b",
    ),
    _mark(
        ("php",),
        r"(?://|/\*+)\s*(?:@?phpcs:ignoreFile|@codingStandardsIgnoreFile)\b",
        r"\b(?:phpcs|composer)\b",
    ),
    _mark(
        ("php",),
        rf"(?://|/\*+)\s*@?phpcs:disable\b{_RULES}",
        r"\b(?:phpcs|composer)\b",
        rf"(?://|/\*+)\s*@?phpcs:enable\b{_RULES}",
    ),
    _mark(
        ("rb", "rake", "gemspec"),
        r"[ \t]*#[ \t]*rubocop[ \t]*:[ \t]*(?:disable|todo)(?!-)[ \t]+(?:all\b|(?P<rules>[\w/, \t]+))",
        r"\brubocop\b",
        r"[ \t]*#[ \t]*rubocop[ \t]*:[ \t]*enable[ \t]+(?:all\b|(?P<rules>[\w/, \t]+))",
    ),
    _mark(
        ("yml", "yaml"),
        rf"[ \t]*#[ \t]*yamllint[ \t]+disable(?![\w-]){_RULES}",
        r"\byamllint\b",
        rf"[ \t]*#[ \t]*yamllint[ \t]+enable(?![\w-]){_RULES}",
    ),
    _mark(("yml", "yaml"), r"[ \t]*#[ \t]*yamllint[ \t]+disable-file\b", r"\byamllint\b"),
    _mark(
        _MARKDOWN,
        rf"[ \t]*<!--\s*(?:markdownlint|rumdl)-disable(?![\w-]){_RULES}",
        r"\b(?:markdownlint|rumdl)|\b(?:npm|pnpm|yarn|bun)\b.*\blint",
        rf"[ \t]*<!--\s*(?:markdownlint|rumdl)-enable(?![\w-]){_RULES}",
    ),
    _mark(
        _MARKDOWN,
        rf"[ \t]*<!--\s*(?:markdownlint|rumdl)-(?:disable|configure)-file\b{_RULES}",
        r"\b(?:markdownlint|rumdl)|\b(?:npm|pnpm|yarn|bun)\b.*\blint",
    ),
    _mark(
        _MARKDOWN,
        r"[ \t]*<!--\s*prettier-ignore-start\b",
        r"\bprettier\b|\b(?:npm|pnpm|yarn|bun)\b.*\b(?:lint|format|fmt|check)",
        r"[ \t]*<!--\s*prettier-ignore-end\b",
    ),
)
_IN_PART = frozenset(("dead_code", "unused_imports"))
_SHELL = "sh bash ksh zsh bats".split()
# Before the first command it is about all of them.
_OF_SCRIPT = _mark(_SHELL, rf"[ \t]*#[ \t]*shellcheck[ \t].*?\bdisable={_RULES}", r"\bshellcheck\b")


def may_be_silenced(path: str) -> bool:
    """Whether somebody overlooks a file of this name where it asks for that."""
    end = _end(path)
    return end in _SHELL or any(end in each.files for each in _MARKS)


def silenced_for(path: str, before: str, now: str) -> Iterator[tuple[str, str]]:
    """What is said now and was not before, by its words, with a pattern of the commands that hear it."""
    end = _end(path)
    had, has = _said(end, before), _said(end, now)
    told = set[str]()
    for mark in (each for each in (*_MARKS, _OF_SCRIPT) if end in each.files):
        if mark is _OF_SCRIPT:
            had, has = _said(end, _opening(before)), _said(end, _opening(now))
        old = set(_of_helpers(path)).union(*(rules for rules, _ in _open(mark, had)))
        new = [said for rules, said in _open(mark, has) if not _covers(old, rules)]
        if new and new[-1] not in told:
            told.add(new[-1])
            yield new[-1], mark.commands


def _of_helpers(path: str) -> frozenset[str]:
    """Rules that nobody keeps in what several tests of Rust share: each uses a part of it."""
    return _IN_PART if _end(path) == "rs" and path.startswith("tests/") else frozenset()


def _end(path: str) -> str:
    return path.rpartition(".")[2].lower()


def _open(mark: _Mark, comments: Sequence[str]) -> list[tuple[frozenset[str], str]]:
    """The rules of what is opened and never closed, with what is said there, from the end on."""
    found, closed = list[tuple[frozenset[str], str]](), set[str]()
    for comment in reversed(comments):
        if mark.ends and (ends := mark.ends.match(comment)):
            closed |= _rules(ends)
        elif opens := mark.said.match(comment):
            rules = _rules(opens)
            if not _covers(closed, rules):
                found.append((rules, comment.split("\n")[0].strip()))
    return found


def _rules(found: re.Match[str]) -> frozenset[str]:
    """The rules that are named; an empty name stands for all of them."""
    named = (found.groupdict().get("rules") or "").partition("--")[0]
    return frozenset(re.split(r"[,\s]+", named)) - {""} or frozenset(("",))


def _covers(named: AbstractSet[str], rules: AbstractSet[str]) -> bool:
    return "" in named or rules <= named


def _said(end: str, text: str) -> list[str]:
    """The comments of a file, or of Rust its lines of code, in order; with what they are indented by."""
    if end in _PY:
        return list(_comments_of_python(text))
    if end == "rs":
        return [f"{' ' * bool(each.within)}{each.said}" for each in code_lines(end, text)]
    if end in _BY_SLASHES:
        return list(comments_in(end, text))
    return [each for each in _outside_examples(end, text) if _SHOWS.match(each)]


def _comments_of_python(text: str) -> Iterator[str]:
    """Those that have a line of their own."""
    try:
        found = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):
        yield from (each for each in text.splitlines() if each.lstrip().startswith("#"))
        return
    for each in found:
        if each.type == tokenize.COMMENT and not each.line[: each.start[1]].strip():
            yield each.line[: each.start[1]] + each.string


def _outside_examples(end: str, text: str) -> Iterator[str]:
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line) if end in _MARKDOWN else None
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        elif not fence:
            yield line


def _opening(text: str) -> str:
    """What stands before the first command of a script."""
    lines = text.splitlines()
    is_code = (at for at, each in enumerate(lines) if each.strip() and each.lstrip()[0] != "#")
    return "\n".join(lines[: next(is_code, len(lines))])
