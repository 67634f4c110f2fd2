"""
What a loop may use, and what it has used; the figures are those of kept steps, so they outlive a crash.

A budget is looked at before an agent is asked, while it works, and before and after a pause.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from prowess.core.agent import AgentEnd
from prowess.core.chat import Usage
from prowess.core.event import Event
from prowess.loop.done import CutError
from prowess.loop.request import LoopRequest


def used_before(events: Iterable[Event]) -> Usage:
    """What an attempt had used, as far as it told, before it was cut off and made again."""
    used = [each.payload["usage"] for each in events if each.kind == "model.replied"]
    costs = [each["cost"] for each in used]
    return Usage(
        input_tokens=sum(each["input_tokens"] for each in used),
        output_tokens=sum(each["output_tokens"] for each in used),
        cached_tokens=sum(each["cached_tokens"] for each in used),
        cost=None if None in costs else sum(costs, 0.0),
    )


def summed(one: Usage, other: Usage) -> Usage:
    """The sum of two; what nobody told the price of has none."""
    return Usage(
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cached_tokens=one.cached_tokens + other.cached_tokens,
        cost=None if one.cost is None or other.cost is None else one.cost + other.cost,
    )


class SpentError(CutError):
    """A budget is used up, and no agent is asked any more; the text says which one."""

    told = "{}, before it was"


def counted(number: int, one: str) -> str:
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


@dataclass(slots=True)
class Used:
    """
    A review is no attempt, and `reviewing` are the runs of those. `under_way` is what agents at work have
    told so far, by their runs; `started` is in seconds. `places` are those of attempts that ask to begin,
    or were let begin and have no end yet, by their numbers.
    """

    attempts: int = 0
    reviews: int = 0
    tokens: int = 0
    dollars: float = 0.0
    unpriced: bool = False  # some of it has no known price
    started: float = 0.0
    under_way: dict[str, Usage] = field(default_factory=dict)
    reviewing: set[str] = field(default_factory=set)
    places: list[int] = field(default_factory=list)
    given: int = 0

    @contextmanager
    def place(self) -> Iterator[int]:
        """
        A place among attempts: whoever asks later counts it as taken, so that no more begin side by side
        than the budget allows. Places are taken between steps, which is in the same order in a replay.
        """
        self.given += 1
        place = self.given
        self.places.append(place)
        try:
            yield place
        finally:
            self.places.remove(place)

    def add(self, run: str, end: AgentEnd) -> None:
        """An attempt that a usage limit ended is none, and has used what it has used."""
        self.under_way.pop(run, None)
        whole = end.trouble != "usage_limit"
        self._count(run, end.usage, whole=whole, paid=whole or end.got_further)

    def cut_off(self) -> None:
        """No agent is at work any more: those who were stopped count too, with what they had told."""
        for run, usage in self.under_way.items():
            self._count(run, usage, whole=True, paid=True)
        self.under_way.clear()

    def _count(self, run: str, usage: Usage, *, whole: bool, paid: bool) -> None:
        """`whole`: it counts as an attempt or a review; `paid`: it was at work, which costs something."""
        if whole and run in self.reviewing:
            self.reviews += 1
        else:
            self.attempts += whole
        tokens = usage.input_tokens + usage.output_tokens
        self.tokens += tokens
        # Who counts no tokens has told nothing of what it cost, whatever it cost.
        untold = usage.cost is None or not (tokens or usage.cost)
        self.unpriced = self.unpriced or (paid and untold)
        self.dollars += usage.cost or 0.0

    def told(self) -> str:
        """In words; what nobody told the price of has none, and is not free."""
        price = "an unknown price" if self.unpriced else f"${self.dollars:.4f}"
        reviews = f", {counted(self.reviews, 'review')}" if self.reviews else ""
        return f"{counted(self.attempts, 'attempt')}{reviews}, {self.tokens:,} tokens, {price}"

    def enough(self, run: str, usage: Usage, request: LoopRequest) -> str:
        """Why an agent at work has to stop; what those use that work beside it counts too."""
        self.under_way[run] = usage
        return self._over(request, attempts=0, seconds=0.0)

    def give_back(self) -> None:
        """What was counted as an attempt had not begun."""
        self.attempts -= 1

    def spent(self, request: LoopRequest, now: float, *, place: int | None = None) -> str:
        """Which budget is used up, in words; empty while none is. Who has a place has those before it."""
        before = [each for each in self.places if place is None or each < place]
        attempts = self.attempts + len(before)
        return self._over(request, attempts=attempts, seconds=now - self.started)

    def left(self, request: LoopRequest, now: float) -> float | None:
        """How many seconds are left; None when nobody counts them."""
        return max(0.0, request.seconds - (now - self.started)) if request.seconds else None

    def _over(self, request: LoopRequest, *, attempts: int, seconds: float) -> str:
        working = self.under_way.values()
        tokens = self.tokens + sum(each.input_tokens + each.output_tokens for each in working)
        dollars = self.dollars + sum(each.cost or 0.0 for each in working)
        limits = (
            (attempts, request.attempts, "attempts"),
            (seconds, request.seconds, "seconds"),
            (tokens, request.tokens, "tokens"),
            (dollars, request.dollars, "dollars"),
        )
        for used, most, name in limits:
            if most and used >= most:
                return f"the budget of {most:g} {name[:-1] if most == 1 else name} is used up"
        return ""
