"""
Following the log: first what is there, then what comes, each event once and in order.

The number of the last event read is the whole state of a follower. So nothing is missed and nothing
is seen twice, whoever writes, in this process or in another; and who comes back with that number
goes on where they were. A follower looks when it is told that there is something, and after a while
all the same: a log that does not hear of other processes is looked at often.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice

from prowess.core.event import Recorded
from prowess.core.ports import Log

PAGE = 200  # events read at once; between two pages others have their turn


async def follow(
    log: Log, run: str | None = None, *, after: int = 0
) -> AsyncGenerator[Recorded, None]:
    """
    The events of one run after its `seq` `after`, or those of all runs after the `position` `after`.

    Never ends by itself: a run that is finished may still be asked about, and the log is never
    finished. A run's events come by `seq`, and one that is written below a number already read is
    not seen; a run's own recorder counts up, so it never happens to a run.
    """
    with _woken(log) as fresh:
        while True:
            fresh.clear()  # before the look, or what is written between the two would wait
            page = await log.aside(partial(_unread, log, run, after))
            for each in page:
                yield each
                after = each.position if run is None else each.seq
            if len(page) == PAGE:
                await asyncio.sleep(0)
            else:
                await _set_within(fresh, log.look)


async def follow_loop(log: Log, run: str, *, after: int = 0) -> AsyncGenerator[Recorded, None]:
    """
    The events of a loop after its `seq` `after`, and among them those of the agents that it sent to a
    task since: each agent's between its `agent.forked` and its `agent.joined`. Of a run that is no loop,
    its own. Never ends by itself.
    """
    read = {run: after}
    with _woken(log) as fresh:
        while True:
            fresh.clear()
            more = False
            for one in list(read):
                page = await log.aside(partial(_unread, log, one, read[one])) if one in read else []
                for each in page:
                    for last in await log.aside(partial(_left_of, log, read, each)):
                        yield last
                    yield each
                    read[one] = each.seq
                    more = _begins(read, each) or more
                more = more or len(page) == PAGE
            if more:
                await asyncio.sleep(0)
            else:
                await _set_within(fresh, log.look)


def _begins(read: dict[str, int], each: Recorded) -> bool:
    """Whether an agent was sent to a task, who is followed from now on."""
    told = each.event.payload
    if begins := each.event.kind == "agent.forked" and bool(told.get("task")):
        read.setdefault(told["child"], 0)
    return begins


def _left_of(log: Log, read: dict[str, int], each: Recorded) -> list[Recorded]:
    """What is still unread of an agent that has joined: it has told all that it will."""
    child = each.event.payload.get("child", "")
    if each.event.kind != "agent.joined" or child not in read:
        return []
    return list(log.run(child, after=read.pop(child)))


@contextmanager
def _woken(log: Log) -> Iterator[asyncio.Event]:
    """An event that is set whenever the log may have something new."""
    loop, fresh = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        if not fresh.is_set():
            with suppress(
                RuntimeError
            ):  # another thread was about to tell when the loop was closed
                loop.call_soon_threadsafe(fresh.set)

    with log.notify(wake):
        yield fresh


async def end_of(log: Log) -> int:
    """The `position` of the newest event; 0 where there is none."""
    return next((each.position for each in await log.aside(partial(log.last, 1))), 0)


def _unread(log: Log, run: str | None, after: int) -> list[Recorded]:
    """The next page."""
    there = log.tail(after=after) if run is None else log.run(run, after=after)
    return list(islice(there, PAGE))


async def _set_within(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass
