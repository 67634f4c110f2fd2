"""
What a file of tests said before and says no more: read from its text, run nowhere.

Python is read by name (`kept_python.py`). Of other languages, each line of code that was there must be
there, and stand in what it stood in; and no new line may keep those from running that were there. More
may be added to it.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from prowess.check.code_lines import Line, code_lines, without_comments
from prowess.check.kept_python import altered_python
from prowess.check.rust import rust_tests
from prowess.check.switched_off import new_tags, switches
from prowess.core.patterns import compiled

_RUST_TEST_FILE = re.compile(r"(?:.*/)?tests/.*|(?:.*/)?(?:test_[^/]*|[^/]*_test|tests)\.rs")


# `import { a } from "x"` and `const { a } = require("x")`, also over several lines; nothing that is renamed.
_BRINGS_IN = (
    r"(?m)^[ \t]*(?:import\s+(?:type\s+)?|(?:const|let|var)\s+)[\w$*{][\w$*{},\s]*"
    r"(?:\bfrom\s*|=\s*require\(\s*)(['\"][^'\"\n]+['\"])\)?;?[ \t]*$"
)
_WORDS = re.compile(r"[\w$]+")
_MARKS = re.compile(r"(?:#\[[^\]]*\]\s*)+\Z")
_AT = re.compile(r"@[\w.]+(?:\(.*\))?")
_MARK = {
    **dict.fromkeys(("java", "kt", "kts", "scala", "groovy", "swift", "dart"), _AT),
    "rs": re.compile(r"#\[.*\]"),
    "php": re.compile(r"#\[.*\]"),
    "cs": re.compile(r"\[.*\]"),
}
_FAR = 300  # characters


def altered(
    path: str, before: str, now: str, *, moved: Collection[str] = (), elsewhere: str = ""
) -> list[str]:
    """
    The names of what was altered; of a language that is not parsed here, lines that are gone.

    `moved` are tests that are `elsewhere` now, which is the text of the files that they are in.
    """
    if path.endswith(".py"):
        return altered_python(before, now, moved=moved)
    end = path.rpartition(".")[2]
    old, new = _lines(path, before), _lines(path, now)
    gone = Counter(line.said for line in (Counter(old) - Counter(new)).elements())
    left = gone - Counter(line.said for line in _with_marks(end, code_lines(end, elsewhere)))
    code = "\n".join(line.said for line in new)
    found = [line for line in left if not _is_wider_now(line, code)]
    return [*dict.fromkeys((*found, *switches(end, old, new), *new_tags(end, before, now)))]


def _is_wider_now(line: str, now: str) -> bool:
    """Whether it brings names in from a place from which the text now brings in these and more."""
    brings_in = compiled(_BRINGS_IN)
    source = brings_in.match(line)
    if source is None:
        return False
    names = set(_WORDS.findall(line))
    wider = (each[0] for each in brings_in.finditer(now) if each[1] == source[1])
    return any(names <= set(_WORDS.findall(each)) for each in wider)


def is_rust_test_file(path: str) -> bool:
    """Whether all of a file of Rust is for tests, by its name."""
    return bool(_RUST_TEST_FILE.fullmatch(path))


def _lines(path: str, text: str) -> list[Line]:
    """The lines of its tests. Rust keeps these in the file that they test."""
    end = path.rpartition(".")[2]
    if end == "rs" and not is_rust_test_file(path):
        text = "\n".join(_marked_tests(without_comments(end, text)))
    return list(_with_marks(end, code_lines(end, text)))


def _with_marks(end: str, lines: Iterable[Line]) -> Iterator[Line]:
    """What is said about a test in the lines before it, such as `#[ignore]` or `@Tag`, is part of its own."""
    mark = _MARK.get(end)
    held: list[str] = []
    for line in lines:
        if mark and mark.fullmatch(line.said):
            held.append(line.said)
        else:
            yield replace(line, said=" ".join((*held, line.said)))
            held = []
    yield from map(Line, held)


def _marked_tests(text: str) -> Iterator[str]:
    """Each with all that is said about it right before: a mark there may leave it out."""
    place = 0
    for test in rust_tests(text):
        place = text.index(test, place)
        before = _MARKS.search(text, max(0, place - _FAR), place)
        yield f"{before[0] if before else ''}{test}"
        place += len(test)
