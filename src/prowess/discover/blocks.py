"""
A header as blocks, one for each field that begins in the first column, so that a bad one costs only itself.
"""

import re
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from prowess.core.errors import SkillError
from prowess.core.safe_yaml import YamlRefusedError

FIELD = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?")
MOST_REFUSED = 50  # each means to read again all that is left
_Read = TypeVar("_Read")


class Block(NamedTuple):
    """Where a field begins and ends, in lines from 0, and its key."""

    start: int
    end: int
    key: str


def blocks(lines: list[str]) -> list[Block]:
    """In order. What comes before the first belongs to none."""
    starts = [(at, found[1]) for at, line in enumerate(lines) if (found := FIELD.fullmatch(line))]
    ends = [at for at, _ in starts[1:]] + [len(lines)]
    return [Block(at, end, key) for (at, key), end in zip(starts, ends[: len(starts)], strict=True)]


def read_on(
    text: str,
    read: Callable[[str], _Read],
    refuse: Callable[[SkillError], None],
    *,
    first_line: int,
    longest: int,
) -> tuple[_Read, dict[str, int]]:
    """
    `read` the text, and where it refuses something and `refuse` lets it pass, all but that field.

    Returns the fields that are now missing too, with their lines; of one that stands twice the first
    is read. The rest is read as a whole, so that an alias still finds its anchor. What is too long, or
    refused outside of a field, is not to be mended so, and raises.
    """
    missing: dict[str, int] = {}
    tries = MOST_REFUSED
    while True:
        try:
            return read(text), missing
        except YamlRefusedError as error:
            lines = text.split("\n")
            found = blocks(lines)
            at = (error.line or 0) - first_line
            bad = next((each for each in found if each.start <= at < each.end), None)
            if bad is None or len(text) > longest or not tries:
                raise
            refuse(error)
            tries -= 1
            if not any(each.key == bad.key and each != bad for each in found):
                missing[bad.key] = bad.start + first_line
            blank = [""] * (bad.end - bad.start)  # so that lines keep their numbers
            lines[bad.start : bad.end] = blank
            text = "\n".join(lines)
