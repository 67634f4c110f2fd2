"""
The dashboard: one page and its files. It holds no facts; it asks REST and live events for them.

The files stand under a name made of what is in them, so a browser may keep them for ever and never
shows yesterday's page over today's server. They are few and small, and are kept in hand.
"""

import hashlib
import mimetypes
import os
from collections.abc import Mapping

from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from prowess import __version__
from prowess.serve.auth import Anyone
from prowess.serve.site import Site

_HERE = os.path.dirname(os.path.abspath(__file__))
STATIC = os.path.join(_HERE, "static")
TEMPLATES = os.path.join(_HERE, "templates")
KEPT = "public, max-age=31536000, immutable"


def include(app: FastAPI, site: Site) -> None:
    """Serve the page at `/` and its files beside it. Who may see which facts, the facts decide."""
    files = _files(STATIC)
    place = f"/static/{_digest(files)}"
    page = _page(place, files)

    async def dashboard() -> HTMLResponse:
        return HTMLResponse(page)

    async def me(caller: Anyone) -> dict[str, str]:
        """Who is asking, and how much of a run they see."""
        level = site.visibility.level(caller.role)
        return {"name": caller.name, "role": caller.role.value, "level": level.name}

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in files:
            raise HTTPException(404)
        kind, _ = mimetypes.guess_type(name)
        return Response(files[name], media_type=kind, headers={"Cache-Control": KEPT})

    app.add_api_route("/", dashboard, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_api_route("/api/me", me, methods=["GET"], tags=["server"])
    app.add_route(f"{place}/{{name}}", file)


def _page(place: str, files: Mapping[str, bytes]) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined
    )
    scripts = [name for name in files if name.endswith(".js")]
    return templates.get_template("page.html").render(
        static=place, scripts=scripts, version=__version__
    )


def _files(folder: str) -> dict[str, bytes]:
    """By name, in order."""
    files = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            files[name] = file.read()
    return files


def _digest(files: Mapping[str, bytes]) -> str:
    whole = hashlib.sha256()
    for name, content in files.items():
        whole.update(name.encode() + b"\0" + content + b"\0")
    return whole.hexdigest()[:12]
