"""
The table `[limits]` of the settings: how much of each skill, model and user may go on at once.

    [limits.user.default]
    at_once = 3
    [limits.model.opus]
    per_minute = 10
    per_day = 20.0

A name has its own limits or those of `default`, not both. What is not limited is not counted. A model
is limited whatever it is called by: its names here and those of runs become the same one.
"""

import math
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from prowess.core.errors import SettingsError
from prowess.core.text import storable
from prowess.durable.fair import DEFAULT, Limit, Limits
from prowess.settings import Settings

if TYPE_CHECKING:
    from prowess.model.names import Named

DIMENSIONS = ("skill", "model", "user")
LEAST = {"at_once": 1, "per_minute": 1, "per_day": 0}


def limits_of(settings: Settings, environment: Mapping[str, str] = os.environ) -> Limits:
    """The limits, and which model a run has here that names none."""
    limits = read_limits(settings.limits, aliases=settings.model_aliases)
    return replace(limits, unnamed=_unnamed(settings, environment)) if limits.model else limits


def read_limits(table: Mapping[str, Any], *, aliases: Mapping[str, str] = {}) -> Limits:
    """`aliases` are the user's own names for models."""
    for dimension, names in table.items():
        if dimension not in DIMENSIONS or not isinstance(names, Mapping):
            raise SettingsError(
                f"limits.{dimension}: there are no such limits",
                hint=f"write [limits.{DIMENSIONS[0]}.NAME], or one of {', '.join(DIMENSIONS)}",
            )
    limits = {
        dimension: {
            name: _limit(f"limits.{dimension}.{name}", given)
            for name, given in table.get(dimension, {}).items()
        }
        for dimension in DIMENSIONS
    }
    by_model = _by_model(limits["model"], aliases)
    return Limits(skill=limits["skill"], model=by_model, user=limits["user"])


def _by_model(limits: Mapping[str, Limit], aliases: Mapping[str, str]) -> dict[str, Limit]:
    """By the name that runs of the model count for."""
    from prowess.model.names import counted

    names: dict[str, str] = {}
    for name in limits:
        model = name if name == DEFAULT else counted(name, aliases=aliases)
        if other := names.get(model):
            raise SettingsError(
                f"limits.model.{other} and limits.model.{name} are limits of one model, {model}",
                hint="write all its limits under one of the names",
            )
        names[model] = name
    return {model: limits[name] for model, name in names.items()}


def _unnamed(settings: Settings, environment: Mapping[str, str]) -> str:
    """Found as a run finds it, but without its key; empty where a run would find none."""
    from prowess.model.detect import keys_set
    from prowess.model.names import NoModelError, counted, resolve

    aliases = settings.model_aliases
    if settings.model_default:
        return storable(counted(settings.model_default, aliases=aliases))
    servers = () if keys_set(environment) else _local(environment)
    try:
        found = resolve(None, aliases=aliases, environment=environment, servers=servers)
    except NoModelError:
        return ""
    return storable(counted(found.name, aliases=aliases))


def _local(environment: Mapping[str, str]) -> "list[Named]":
    """What is served on this machine. Asked on a thread: an event loop may already go on here."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from prowess.model.detect import local_servers

    with ThreadPoolExecutor(max_workers=1) as aside:
        servers = aside.submit(asyncio.run, local_servers(environment)).result()
    return [named for server in servers for named in server.named]


def _limit(place: str, given: object) -> Limit:
    if not isinstance(given, Mapping):
        raise SettingsError(f"{place} must be a table", hint=f"write [{place}] and at_once = 3")
    for name, value in given.items():
        whole = name != "per_day"
        fits = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        # TOML knows nan and inf, and no sum is ever as much as these.
        endless = isinstance(value, float) and not math.isfinite(value)
        if name not in LEAST or not fits or endless or value < LEAST[name]:
            raise SettingsError(
                f"{place}.{name} = {value!r} is no limit",
                hint="use at_once and per_minute, whole numbers from 1, and per_day, US dollars",
            )
    return Limit(**given)
