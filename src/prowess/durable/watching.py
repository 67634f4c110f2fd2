"""
Watching over the runs of this process: each that works here is ours, and each that is ours works here.

Somebody may cancel a run, or take us for dead; then it stops here, also in the middle of a step. Or
pause it; then it stops in order. A run that stopped because the database was away is still ours, and begins again. Nothing that
goes wrong ends the watch: it looks again.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping

import sqlalchemy as sa
from dbos import WorkflowStatus

from prowess.core.errors import OutsideError, UnknownRunError
from prowess.durable.here import Here
from prowess.durable.queue import PAUSED, Queue
from prowess.durable.settling import in_thread
from prowess.durable.taking import complain
from prowess.durable.workers import Workers

NEAR = 0.25  # seconds between two looks
FAR = 1.0  # the same where many processes look at one database
IDLE = 20  # looks at a run that is ours and not at work, before it begins again
PATIENT = 4  # how often that time is doubled at most, for a run that stops again and again


class Watch:
    """`here` are the runs at work, `row` tells how one stands, `begin` lets one begin again."""

    def __init__(
        self,
        here: Mapping[str, Here],
        queue: Queue,
        *,
        is_local: bool,
        row: Callable[[str], Awaitable[WorkflowStatus]],
        begin: Callable[[str], Awaitable[object]],
    ) -> None:
        self._here = here
        self._queue = queue
        self._is_local = is_local
        self._row = row
        self._begin = begin
        self._idle: Counter[str] = Counter()  # looks since it was last at work
        self._begun: Counter[str] = Counter()  # how often it was begun again

    async def go(self) -> None:
        told = ""
        while True:
            await asyncio.sleep(NEAR if self._is_local else FAR)
            try:
                await self._look()
            except (
                sa.exc.SQLAlchemyError,
                OutsideError,
                UnknownRunError,
            ):  # the runs meet it themselves, and say so
                continue
            except Exception as error:  # noqa: BLE001  the next look may go better, whatever it was
                told = complain("watching over the runs", error, told=told)

    async def _look(self) -> None:
        before = set(self._here)
        if self._is_local and not before:
            return
        ours = set(await in_thread(self._queue.worked_on))
        for run in before - ours:
            self._stop(run, await self._row(run))
        self._idle = Counter({run: self._idle[run] + 1 for run in ours - set(self._here)})
        for run, looks in self._idle.items():
            if looks > IDLE << min(self._begun[run], PATIENT):
                self._begun[run] += 1
                await self._begin(run)

    def _stop(self, run_id: str, row: WorkflowStatus) -> None:
        here = self._here.get(run_id)
        if here is None or row.status in {"SUCCESS", "ERROR"}:
            return
        if row.status == "PENDING" and row.queue_name == PAUSED:
            here.stop_in_order()
        else:
            here.stop(cancelled=row.status == "CANCELLED")


async def guard(here: Mapping[str, Here], workers: Workers) -> None:
    """Without a sign of life for long, others may have our runs: do nothing more with them."""
    while True:
        workers.tick()
        await asyncio.sleep(NEAR)
        if workers.is_cut_off:
            for each in list(here.values()):
                each.stop(cancelled=False)
