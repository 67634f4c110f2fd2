"""
How long a usage limit is waited for, and when no more.

What a provider says of its limit is waited for. But an agent that comes back from each pause with
nothing done pays for its start each time and may do so for ever: so no pause is shorter than a
minute, they grow, and where nobody says when the limit ends, the loop does after some.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from prowess.core.agent import AgentEnd
from prowess.loop.agents.limits import is_for_good
from prowess.loop.done import CutError

FLOOR = 60.0  # seconds; no pause is shorter
UNTOLD = 300.0  # seconds of the first pause when nobody says how long the limit lasts
LONGEST = 3600.0  # seconds that a pause grows to
MOST = 5  # limits in a row of which nobody says when they end, and nothing was done between


class NoMoreError(CutError):
    """The agent's provider gives no more, and no waiting helps; the text says what to do."""

    told = "its agent is given no more, so it is not"
    outside = True


@dataclass(slots=True)
class Limited:
    """The limits that one attempt has met since its agent last got anything done."""

    in_a_row: int = 0
    untold: int = 0

    def met(self, agent: str, end: AgentEnd, *, changed: bool) -> None:
        """Count a limit. `NoMoreError` when it is to be waited for no more."""
        if not end.resets_at and is_for_good(end.told):
            raise NoMoreError(
                f"the provider of the agent {agent} gives no more until somebody pays: {end.why};"
                " look after the plan and billing of its account, and begin again"
            )
        if changed or end.got_further:
            self.in_a_row = self.untold = 0
        self.in_a_row += 1
        self.untold = 0 if end.resets_at else self.untold + 1
        if self.untold >= MOST:
            raise NoMoreError(
                f"the agent {agent} met its usage limit {MOST} times in a row, got nothing done between,"
                f" and nobody says when it ends: {end.why}; look after its account, and begin again"
            )

    def pause(self, end: AgentEnd) -> float:
        """Seconds from now until it is worth asking again."""
        first, stated = UNTOLD, 0.0
        if end.resets_at:
            left = datetime.fromisoformat(end.resets_at) - datetime.now(UTC)
            first, stated = FLOOR, left.total_seconds()
        return max(stated, min(LONGEST, first * 2.0 ** (self.in_a_row - 1)))
