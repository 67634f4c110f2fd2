"""What a loop works with: agents by name, the repository, and how it tells its story."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from prowess.core.event import Event
from prowess.core.ports import Record
from prowess.engine.world import World
from prowess.loop.abreast import Step
from prowess.loop.agents.base import Agent
from prowess.loop.agents.known import open_program, passed_on
from prowess.loop.git import Repository
from prowess.loop.request import LoopRequest, own_paths, plan_name


@dataclass(frozen=True, kw_only=True)
class Crew:
    """
    `step` does a durable step of the run. `kept` is how git behaved before any agent was at work,
    known once the loop has begun. `agents` brings agents of the caller's own, by name, before
    those that are known.
    """

    run: str
    step: Step
    request: LoopRequest
    world: World
    record: Record
    kept: dict[str, str | None] = field(default_factory=dict)
    agents: Callable[[str], Agent | None] = lambda name: None
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def plan_name(self) -> str:
        return plan_name(self.request)

    @property
    def own(self) -> tuple[str, ...]:
        return own_paths(self.request)

    def repository(self, folder: str) -> Repository:
        return Repository(folder=folder, own=self.own, kept=self.kept)

    def next_run(self) -> str:
        return f"{self.run}.{next(self._numbers)}"

    def tell(self, kind: str, summary: str, **facts: Any) -> None:
        payload = {"summary": summary, "visibility": "SUMMARY", **facts}
        self.record(Event(run=self.run, kind=kind, payload=payload))

    def open_agent(self, name: str) -> Agent:
        if agent := self.agents(name):
            return agent
        if name == "built-in":
            from prowess.loop.agents.built_in import BuiltIn

            return BuiltIn(world=self.world)
        return open_program(name, command=self.request.command)

    def passed_on(self, name: str) -> dict[str, str]:
        return passed_on(name, self.world.environment)


def check_agents(request: LoopRequest, world: World) -> None:
    """Refuse now what would only fail later: an agent that is not there, a model that cannot be had."""
    for name in {request.agent, request.reviewer or request.agent}:
        if name == "built-in":
            world.open_model(request.model or world.settings.model_default or None, None)
        else:
            open_program(name, command=request.command)
