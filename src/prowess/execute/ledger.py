"""What a run has used and what it has to show: tokens and money by model, and a partial result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from prowess.core.chat import Call, Observation, Reply
from prowess.core.run import Ending, Outcome
from prowess.execute.attempts import Attempts
from prowess.execute.objectives import NAME, Objectives, counted, read

_NEWEST = 5  # thoughts and failures that a partial result tells


@dataclass
class Bill:
    """What was used, by model; what a sub-agent used, its parent used."""

    tokens: int = 0
    cost: float | None = 0.0  # None once a reply came whose price nobody knows
    models: dict[str, dict[str, Any]] = field(default_factory=dict)

    def spend(self, model: str, used: Mapping[str, Any]) -> None:
        self.tokens += used["input_tokens"] + used["output_tokens"]
        self.cost = _sum(self.cost, used["cost"])
        spent = self.models.setdefault(
            model, {"requests": 0, "input_tokens": 0, "output_tokens": 0, "cost": 0.0}
        )
        for name in ("requests", "input_tokens", "output_tokens"):
            spent[name] += used[name]
        spent["cost"] = _sum(spent["cost"], used["cost"])

    def join(self, outcome: Mapping[str, Any]) -> None:
        models = outcome.get("details", {}).get("models", {})
        for model, used in models.items():
            self.spend(model, used)
        if not models:  # a workflow tells the sum only
            self.tokens += outcome.get("tokens", 0)
            self.cost = _sum(self.cost, outcome.get("cost", 0.0))


@dataclass
class Ledger(Bill):
    objectives: Objectives = ()
    _made: int = 0
    _succeeded: int = 0
    _thought: str = ""

    def add(self, reply: Reply) -> None:
        usage = reply.usage
        used = {
            "requests": 1,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cost": usage.cost,
        }
        self.spend(reply.model, used)
        self._thought = reply.message.text.strip() or self._thought

    def observe(self, calls: Sequence[Call], seen: Sequence[Observation]) -> None:
        for call, each in zip(calls, seen, strict=True):
            if call.tool == NAME:
                self.objectives = read(call.input) or self.objectives
            else:
                self._made += 1
                self._succeeded += each.ok
            self.join(each.facts.get("outcome", {}))

    def outcome(self, ending: Ending, answer: str, reason: str, iterations: int) -> Outcome:
        details: dict[str, Any] = {"models": self.models}
        if self.objectives:
            details["objectives"] = [{"text": text, "done": done} for text, done in self.objectives]
        return Outcome(
            ending=ending,
            answer=answer,
            reason=reason,
            iterations=iterations,
            tokens=self.tokens,
            cost=self.cost,
            details=details,
        )

    def report(self, attempts: Attempts) -> str:
        """
        What there is to show when no answer came: objectives, the last thought, what failed.

        Empty when nothing was done: then the reason says all there is to say.
        """
        failures = [f"- {line}" for line in attempts.failures()[-_NEWEST:]]
        parts = (
            self._done(),
            f"Last thought: {self._thought}" if self._thought else "",
            "What failed:\n" + "\n".join(failures) if failures else "",
        )
        return "\n\n".join(part for part in parts if part)

    def _done(self) -> str:
        if self.objectives:
            lines = (f"- [{'x' if done else ' '}] {text}" for text, done in self.objectives)
            return f"{counted(self.objectives)}\n\n" + "\n".join(lines)
        if self._made:
            return f"Completed {self._succeeded} of {self._made} calls; no answer was given."
        return ""


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
