"""
What the MCP server stands on: skills as they are now, the board, the log, and the house for runs.

Over HTTP these are the site's own. Over stdio the house is opened by the first run that needs it,
so that a client which only lists and reads waits for no engine.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from prowess import engine
from prowess.core.board import Board
from prowess.core.event import Event
from prowess.core.ports import Log
from prowess.discover.catalog import Catalog
from prowess.engine.pen import Pen
from prowess.permit.redact import known_secrets, redact
from prowess.permit.visibility import Visibility, read_visibility
from prowess.settings import Settings

if TYPE_CHECKING:
    from prowess.engine.house import House
    from prowess.engine.world import OpenModel

LOOK = 1.0  # seconds for which what was found on disk is taken to be true


@dataclass(frozen=True, kw_only=True)
class Premises:
    settings: Settings
    visibility: Visibility
    known: frozenset[str]  # secrets of this process, which no answer holds
    board: Board
    log: Log
    catalog: Callable[[], Catalog]
    asking: Callable[[], engine.Asking]
    house: "Callable[[], Awaitable[House]]"
    audit: Callable[[Event], None] | None = None  # where others than the owner may call

    @property
    def workspace(self) -> str:
        """Where runs work."""
        return os.path.realpath(self.settings.project)


@asynccontextmanager
async def open_premises(
    settings: Settings,
    *,
    environment: Mapping[str, str] = os.environ,
    open_model: "OpenModel | None" = None,
) -> AsyncIterator[Premises]:
    """For a process that serves one client over its pipes."""
    from prowess.board.opening import open_board
    from prowess.engine.log import open_log_of

    known = frozenset(known_secrets(environment))
    clean = partial(redact, personal=settings.privacy_personal_data == "remove", known=known)
    with (
        closing(open_log_of(settings, environment)) as log,
        closing(open_board(settings.log_place, clean=clean)) as board,
    ):
        skills = _Skills(settings, log)

        def open_house() -> "AbstractAsyncContextManager[House]":
            from prowess.engine import house

            return house.open_house(
                settings,
                environment=environment,
                open_model=open_model,
                catalog=skills.catalog,
            )

        house = _LateHouse(open_house)
        try:
            yield Premises(
                settings=settings,
                visibility=read_visibility(settings.visibility),
                known=known,
                board=board,
                log=log,
                catalog=skills.catalog,
                asking=skills.asking,
                house=house.opened,
            )
        finally:
            await house.close()


class _Skills:
    """Looks at the disk when asked, but not more often than it is worth."""

    def __init__(self, settings: Settings, log: Log) -> None:
        self._settings = settings
        self._pen = Pen(log, far=bool(settings.database_url))
        self._catalog: Catalog | None = None
        self._asking: engine.Asking | None = None
        self._until = 0.0

    def catalog(self) -> Catalog:
        if self._catalog is None or time.monotonic() > self._until:
            self._catalog = engine.discover(self._settings, record=self._pen.write)
            self._until = time.monotonic() + LOOK
        return self._catalog

    def asking(self) -> engine.Asking:
        catalog = self.catalog()
        if self._asking is None or self._asking.catalog is not catalog:
            self._asking = engine.ask(catalog, self._settings)
        return self._asking


class _LateHouse:
    """A task of its own opens and closes the house, so that no client's leaving can do it by halves."""

    def __init__(self, open_: "Callable[[], AbstractAsyncContextManager[House]]") -> None:
        self._open = open_
        self._over = asyncio.Event()
        self._ready: asyncio.Future[House] | None = None
        self._holder: asyncio.Task[None] | None = None

    async def opened(self) -> "House":
        if self._ready is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._holder = asyncio.create_task(self._hold(self._ready))
        return await asyncio.shield(self._ready)

    async def close(self) -> None:
        self._over.set()
        if self._holder:
            await asyncio.wait([self._holder])

    async def _hold(self, ready: "asyncio.Future[House]") -> None:
        try:
            async with self._open() as house:
                ready.set_result(house)
                await self._over.wait()
        except Exception as error:  # noqa: BLE001  whoever waits for it is told
            if not ready.done():
                self._ready = None  # the next run tries again
                ready.set_exception(error)
