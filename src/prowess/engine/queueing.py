"""
How a run is put in the queue: with a ticket that says whose it is, and a first fact in the log.

The fact is there before a worker takes the run, so that whoever asked can look at it. It has the
number that the run itself gives to its first fact, which is the same one: told twice, kept once.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from prowess.core.event import Event
from prowess.core.execution import read_execution
from prowess.core.ports import Json
from prowess.durable.fair import Limits, Ticket
from prowess.engine.world import World
from prowess.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Queueing:
    """
    `everything`: every run that begins here waits in the queue. `at_once`: how many runs of the
    queue are worked on here; 0 for none.
    """

    everything: bool = False
    at_once: int = 0
    limits: Limits = field(default_factory=Limits)


def of_server(settings: Settings) -> Queueing:
    """A server queues what it is asked for where others may work on it, or where there are limits."""
    from prowess.engine.limits import limits_of

    everything = bool(settings.database_url or settings.limits)
    works = everything and settings.serve_works
    return Queueing(
        everything=everything,
        at_once=settings.worker_at_once if works else 0,
        limits=limits_of(settings),
    )


def of_worker(settings: Settings, at_once: int | None) -> Queueing:
    from prowess.engine.limits import limits_of

    return Queueing(at_once=at_once or settings.worker_at_once, limits=limits_of(settings))


def ticket_for(request: Mapping[str, Json], world: World, *, user: str, priority: int) -> Ticket:
    """It says which model was named, and not this process's own: that of its worker will be asked."""
    from prowess.model.names import choose, counted

    settings = world.settings
    skill = world.catalog().get(request["skill"])
    execution, _ = read_execution(skill.fields)
    named = choose(call=request.get("model"), skill=execution.model, platform=None) or ""
    return Ticket(
        user=user or request.get("user", ""),
        skill=skill.name,
        model=counted(named, aliases=settings.model_aliases),
        project=os.path.realpath(request["workspace"]),
        priority=priority,
        asked=named or settings.model_default,
    )


def first_fact(kind: str, run: str, request: Mapping[str, Json], ticket: Ticket) -> Event:
    payload = {
        "summary": f"Run {ticket.skill}",
        "visibility": "SUMMARY",
        "run_kind": kind,
        "skill": request["skill"],
        "arguments": request.get("arguments", ""),
        "project": request["workspace"],
        "parent": request.get("parent", ""),
        "progress": 0,
        "model": ticket.asked,
        "max_iterations": request.get("max_iterations"),
    }
    return Event(run=run, kind="run.started", payload=payload)
