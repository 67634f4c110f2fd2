"""Which skills go with a task, and why."""

from dataclasses import dataclass, field
from typing import Any, Literal

StepKind = Literal["implementation", "review"]
Strategy = Literal["hint", "match", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """
    A skill that fits a task: how well, and what says so. `parts` are what each word gave, and what
    else did, in brackets; they add up to the score. A hinted one has neither.
    """

    name: str
    reason: str
    score: float | None = None
    path: str = ""
    parts: tuple[tuple[str, float], ...] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillSelection:
    """The decision as it is recorded. An unknown hint, or one over the limit, is in `errors` and stops nothing."""

    run_id: str
    step_kind: StepKind
    task_label: str
    skills: tuple[Match, ...]
    strategy: Strategy
    errors: tuple[str, ...] = ()

    def as_event(self) -> dict[str, Any]:
        """Exactly the fields that observers of the loop know."""
        return {
            "run_id": self.run_id,
            "step_kind": self.step_kind,
            "task_label": self.task_label,
            "skills": [{"name": match.name, "reason": match.reason} for match in self.skills],
            "strategy": self.strategy,
            "errors": list(self.errors),
        }

    def as_json(self) -> dict[str, Any]:
        """The event's fields, with the score beside each reason."""
        skills = [
            {"name": match.name, "path": match.path, "score": match.score, "reason": match.reason}
            for match in self.skills
        ]
        return {**self.as_event(), "skills": skills}
