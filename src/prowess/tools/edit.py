"""
Edit: one exact change in a text, never an ambiguous one.

The old text must be found once (or `replace_all` be asked for). What models commonly get wrong when
they quote a file is allowed for: line ends, blanks at line ends, indentation, typographic quotes, the
line numbers that Read shows.
Anything less certain is not changed but quoted back.
"""

import asyncio
import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import Field

from prowess.core.chat import Call, Observation
from prowess.core.workspace import AbsentError, read_in, write_in
from prowess.tools.files import LARGEST, as_text, writable
from prowess.tools.near import nearest
from prowess.tools.place import Place, settled
from prowess.tools.toolbox import Tool, failed, seen, typed

_NUMBERED = re.compile(r"^ {0,5}\d+\t", re.MULTILINE)
_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d\u00a0", "''\"\" ")
_ALIKE = 0.6
_MOST_NAMED = 10  # places of an ambiguous text


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What to replace with what, word for word as it is in the file."""

    old: str
    new: str
    healed: str = ""


def edit_tool(place: Place) -> Tool:
    return typed("Edit", "FILE", partial(edit, place))


async def edit(
    place: Place,
    *,
    file_path: Annotated[str, Field(description="the file, relative to the workspace")],
    old_string: Annotated[str, Field(description="the text to replace, exactly as it is")],
    new_string: Annotated[str, Field(description="the text to put in its place")],
    replace_all: Annotated[bool, Field(description="replace every occurrence")] = False,
) -> Observation:
    return await asyncio.to_thread(
        _edit, place, file_path, old_string, new_string, every=replace_all
    )


def find(text: str, old: str, new: str) -> Quote | None:
    """The quote as the file has it, by the first allowance that finds it at all."""
    if old in text:
        return Quote(old=old, new=new)
    bare = _NUMBERED.sub("", old)
    if bare != old and len(_NUMBERED.findall(old)) == len(old.splitlines()) and bare in text:
        return Quote(old=bare, new=_NUMBERED.sub("", new), healed="left out the line numbers")
    for ours, theirs in (("\n", "\r\n"), ("\r\n", "\n")):
        turned = old.replace("\r\n", "\n").replace("\n", theirs)
        if ours in old and turned in text:
            new = new.replace("\r\n", "\n").replace("\n", theirs)
            return Quote(old=turned, new=new, healed="kept the file's line ends")
    if (plain := old.translate(_STRAIGHT)) != old and plain in text:
        return Quote(
            old=plain, new=new.translate(_STRAIGHT), healed="took the quotes for plain ones"
        )
    return _despite_blanks(text, old, new) or _despite_indentation(text, old, new)


def _despite_blanks(text: str, old: str, new: str) -> Quote | None:
    """Whole lines that differ only in blanks at their ends; only when there is one such place."""
    there = _only_place(text, old, str.rstrip)
    return _whole_lines(there, new, "allowed for blanks at line ends") if there else None


def _despite_indentation(text: str, old: str, new: str) -> Quote | None:
    """
    Whole lines that differ only in how they are indented; only when there is one such place, and
    when it tells for every line of the new text how that is indented in the file.
    """
    there = _only_place(text, old, str.strip)
    if not there:
        return None
    depths: dict[str, str] = {}
    for said, real in zip(old.splitlines(), there.splitlines(), strict=True):
        if said.strip() and depths.setdefault(_indent(said), _indent(real)) != _indent(real):
            return None
    lines = new.splitlines()
    if any(line.strip() and _indent(line) not in depths for line in lines):
        return None
    turned = [depths[_indent(line)] + line.lstrip() if line.strip() else "" for line in lines]
    return _whole_lines(there, "\n".join(turned), "kept the file's indentation")


def _only_place(text: str, old: str, bare: Callable[[str], str]) -> str:
    """The lines of the text that are those of `old` once both are bare; empty unless it is once."""
    lines, wanted = text.splitlines(keepends=True), [bare(line) for line in old.splitlines()]
    if not any(wanted):
        return ""
    stripped = [bare(line) for line in lines]
    places = [
        start
        for start in range(len(lines) - len(wanted) + 1)
        if stripped[start : start + len(wanted)] == wanted
    ]
    return "".join(lines[places[0] : places[0] + len(wanted)]) if len(places) == 1 else ""


def _whole_lines(there: str, new: str, healed: str) -> Quote:
    """New lines in place of those that are there, with the same line ends."""
    ends = "\r\n" if there.endswith("\r\n") else "\n" if there.endswith("\n") else ""
    turned = new.replace("\r\n", "\n").removesuffix("\n").replace("\n", ends or "\n") + ends
    return Quote(old=there, new=turned, healed=healed)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _edit(place: Place, path: str, old: str, new: str, *, every: bool) -> Observation:
    if not old:
        return failed("old_string is empty: use Write to make or replace a whole file.")
    if old == new:
        return failed("old_string and new_string are the same: there is nothing to change.")
    spot = settled(place, writable(place, path), Call(id="", tool="Edit", input={}))
    try:
        was = as_text(place, spot, read_in(spot.root, spot.relative, limit=LARGEST))
    except AbsentError as absent:
        meant, offered = nearest(spot.relative, spot.root)
        near = ", ".join([meant] if meant else offered)
        raise AbsentError(
            str(absent), hint=f"Did you mean {near}?" if near else absent.hint
        ) from None
    quote = find(was.text, old, new) if place.heals or old in was.text else None
    if quote is None:
        return failed(_not_found(spot.name, was.text, old, new))
    count = was.text.count(quote.old)
    if count > 1 and not every:
        return failed(_ambiguous(spot.name, was.text, quote.old, count))
    try:
        data = was.encoded(was.text.replace(quote.old, quote.new))
    except UnicodeEncodeError as error:
        letter = error.object[error.start]
        return failed(
            f"{spot.name} is in {was.encoding}, which has no {letter!r}. "
            "Say it in other letters, or Write the whole file anew, as UTF-8."
        )
    write_in(spot.root, spot.relative, data)
    healed = [quote.healed] if quote.healed else []
    if was.odd:
        healed.append(f"kept the encoding {was.odd}")
    line = was.text[: was.text.index(quote.old)].count("\n") + 1
    times = f", {count} times" if count > 1 else ""
    return seen(
        f"Edited {spot.name} at line {line}{times}.",
        healed=healed,
        facts={"path": spot.relative, "line": line, "times": count},
    )


def _ambiguous(name: str, text: str, old: str, count: int) -> str:
    lines = [
        str(text[: found.start()].count("\n") + 1)
        for found, _ in zip(re.finditer(re.escape(old), text), range(_MOST_NAMED), strict=False)
    ]
    return (
        f"old_string is in {name} {count} times (lines {', '.join(lines)}). "
        "Quote more of what is around the one you mean, or set replace_all."
    )


def _not_found(name: str, text: str, old: str, new: str) -> str:
    if new and new in text:
        return (
            f"old_string is not in {name}, but new_string is: the change seems to be made already."
        )
    lines, wanted = text.splitlines(), old.strip().splitlines()
    near = difflib.get_close_matches(wanted[0], lines, n=1, cutoff=_ALIKE) if wanted else []
    if not near:
        return f"old_string is not in {name}. Read the file and quote it exactly."
    first = lines.index(near[0])
    quoted = "\n".join(
        f"{number:6}\t{line}"
        for number, line in enumerate(lines[first : first + len(wanted)], start=first + 1)
    )
    return f"old_string is not in {name}. The nearest to it is:\n{quoted}"
