"""
Live events as server-sent events: replayed from where a reader was, then as they happen.

An event's `id` is its number, so a browser that reconnects by itself misses nothing and sees
nothing twice. The stream of a run ends with the run; who sees less has events left out, never cut.
"""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query
from fastapi.sse import EventSourceResponse
from starlette.responses import StreamingResponse
from starlette.types import Send

from prowess.core.errors import UsageError
from prowess.observe.follow import end_of
from prowess.serve.auth import Anyone, Caller
from prowess.serve.channels import Channels
from prowess.serve.site import TheSite

router = APIRouter(prefix="/api", tags=["events"])
STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events; `data` is one event as JSON.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}
_NUMBER = re.compile(r"[0-9]{1,18}")
After = Annotated[int | None, Query(ge=0, lt=10**18, description="Only those after this number.")]
LastEventId = Annotated[
    str | None, Header(alias="Last-Event-ID", description="As `after`, and counts more.")
]


@router.get("/runs/{id}/events", response_class=StreamingResponse, responses=STREAM)
async def run_events(
    site: TheSite,
    caller: Anyone,
    id: Annotated[str, Path(description="A run's id.")],  # noqa: A002
    after: After = None,
    last_event_id: LastEventId = None,
) -> EventSourceResponse:
    """Everything that happened in a run and happens from now on; numbers are its `seq`."""
    start = _start(after, last_event_id) or 0
    await site.views.get(id)
    return await _live(site.channels, id, caller, start)


@router.get("/events", response_class=StreamingResponse, responses=STREAM)
async def all_events(
    site: TheSite, caller: Anyone, after: After = None, last_event_id: LastEventId = None
) -> EventSourceResponse:
    """What happens from now on, or after a number: those of all runs, which are positions in the log."""
    start = _start(after, last_event_id)
    if start is None:
        start = await end_of(site.log)
    return await _live(site.channels, None, caller, start)


@router.get("/position")
async def position(site: TheSite, _: Anyone) -> dict[str, int]:
    """Where the log ends now: who asks first and looks then misses nothing of `/api/events` after it."""
    return {"position": await end_of(site.log)}


def _start(after: int | None, last_event_id: str | None) -> int | None:
    """A browser that reconnects asks the old address again, and says in the header how far it came."""
    if not last_event_id:
        return after
    if not _NUMBER.fullmatch(last_event_id):
        raise UsageError("Last-Event-ID is not a number that we gave", hint="leave it out")
    return int(last_event_id)


async def _live(channels: Channels, run: str | None, caller: Caller, after: int) -> "Live":
    events = await channels.read(run, caller.role, after=after)
    return Live(events, channels.sending)


class Live(EventSourceResponse):
    """Bytes that are ready to be sent. `sending` tells the channels whom they wait for, since when."""

    def __init__(
        self, events: AsyncGenerator[bytes, None], sending: dict[asyncio.Timeout, float]
    ) -> None:
        super().__init__(events, headers={"X-Accel-Buffering": "no"})
        self._events = events
        self._sending = sending

    async def stream_response(self, send: Send) -> None:
        start = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **start})
        try:
            async with aclosing(self._events), asyncio.timeout(None) as reader:
                await self._stream(send, reader)
        except TimeoutError:
            return  # without an end, so the connection ends too
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _stream(self, send: Send, reader: asyncio.Timeout) -> None:
        now = asyncio.get_running_loop().time
        try:
            async for data in self._events:
                self._sending[reader] = now()
                await send({"type": "http.response.body", "body": data, "more_body": True})
                del self._sending[reader]
        finally:
            self._sending.pop(reader, None)
