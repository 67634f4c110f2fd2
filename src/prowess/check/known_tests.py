"""The tests that a file defines, by name, and how often it skips some: read from its text, run nowhere."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_TEST_FILE = re.compile(
    r"(?:.*/)?(?:(?:test_[^/]*|[^/]*_test|tests)\.py|[^/]*_test\.go"
    r"|(?:[^/]*\.(?:test|spec)|test(?:-[^/]*)?|[^/]*[-_]test)\.[cm]?[jt]sx?"
    r"|(?:.*/)?__tests__/[^/]*\.[cm]?[jt]sx?"
    # Runners of JavaScript take all that lies in these folders for tests, save what is by its name none.
    r"|tests?/(?!(?:.*/)?(?:helpers?|fixtures|support|_[^/]*)(?:/|\.)).*\.[cm]?[jt]sx?"
    r"|[^/]*\.rs)"
)
_NAMES = {
    "go": re.compile(r"^func (Test\w+)\(", re.MULTILINE),
    "rs": re.compile(r"#\[(?:\w+::)?test\]\s*(?:#\[[^\]]*\]\s*)*(?:async )?fn (\w+)"),
    "js": re.compile(
        r"^\s*(?:it|test)(?:\.serial|\.concurrent)?(?:\.each\b[^(]*\([^)]*\))?\(\s*(['\"`].*?['\"`])",
        re.MULTILINE,
    ),
}
_SKIPS = {
    "py": re.compile(
        r"\b(?:skip\b(?!\s*=[^=])|skipif|skipIf|skipUnless|skipTest|SkipTest|xfail|importorskip|expectedFailure"
        r"|__test__|collect_ignore)\b"
    ),
    "go": re.compile(r"\bt\.Skip(?:f|Now)?\("),
    "rs": re.compile(r"#\[ignore\b"),
    "js": re.compile(
        r"\b(?:it|test|describe|suite|context)(?:\.serial)?\.(?:skip|todo|only|failing|fixme)\b"
        r"|^\s*x(?:it|test|describe|context)\(|\b(?:t|this|context)\.(?:skip|todo)\("
        r"|^\s*(?:it|test|describe|suite)\(\s*['\"`].*?['\"`]\s*,\s*\{[^}]*\b(?:skip|todo|only)\b",
        re.MULTILINE,
    ),
}


def is_test(path: str) -> bool:
    """Whether a file is one that test runners look into, by its name."""
    return bool(_TEST_FILE.fullmatch(path))


def lost_tests(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The tests that were there and are no more, wherever among these files they may have moved."""
    old = Counter(name for path, text in before.items() for name in names_in(path, text))
    new = Counter(name for path, text in now.items() for name in names_in(path, text))
    return sorted(old - new)


def more_skips(path: str, before: str, now: str) -> bool:
    """Whether a file that was there has more ways to leave a test out."""
    words = _SKIPS[_language(path)]
    return bool(before) and len(words.findall(now)) > len(words.findall(before))


def may_not_run(path: str, text: str) -> set[str]:
    """The tests that a runner may pass over by what the file says: it skips them, or is not to find them."""
    words = _SKIPS[_language(path)]
    if not path.endswith(".py"):
        unsure = {name for name in names_in(path, text) if re.search(r"[%$]", name)}
        return set(names_in(path, text)) if words.search(text) else unsure
    tests = list(_tests_in(text))
    skips = {test.name: len(words.findall(test.said)) for test in tests}
    if len(words.findall(text)) > sum(skips.values()):  # elsewhere, and so for any of them
        return set(skips)
    return {test.name for test in tests if skips[test.name] or not test.found}


def _language(path: str) -> str:
    end = path.rpartition(".")[2]
    return end if end in ("py", "go", "rs") else "js"


def names_in(path: str, text: str) -> Iterator[str]:
    """The tests that a file defines; those of a class with its name before theirs."""
    language = _language(path)
    if language != "py":
        yield from _NAMES[language].findall(text)
    else:
        yield from (test.name for test in _tests_in(text))


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
