"""
The table `[limits]` of the settings: how much of each skill, model and user may go on at once.

    [limits.user.default]
    at_once = 3
    [limits.model.opus]
    per_minute = 10
    per_day = 20.0

A name has its own limits or those of `default`, not both. What is not limited is not counted.
"""

from collections.abc import Mapping
from typing import Any

from prowess.core.errors import SettingsError
from prowess.durable.fair import Limit, Limits

DIMENSIONS = ("skill", "model", "user")
LEAST = {"at_once": 1, "per_minute": 1, "per_day": 0}


def read_limits(table: Mapping[str, Any]) -> Limits:
    for dimension, names in table.items():
        if dimension not in DIMENSIONS or not isinstance(names, Mapping):
            raise SettingsError(
                f"limits.{dimension}: there are no such limits",
                hint=f"write [limits.{DIMENSIONS[0]}.NAME], or one of {', '.join(DIMENSIONS)}",
            )
    return Limits(
        **{
            dimension: {
                name: _limit(f"limits.{dimension}.{name}", given)
                for name, given in table.get(dimension, {}).items()
            }
            for dimension in DIMENSIONS
        }
    )


def _limit(place: str, given: object) -> Limit:
    if not isinstance(given, Mapping):
        raise SettingsError(f"{place} must be a table", hint=f"write [{place}] and at_once = 3")
    for name, value in given.items():
        whole = name != "per_day"
        fits = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        if name not in LEAST or not fits or value < LEAST[name]:
            raise SettingsError(
                f"{place}.{name} = {value!r} is no limit",
                hint="use at_once and per_minute, whole numbers from 1, and per_day, US dollars",
            )
    return Limit(**given)
