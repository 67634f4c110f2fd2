"""
A loop that was cut off and has not ended: it is gone on with, or given up, before another begins.

Who goes on with it is told what is in its way before anything is done, for a loop that meets it ends.

What its agent did until then is known to it alone. A new loop would take the agent's ticks and commits for
a person's, and believe them.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from prowess.core.errors import ChangesError, UsageError
from prowess.core.event import Recorded
from prowess.core.ports import Log
from prowess.engine.world import World
from prowess.loop.behind.guarding import alone_in
from prowess.loop.between import KIND
from prowess.loop.git.repository import Repository
from prowess.loop.request import LoopRequest, plan_name


def refuse_interrupted(request: LoopRequest, log: Log, left: Mapping[str, str]) -> None:
    """`left` are runs under way on which nobody works, each with why that is so."""
    for run, why in left.items():
        if why != "queued" and _is_over_this(request, log, run):
            raise UsageError(
                f"an earlier loop over {plan_name(request)} was {why}: {run}",
                hint=f"`prowess runs resume {run}` goes on with it; `prowess runs cancel {run}` takes what"
                " lies here as yours, then begin anew",
            )


def left_in(request: LoopRequest, log: Log, left: Mapping[str, str]) -> list[str]:
    """Those of the runs under way that are loops in this work tree, over whatever plan."""
    return [run for run, why in left.items() if why != "queued" and _is_here(request, log, run)]


def perhaps_left_by(runs: Sequence[str], error: ChangesError) -> ChangesError:
    """Who commits the work of an agent that was cut off makes it their own, and is told so before."""
    if not runs:
        return error
    ways = "; ".join(
        f"`prowess runs resume {run}` goes on with that loop, `prowess runs cancel {run}` takes what lies"
        " here as yours"
        for run in runs
    )
    return ChangesError(
        f"{error}; they may be the work of an agent whose loop has not ended: {', '.join(runs)}",
        hint=f"{ways}; then commit or stash what is left",
    )


def _is_over_this(request: LoopRequest, log: Log, run: str) -> bool:
    return _is_here(request, log, run) and _first(log, run).get("skill") == plan_name(request)


def _is_here(request: LoopRequest, log: Log, run: str) -> bool:
    told = _first(log, run)
    return (told.get("run_kind"), told.get("project")) == ("loop", request.workspace)


def _first(log: Log, run: str) -> Mapping[str, Any]:
    first = next(iter(log.run(run)), None)
    return first.event.payload if first else {}


async def must_be_free(world: World, run: str) -> None:
    """Refuse to go on with a loop whose place is gone or taken, or where another branch is checked out."""
    events = await world.log.aside(lambda: list(world.log.run(run)))
    under_way, begun = _under_way(events)
    started = next(each.event.payload for each in events if each.event.kind == "run.started")
    place = started["project"]
    at_work = [task for task, is_at_work in under_way.items() if is_at_work]
    _must_be_there(run, place, {task: begun["trees"].get(task, "") for task in at_work})
    with alone_in(place):
        now = await Repository(folder=place).branch()
    if under_way and now != begun["branch"]:
        named = begun["branch"].removeprefix("refs/heads/")
        raise UsageError(
            f"{place} is on {now.removeprefix('refs/heads/') or 'no branch'}, and the task was begun on"
            f" {named or 'no branch'}",
            hint=f"`git switch {named or '--detach'}`, and go on; or {_give_up(run)}",
        )


def _must_be_there(run: str, place: str, trees: Mapping[str, str]) -> None:
    """The folder of the repository, and the work trees in which agents were at work, by their tasks."""
    if not os.path.isdir(place):
        raise UsageError(
            f"the folder {place} is gone", hint=f"put it back, and go on; or {_give_up(run)}"
        )
    for task, tree in trees.items():
        if tree and not os.path.isdir(tree):
            raise UsageError(
                f"the work tree {tree} is gone, in which an agent was at work on: {task}",
                hint=f"{_give_up(run)}, then begin anew",
            )


def _give_up(run: str) -> str:
    return f"`prowess runs cancel {run}` gives it up"


def _under_way(events: Sequence[Recorded]) -> tuple[dict[str, bool], Mapping[str, Any]]:
    """
    The tasks without a mark, and whether an agent is at work on each; and how the work on them began. None
    where that was not told.
    """
    tasks: dict[str, bool] = {}
    begun: Mapping[str, Any] = {}
    for each in events:
        told, kind = each.event.payload, each.event.kind
        if kind == "loop.task":
            tasks[told["task"]] = False
        elif kind in ("agent.forked", "agent.joined"):
            tasks[told["task"]] = kind == "agent.forked"
        elif kind == "loop.recorded":
            tasks.pop(told["task"], None)
        elif kind == KIND and told["begins"]:
            begun = told
    return (tasks if begun else {}), begun
