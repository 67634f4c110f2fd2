"""A house with a scripted model in it: real engine, real log, real sandbox, real tools."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from prowess.core.event import Recorded
from prowess.core.run import Outcome
from prowess.engine.house import House, open_house
from prowess.engine.request import RunRequest
from prowess.model.scripted import Script, Scripted
from prowess.settings import load_settings
from support import write_file

T = TypeVar("T")


def skill_file(root: Path, name: str, body: str, **fields: object) -> Path:
    """A SKILL.md with these fields in its header."""
    header = "".join(f"{key}: {value}\n" for key, value in fields.items())
    description = "" if "description" in fields else "description: Does a thing.\n"
    text = f"---\nname: {name}\n{description}{header}---\n\n{body}\n"
    return write_file(root / ".agents" / "skills" / name / "SKILL.md", text).parent


@dataclass
class Ended:
    """What is left of a run when it is over."""

    run: str
    outcome: Outcome
    events: list[Recorded]
    model: Scripted

    def kinds(self) -> list[str]:
        return [each.event.kind for each in self.events]

    def payloads(self, kind: str) -> list[Mapping[str, Any]]:
        return [each.event.payload for each in self.events if each.event.kind == kind]


@dataclass
class Home:
    """A project, its data folder, and what is scripted for each skill; `*` for all others."""

    project: Path
    data: Path
    scripts: Mapping[str, Script]
    environment: Mapping[str, str] = field(default_factory=dict)
    models: dict[str, Scripted] = field(default_factory=dict)

    def within(self, work: Callable[[House], Awaitable[T]]) -> T:
        """Open the house, do the work, close it."""

        def model(name: str | None, skill: Any) -> Scripted:
            key = skill.name if skill and skill.name in self.scripts else "*"
            made = Scripted(self.scripts[key], name=name or "scripted")
            return self.models.setdefault(key, made)

        async def go() -> T:
            settings = load_settings(
                project=str(self.project), data=str(self.data), environment=self.environment
            )
            async with open_house(
                settings, environment=self.environment, open_model=model
            ) as house:
                return await work(house)

        return asyncio.run(go())

    def run(self, skill: str, arguments: str = "", **asked: Any) -> Ended:
        """Run a skill to its end."""

        async def work(house: House) -> Ended:
            request = RunRequest(
                skill=skill, arguments=arguments, workspace=str(self.project), **asked
            )
            run = await house.start(request)
            outcome = await house.outcome(run)
            key = skill if skill in self.scripts else "*"
            return Ended(run, outcome, list(house.log.run(run)), self.models[key])

        return self.within(work)
