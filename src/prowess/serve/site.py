"""
The one process behind all faces of the server: its house, its skills as they are now, its board.

It does first what a daemon does first: the built-in pack is put in its place, the skills are
watched from then on, and runs that another process left unfinished go on here.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request

from prowess import engine
from prowess.board.opening import open_board
from prowess.core.board import Board
from prowess.core.errors import ProwessError, SettingsError, UsageError
from prowess.core.event import Event, Recorded
from prowess.core.extras import IN_BRACKETS
from prowess.core.ports import Log
from prowess.discover.catalog import Catalog
from prowess.discover.roots import Root
from prowess.discover.watch import SHARE, LiveCatalog
from prowess.engine.house import House, open_house
from prowess.engine.queueing import of_server
from prowess.engine.world import OpenModel
from prowess.loop import run as loop
from prowess.loop.telling.broken_off import broken_off
from prowess.observe.follow import end_of, follow
from prowess.observe.metrics import Count
from prowess.observe.traces import trace, tracing, wanted
from prowess.permit.redact import known_secrets, redact
from prowess.permit.visibility import Visibility, read_visibility
from prowess.serve import hired
from prowess.serve.auth import Tokens, read_tokens
from prowess.serve.channels import Channels
from prowess.serve.shown import Views
from prowess.settings import Settings

T = TypeVar("T")
LOOK = 1.0  # seconds between two looks at the folders of skills, at least


@dataclass(frozen=True, kw_only=True, eq=False)
class Site:
    """What every face is handed: REST, live events, MCP and pages."""

    house: House
    board: Board
    skills: LiveCatalog
    tokens: Tokens
    visibility: Visibility
    count: Count
    channels: Channels
    views: Views
    known: frozenset[str]  # secrets of this process, which no answer holds
    resumed: list[str] = field(default_factory=list)  # runs it went on with when it began
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)  # one look at the skills at a time
    _computed: dict[Any, tuple[Catalog, Any]] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        return self.house.world.settings

    @property
    def workspace(self) -> str:
        """Where runs work."""
        return os.path.realpath(self.settings.project)

    @property
    def log(self) -> Log:
        return self.house.log

    @property
    def catalog(self) -> Catalog:
        """The skills as they are now: one unchanging picture, replaced when the disk changes."""
        return self.skills.current

    def record(self, event: Event) -> None:
        """Keep a fact that is no run's. It waits for the log."""
        self.log.append(event)

    def computed(self, make: Callable[[Catalog], T]) -> T:
        """What `make` makes of the catalog, made anew only when the catalog is another."""
        catalog, kept = self.catalog, self._computed.get(make)
        if kept is None or kept[0] is not catalog:
            kept = self._computed[make] = (catalog, make(catalog))
        made: T = kept[1]
        return made

    def asking(self) -> engine.Asking:
        """The catalog made to answer which skills fit a task."""
        return self.computed(self._ask)

    def _ask(self, catalog: Catalog) -> engine.Asking:
        return engine.ask(catalog, self.settings)


async def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


TheSite = Annotated[Site, Depends(_site)]


@asynccontextmanager
async def open_site(
    settings: Settings,
    *,
    environment: Mapping[str, str] = os.environ,
    open_model: OpenModel | None = None,
) -> AsyncIterator[Site]:
    """While it lasts, runs are worked on and skills are watched, also while nobody asks."""
    tokens, visibility = read_tokens(settings.serve_tokens), read_visibility(settings.visibility)
    known = frozenset(known_secrets(environment))
    started = await asyncio.to_thread(engine.start, settings)
    if started.failure:
        note(f"the built-in skills are used where they are: {started.failure}")
    engine.find_roots(settings)  # a folder named by hand must be there to begin with

    def roots() -> list[Root]:
        try:
            return engine.find_roots(settings, pack=started.pack)
        except SettingsError:
            return []  # later it may come and go

    skills = await asyncio.to_thread(LiveCatalog, roots)
    kinds = {loop.KIND: loop.run_loop, hired.KIND: hired.run_hired}
    async with open_house(
        settings,
        environment=environment,
        open_model=open_model,
        catalog=lambda: skills.current,
        more=kinds,
        broken_off={loop.KIND: broken_off},
        queueing=of_server(settings),
    ) as house:
        await _tell(skills.current, house.log)
        personal = settings.privacy_personal_data == "remove"
        clean = partial(redact, personal=personal, known=known)
        with closing(open_board(settings.log_place, clean=clean)) as board:
            site = Site(
                house=house,
                board=board,
                skills=skills,
                tokens=tokens,
                visibility=visibility,
                count=Count(house.log),
                channels=Channels(house.log, visibility=visibility, known=known),
                views=Views(house.log, house.engine, visibility=visibility, known=known),
                known=known,
            )
            async with _working(site, traced=wanted(environment)):
                yield site


@asynccontextmanager
async def _working(site: Site, *, traced: bool) -> AsyncIterator[None]:
    tasks = [
        asyncio.create_task(_watch(site)),
        asyncio.create_task(asyncio.to_thread(site.count.catch_up)),
        *([asyncio.create_task(_trace(site.log))] if traced else []),
    ]
    site.resumed.extend(await _go_on(site.house))
    try:
        yield
    finally:
        site.channels.close()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _go_on(house: House) -> list[str]:
    """
    Work on what another process left; what this one cannot work on is left for one that can. In a
    shared database runs of the queue are taken up anyway, and others may be on another machine.
    """
    resumed: list[str] = []
    if house.world.settings.database_url:
        return resumed
    for run, state in (await house.engine.standing()).items():
        if state == "interrupted":
            with suppress(UsageError):
                await house.resume(run)
                resumed.append(run)
    return resumed


async def _watch(site: Site) -> None:
    """Whatever replaced the catalog, this look or somebody's `reload`, those who follow are told."""
    loop = asyncio.get_running_loop()
    told = site.catalog
    while True:
        began = loop.time()
        try:
            async with site.looking:
                await asyncio.to_thread(site.skills.refresh)
            if site.catalog is not told:
                now = site.catalog
                await _tell(now, site.log)
                told = now
        except ProwessError as error:
            note(str(error))
        await asyncio.sleep(max(LOOK, (loop.time() - began) * SHARE))


async def _tell(catalog: Catalog, log: Log) -> None:
    await log.aside(partial(engine.tell, catalog, record=log.append))


async def _trace(log: Log) -> None:
    """Every run that ends from now on becomes a trace, its sub-agents in it; also the last ones."""
    now = await end_of(log)

    async def told(each: Recorded) -> None:
        nonlocal now
        if each.event.kind == "run.finished" and "." not in each.event.run:
            await log.aside(partial(trace, log, each.event.run, tracer))
        now = each.position

    try:
        with tracing() as tracer:
            try:
                async for each in follow(log, after=now):
                    await told(each)
            finally:
                for each in await log.aside(lambda: list(log.tail(after=now))):
                    await told(each)
    except ModuleNotFoundError as error:
        note(
            f"no traces without {error.name}: "
            f"install Prowess again with its extra otel, {IN_BRACKETS}"
        )


def note(text: str) -> None:
    print(f"prowess: {text}", file=sys.stderr)  # noqa: T201  the log of a server
