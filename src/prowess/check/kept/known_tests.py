"""The tests that a file defines, by name, and how often it skips some: read from its text, run nowhere."""

import ast
import re
import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from prowess.check.kept.code_lines import pairs_of, without_comments
from prowess.check.kept.languages import (
    NAMES,
    SKIP_OF_SOME,
    SKIPS,
    TEST_FILE,
    WITH_BLOCKS,
    language_of,
)
from prowess.check.kept.python_skips import python_skips

_BEFORE_BLOCK = (
    5  # brackets between the name of a test and its block, as those of what it is handed
)
_MARKS = 9  # lines


def is_test(path: str) -> bool:
    """Whether a file is one that test runners look into, by its name."""
    return bool(TEST_FILE.fullmatch(path))


def lost_tests(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The tests that were there and are no more, wherever among these files they may have moved."""
    old = Counter(name for path, text in before.items() for name in names_in(path, text))
    new = Counter(name for path, text in now.items() for name in names_in(path, text))
    return sorted(old - new)


def more_skips(path: str, before: str, now: str) -> bool:
    """Whether a file that was there has more ways to leave out a test that was there."""
    if not before:
        return False
    if path.endswith(".py"):
        old, new = python_skips(before), python_skips(now)
        if old is not None and new is not None:
            return any(new[name] > times for name, times in old.items())
    elif language_of(path) in WITH_BLOCKS:
        known = set(names_in(path, before))
        then, today = (Counter(_left_out(path, text, known)) for text in (before, now))
        return bool(today - then)
    return _skips(path, now) > _skips(path, before)


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


def _left_out(path: str, text: str, known: set[str]) -> Iterator[str]:
    """For each skip the name of the known test that it stands in; what may stand for more has none."""
    code, end = _code(path, text), path.rpartition(".")[2]
    spans = _Spans.of(path, code, pairs_of(end, code))
    for skip in SKIPS[language_of(path)].finditer(code):
        opens = SKIP_OF_SOME.match(code, skip.start()) if language_of(path) == "js" else None
        name = spans.around(skip.start()) or (opens["name"] if opens else None)
        if name in known:
            yield name or ""
        elif (not name and not opens) or (opens and known & set(spans.within(opens.end("opens")))):
            yield ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spans:
    """Where each test begins and ends, as far as that can be told; `pairs` are brackets, in order."""

    tests: Sequence[tuple[int, int, str]]
    pairs: Sequence[tuple[int, int, str]]

    @classmethod
    def of(cls, path: str, code: str, pairs: Sequence[tuple[int, int, str]]) -> "_Spans":
        """The outermost, in order."""
        whole = ("(",) if language_of(path) == "js" else ("{",)
        tests = list[tuple[int, int, str]]()
        for found in NAMES[language_of(path)].finditer(code):
            name = next(filter(None, found.groups()))
            opens = code.rindex("(", 0, found.start(1)) if whole == ("(",) else found.end() - 1
            ends = _end_of(opens, pairs, whole)
            if ends and (not tests or found.start() > tests[-1][1]):
                tests.append((_with_marks(found.start(), code), ends, name))
        return cls(tests=tests, pairs=pairs)

    def around(self, place: int) -> str | None:
        """The test that a place is in."""
        at = bisect_right(self.tests, place, key=lambda each: each[0]) - 1
        return self.tests[at][2] if at >= 0 and place < self.tests[at][1] else None

    def within(self, bracket: int) -> Iterator[str]:
        """The tests from behind a bracket to the one that closes it, or to the end of the text."""
        ends = _end_of(bracket - 1, self.pairs, ("(",)) or sys.maxsize
        at = bisect_left(self.tests, bracket, key=lambda each: each[0])
        for begins, _, name in self.tests[at:]:
            if begins >= ends:
                return
            yield name


def _end_of(place: int, pairs: Sequence[tuple[int, int, str]], kinds: Sequence[str]) -> int | None:
    """Where the first of these brackets from here on is closed, past others that come before it."""
    at = bisect_left(pairs, place, key=lambda each: each[0])
    for _ in range(_BEFORE_BLOCK):
        if at >= len(pairs):
            return None
        _, ends, kind = pairs[at]
        if kind in kinds:
            return ends
        at = bisect_left(pairs, ends, key=lambda each: each[0])
    return None


def _with_marks(place: int, code: str) -> int:
    """Where what is said about a test begins, in the lines before it."""
    begins = code.rfind("\n", 0, place) + 1
    for _ in range(_MARKS):
        above = code.rfind("\n", 0, max(begins - 1, 0)) + 1
        if begins == 0 or not code[above:begins].lstrip().startswith(("@", "#[", "[")):
            break
        begins = above
    return begins


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
