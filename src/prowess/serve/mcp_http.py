"""
The MCP server inside the application, at /mcp.

The application's guard has looked at every request before: it knows the caller. Host and Origin
are checked here once more, by the same names, so that neither check stands on the other. What is no
message of the protocol gets an answer of ours: the library's would quote what was sent.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import INVALID_REQUEST, PARSE_ERROR, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from prowess.engine.house import House
from prowess.serve.guard import MAX_BODY, in_hand, names_of
from prowess.serve.mcp import create_server
from prowess.serve.mcp_premises import Premises
from prowess.serve.site import Site

PATH = "/mcp"


def routes_of(site: Site) -> tuple[Sequence[BaseRoute], AbstractAsyncContextManager[None]]:
    """The routes, and the sessions that must be open while they are."""
    server = create_server(_premises(site))
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_BODY,
        transport_security=_security(site),
    )
    routes = [
        Route(PATH, endpoint=_Envelope(each.app)) for each in app.routes if isinstance(each, Route)
    ]
    return routes, server.session_manager.run()


class _Envelope:
    """Lets through what is a message, whatever it asks for."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = await Request(scope, receive).body()
        if wrong := _wrong(body):
            await JSONResponse(wrong, status_code=400)(scope, receive, send)
        else:
            await self._app(scope, in_hand(body, receive), send)


def _wrong(body: bytes) -> dict[str, Any] | None:
    """What is wrong with a message, in the words of the protocol and with none of its own."""
    try:
        jsonrpc_message_adapter.validate_python(from_json(body), by_name=False)
    except ValidationError:
        error = {"code": INVALID_REQUEST, "message": "this is no message of JSON-RPC 2.0"}
    except ValueError:
        error = {"code": PARSE_ERROR, "message": "this is no JSON"}
    else:
        return None
    return {"jsonrpc": "2.0", "id": None, "error": error}


def _premises(site: Site) -> Premises:
    async def house() -> House:
        return site.house

    return Premises(
        settings=site.settings,
        visibility=site.visibility,
        known=site.known,
        board=site.board,
        log=site.log,
        catalog=lambda: site.catalog,
        asking=site.asking,
        house=house,
        audit=site.record,
    )


def _security(site: Site) -> TransportSecuritySettings:
    names = sorted(names_of(site.settings))
    hosts = [host for name in names for host in (name, f"{name}:*")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts],
    )
