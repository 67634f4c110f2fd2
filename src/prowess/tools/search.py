"""
Glob and Grep: which files there are, and what is in them.

Both look beneath one folder, follow no link out of it, leave out what is not the project's own
(.git, node_modules, …), and answer in name order. Patterns are RE2, so none can run away.
"""

import asyncio
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from prowess.core.chat import Call, Observation
from prowess.core.errors import RefusedError
from prowess.core.workspace import AbsentError, is_folder, read_in
from prowess.tools.near import nearest, nearest_folder, walk
from prowess.tools.output import beginning
from prowess.tools.place import Place, Spot, locate, settled
from prowess.tools.text import decode
from prowess.tools.toolbox import Tool, seen, typed

Output = Literal["content", "files_with_matches", "count"]
_LARGEST = 8 * 1024**2  # bytes of a file that is searched
_LONGEST_LINE = 400  # characters
_SECONDS = 20.0  # after which a search tells what it has
_MOST_STARS = 12  # wcmatch's patterns become `re`, where many stars cost dearly
_MOST_FILES = 500


def search_tools(place: Place) -> list[Tool]:
    return [
        typed("Glob", "SEARCH", partial(glob, place), reads_only=True, repeatable=True),
        typed(
            "Grep",
            "SEARCH",
            partial(grep, place),
            reads_only=True,
            repeatable=True,
            ignores=("-n",),
        ),
    ]


async def glob(
    place: Place,
    *,
    pattern: Annotated[str, Field(description="such as **/*.py or src/{a,b}/*.ts")],
    path: Annotated[str, Field(description="the folder to look in")] = ".",
) -> Observation:
    return await asyncio.to_thread(_glob, place, pattern, path)


async def grep(
    place: Place,
    *,
    pattern: Annotated[str, Field(description="a regular expression (RE2 syntax)")],
    path: Annotated[str, Field(description="the file or folder to look in")] = ".",
    glob: Annotated[str, Field(description="only files that fit, such as *.py")] = "",
    output_mode: Annotated[Output, Field(description="what to show")] = "content",
    ignore_case: bool = False,
    context: Annotated[int, Field(description="lines around each match", ge=0, le=20)] = 0,
    limit: Annotated[int, Field(description="most lines or files to show", ge=1)] = 200,
) -> Observation:
    wanted, healed = _expression(pattern, ignore_case=ignore_case, heals=place.heals)
    search = _Search(
        pattern=pattern, wanted=wanted, output=output_mode, context=context, limit=limit
    )
    return await asyncio.to_thread(_grep, place, search, path, glob, healed)


def _glob(place: Place, pattern: str, path: str) -> Observation:
    call = Call(id="", tool="Glob", input={"pattern": pattern, "path": path})
    spot, nearly = _where(place, call, path)
    pattern = pattern.removeprefix(f"{place.workspace}/").removeprefix("./")
    files = [os.path.relpath(file, spot.relative) for file in _files(spot)]
    found, healed = _fitting(files, pattern), ""
    if not found and place.heals and _may_widen(place, spot, call):
        found, healed = _wider(files, pattern)
    names = [spot.beside(os.path.normpath(f"{spot.relative}/{file}")).name for file in found]
    more = f"\n[and {len(names) - _MOST_FILES} more]" if len(names) > _MOST_FILES else ""
    return seen(
        "\n".join(names[:_MOST_FILES]) + more or f"No file fits {pattern}.",
        healed=[*nearly, *([healed] if healed else [])],
        facts={"files": len(names)},
    )


def _where(place: Place, call: Call, path: str) -> tuple[Spot, tuple[str, ...]]:
    """Where to look; a near name is taken only if the gate lets that one through as well."""
    spot = settled(place, locate(place, path), call)
    if not place.heals or os.path.lexists(os.path.join(spot.root, spot.relative)):
        return spot, ()
    meant = nearest_folder(spot.relative, spot.root) or nearest(spot.relative, spot.root)[0]
    if meant is None:
        return spot, ()
    other = spot.beside(meant)
    if not place.gate(replace(call, input={**call.input, "path": other.name})).allowed:
        return spot, ()
    other = settled(place, other, call)
    return other, (f"there is no {spot.name}; looked in {other.name}",)


def _may_widen(place: Place, spot: Spot, call: Call) -> bool:
    """Whether the gate would let every file of the folder be named."""
    return place.gate(replace(call, input={"pattern": "**/*", "path": spot.name})).allowed


def _wider(files: Sequence[str], pattern: str) -> tuple[list[str], str]:
    """In all folders, then in any letter case."""
    deep = pattern if pattern.startswith("**/") else f"**/{pattern}"
    if found := _fitting(files, deep):
        return found, f"looked in all folders, for {deep}"
    if found := _fitting(files, deep, any_case=True):
        return found, f"looked for {deep} in any letter case"
    return [], ""


def _fitting(files: Sequence[str], pattern: str, *, any_case: bool = False) -> list[str]:
    from wcmatch import glob as wc

    if pattern.count("*") > _MOST_STARS:
        raise RefusedError("the pattern has too many stars", hint=f"use at most {_MOST_STARS}")
    flags = wc.GLOBSTAR | wc.BRACE | (wc.IGNORECASE if any_case else wc.CASE)
    try:
        return [str(file) for file in wc.globfilter(files, pattern, flags=flags)]
    except Exception as error:  # noqa: BLE001 (wcmatch keeps the name of its own to itself)
        raise RefusedError(f"{pattern!r} is not a pattern: {error}") from None


def _files(spot: Spot) -> Iterator[str]:
    """The files at a spot, relative to its root: all those of a folder, or the one it is."""
    if is_folder(spot.root, spot.relative):
        return walk(spot.root, spot.relative)
    if not os.path.isfile(os.path.join(spot.root, spot.relative)):
        raise AbsentError(f"there is no {spot.name}", hint="look for it with Glob")
    return iter([spot.relative])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """What to look for and how to tell it."""

    pattern: str
    wanted: Any  # the pattern compiled by RE2, which has no types
    output: Output
    context: int
    limit: int

    def in_file(self, name: str, lines: Sequence[str]) -> list[tuple[str, str]]:
        """What this search tells of one file: places, each with the line that stands there."""
        hits = [number for number, line in enumerate(lines) if self.wanted.search(line)]
        if not hits:
            return []
        if self.output == "files_with_matches":
            return [(name, "")]
        if self.output == "count":
            return [(f"{name}: {len(hits)}", "")]
        near = {
            number
            for hit in hits
            for number in range(hit - self.context, hit + self.context + 1)
            if 0 <= number < len(lines)
        }
        marks = set(hits)
        return [
            (f"{name}:{number + 1}{':' if number in marks else '-'} ", lines[number])
            for number in sorted(near)
        ]


def _expression(pattern: str, *, ignore_case: bool, heals: bool) -> tuple[Any, tuple[str, ...]]:
    """Compiled; words that are no expression are looked for as they stand."""
    import re2  # type: ignore[import-untyped]

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(pattern, options), ()
    except re2.error as error:
        why = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
    if "perl operator" in why or "escape" in why or "repetition" in why or not heals:
        raise RefusedError(
            f"{pattern!r} cannot be searched for: {why}",
            hint="use RE2 syntax: no look-around, no back-references",
        )
    options.literal = True
    return re2.compile(pattern, options), (f"{pattern!r} is no expression; looked for it as text",)


def _grep(
    place: Place, search: _Search, path: str, glob: str, healed: tuple[str, ...]
) -> Observation:
    call = Call(id="", tool="Grep", input={"pattern": search.pattern, "path": path})
    spot, nearly = _where(place, call, path)
    files: Sequence[str] = list(_files(spot))
    if glob:
        files = _fitting(files, glob if "/" in glob else f"**/{glob}")
    told: list[tuple[str, str]] = []
    odd: set[str] = set()
    end, note = time.monotonic() + _SECONDS, ""
    for file in files:
        lines, encoding = _lines(spot, file, heals=place.heals)
        found = search.in_file(spot.beside(file).name, lines)
        told += found
        if found and encoding:
            odd.add(encoding)
        if len(told) > search.limit:
            note = f"\n[only the first {search.limit} are shown: look for less, or set limit]"
            break
        if time.monotonic() > end:
            note = f"\n[stopped after {_SECONDS:.0f} s, at {file}]"
            break
    if odd:
        healed += (f"read some files as {', '.join(sorted(odd))}",)
    healed = nearly + healed
    shown = [
        where + beginning(line, _LONGEST_LINE, place.clean) for where, line in told[: search.limit]
    ]
    text = "\n".join(shown) or f"No match in {len(files)} files."
    return seen(text + note, healed=healed, facts={"files": len(files), "found": len(told)})


def _lines(spot: Spot, file: str, *, heals: bool) -> tuple[list[str], str]:
    """
    The lines of a text and its odd encoding; none of what is binary, huge or not to be had.

    A link has none either: what it leads to is found under its own name, if that may be searched.
    """
    if os.path.islink(os.path.join(spot.root, file)):
        return [], ""
    try:
        data = read_in(spot.root, file, limit=_LARGEST)
        text = decode(data, encoding=None if heals else "utf-8")
    except (RefusedError, UnicodeDecodeError):
        return [], ""
    return (text.text.splitlines(), text.odd) if text else ([], "")
