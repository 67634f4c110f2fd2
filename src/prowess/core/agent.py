"""
A coding agent at work on one prompt: what it is given, and how it ended.

Nothing in an end says that the work is done. An exit code and an agent's own words are kept for the
record; whether the task is fulfilled, checks decide.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from prowess.core.chat import Usage
from prowess.core.process import KilledBy

# `usage_limit`: the agent's provider gives no more for now, which is nobody's failed attempt.
# `malformed`: it ended by itself, but what it told is not the story of a run with an end.
# `budget`: whoever ordered it had it stopped, for it had used enough.
Trouble = Literal["none", "auth", "usage_limit", "crash", "timeout", "idle", "malformed", "budget"]
_TELLING = re.compile(
    r"error|exception|fatal|panic|can't|cannot|could not|not found|denied", re.IGNORECASE
)
_LINE = 300  # characters of a line that says why


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOrder:
    """
    `run` is the run that its events belong to. `model` is named as the agent names it, None for its
    own choice. `environment` is passed beside the few variables that every program needs; keys are in
    it only when somebody put them there. `skills` are folders by name; `servers` are MCP servers as
    the settings write them. Times are in seconds: `wall` in all, `idle` without a word. `enough` is
    asked with what the agent has used so far, whenever it tells, and says why it must stop, or nothing.
    """

    run: str
    prompt: str
    workspace: str
    model: str | None = None
    wall: float = 3600.0
    idle: float | None = 900.0
    environment: Mapping[str, str] = field(default_factory=dict)
    skills: Mapping[str, str] = field(default_factory=dict)
    servers: Mapping[str, Any] = field(default_factory=dict)
    enough: Callable[[Usage], str] = lambda used: ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEnd:
    """
    `said_done`: it told its story to a regular end, which proves nothing. `code` is None where there
    is no process. `told` says in the agent's words what the trouble is. `resets_at` is when a usage
    limit ends, in ISO 8601, None when nobody said. `refusals` are calls that the agent's own
    permissions kept from being made. `spoke`: anything was heard of it besides its last words; `reached`: and
    of its model, as far as it tells of that: a reply, a call, or what it used.
    """

    agent: str
    answer: str = ""
    said_done: bool = False
    code: int | None = None
    killed_by: KilledBy = ""
    trouble: Trouble = "none"
    told: str = ""
    resets_at: str | None = None
    usage: Usage = Usage()
    iterations: int = 0
    refusals: tuple[str, ...] = ()
    seconds: float = 0.0
    spoke: bool = True
    reached: bool = True
    calls: int = 0

    @property
    def got_further(self) -> bool:
        """It did something that was paid for, whatever came of it."""
        return bool(self.calls or self.usage.input_tokens or self.usage.output_tokens)

    @property
    def why(self) -> str:
        """The trouble in one line: the last of its words that tell of an error, else the last of all."""
        lines = [line.strip() for line in self.told.splitlines() if line.strip()]
        telling = [
            line for line in lines if _TELLING.search(line) and not line.startswith("at ")
        ]  # the last lines of a stack are about somebody's program, not about its trouble
        code = f"exit code {self.code}" if self.code else ""
        return (telling or lines or [code])[-1][:_LINE]

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "refusals": list(self.refusals)}


def end_from_json(value: Mapping[str, Any]) -> AgentEnd:
    usage, refusals = Usage(**value["usage"]), tuple(value["refusals"])
    return AgentEnd(**{**value, "usage": usage, "refusals": refusals})
