"""What may be done to a run that is there: cancel, pause, resume, fork. REST and MCP say the same words."""

from typing import Any

from prowess.core.errors import ConflictError, UsageError
from prowess.engine.forking import fork as parted
from prowess.engine.house import House
from prowess.observe.views import RunView
from prowess.serve.shown import Views

MOST_PRIORITY = 100


async def cancel(house: House, views: Views, run: str) -> dict[str, Any]:
    _under_way(await views.get(run))
    await house.cancel(_whole(run))
    return {"run": run, "cancelled": True}


async def pause(house: House, views: Views, run: str) -> dict[str, Any]:
    _under_way(await views.get(run))
    await house.engine.pause(_whole(run))
    return {"run": run, "paused": True}


async def resume(house: House, views: Views, run: str) -> dict[str, Any]:
    _under_way(await views.get(run))
    if await house.engine.state(_whole(run)) not in {"interrupted", "paused"}:
        raise ConflictError(
            f"the run {run} is being worked on", hint="its events show how far it is"
        )
    await house.engine.resume(run)
    return {"run": run, "resumed": True}


async def fork(
    house: House,
    views: Views,
    run: str,
    *,
    iteration: int | None,
    step: str | None,
    user: str,
    hurries: bool,
) -> dict[str, Any]:
    """As an order of `user`; only who `hurries` others keeps the old run's priority."""
    await views.get(run)
    if (iteration is None) == (step is None):
        raise UsageError("say where it forks", hint="with `iteration`, or with `step`")
    at, most = step or str(iteration), MOST_PRIORITY if hurries else 0
    new = await parted(house.log, house.engine, _whole(run), at=at, user=user, most=most)
    return {"run": new, "forked": run}


def _under_way(view: RunView) -> None:
    if view.ended:
        raise ConflictError(
            f"the run {view.id} has ended: {view.state}", hint="fork it to try again"
        )


def _whole(run: str) -> str:
    if "." in run:
        raise UsageError(
            f"{run} is a part of the run {run.partition('.')[0]}", hint="name the whole run"
        )
    return run
