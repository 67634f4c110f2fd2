"""What is asked of a loop, as JSON: with it alone it can begin, or go on in any process."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

ARTIFACTS = ".prowess"  # in the workspace: reports and feedback


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopRequest:
    """
    `command` is what the agent named `command` runs. `phases` is the text of a file of them, which may
    change or go while the loop is at work; empty for the default.
    `parallel` is how many tasks may be worked on at once, each in a work tree of its own.
    Budgets of 0 are none: `attempts` in all, `seconds`, `tokens`, `dollars`.
    """

    plan: str
    workspace: str
    agent: str = "built-in"
    command: tuple[str, ...] = ()
    reviewer: str = ""
    model: str | None = None
    phases: str = ""
    parallel: int = 1
    max_attempts: int = 3
    wall: float = 3600.0
    idle: float = 900.0
    attempts: int = 0
    seconds: float = 0.0
    tokens: int = 0
    dollars: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "command": list(self.command)}


def loop_request(value: Mapping[str, Any]) -> LoopRequest:
    return LoopRequest(**{**value, "command": tuple(value["command"])})


def plan_name(request: LoopRequest) -> str:
    """The plan as an agent in the workspace would name it."""
    return os.path.relpath(request.plan, request.workspace)


def own_paths(request: LoopRequest) -> tuple[str, ...]:
    """What the loop itself writes in the workspace."""
    return (plan_name(request), f"{ARTIFACTS}/")
