"""The tests that a file defines, by name, and how often it skips some: read from its text, run nowhere."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prowess.check.code_lines import without_comments
from prowess.check.languages import NAMES, SKIPS, TEST_FILE, language_of


def is_test(path: str) -> bool:
    """Whether a file is one that test runners look into, by its name."""
    return bool(TEST_FILE.fullmatch(path))


def lost_tests(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The tests that were there and are no more, wherever among these files they may have moved."""
    old = Counter(name for path, text in before.items() for name in names_in(path, text))
    new = Counter(name for path, text in now.items() for name in names_in(path, text))
    return sorted(old - new)


def more_skips(path: str, before: str, now: str) -> bool:
    """Whether a file that was there has more ways to leave a test out."""
    return bool(before) and _skips(path, now) > _skips(path, before)


def may_not_run(path: str, text: str) -> set[str]:
    """The tests that a runner may pass over by what the file says: it skips them, or is not to find them."""
    if not path.endswith(".py"):
        unsure = {name for name in names_in(path, text) if re.search(r"[%$]", name)}
        return set(names_in(path, text)) if _skips(path, text) else unsure
    tests = list(_tests_in(text))
    skips = {test.name: _skips(path, test.said) for test in tests}
    if _skips(path, text) > sum(skips.values()):  # elsewhere, and so for any of them
        return set(skips)
    return {test.name for test in tests if skips[test.name] or not test.found}


def names_in(path: str, text: str) -> Iterator[str]:
    """The tests that a file defines; those of a class with its name before theirs."""
    if path.endswith(".py"):
        yield from (test.name for test in _tests_in(text))
    elif names := NAMES.get(language_of(path)):
        for found in names.finditer(_code(path, text)):
            yield next(filter(None, found.groups()))


def _skips(path: str, text: str) -> int:
    words = SKIPS.get(language_of(path))
    return len(words.findall(_code(path, text))) if words else 0


def _code(path: str, text: str) -> str:
    return text if path.endswith(".py") else without_comments(path.rpartition(".")[2], text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Test:
    """`said` is its text, `found`: it is where pytest looks by itself."""

    name: str
    said: str
    found: bool


def _tests_in(text: str) -> Iterator[_Test]:
    try:
        yield from _defined(ast.parse(text).body, "", text.split("\n"))
    except (SyntaxError, ValueError, RecursionError):
        return


def _defined(
    body: list[ast.stmt], inside: str, lines: list[str], *, found: bool = True
) -> Iterator[_Test]:
    for each in body:
        if isinstance(each, ast.ClassDef):
            deeper = found and (each.name.startswith("Test") or bool(each.bases))
            yield from _defined(each.body, f"{inside}{each.name}.", lines, found=deeper)
        elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and _is_named_test(each):
            first = min((mark.lineno for mark in each.decorator_list), default=each.lineno)
            said = "\n".join(lines[first - 1 : each.end_lineno])
            yield _Test(name=inside + each.name, said=said, found=found)


def _is_named_test(each: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A fixture may be called `test_client`, and is none."""
    marks = map(ast.unparse, each.decorator_list)
    return each.name[:4] == "test" and not any("fixture" in mark for mark in marks)
