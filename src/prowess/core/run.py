"""
A run: one attempt at a task with a skill, and how it ended.

`partial` is an honest end: the budget was used up, and what was found so far is the answer.
`needs_attention` means that a call was under way when the process died and may not be repeated.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Ending = Literal["done", "partial", "failed", "cancelled", "needs_attention"]
Kind = Literal["skill", "workflow", "loop", "agent"]  # what may be begun


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """`reason` says in a few words why the run ended; `details` is JSON that its kind adds."""

    ending: Ending
    answer: str
    reason: str
    iterations: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.ending == "done"

    def as_json(self) -> dict[str, Any]:
        return {
            "ending": self.ending,
            "answer": self.answer,
            "reason": self.reason,
            "iterations": self.iterations,
            "tokens": self.tokens,
            "cost": self.cost,
            "details": dict(self.details),
        }


def outcome_from_json(value: Mapping[str, Any]) -> Outcome:
    return Outcome(**value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person is asked; `options` may be empty. `id` is unique within its run."""

    id: str
    prompt: str
    options: tuple[str, ...] = ()
    default: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "prompt": self.prompt,
            "options": list(self.options),
            "default": self.default,
        }
