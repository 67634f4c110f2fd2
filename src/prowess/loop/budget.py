"""What a loop may use, and what it has used; the figures are those of kept steps, so they outlive a crash."""

from dataclasses import dataclass

from prowess.core.agent import AgentEnd
from prowess.loop.request import LoopRequest


@dataclass(slots=True)
class Used:
    attempts: int = 0
    tokens: int = 0
    dollars: float = 0.0
    unpriced: bool = False  # some of it has no known price

    def add(self, end: AgentEnd) -> None:
        self.attempts += 1
        tokens, cost = end.usage.input_tokens + end.usage.output_tokens, end.usage.cost
        self.tokens += tokens
        # Who counts no tokens has told nothing of what it cost, whatever it cost.
        self.unpriced = self.unpriced or cost is None or not (tokens or cost)
        self.dollars += cost or 0.0

    def spent(self, request: LoopRequest, seconds: float) -> str:
        """Which budget is used up, in words; empty while none is."""
        limits = (
            (self.attempts, request.attempts, "attempts"),
            (seconds, request.seconds, "seconds"),
            (self.tokens, request.tokens, "tokens"),
            (self.dollars, request.dollars, "dollars"),
        )
        for used, most, name in limits:
            if most and used >= most:
                return f"the budget of {most:g} {name} is used up"
        return ""
