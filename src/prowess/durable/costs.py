"""
What a run cost, as it says itself: in its result, and in its finished steps.

Values are anybody's JSON. What is no sum of money is passed over, never an error; a cost of null is
a price that nobody knows, and says so.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from prowess.core.ports import Json

MOST = 1e12  # US dollars; nobody spent more


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """In US dollars; not `known` when there is something in it whose price nobody knows."""

    money: float = 0.0
    known: bool = True


def cost_of(value: Json) -> Cost:
    """In its field `cost`, or in the `usage` of it or of the `reply` that it holds."""
    if not isinstance(value, dict):
        return Cost()
    reply = value.get("reply")
    usage = (reply if isinstance(reply, dict) else value).get("usage")
    if isinstance(usage, dict):
        return _cost(usage.get("cost", 0.0))
    if isinstance(usage, list) and usage:
        return _cost(usage[-1])
    return _cost(value.get("cost", 0.0))


def cost_of_steps(kept: Iterable[str]) -> Cost:
    """All in all; `kept` is what the steps gave, as it was written down."""
    costs = [cost_of(_value(text)) for text in kept]
    return Cost(
        money=sum((each.money for each in costs), 0.0), known=all(each.known for each in costs)
    )


def _value(text: str) -> Json:
    try:
        packed = json.loads(text)
    except ValueError:
        return None
    return packed.get("value") if isinstance(packed, dict) else None


def _cost(value: object) -> Cost:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Cost(known=value is not None)
    return Cost(money=float(value)) if 0 < value < MOST else Cost()
