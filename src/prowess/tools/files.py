"""
Read and Write.

Reading helps itself: any encoding, a name that was nearly right. Writing never guesses: it makes
the folders that are missing and replaces a file in one move, and nothing else.
"""

import asyncio
from functools import partial
from typing import Annotated

from pydantic import Field

from prowess.core.chat import Call, Observation
from prowess.core.errors import RefusedError
from prowess.core.workspace import AbsentError, is_folder, names_in, read_in, write_in
from prowess.tools.near import nearest
from prowess.tools.output import SHOWN, beginning
from prowess.tools.place import Place, Spot, beneath, locate, settled
from prowess.tools.text import Text, decode
from prowess.tools.toolbox import Tool, failed, seen, typed

LARGEST = 64 * 1024**2  # bytes of a file that is read at all
_LONGEST_LINE = 2_000  # characters
_MOST_LISTED = 200


def file_tools(place: Place) -> list[Tool]:
    return [
        typed("Read", "FILE", partial(read, place), reads_only=True, repeatable=True),
        typed("Write", "FILE", partial(write, place), repeatable=True),
    ]


async def read(
    place: Place,
    *,
    file_path: Annotated[str, Field(description="the file, relative to the workspace")],
    offset: Annotated[int, Field(description="first line to show, counted from 1")] = 1,
    limit: Annotated[int, Field(description="how many lines to show", ge=1)] = 2_000,
    encoding: Annotated[str, Field(description="only when the detected one is wrong")] = "",
) -> Observation:
    return await asyncio.to_thread(_read, place, file_path, max(offset, 1), limit, encoding)


async def write(
    place: Place,
    *,
    file_path: Annotated[str, Field(description="the file, relative to the workspace")],
    content: Annotated[str, Field(description="the whole new text of the file")],
) -> Observation:
    return await asyncio.to_thread(_write, place, file_path, content)


def bytes_of(place: Place, spot: Spot, tool: str) -> tuple[Spot, bytes, tuple[str, ...]]:
    """A file's bytes; a near name is taken only if the gate lets that one through as well."""
    call = Call(id="", tool=tool, input={})
    spot = settled(place, spot, call)
    try:
        return spot, read_in(spot.root, spot.relative, limit=LARGEST), ()
    except AbsentError as absent:
        meant, offered = nearest(spot.relative, spot.root) if place.heals else (None, [])
        if meant is None:
            raise AbsentError(str(absent), hint=_offer(offered) or absent.hint) from None
        other = spot.beside(meant)
        if not _granted(place, tool, other):
            raise
        other = settled(place, other, call)
        data = read_in(other.root, other.relative, limit=LARGEST)
        return other, data, (f"there is no {spot.name}; took {other.name}",)


def as_text(place: Place, spot: Spot, data: bytes, encoding: str = "") -> Text:
    """The text of a file, or `RefusedError` when it has none."""
    try:
        text = decode(data, encoding=encoding or (None if place.heals else "utf-8"))
    except (LookupError, UnicodeDecodeError) as error:
        raise RefusedError(
            f"{spot.name} cannot be read as {encoding or 'utf-8'}: {error}",
            hint="leave encoding out to have it detected" if encoding else "",
        ) from None
    if text is None:
        raise RefusedError(
            f"{spot.name} is binary ({len(data):,} bytes)",
            hint="look at it with a command that knows its kind",
        )
    return text


def _read(place: Place, path: str, offset: int, limit: int, encoding: str) -> Observation:
    spot, healed = _spot(place, path)
    spot = settled(place, spot, Call(id="", tool="Read", input={}))
    if is_folder(spot.root, spot.relative):
        return listing(spot)
    spot, data, nearly = bytes_of(place, spot, "Read")
    healed += nearly
    text = as_text(place, spot, data, encoding)
    if text.odd and not encoding:
        healed += (f"read {spot.name} as {text.odd}",)
    lines = text.text.splitlines()
    if not lines:
        return seen(f"{spot.name} is empty.", healed=healed)
    if offset > len(lines):
        return failed(f"{spot.name} has only {len(lines)} lines.", healed=healed)
    shown, last = _numbered(place, lines, offset, limit)
    if last < len(lines):
        shown += f"\n[lines {offset} to {last} of {len(lines)}; go on with offset={last + 1}]"
    return seen(shown, healed=healed, facts={"lines": len(lines), "encoding": text.encoding})


def _spot(place: Place, path: str) -> tuple[Spot, tuple[str, ...]]:
    """Where the file is; a path of another machine is taken to end beneath the workspace."""
    try:
        return locate(place, path), ()
    except RefusedError:
        spot = beneath(place, path) if place.heals else None
        if spot is None or not _granted(place, "Read", spot):
            raise
        return spot, (f"{path} is outside the workspace; took {spot.name}",)


def _granted(place: Place, tool: str, spot: Spot) -> bool:
    return place.gate(Call(id="", tool=tool, input={"file_path": spot.name})).allowed


def _numbered(place: Place, lines: list[str], offset: int, limit: int) -> tuple[str, int]:
    """Lines as `cat -n` shows them, as many as fit, and the number of the last one."""
    shown: list[str] = []
    room = SHOWN - 200  # for what is said below them
    for number, line in enumerate(lines[offset - 1 : offset - 1 + limit], start=offset):
        cut = "…[line cut]" if len(line) > _LONGEST_LINE else ""
        numbered = f"{number:6}\t{beginning(line, _LONGEST_LINE, place.clean)}{cut}"
        room -= len(numbered) + 1
        if room < 0:
            break
        shown.append(numbered)
    return "\n".join(shown), offset + len(shown) - 1


def listing(spot: Spot) -> Observation:
    """What is in a folder, for who read it as a file."""
    names = names_in(spot.root, spot.relative)
    more = f"\n[and {len(names) - _MOST_LISTED} more]" if len(names) > _MOST_LISTED else ""
    listed = "\n".join(names[:_MOST_LISTED]) or "(nothing)"
    return seen(f"{spot.name} is a folder. It holds:\n{listed}{more}")


def _write(place: Place, path: str, content: str) -> Observation:
    spot = writable(place, path)
    data = content.encode("utf-8", "replace")
    if len(data) > place.limits.file_bytes:
        return failed(f"{len(data):,} bytes are more than {place.limits.file_bytes:,}, the most")
    written = write_in(spot.root, spot.relative, data)
    done = "Created" if written.created else "Overwrote"
    healed = (f"made the folder {written.made}",) if written.made else ()
    return seen(
        f"{done} {spot.name}: {len(data):,} bytes, {len(content.splitlines()):,} lines.",
        healed=healed,
        facts={"path": spot.relative, "bytes": len(data), "created": written.created},
    )


def writable(place: Place, path: str) -> Spot:
    spot = locate(place, path)
    if not spot.writable:
        raise RefusedError(f"{path} may only be read", hint="write beneath the workspace")
    return spot


def _offer(offered: list[str]) -> str:
    return f"Did you mean {', '.join(offered)}?" if offered else ""
