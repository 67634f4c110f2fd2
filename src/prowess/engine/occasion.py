"""
A skill made for one occasion, so that a plain prompt runs on the same road as any skill: durable,
gated, in the sandbox, with its story in the log.
"""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from prowess.core.files import make_private
from prowess.engine.house import House, open_house
from prowess.engine.world import OpenModel
from prowess.settings import Settings

READING = ("Read", "Grep", "Glob")  # tools that change nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """`tools` are all the skill may use; None for what the platform allows."""

    name: str
    body: str
    tools: Sequence[str] | None = None


@asynccontextmanager
async def open_occasions(
    settings: Settings,
    occasions: Sequence[Occasion],
    *,
    key: str,
    open_model: OpenModel | None = None,
) -> AsyncIterator[House]:
    """A house that knows these skills and no others; they lie in the data folder under `key`."""
    folder = os.path.join(settings.data, "occasions", key)
    for occasion in occasions:
        _write(folder, occasion)
    async with open_house(replace(settings, only_dirs=(folder,)), open_model=open_model) as house:
        yield house


def _write(folder: str, occasion: Occasion) -> None:
    make_private(os.path.join(folder, occasion.name))
    tools = "" if occasion.tools is None else f"allowed-tools: {' '.join(occasion.tools)}\n"
    header = (
        f"---\nname: {occasion.name}\ndescription: Made by Prowess for one occasion.\n{tools}---\n"
    )
    path = os.path.join(folder, occasion.name, "SKILL.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{header}\n{occasion.body}\n")
