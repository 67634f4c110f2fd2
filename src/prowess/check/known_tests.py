"""The tests that a file defines, by name, and how often it skips some: read from its text, run nowhere."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping

_TEST_FILE = re.compile(
    r"(?:.*/)?(?:(?:test_[^/]*|[^/]*_test|tests)\.py|[^/]*_test\.go"
    r"|[^/]*\.(?:test|spec)\.[cm]?[jt]sx?|(?:.*/)?__tests__/[^/]*\.[cm]?[jt]sx?|[^/]*\.rs)"
)
_NAMES = {
    "go": re.compile(r"^func (Test\w+)\(", re.MULTILINE),
    "rs": re.compile(r"#\[(?:\w+::)?test\]\s*(?:#\[[^\]]*\]\s*)*(?:async )?fn (\w+)"),
    "js": re.compile(
        r"^\s*(?:it|test)(?:\.each\b[^(]*\([^)]*\))?\(\s*(['\"`].*?['\"`])", re.MULTILINE
    ),
}
_SKIPS = {
    "py": re.compile(
        r"\b(?:skip|skipif|skipIf|skipUnless|skipTest|SkipTest|xfail|importorskip|expectedFailure"
        r"|__test__|collect_ignore)\b"
    ),
    "go": re.compile(r"\bt\.Skip(?:f|Now)?\("),
    "rs": re.compile(r"#\[ignore\b"),
    "js": re.compile(
        r"\b(?:it|test|describe)\.(?:skip|todo|only)\b|^\s*x(?:it|test|describe)\(", re.MULTILINE
    ),
}


def is_test(path: str) -> bool:
    """Whether a file is one that test runners look into, by its name."""
    return bool(_TEST_FILE.fullmatch(path))


def lost_tests(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The tests that were there and are no more, wherever among these files they may have moved."""
    old = Counter(name for path, text in before.items() for name in _names(path, text))
    new = Counter(name for path, text in now.items() for name in _names(path, text))
    return sorted(old - new)


def more_skips(path: str, before: str, now: str) -> bool:
    """Whether a file that was there has more ways to leave a test out."""
    words = _SKIPS[_language(path)]
    return bool(before) and len(words.findall(now)) > len(words.findall(before))


def _language(path: str) -> str:
    end = path.rpartition(".")[2]
    return end if end in ("py", "go", "rs") else "js"


def _names(path: str, text: str) -> Iterator[str]:
    language = _language(path)
    if language != "py":
        yield from _NAMES[language].findall(text)
        return
    try:
        yield from _defined(ast.parse(text).body, "")
    except (SyntaxError, ValueError, RecursionError):
        return


def _defined(body: list[ast.stmt], inside: str) -> Iterator[str]:
    for each in body:
        if isinstance(each, ast.ClassDef):
            yield from _defined(each.body, f"{inside}{each.name}.")
        elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name[:4] == "test":
            yield inside + each.name
