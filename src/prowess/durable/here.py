"""
A run at work in this process, and the two ways to stop it.

At once is for a run that is cancelled, or that others may have by now. In order is for a pause, and
for a process that is told to end: nothing new begins, and a step that must not be done twice is
finished and kept first. Who has waited for it long enough stops it at once.
"""

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

IN_ORDER = 10.0  # seconds for what must not be done twice, when the process ends
AGAIN = 10.0  # seconds until a run that does not stop is told once more


@dataclass(slots=True)
class Here:
    """
    `stopping`: no step begins any more. The order to stop can get lost in the middle of a step
    (`asyncio.wait_for` loses it when its work is just done), so it is looked for at the next one.
    """

    task: "asyncio.Task[object]"
    stopping: bool = False
    cancelled: bool = False  # it stops for good
    in_order: bool = False
    over: bool = False
    waiting: bool = False  # for somebody's answer, which may take days
    _told: bool = False
    _unbroken: int = 0

    def stop(self, *, cancelled: bool) -> None:
        """Said again it changes nothing: a run that stops may have something to clear away first."""
        if self.over or (self._told and self.cancelled >= cancelled):
            return
        self.stopping = self._told = True
        self.cancelled = self.cancelled or cancelled
        self.task.cancel()

    def stop_in_order(self) -> None:
        if not self.stopping:
            self.stopping = self.in_order = True
            self._stop_if_idle()

    async def stopped(self, within: float | None) -> None:
        """Stop it in order; what is not finished after so many seconds is cut short."""
        self.stop_in_order()
        try:
            await asyncio.wait([self.task], timeout=within)
        finally:
            self.stop(cancelled=False)
            await asyncio.wait([self.task])

    @property
    def is_finishing(self) -> bool:
        return self._unbroken > 0

    @contextmanager
    def unbroken(self) -> Iterator[None]:
        """Around a step that must not be done twice."""
        self._unbroken += 1
        try:
            yield
        finally:
            self._unbroken -= 1
            if self.in_order:  # the run may tell how the step went before it meets the order
                asyncio.get_running_loop().call_soon(self._stop_if_idle)

    def _stop_if_idle(self) -> None:
        if not self.is_finishing:
            self.stop(cancelled=False)

    def heard(self) -> None:
        """The run has met the order by itself, and must not be disturbed while it clears away."""
        if asyncio.current_task() is self.task:
            self._told = True

    @contextmanager
    def wait(self) -> Iterator[None]:
        self.waiting = True
        try:
            yield
        finally:
            self.waiting = False


async def stop_all(runs: Collection[Here], others: "Collection[asyncio.Task[None]]") -> None:
    """The runs in order, the other tasks at once; they are over then."""
    for other in others:
        other.cancel()
    for run in runs:
        run.stop_in_order()
    try:
        if finishing := [run.task for run in runs if run.is_finishing]:
            await asyncio.wait(finishing, timeout=IN_ORDER)
    finally:  # also for who does not want to wait
        for run in runs:
            run.stop(cancelled=False)
        left: set[asyncio.Task[Any]] = {*others, *(run.task for run in runs)}
        while left := (await asyncio.wait(left, timeout=AGAIN))[1]:
            for late in left:  # the order can get lost, and then nobody would ever end
                late.cancel()
