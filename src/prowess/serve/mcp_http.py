"""
The MCP server inside the application, at /mcp.

The application's guard has looked at every request before: it knows the caller. Host and Origin
are checked here once more, by the same names, so that neither check stands on the other.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from mcp.server.transport_security import TransportSecuritySettings
from starlette.routing import BaseRoute

from prowess.engine.house import House
from prowess.serve.guard import LOOPBACK, MAX_BODY
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
    return app.routes, server.session_manager.run()


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
    )


def _security(site: Site) -> TransportSecuritySettings:
    names = sorted(LOOPBACK | {site.settings.serve_host, *site.settings.serve_hosts})
    hosts = [host for name in names for host in (name, f"{name}:*")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts],
    )
