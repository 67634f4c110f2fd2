"""
What a run cost, as it says itself: in its result, or where it came to none, in its finished steps.

Values are anybody's JSON. What is no sum of money is passed over, never an error.
"""

import json
from collections.abc import Iterable

from prowess.core.ports import Json

MOST = 1e12  # US dollars; nobody spent more


def cost_of(value: Json) -> float:
    """In its field `cost`, or in the `usage` of it or of the `reply` that it holds."""
    if not isinstance(value, dict):
        return 0.0
    reply = value.get("reply")
    usage = (reply if isinstance(reply, dict) else value).get("usage")
    if isinstance(usage, dict):
        return _money(usage.get("cost"))
    if isinstance(usage, list) and usage:
        return _money(usage[-1])
    return _money(value.get("cost"))


def cost_of_steps(kept: Iterable[str]) -> float:
    """All in all; `kept` is what the steps gave, as it was written down."""
    return sum((cost_of(_value(text)) for text in kept), 0.0)


def _value(text: str) -> Json:
    try:
        packed = json.loads(text)
    except ValueError:
        return None
    return packed.get("value") if isinstance(packed, dict) else None


def _money(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if 0 < value < MOST else 0.0
