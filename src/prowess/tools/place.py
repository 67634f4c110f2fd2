"""
Where a run's tools work: what they may touch, and whom they may ask.

Every path a model names becomes a `Spot` beneath one of a few roots before anything is opened.
The workspace can be written; the skill's folder and what was kept of long output can be read.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from prowess.core.chat import Call
from prowess.core.errors import RefusedError
from prowess.core.ports import Ask, Gate, Sandbox
from prowess.core.process import Limits

LoadSkill = Callable[[str, str], Awaitable[str]]  # name and arguments to instructions
OUTPUTS = "outputs"  # the part of a run's folder that holds long output


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """
    `gate` judges whatever a tool would do instead of what was asked, so that help never does more
    than was granted. `fill` puts values in for the `$variables` of a supporting file. `clean` takes
    out of long output what may not be kept on disk. Without
    `ask` or `load_skill` the tools that need them are not in the box.
    `heals` is false only to measure what the help is worth.
    """

    workspace: str
    run_folder: str
    sandbox: Sandbox
    gate: Gate
    skill_dir: str | None = None
    network: bool = False
    limits: Limits = Limits()
    environment: Mapping[str, str] = field(default_factory=dict)
    ask: Ask | None = None
    load_skill: LoadSkill | None = None
    fill: Callable[[str], str] = str
    clean: Callable[[str], str] = str
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    heals: bool = True

    @property
    def outputs(self) -> str:
        return os.path.join(self.run_folder, OUTPUTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A path beneath a root; `name` is how the model should say it."""

    root: str
    relative: str
    writable: bool

    @property
    def name(self) -> str:
        return self.relative if self.writable else os.path.join(self.root, self.relative)

    def beside(self, relative: str) -> "Spot":
        return Spot(root=self.root, relative=relative, writable=self.writable)


def locate(place: Place, path: str) -> Spot:
    """Where `path` lies; relative ones are beneath the workspace. `RefusedError` outside all roots."""
    if "\0" in path:
        raise RefusedError(f"{path!r} is not a path", hint="leave out the NUL")
    whole = os.path.normpath(os.path.join(place.workspace, path))
    for spot, start in _roots(place):
        if whole == start or whole.startswith(start.rstrip("/") + "/"):
            return spot.beside(os.path.relpath(whole, start))
    raise RefusedError(
        f"{path} is outside the workspace",
        hint=f"use paths beneath {place.workspace}" + _also(place),
    )


def settled(place: Place, spot: Spot, call: Call) -> Spot:
    """
    Where a path leads once its links are followed. The gate judged the name that was said, so it
    judges this one as well: `call` is the call to make, but for its path.
    """
    root = os.path.realpath(spot.root)
    whole = os.path.realpath(os.path.join(root, spot.relative))
    relative = os.path.relpath(whole, root)
    if relative == os.path.normpath(spot.relative) or relative.split("/")[0] == "..":
        return spot  # a link that leads outside is stopped where files are opened
    other = spot.beside(relative)
    named = "path" if call.tool in ("Glob", "Grep") else "file_path"
    verdict = place.gate(replace(call, input={**call.input, named: other.name}))
    if not verdict.allowed:
        raise RefusedError(f"{spot.name} is a link to {other.name}: {verdict.reason}")
    return other


def beneath(place: Place, path: str) -> Spot | None:
    """
    The file of the workspace that a path from elsewhere ends in, as a model remembers it from
    another machine. A folder must agree as well as the name, or it is anybody's file.
    """
    parts = [part for part in os.path.normpath(path).split("/") if part]
    for start in range(1, len(parts) - 1):
        relative = os.path.join(*parts[start:])
        if os.path.isfile(os.path.join(place.workspace, relative)):
            return Spot(root=place.workspace, relative=relative, writable=True)
    return None


def _roots(place: Place) -> list[tuple[Spot, str]]:
    """Each root under its own and its real name; a folder inside another comes before it."""
    named = (
        (place.workspace, True),
        (place.outputs, False),
        *([(place.skill_dir, False)] if place.skill_dir else []),
    )
    roots = [
        (Spot(root=root, relative=".", writable=writable), start)
        for root, writable in named
        for start in (os.path.abspath(root), os.path.realpath(root))
    ]
    return sorted(roots, key=lambda each: -len(each[1]))


def _also(place: Place) -> str:
    return f", or beneath {place.skill_dir} to read" if place.skill_dir else ""
