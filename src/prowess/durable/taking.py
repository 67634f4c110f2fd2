"""
Taking runs from the queue for as long as there is room for more, and from the dead what they had.

Nothing that goes wrong ends it, or a process would stand there and do nothing: it looks again.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection
from contextlib import suppress

import sqlalchemy as sa

from prowess.core.errors import InDoubtError
from prowess.durable.fair import Limits
from prowess.durable.queue import MOST_DEATHS, Queue
from prowess.durable.settling import in_thread
from prowess.durable.workers import Workers

LOOK = 0.5  # seconds between two looks when nothing happens here
BURY = 4  # looks between two for the runs of the dead
COMING = 10.0  # seconds that a run which was taken has to begin, before its place is given away
_LOG = logging.getLogger("prowess.durable")


class Taker:
    """
    `busy` says how many runs are at work here now; `begin` begins what was taken; `give_up` ends a run
    that nobody may take any more.
    """

    def __init__(
        self,
        queue: Queue,
        workers: Workers,
        *,
        kinds: Collection[str],
        project: str,
        limits: Limits,
        at_once: int,
        busy: Callable[[], int],
        begin: Callable[[], None],
        give_up: Callable[[str, InDoubtError], None],
    ) -> None:
        self._queue = queue
        self._workers = workers
        self._kinds = kinds
        self._project = project
        self._limits = limits
        self._at_once = at_once
        self._busy = busy
        self._begin = begin
        self._give_up = give_up
        self._something = asyncio.Event()
        self._coming: dict[str, float] = {}  # taken and not yet at work, since when

    def wake(self) -> None:
        """Something may be there to take, or there is room again."""
        self._something.set()

    def came(self, run: str) -> None:
        self._coming.pop(run, None)

    def _room(self) -> int:
        since = time.monotonic() - COMING
        self._coming = {run: taken for run, taken in self._coming.items() if taken > since}
        return self._at_once - self._busy() - len(self._coming)

    async def go(self) -> None:
        looks, told = 0, ""
        while True:
            # Not wait_for: it loses the order to stop when something happens in the same moment.
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK):
                    await self._something.wait()
            self._something.clear()
            looks += 1
            try:
                await self._look(bury=looks % BURY == 0)
            except sa.exc.SQLAlchemyError:  # the next look may find the database well
                continue
            except Exception as error:  # noqa: BLE001  the next look may go better, whatever it was
                told = complain("taking runs from the queue", error, told=told)

    async def _look(self, *, bury: bool) -> None:
        if bury:
            await in_thread(self._bury)
        if (room := self._room()) > 0 and not self._workers.is_cut_off:
            taken = await in_thread(self._take, room)
            self._coming |= dict.fromkeys(taken, time.monotonic())
            if taken:
                await in_thread(self._begin)

    def _take(self, room: int) -> list[str]:
        if self._queue.is_empty():
            return []
        return self._queue.take(self._kinds, project=self._project, limits=self._limits, room=room)

    def _bury(self) -> None:
        for name in self._workers.dead(self._queue.owners()):
            for run in self._queue.put_back(name):
                self._give_up(run, _deadly(run))


def _deadly(run: str) -> InDoubtError:
    return InDoubtError(
        f"{MOST_DEATHS} processes died while they worked on the run {run}, so no other takes it",
        hint=f"look what it does there; `prowess runs fork {run} --from PLACE` tries again",
    )


def complain(what: str, error: Exception, *, told: str) -> str:
    """Say on standard error what went wrong, unless that was the last thing told; what is told now."""
    words = f"{what} failed and is tried again: {type(error).__name__}: {error}"
    if words != told:
        _LOG.error("prowess: %s", words)
    return words
