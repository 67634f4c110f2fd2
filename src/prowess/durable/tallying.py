"""
What goes on, counted by whose it is: the runs under way, those that just began, the money of a day.

A run counts for the model on its ticket. Where it named none and nobody has written one down yet, it
counts for the model that such runs have in the process that counts.
"""
# ruff: noqa: S608  every name in a statement is our own; values are bound

from collections import Counter
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from prowess.durable.fair import Limits, Tally, Ticket

TICKET = '"user", skill, model, project, priority'
MINUTE, DAY = 60_000, 86_400_000  # milliseconds
_LATEST = "select coalesce(max(turn), 0) from prowess_turn"


def tally(connection: sa.Connection, limits: Limits, *, under_way: str, now: int) -> Tally:
    """Only what some limit asks for is counted. `under_way` is the condition for that."""
    # Not further ahead than a clock that was set back, or runs would wait until it is there again.
    minute = f"begun between {now - MINUTE} and {now + MINUTE}"
    counts = Tally(latest=connection.execute(sa.text(_LATEST)).scalar_one())
    if limits.has("at_once"):
        counts.under_way = _counted(connection, "count(*)", under_way, limits)
    if limits.has("per_minute"):
        counts.begun = _counted(connection, "count(*)", minute, limits)
    if limits.has("per_day"):
        counts.spent = _counted(connection, "sum(cost)", _today(now), limits)
    return counts


def unpriced(connection: sa.Connection, limits: Limits, *, now: int) -> Counter[tuple[str, str]]:
    """The runs of today that cost more than is known."""
    return _counted(connection, "sum(unpriced)", _today(now), limits)


def ticket_of(row: Sequence[Any], limits: Limits) -> Ticket:
    """From its columns, in the order of TICKET."""
    user, skill, model, project, priority = row
    return Ticket(
        user=user,
        skill=skill,
        model=model or limits.unnamed,
        project=project,
        priority=priority,
    )


def _today(now: int) -> str:
    """Up to the next midnight too: a clock that was ahead for a moment has not spent it every day."""
    midnight = now // DAY * DAY
    return f"begun >= {midnight} and begun < {midnight + DAY}"


def _counted(
    connection: sa.Connection, what: str, where: str, limits: Limits
) -> Counter[tuple[str, str]]:
    query = f'select "user", skill, model, {what} from prowess_queue where {where} group by 1, 2, 3'
    total: Counter[tuple[str, str]] = Counter()
    for user, skill, model, value in connection.execute(sa.text(query)):
        for key in Ticket(user=user, skill=skill, model=model or limits.unnamed).counted():
            total[key] += value
    return total
