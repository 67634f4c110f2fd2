"""
Which lines of a Markdown file stand in a code fence at its left edge.

A fence behind the mark of a list item, or below it, belongs to the item: it can hold no line of
the left edge, and its end is not the beginning of another.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

# Behind backticks that begin a fence there are none: ```so``` is a word in a sentence.
_MARK = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])( +|$)")
_CODE = 4  # what is indented so far is code, and no mark
_RULE = re.compile(r" {0,3}([-*_])(?: *\1){2,} *$")


@dataclass(frozen=True, slots=True)
class Fence:
    """Where it begins and ends, as places in the list of lines; one that is never closed ends nowhere."""

    first: int
    last: int | None


def fenced(lines: Sequence[str]) -> dict[int, Fence]:
    """Each line that stands in a fence, the marks included, and which."""
    return {
        number: fence
        for fence in _fences(lines)
        for number in range(fence.first, len(lines) if fence.last is None else fence.last + 1)
    }


def _fences(lines: Sequence[str]) -> list[Fence]:
    found: list[Fence] = []
    mark, first, item = "", 0, 0  # `item`: how far the text of an open list item is indented
    for number, line in enumerate(lines):
        text = line.rstrip("\r\n").expandtabs(4)
        if mark:
            if _ends(text, mark):
                found.append(Fence(first, number))
                mark = ""
        elif text.strip() and not 0 < item <= _indent(text):
            item = _indent_of_item(text)
            if not item and (opening := _MARK.match(text)):
                mark, first = opening[1], number
    return [*found, Fence(first, None)] if mark else found


def _ends(text: str, mark: str) -> bool:
    text = text.rstrip(" ")
    return _indent(text) < _CODE and text.endswith(mark) and not text.strip(" ").strip(mark[0])


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _indent_of_item(text: str) -> int:
    """How far the text of the list item is indented that begins here; 0 when none does."""
    found = _ITEM.match(text)
    if found is None or _RULE.match(text):
        return 0
    blanks = len(found[1])
    return found.start(1) + (blanks if 1 <= blanks <= _CODE else 1)
