"""
One entry in somebody's JSON file, put in and taken out as text.

Nothing else in the file changes, not even white space, and taking out what was put in gives back
the file to the byte. A new entry stands first and looks like its neighbours. What an empty object
is filled with stands between blanks, which tells it from an object that we made ourselves.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_BLANKS = re.compile(r"[ \t\r\n]*")


class UnreadableError(ValueError):
    """The text is not plain JSON, or not of the form that we could put an entry into."""


@dataclass(frozen=True, slots=True)
class Member:
    """`"key": value` in an object: it begins at `start`, its value at `value`, and ends before `end`."""

    key: str
    start: int
    value: int
    end: int


def entry(text: str, table: str, name: str) -> Any:
    """What stands under `table` and `name`; None when nothing does, for which a null is no substitute."""
    found = _read(text).get(table, {})
    if not isinstance(found, dict):
        raise UnreadableError(f"{table} is not an object")
    if name in found and found[name] is None:
        raise UnreadableError(f"{name} of {table} is null")
    return found.get(name)


def with_entry(text: str | None, table: str, name: str, value: Any) -> str:
    """`text` with the entry, which it must not have yet; None is a file that is not there."""
    if text is None:
        return json.dumps({table: {name: value}}, indent=2, ensure_ascii=False) + "\n"
    _read(text)
    top = _after_blanks(text, 0)
    for member in _members(text, top):
        if member.key == table:
            return _put(text, member.value, name, value)
    return _put(text, top, table, {name: value})


def without_entry(text: str, table: str, name: str) -> str | None:
    """
    `text` as it was before `with_entry`; None when there was no file. When the file was changed
    since, the entry is taken out, and with it the table if we made it and nothing else is in it.
    """
    value = entry(text, table, name)
    top = _after_blanks(text, 0)
    outer = next(member for member in _members(text, top) if member.key == table)
    alone = _cut(text, outer.value, name)
    for before in (None, _cut(text, top, table), alone):
        if _leads_to(before, text, table, name, value):
            return before
    only = len(list(_members(text, outer.value))) == 1
    return _cut(text, top, table) if only and not _is_padded(text, outer.value) else alone


def _leads_to(before: str | None, text: str, table: str, name: str, value: Any) -> bool:
    if before is not None and entry(before, table, name) is not None:
        return False
    return with_entry(before, table, name, value) == text


def _read(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(str(error)) from None
    if not isinstance(value, dict):
        raise UnreadableError("the outermost value is not an object")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise ValueError("a key stands twice")
    return keys


def _members(text: str, brace: int) -> Iterator[Member]:
    """The members of the object whose `{` is at `brace`; the text is known to be JSON."""
    if text[brace] != "{":
        raise UnreadableError("an object is expected")
    decode = json.JSONDecoder().raw_decode
    at = _after_blanks(text, brace + 1)
    while text[at] != "}":
        start = at if text[at] == '"' else _after_blanks(text, at + 1)
        key, after = decode(text, start)
        value = _after_blanks(text, _after_blanks(text, after) + 1)
        _, end = decode(text, value)
        yield Member(key, start, value, end)
        at = _after_blanks(text, end)


def _put(text: str, brace: int, key: str, value: Any) -> str:
    """A new first member, right behind the brace."""
    at = brace + 1
    first = next(_members(text, brace), None)
    if first is None:
        return f"{text[:at]} {_written(key, value)} {text[at:]}"
    lead = text[at : first.start]
    line, _, indent = lead.rpartition("\n")
    if "\n" not in lead:
        return f"{text[:at]}{lead}{_written(key, value)},{text[at:]}"
    newline = "\r\n" if line.endswith("\r") else "\n"
    outer = _indent_of_line(text, brace)
    unit = indent.removeprefix(outer) or "  "
    member = _written(key, value, indent=unit).replace("\n", f"{newline}{indent}")
    return f"{text[:at]}{lead}{member},{text[at:]}"


def _written(key: str, value: Any, *, indent: str | None = None) -> str:
    return f"{json.dumps(key)}: {json.dumps(value, indent=indent, ensure_ascii=False)}"


def _cut(text: str, brace: int, key: str) -> str:
    """Without this member, and without the comma and the white space that came with it."""
    members = list(_members(text, brace))
    place = next(place for place, member in enumerate(members) if member.key == key)
    member = members[place]
    if place > 0:
        return text[: members[place - 1].end] + text[member.end :]
    if len(members) > 1:
        return text[: brace + 1] + text[text.index(",", member.end) + 1 :]
    return text[: brace + 1] + text[member.end + _is_padded(text, brace) :]


def _is_padded(text: str, brace: int) -> bool:
    """Does the object hold one member, with one blank on either side?"""
    first, *others = _members(text, brace)
    return not others and text[brace + 1 : first.start] == " " and text[first.end] == " "


def _indent_of_line(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _after_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at
