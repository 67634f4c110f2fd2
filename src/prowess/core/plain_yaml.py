"""
The short way through the headers that most skills have: fields of a line, a block or a list, one level deep.

It answers only where YAML leaves no doubt, and then exactly as the parser would, several times
faster and without loading it.
"""

import math
import re
from dataclasses import dataclass, field
from typing import Any

_INT = re.compile(r"[-+]?[0-9]+")
_MOST_DIGITS = 18  # more are an identifier, not a quantity
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")
_WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False,
}  # fmt: skip
NOT_PLAIN_TEXT = frozenset("0123456789+-.~nNtTfF")
# A line of a plain header: `key: value`, the value quoted without escapes, or a block to come, or
# begun by a character that begins nothing else in YAML: a letter, a digit, one of ( / . $ < _, or what
# is not ASCII. An indented one belongs to the key above it. Any other line has no key.
_VALUE = r"""\"[^"\\\n]*\"|'[^'\n]*'|[^\x00-#%-')-\-:;=-@\[-^`{-\x7f].*"""
_PLAIN_LINE = re.compile(
    rf"""^(?:( *)([A-Za-z_][A-Za-z0-9_-]{{0,99}}):(?: +({_VALUE}|[|>]-?))?|.*)$""", re.MULTILINE
)
_PLAIN_ITEM = re.compile(rf"""( *)- +({_VALUE})""")  # of a list
_BLOCKS = ("|", "|-", ">", ">-")


@dataclass(slots=True)
class Document:
    """A parsed mapping, and the line of each of its own keys."""

    value: dict[str, Any]
    lines: dict[str, int] = field(default_factory=dict)


class _DoubtError(Exception):
    """This header is not plain; the parser must look."""


def read_plain(text: str, *, first_line: int, keep_text: frozenset[str]) -> Document | None:
    """What `safe_yaml.read_mapping` would return; None when only the parser can tell."""
    try:
        return _read(text, first_line, keep_text)
    except _DoubtError:
        return None


def _read(text: str, first_line: int, keep_text: frozenset[str]) -> Document:
    if not text.endswith("\n") or not text.replace("\n", "").isprintable():
        raise _DoubtError
    value: dict[str, Any] = {}
    lines: dict[str, int] = {}
    here, outer, depth, hangs = value, "", "", False
    rows = text[:-1].split("\n")
    begin = 0  # what comes before has been read, as part of a block or of a list
    for at, (indent, key, written) in enumerate(_PLAIN_LINE.findall(text, 0, len(text) - 1)):
        if at < begin:
            continue
        if not indent:
            here, outer, hangs = value, key, not written
            lines[key] = at + first_line
        elif here is value:
            if not hangs:  # an indented line below a value continues it
                raise _DoubtError
            here, depth = {}, indent
            value[outer] = here
        if not key or key in here or (indent and (indent != depth or written[:1] in "|>")):
            raise _DoubtError
        if written in _BLOCKS:
            block = _plain_block(rows, at + 1)
            here[key] = (" " if written[0] == ">" else "\n").join(block) + "\n"[len(written) - 1 :]
            begin = at + 1 + len(block)
        elif (
            hangs
            and here is value
            and (items := _plain_list(rows, at + 1, as_text=key in keep_text))
        ):
            here[key] = items
            hangs = False
            begin = at + 1 + len(items)
        else:
            here[key] = _plain_value(written, as_text=outer in keep_text)
    return Document(value, lines)


def _plain_value(written: str, *, as_text: bool) -> Any:
    if not written:
        return None
    first = written[0]
    if first in ('"', "'"):
        return written[1:-1]
    if ": " in written or " #" in written or written[-1] in ": ":
        raise _DoubtError
    if first in NOT_PLAIN_TEXT:
        meant = resolved(written)
        return meant if meant is None or not as_text else written
    return written


def _plain_list(rows: list[str], at: int, *, as_text: bool) -> list[Any]:
    """The items of a list below a key, which must all be indented alike; empty when there is no list."""
    items: list[Any] = []
    depth = None
    while at < len(rows) and (found := _PLAIN_ITEM.fullmatch(rows[at])):
        if depth is not None and found[1] != depth:
            raise _DoubtError
        depth = found[1]
        items.append(_plain_value(found[2], as_text=as_text))
        at += 1
    return items


def _plain_block(rows: list[str], at: int) -> list[str]:
    """The lines of a block scalar, which must all be indented alike, and none be blank."""
    first = rows[at] if at < len(rows) else ""
    depth = len(first) - len(first.lstrip(" "))
    block = []
    while at < len(rows) and rows[at][:1] == " ":
        line = rows[at]
        if line[:depth].strip() or line[depth : depth + 1] in ("", " "):
            raise _DoubtError
        block.append(line[depth:])
        at += 1
    if not block:
        raise _DoubtError
    return block


def resolved(text: str) -> Any:
    """What a text means that is not in quotes."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text) if len(text) <= _MOST_DIGITS else text
    if _FLOAT.fullmatch(text) and math.isfinite(number := float(text)):  # JSON has no other numbers
        return number
    return text
