"""Whether a run may begin, how it stands, cancel, pause, resume, fork. REST and MCP say the same words."""

import asyncio
from typing import Any

from prowess.core.errors import ConflictError, UsageError
from prowess.engine.forking import fork as parted
from prowess.engine.house import House
from prowess.engine.request import RunRequest
from prowess.model.demo_script import has_script
from prowess.model.names import NoModelError
from prowess.observe.views import RunView
from prowess.permit.visibility import Role
from prowess.serve.shown import Views

MOST_PRIORITY = 100
_KEYS = "ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY"


async def check(house: House, request: RunRequest, *, fields: bool = True) -> None:
    """
    Refuse what cannot begin, with what helps who asks a server: the flags of a command are none of
    theirs. `fields`: they can name the model themselves.
    """
    try:
        await asyncio.to_thread(house.check, request)
    except NoModelError as error:
        folder = house.world.catalog().get(request.skill).path
        named = 'name another in the field "model", such as "ollama:NAME"; or '
        demo = '; or try it offline with "model": "demo"'
        ways = f"{named if fields else ''}start the server with a key in its environment ({_KEYS})"
        offline = fields and has_script(folder)
        raise UsageError(str(error), hint=ways + (demo if offline else "")) from error


async def shown(house: House, views: Views, run: str, role: Role) -> dict[str, Any]:
    """How it stands; of one in the queue, also what it waits for."""
    told = await views.show(run, role)
    if told["state"] == "queued" and "." not in run:
        told["waits"] = await house.why_waiting(run)
    return told


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
    await house.resume(run)
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
    at, most = str(iteration) if step is None else step, MOST_PRIORITY if hurries else 0
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
