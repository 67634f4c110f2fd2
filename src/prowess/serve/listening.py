"""
Listening: one socket, one server, until somebody stops it.

Beyond loopback it does not listen without tokens.
"""

import gc
import ipaddress
import logging
import resource
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn
from fastapi import FastAPI

from prowess.core.errors import OutsideError, SettingsError
from prowess.serve.app import create_app
from prowess.serve.site import note, open_site
from prowess.settings import Settings

GOODBYE = 3  # seconds for answers under way when it stops


async def listen(settings: Settings, *, ready: Callable[[str], None]) -> None:
    """Serve until interrupted; `ready` is told the address once it answers."""
    check_safe(settings)
    _allow_many_connections()
    with bound(settings.serve_host, settings.serve_port) as place:
        async with open_site(settings) as site:

            def answers() -> None:
                ready(address(place))
                for run in site.resumed:
                    note(f"going on with the run {run}, whose process ended before it did")

            server = server_of(create_app(site), ready=answers)
            await server.serve(sockets=[place])
    for each in server.stopped_by:
        signal.raise_signal(each)


class Server(uvicorn.Server):
    """
    Says when it answers. What is loaded by then stays until it stops, so nobody looks through it for
    garbage: with many connections that would hold up all of them for a quarter of a second.
    """

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready
        self.stopped_by: list[int] = []

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """They are told on by who has closed all: at once, they would end runs in the middle of a call."""
        with super().capture_signals():
            yield
            self.stopped_by, self._captured_signals = self._captured_signals, []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.collect()
        gc.freeze()
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        gc.unfreeze()


def server_of(app: FastAPI, *, ready: Callable[[], None] = lambda: None) -> Server:
    # What clients say about who they speak for is not believed, and nothing says what we run on.
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level=logging.CRITICAL,  # the guard tells what goes wrong
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GOODBYE,
    )
    return Server(config, ready)


def check_safe(settings: Settings) -> None:
    if settings.serve_tokens or _is_loopback(settings.serve_host):
        return
    raise SettingsError(
        f"{settings.serve_host} can be reached from other machines, and there are no tokens",
        hint="add [serve.tokens] to ~/.config/prowess/prowess.toml, or listen on 127.0.0.1",
    )


def bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = socket.socket(family, socket.SOCK_STREAM)
    try:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind((host, port))
    except OSError as error:
        place.close()
        raise OutsideError(
            f"{host}:{port} cannot be listened on: {error.strerror}",
            hint="another server may be there; --port names another port",
        ) from error
    return place


def address(place: socket.socket) -> str:
    host, port = place.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def _allow_many_connections() -> None:
    """As many as the system lets us have: each reader of live events holds one open."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
