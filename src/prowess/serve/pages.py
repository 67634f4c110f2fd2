"""
The dashboard: one page and its files. It holds no facts; it asks REST and live events for them.

The files stand under a name made of what is in them, so a browser may keep them for ever and never
shows yesterday's page over today's server.
"""

import hashlib
import os
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from prowess import __version__
from prowess.serve.auth import Anyone
from prowess.serve.site import Site

_HERE = os.path.dirname(os.path.abspath(__file__))
STATIC = os.path.join(_HERE, "static")
TEMPLATES = os.path.join(_HERE, "templates")


def include(app: FastAPI, site: Site) -> None:
    """Serve the page at `/` and its files beside it. Who may see which facts, the facts decide."""
    place = f"/static/{_digest(STATIC)}"
    page = _page(place)

    async def dashboard() -> HTMLResponse:
        return HTMLResponse(page)

    async def me(caller: Anyone) -> dict[str, str]:
        """Who is asking, and how much of a run they see."""
        level = site.visibility.level(caller.role)
        return {"name": caller.name, "role": caller.role.value, "level": level.name}

    app.add_api_route("/", dashboard, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_api_route("/api/me", me, methods=["GET"], tags=["server"])
    app.mount(place, _Kept(directory=STATIC), name="static")


class _Kept(StaticFiles):
    """Files that never change under their name."""

    def file_response(self, *given: Any, **named: Any) -> Response:
        response = super().file_response(*given, **named)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def _page(place: str) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined
    )
    scripts = sorted(name for name in os.listdir(STATIC) if name.endswith(".js"))
    return templates.get_template("page.html").render(
        static=place, scripts=scripts, version=__version__
    )


def _digest(folder: str) -> str:
    whole = hashlib.sha256()
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            whole.update(name.encode() + b"\0" + file.read() + b"\0")
    return whole.hexdigest()[:12]
