"""How the server itself stands: a sign of life, numbers for people and machines, settings in force."""

import asyncio
from dataclasses import fields
from typing import Any

from fastapi import APIRouter, Request, Response

from prowess import __version__
from prowess.core.place import shown
from prowess.observe.metrics import CONTENT_TYPE, exposition
from prowess.permit.redact import redact
from prowess.permit.visibility import TOOL_KINDS, Role, Visibility
from prowess.serve.auth import Developer
from prowess.serve.meanings import MEANINGS
from prowess.serve.site import TheSite

router = APIRouter(tags=["server"])
SECRET = frozenset({"serve_tokens", "mcp_servers"})  # told by their number only


@router.get("/health")
async def health(request: Request) -> dict[str, str]:
    """That it answers; to whom may ask more, also which version."""
    known = request.scope["state"].get("caller")
    return {"status": "ok", **({"version": __version__} if known else {})}


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {CONTENT_TYPE: {"schema": {"type": "string"}}}}},
)
async def metrics(site: TheSite, _: Developer) -> Response:
    """The numbers as Prometheus reads them."""
    page = await asyncio.to_thread(exposition, site.count)
    return Response(page, media_type=CONTENT_TYPE)


@router.get("/api/stats")
async def stats(site: TheSite) -> dict[str, Any]:
    """Success, recovery, iterations and cost: of all runs, by skill, by model and by day."""
    told = await asyncio.to_thread(site.count.stats)
    return {**told.as_json(), "counters": await asyncio.to_thread(site.count.counters)}


@router.get("/api/settings")
async def settings(site: TheSite, caller: Developer) -> dict[str, Any]:
    """The settings in force, without secrets, what each means, and who sees how much of a run."""
    own = site.settings
    told = {
        each.name: len(value) if each.name in SECRET else value
        for each in fields(own)
        if each.name != "visibility" and (value := getattr(own, each.name)) is not None
    }
    told["database_url"] = shown(own.database_url)
    return {
        "version": __version__,
        "role": caller.role.value,
        "settings": redact(_json(told), personal=True, known=site.known),
        "meanings": {name: MEANINGS[name] for name in told if name in MEANINGS},
        "visibility": _told(site.visibility),
        "sandbox": {"level": site.house.world.sandbox.level, "isolated": site.house.world.isolated},
    }


def _json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _json(each) for key, each in value.items()}
    return [_json(each) for each in value] if isinstance(value, tuple | list) else value


def _told(rules: Visibility) -> dict[str, Any]:
    """The level of every role for every kind of tool, as it comes out of all rules."""
    return {
        "levels": {
            role.value: {
                "": rules.level(role).name,
                **{kind: rules.level(role, kind).name for kind in TOOL_KINDS},
            }
            for role in Role
        },
        "personal": sorted(role.value for role in rules.personal),
    }
