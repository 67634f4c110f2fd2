"""
Which of the waiting runs may begin, and why the others may not: a function of what is going on.

The higher priority goes first; among equals the user who has waited longest for a turn, so that a
thousand runs of one user hold up nobody else's one; among one user's, the first that came. A run
that a limit holds back is passed over and keeps its place. Of the runs that may be what their
processes died of, a process has one at a time, so that no other is blamed for it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

DEFAULT = "default"  # the name of the limit for everything that has none of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """
    What a run is put in the queue with. `project` is the folder whose workers can work on it. `model`
    is what it counts as; empty as long as that is for the process to say which takes the run. `asked`
    is the model as people called it: told with the run, and not counted.
    """

    user: str = ""
    skill: str = ""
    model: str = ""
    project: str = ""
    priority: int = 0
    asked: str = ""

    def counted(self) -> Iterator[tuple[str, str]]:
        """What it counts for, by dimension and name."""
        yield "skill", self.skill
        yield "model", self.model
        yield "user", self.user


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """
    A run in the queue; `came` is when, by the database's clock, and `turn` the last that its user had.
    `is_last`: when one more process dies at it, it is given to no other.
    """

    run: str
    came: int
    ticket: Ticket
    turn: int = 0
    is_last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How many may be under way at once, begin within a minute, and US dollars to be spent in a day."""

    at_once: int | None = None
    per_minute: int | None = None
    per_day: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """
    By name, for each dimension: skill, model and user. `unnamed` is the model of runs that name none,
    where this process works on them.
    """

    skill: Mapping[str, Limit] = field(default_factory=dict)
    model: Mapping[str, Limit] = field(default_factory=dict)
    user: Mapping[str, Limit] = field(default_factory=dict)
    unnamed: str = ""

    def of(self, dimension: str, name: str) -> Limit:
        table: Mapping[str, Limit] = getattr(self, dimension)
        return table.get(name) or table.get(DEFAULT) or Limit()

    def has(self, what: str) -> bool:
        """Whether some limit is of this kind."""
        tables = (self.skill, self.model, self.user)
        return any(getattr(limit, what) is not None for table in tables for limit in table.values())


@dataclass(slots=True, kw_only=True)
class Tally:
    """
    What goes on now, by dimension and name. `turns` are those that users are given now, which come
    after `latest`, the last one that anybody had; `unpriced` are runs that cost more than is known;
    `has_last` is true while this process has a run that `is_last`.
    """

    under_way: Counter[tuple[str, str]] = field(default_factory=Counter)
    begun: Counter[tuple[str, str]] = field(default_factory=Counter)
    spent: Counter[tuple[str, str]] = field(default_factory=Counter)
    unpriced: Counter[tuple[str, str]] = field(default_factory=Counter)
    latest: int = 0
    turns: dict[str, int] = field(default_factory=dict)
    has_last: bool = False

    def begin(self, each: Waiting) -> None:
        for key in each.ticket.counted():
            self.under_way[key] += 1
            self.begun[key] += 1
        self.latest += 1
        self.turns[each.ticket.user] = self.latest
        self.has_last = self.has_last or each.is_last


def choose(waiting: Sequence[Waiting], tally: Tally, limits: Limits, *, room: int) -> list[Waiting]:
    """At most `room` runs in the order they are to begin; `tally` has counted them when it returns."""
    line = [(_place(each, tally), each) for each in waiting]
    heapify(line)
    chosen: list[Waiting] = []
    while line and len(chosen) < room:
        place, each = heappop(line)
        if (each.is_last and tally.has_last) or held(each.ticket, tally, limits):
            continue  # what holds it back does not let go before the next look
        if (now := _place(each, tally)) != place:  # its user has had a turn meanwhile
            heappush(line, (now, each))
            continue
        tally.begin(each)
        chosen.append(each)
    return chosen


def _place(each: Waiting, tally: Tally) -> tuple[int, int, int, str]:
    turn = tally.turns.get(each.ticket.user, each.turn)
    return -each.ticket.priority, turn, each.came, each.run


def held(ticket: Ticket, tally: Tally, limits: Limits) -> str:
    """Which limit holds it back, in words; empty when none does."""
    for key in ticket.counted():
        dimension, name = key
        limit = limits.of(dimension, name)
        if limit.at_once is not None and tally.under_way[key] >= limit.at_once:
            return f"{tally.under_way[key]} of {limit.at_once} runs of the {dimension} {name} are under way"
        if limit.per_minute is not None and tally.begun[key] >= limit.per_minute:
            return f"{tally.begun[key]} of {limit.per_minute} runs of the {dimension} {name} began within the last minute"
        if limit.per_day is not None and tally.spent[key] >= limit.per_day:
            spent = f"${tally.spent[key]:.2f} of ${limit.per_day:.2f} were spent today for the {dimension} {name}"
            return spent + _more(tally.unpriced[key])
    return ""


def _more(unpriced: int) -> str:
    if not unpriced:
        return ""
    return f", and more in {unpriced} run{'s' if unpriced > 1 else ''} with replies whose price is not known"
