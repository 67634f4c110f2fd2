"""
Fetch and Skill: what a run takes from skills while it works, and only when it needs it.

Fetch reads a supporting file of the run's own skill, with the run's values in place of its
variables, and never anything outside that skill's folder. Skill brings in another one's instructions.
"""

import asyncio
import os
from functools import partial
from typing import Annotated

from pydantic import Field

from prowess.core.chat import Observation
from prowess.core.errors import RefusedError
from prowess.core.workspace import is_folder
from prowess.tools.files import as_text, bytes_of, listing
from prowess.tools.place import LoadSkill, Place, Spot
from prowess.tools.toolbox import Tool, seen, typed


def skill_tools(place: Place) -> list[Tool]:
    tools = []
    if place.skill_dir is not None:
        fetching = partial(fetch, place, place.skill_dir)
        tools.append(typed("Fetch", "FILE", fetching, reads_only=True, repeatable=True))
    if place.load_skill is not None:
        # A skill may turn out to be a sub-agent that writes, so two are not used at once.
        tools.append(typed("Skill", "SKILL", partial(use, place.load_skill), repeatable=True))
    return tools


async def fetch(
    place: Place,
    skill_dir: str,
    *,
    file_path: Annotated[str, Field(description="the file, relative to the skill's folder")],
) -> Observation:
    return await asyncio.to_thread(_fetch, place, skill_dir, file_path)


async def use(
    load: LoadSkill,
    *,
    name: Annotated[str, Field(description="the skill, as it is listed")],
    arguments: Annotated[str, Field(description="what it is told to work on")] = "",
) -> Observation:
    return seen(await load(name.strip().lstrip("/@"), arguments), facts={"skill": name})


def _fetch(place: Place, skill_dir: str, path: str) -> Observation:
    spot = _spot(skill_dir, path)
    if is_folder(spot.root, spot.relative):
        return listing(spot)
    spot, data, healed = bytes_of(place, spot, "Fetch")
    text = as_text(place, spot, data)
    if text.odd:
        healed += (f"read {spot.relative} as {text.odd}",)
    facts = {"path": spot.relative, "lines": len(text.text.splitlines())}
    return seen(place.fill(text.text) or f"{spot.relative} is empty.", healed=healed, facts=facts)


def _spot(skill_dir: str, path: str) -> Spot:
    """The path as it lies in the skill's folder, also when that folder was named in front of it."""
    whole = os.path.normpath(os.path.join(skill_dir, path))
    relative = os.path.relpath(whole, skill_dir)
    if "\0" in path or relative.startswith(".."):
        raise RefusedError(
            f"{path!r} is not in the skill's folder",
            hint="Fetch takes files of the skill only; for files of the workspace use Read",
        )
    return Spot(root=skill_dir, relative=relative, writable=False)
