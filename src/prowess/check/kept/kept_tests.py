"""
What a file of tests said before and says no more: read from its text, run nowhere.

Python is read by name (`kept_python.py`). Of other languages, each line of code that was there must be
there, and stand in what it stood in; and no new line may keep those from running that were there. More
may be added to it.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from prowess.check.kept.code_lines import (
    Line,
    code_lines,
    has_blocks,
    is_balanced,
    without_comments,
)
from prowess.check.kept.kept_python import altered_python
from prowess.check.kept.rust import rust_tests
from prowess.check.kept.switched_off import new_tags, switches
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
_DEEP = 9


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
    lost = _lost(old, new, nested=_are_read(path, before))
    gone = Counter(line.said for line in lost if not _is_used_still(line, new))
    left = gone - Counter(line.said for line in _with_marks(end, code_lines(end, elsewhere)))
    code = "\n".join(line.said for line in new)
    found = [line for line in left if not _is_wider_now(line, code)]
    return [*dict.fromkeys((*found, *switches(end, old, new), *new_tags(end, before, now)))]


def _lost(old: Sequence[Line], new: Sequence[Line], *, nested: bool) -> Iterator[Line]:
    """
    The lines that are gone. Where brackets of the old text were not `nested` as they were read, nobody
    knows what a line stands in; the second look does not need to.
    """
    if nested:
        return (Counter(old) - Counter(new)).elements()
    said = Counter(map(_alone, old)) - Counter(map(_alone, new))
    return said.elements()


def _alone(line: Line) -> Line:
    return Line(line.said, plain=line.plain)


def _are_read(path: str, text: str) -> bool:
    end = path.rpartition(".")[2]
    return not has_blocks(end) or is_balanced(end, _of_tests(path, text))


def _is_used_still(line: Line, now: Sequence[Line]) -> bool:
    """Whether what it brings in of Rust is still brought in where it was, with more beside it."""
    if not line.said.startswith("use "):
        return False
    there = {
        name
        for each in now
        if each.within == line.within and each.said.startswith("use ")
        for name in _used(each.said[4:])
    }
    return there.issuperset(_used(line.said[4:]))


def _used(tree: str, above: str = "", deep: int = 0) -> Iterator[str]:
    """Every path of a tree such as `a::{b, c::{d, e}}`; a tree that is too deep is one."""
    opens, closes = tree.find("{"), tree.rfind("}")
    if opens < 0 or closes < opens or deep > _DEEP:
        yield above + tree.strip()
        return
    head = above + tree[:opens].strip()
    for part in _parted(tree[opens + 1 : closes]):
        yield from _used(part, head, deep + 1)


def _parted(inner: str) -> Iterator[str]:
    depth, begins = 0, 0
    for at, mark in enumerate(f"{inner},"):
        depth += (mark == "{") - (mark == "}")
        if mark == "," and depth == 0:
            if inner[begins:at].strip():
                yield inner[begins:at]
            begins = at + 1


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
    """The lines of its tests."""
    end = path.rpartition(".")[2]
    lines = code_lines(end, _of_tests(path, text))
    join = {"go": _imports_of_go, "rs": _uses_of_rust}.get(end, iter)
    return list(_with_marks(end, join(lines)))


def _of_tests(path: str, text: str) -> str:
    """What of it is for tests. Rust keeps these in the file that they test."""
    if path.endswith(".rs") and not is_rust_test_file(path):
        return "\n".join(_marked_tests(without_comments("rs", text)))
    return text


def _imports_of_go(lines: Iterable[Line]) -> Iterator[Line]:
    """Each as if it stood by itself."""
    among = False
    for line in lines:
        if line.said == "import (":
            among = True
        elif among and line.said == ")":
            among = False
        else:
            yield Line(f"import {line.said}") if among else line


def _uses_of_rust(lines: Iterable[Line]) -> Iterator[Line]:
    """Each on a line of its own, however many it was written on."""
    held, deep = list[Line](), 0
    for line in lines:
        if held or (line.said.startswith("use ") and "{" in line.said):
            held.append(line)
            deep += line.said.count("{") - line.said.count("}")
            if deep > 0:
                continue
            yield replace(held[0], said=", ".join(each.said for each in held))
            held, deep = [], 0
        else:
            yield line
    yield from held


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
