"""
Which of the waiting runs may begin, and why the others may not: a function of what is going on.

The higher priority goes first; among equals the user who has waited longest for a turn, so that a
thousand runs of one user hold up nobody else's one; among one user's, the first that came. A run
that a limit holds back is passed over and keeps its place.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

DEFAULT = "default"  # the name of the limit for everything that has none of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """What a run is put in the queue with. `project` is the folder whose workers can work on it."""

    user: str = ""
    skill: str = ""
    model: str = ""
    project: str = ""
    priority: int = 0

    def counted(self) -> Iterator[tuple[str, str]]:
        """What it counts for, by dimension and name."""
        yield "skill", self.skill
        yield "model", self.model
        yield "user", self.user


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A run in the queue; `came` is when, by the database's clock."""

    run: str
    came: int
    ticket: Ticket


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How many may be under way at once, begin within a minute, and US dollars to be spent in a day."""

    at_once: int | None = None
    per_minute: int | None = None
    per_day: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """By name, for each dimension: skill, model and user."""

    skill: Mapping[str, Limit] = field(default_factory=dict)
    model: Mapping[str, Limit] = field(default_factory=dict)
    user: Mapping[str, Limit] = field(default_factory=dict)

    def of(self, dimension: str, name: str) -> Limit:
        table: Mapping[str, Limit] = getattr(self, dimension)
        return table.get(name) or table.get(DEFAULT) or Limit()

    def has(self, what: str) -> bool:
        """Whether some limit is of this kind."""
        tables = (self.skill, self.model, self.user)
        return any(getattr(limit, what) is not None for table in tables for limit in table.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What goes on now, by dimension and name; `turns` says when each user last had a turn."""

    under_way: Counter[tuple[str, str]] = field(default_factory=Counter)
    begun: Counter[tuple[str, str]] = field(default_factory=Counter)
    spent: Counter[tuple[str, str]] = field(default_factory=Counter)
    turns: dict[str, int] = field(default_factory=dict)

    def begin(self, ticket: Ticket) -> None:
        for key in ticket.counted():
            self.under_way[key] += 1
            self.begun[key] += 1
        self.turns[ticket.user] = max(self.turns.values(), default=0) + 1


def choose(waiting: Sequence[Waiting], tally: Tally, limits: Limits, *, room: int) -> list[Waiting]:
    """At most `room` runs in the order they are to begin; `tally` has counted them when it returns."""
    left, chosen = list(waiting), list[Waiting]()
    while len(chosen) < room:
        free = (each for each in left if not held(each.ticket, tally, limits))
        following = min(free, key=lambda each: _place(each, tally), default=None)
        if following is None:
            break
        left.remove(following)
        tally.begin(following.ticket)
        chosen.append(following)
    return chosen


def _place(each: Waiting, tally: Tally) -> tuple[int, int, int, str]:
    return -each.ticket.priority, tally.turns.get(each.ticket.user, 0), each.came, each.run


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
            return f"${tally.spent[key]:.2f} of ${limit.per_day:.2f} were spent today for the {dimension} {name}"
    return ""
