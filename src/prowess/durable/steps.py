"""
The `Steps` port on the durable engine: done once, kept, and given back after a restart.

A step is read from the journal, or done and then written to it. Between an intent and its result
nobody knows whether the work was done, so a step that may not be repeated is then in doubt.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from dbos import DBOS
from dbos import error as dbos_error

from prowess.core.errors import CancelledRunError, InDoubtError, StoreError
from prowess.core.ports import Json
from prowess.durable.doors import next_step
from prowess.durable.journal import Journal
from prowess.durable.kept import pack, pack_error, unpack

FOREVER = 10 * 365 * 24 * 3600.0  # seconds that an answer is waited for when nobody says how long
_under_way: ContextVar[str] = ContextVar("step", default="")


@dataclass(slots=True)
class Here:
    """
    A run in this process: the task that works on it, and whether it is to stop, for good
    (`cancelled`) or only here. The order to stop can get lost in the middle of a step
    (`asyncio.wait_for` loses it when its work is just done), so it is looked for at the next one.
    """

    task: "asyncio.Task[object]"
    stopping: bool = False
    cancelled: bool = False
    over: bool = False
    waiting: bool = False  # for somebody's answer, which may take days

    def stop(self, *, cancelled: bool) -> None:
        """Said again it changes nothing: a run that stops may have something to clear away first."""
        if self.over or (self.stopping and self.cancelled >= cancelled):
            return
        self.stopping = True
        self.cancelled = self.cancelled or cancelled
        self.task.cancel()

    @contextmanager
    def wait(self) -> Iterator[None]:
        self.waiting = True
        try:
            yield
        finally:
            self.waiting = False


class DurableSteps:
    """The steps of one run in this process."""

    def __init__(self, run_id: str, *, journal: Journal, here: Here) -> None:
        self.run_id = run_id
        self._journal = journal
        self._here = here

    async def do(
        self, name: str, work: Callable[[], Awaitable[Json]], *, repeatable: bool = True
    ) -> Json:
        if outer := _under_way.get():
            raise RuntimeError(f"the step {name!r} was begun inside the step {outer!r}")
        step = next_step()  # before the first wait, so that the order is always the same
        failure = None
        with self._stoppable():
            kept = await self._journal.read(self.run_id, step, name)
            if kept is None:
                if repeatable or await self._journal.intend(self.run_id, step):
                    kept, failure = await _done(name, work)
                else:
                    kept = pack_error(_in_doubt(self.run_id, name))
                await self._journal.write(self.run_id, step, name, kept)
        try:
            return unpack(kept)
        except Exception as error:
            raise error from failure

    async def answer(self, question_id: str, *, seconds: float | None = None) -> str | None:
        with self._stoppable(), self._here.wait():
            told = await DBOS.recv_async(
                question_id, timeout_seconds=FOREVER if seconds is None else seconds
            )
        return None if told is None else str(unpack(told))

    @contextmanager
    def _stoppable(self) -> Iterator[None]:
        """A run that somebody cancelled hears of it as one error, wherever it was."""
        if self._here.stopping:
            raise self._cancelled() if self._here.cancelled else asyncio.CancelledError
        try:
            yield
        except dbos_error.DBOSWorkflowCancelledError:
            self._here.cancelled = True
            raise self._cancelled() from None
        except dbos_error.DBOSWorkflowConflictIDError:
            if self._here.cancelled:
                raise self._cancelled() from None
            # Somebody else has the run, because this process was taken for dead: leave it to them.
            raise asyncio.CancelledError from None
        except asyncio.CancelledError:
            if self._here.cancelled:
                raise self._cancelled() from None
            raise

    def _cancelled(self) -> CancelledRunError:
        return CancelledRunError(f"the run {self.run_id} was cancelled")


async def _done(name: str, work: Callable[[], Awaitable[Json]]) -> tuple[str, Exception | None]:
    """Do the work; what to keep of it, and what went wrong."""
    token = _under_way.set(name)
    try:
        value = await work()
    except StoreError:  # it says nothing of the work, which is done again
        raise
    except Exception as error:  # noqa: BLE001  kept, and raised again from there
        return pack_error(error), error
    finally:
        _under_way.reset(token)
    try:
        return pack(value), None
    except (TypeError, ValueError) as error:
        raise TypeError(f"the step {name!r} gave what is not JSON: {error}") from error


def _in_doubt(run_id: str, name: str) -> InDoubtError:
    return InDoubtError(
        f"the step {name!r} of the run {run_id} was under way when its process ended,"
        " and may or may not have been done",
        hint="look whether it was done; `prowess runs fork` tries again from any point",
    )
