"""
Live events for many readers: each run is followed once for each role, however many read.

A channel keeps the last events as bytes that are ready to be sent. A reader is only a number, the
one of the last event it was given: nothing is missed, nothing comes twice, and a reader that takes
nothing holds up nobody. One that has fallen behind what the channel keeps reads from the log until
it has caught up.
"""

import asyncio
import json
import threading
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Collection, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from itertools import islice, takewhile
from typing import Any

from prowess.core.event import Recorded
from prowess.core.ports import Log
from prowess.observe.follow import follow
from prowess.permit.visibility import Role, Visibility, seen

KEPT = 2_000  # events
KEPT_BYTES = 4 * 1024 * 1024
PAGE = 50  # events sent at once
PAST = 200  # events read at once of what is past, as many as the log reads in one go
TEXTS = 32 * 1024 * 1024  # bytes of events that are kept as they were sent, of all runs
BEAT = 15.0  # seconds without an event until a sign of life
STALLED = 30.0  # seconds that a reader may take nothing, before the next beat lets it go
GATHER = 0.0001  # seconds for each reader that events are gathered before all of them are woken
GATHER_MOST = 0.05
HEART_BEAT = b": alive\n\n"


@dataclass(frozen=True, slots=True)
class Item:
    """An event as it is sent; `number` is its `seq`, or its `position` where all runs are read."""

    number: int
    data: bytes  # empty where this role may not see it
    last: bool = False


class Channels:
    """`run` None is the whole log."""

    def __init__(self, log: Log, *, visibility: Visibility, known: Collection[str]) -> None:
        self._log = log
        self._visibility = visibility
        self._known = known
        self._open: dict[tuple[str | None, Role], Channel] = {}
        self._texts: OrderedDict[tuple[int, Role], bytes] = OrderedDict()
        self._bytes = 0
        self._one = threading.Lock()
        self.sending: dict[asyncio.Timeout, float] = {}  # since when

    async def read(self, run: str | None, role: Role, *, after: int) -> AsyncGenerator[bytes, None]:
        """What is there after that number, then what comes, until the run has ended."""
        after = await self._log.aside(partial(self._clamped, run, after))
        return self._read(run, role, after)

    async def _read(self, run: str | None, role: Role, after: int) -> AsyncGenerator[bytes, None]:
        channel = self._open.get((run, role))
        if channel is None or channel.closed:
            channel = self._open[run, role] = Channel(self, run, role)
        channel.readers += 1
        try:
            async for data in channel.read(after):
                yield data
        finally:
            channel.readers -= 1
            if not channel.readers:
                channel.close()
                if self._open.get((run, role)) is channel:
                    del self._open[run, role]

    async def page(self, run: str | None, role: Role, after: int) -> list[Item]:
        """What the log has next."""
        events = await self._log.aside(lambda: list(islice(self._events(run, after), PAST)))
        return await self.items(events, run, role)

    async def items(self, events: Sequence[Recorded], run: str | None, role: Role) -> list[Item]:
        """On a thread, because what is long takes long to redact."""
        return await asyncio.to_thread(
            lambda: [self._item(each, role, of_run=run is not None) for each in events]
        )

    def _clamped(self, run: str | None, after: int) -> int:
        """A number that is still to come would pass over what comes before it."""
        if next(self._events(run, after), None):
            return after
        there = self._log.last(1) if run is None else self._log.run(run)
        numbers = (each.position if run is None else each.seq for each in there)
        return min(after, max(numbers, default=0))

    def _events(self, run: str | None, after: int) -> Iterator[Recorded]:
        return self._log.tail(after=after) if run is None else self._log.run(run, after=after)

    def _item(self, each: Recorded, role: Role, *, of_run: bool) -> Item:
        number = each.seq if of_run else each.position
        last = of_run and each.event.kind == "run.finished"
        text = self._text(each, role)
        return Item(number, b"id: %d\ndata: %b\n\n" % (number, text) if text else b"", last)

    def _text(self, each: Recorded, role: Role) -> bytes:
        """The event as this role sees it, in JSON, empty where it does not; worked out once."""
        key = (each.position, role)
        with self._one:
            if (kept := self._texts.get(key)) is not None:
                self._texts.move_to_end(key)
                return kept
        told = self.line(each, role)
        text = b"" if told is None else json.dumps(told, separators=(",", ":")).encode()
        with self._one:
            self._texts[key] = text
            self._bytes += len(text)
            while self._bytes > TEXTS:
                _, gone = self._texts.popitem(last=False)
                self._bytes -= len(gone)
        return text

    def line(self, each: Recorded, role: Role) -> dict[str, Any] | None:
        """The event as one flat value, as the command line prints it; None where it is hidden."""
        kind = each.event.kind
        if kind.startswith("audit.") and role is not Role.ADMIN:
            return None
        payload = seen(
            each.event.payload, kind=kind, role=role, rules=self._visibility, known=self._known
        )
        if payload is None:
            return None
        return {**payload, "kind": kind, "run": each.event.run, "seq": each.seq, "at": each.at}

    def follow(self, run: str | None, after: int) -> AsyncGenerator[Recorded, None]:
        return follow(self._log, run, after=after)

    @property
    def open(self) -> Sequence["Channel"]:
        """Those that somebody reads."""
        return list(self._open.values())

    def let_go(self) -> None:
        """
        Of readers that have taken nothing for too long. They are looked for once in a while: a timer
        for each piece that is sent would cost a quarter of the sending.
        """
        now = asyncio.get_running_loop().time()
        for reader, since in list(self.sending.items()):
            if since < now - STALLED:
                reader.reschedule(now)

    def close(self) -> None:
        """Every reader is let go."""
        for channel in self._open.values():
            channel.close()


class Channel:
    """One run for one role. What it keeps is whole: everything after `_since`."""

    def __init__(self, channels: Channels, run: str | None, role: Role) -> None:
        self._channels = channels
        self._run = run
        self._role = role
        self._kept: deque[Item] = deque()
        self._bytes = 0
        self._since = 0
        self._fresh = asyncio.Event()
        self._pages: dict[int, Page] = {}  # most readers stand at the same number
        self._following: asyncio.Task[None] | None = None
        self._waking = False
        self.closed = False
        self.readers = 0

    async def read(self, after: int) -> AsyncGenerator[bytes, None]:
        yield HEART_BEAT  # the answer begins at once, also when nothing has happened yet
        woken = False
        while not self.closed:
            fresh = self._fresh  # before the look, or what comes between the two would wait
            if self._following is None:
                self._start(after)
            if after >= self._since:
                page = self._page(after)
            else:
                page = page_of(await self._channels.page(self._run, self._role, after))
            if page:
                if page.data:
                    yield page.data
                if page.last:
                    return
                after, woken = page.number, False
                continue
            if woken:
                yield HEART_BEAT
            woken = await fresh.wait()

    def close(self) -> None:
        self.closed = True
        if self._following:
            self._following.cancel()
        self._fresh.set()

    def _page(self, after: int) -> "Page | None":
        if after not in self._pages:
            newer = list(takewhile(lambda item: item.number > after, reversed(self._kept)))
            page = page_of(newer[: -PAGE - 1 : -1])
            if page is None:
                return None
            self._pages[after] = page
        return self._pages[after]

    def _start(self, after: int) -> None:
        self._since = after
        self._following = asyncio.create_task(self._follow(after))

    async def _follow(self, after: int) -> None:
        """Listen to the log, and ready what was heard, as much at once as there is."""
        heard: asyncio.Queue[Recorded] = asyncio.Queue(PAGE)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._listen(after, heard))
                tasks.create_task(self._ready(heard))
                tasks.create_task(self._beat())
        finally:
            self.closed = True  # nothing more comes; who reads on comes back
            self._wake()

    async def _listen(self, after: int, heard: asyncio.Queue[Recorded]) -> None:
        async with aclosing(self._channels.follow(self._run, after)) as events:
            async for each in events:
                await heard.put(each)

    async def _ready(self, heard: asyncio.Queue[Recorded]) -> None:
        while True:
            events = [await heard.get()]
            while not heard.empty():
                events.append(heard.get_nowait())
            for item in await self._channels.items(events, self._run, self._role):
                self._keep(item)

    async def _beat(self) -> None:
        """Who is woken and finds nothing shows that the stream lives."""
        while True:
            await asyncio.sleep(BEAT)
            self._channels.let_go()
            self._wake()

    def _keep(self, item: Item) -> None:
        self._kept.append(item)
        self._bytes += len(item.data)
        while len(self._kept) > KEPT or self._bytes > KEPT_BYTES:
            gone = self._kept.popleft()
            self._bytes -= len(gone.data)
            self._since = gone.number
        self._pages.clear()
        if not self._waking:
            self._waking = True
            pause = min(GATHER_MOST, self.readers * GATHER)
            asyncio.get_running_loop().call_later(pause, self._wake)

    def _wake(self) -> None:
        self._waking = False
        self._fresh.set()
        self._fresh = asyncio.Event()


@dataclass(frozen=True, slots=True)
class Page:
    """Events that are sent at once, up to `number`; `last`: the run's end is among them."""

    number: int
    data: bytes
    last: bool


def page_of(items: Sequence[Item]) -> Page | None:
    if not items:
        return None
    return Page(
        number=items[-1].number,
        data=b"".join(item.data for item in items),
        last=any(item.last for item in items),
    )
