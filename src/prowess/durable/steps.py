"""
The `Steps` port on the durable engine: done once, kept, and given back after a restart.

A step is read from the journal, or done and then written to it. Between an intent and its result
nobody knows whether the work was done, so a step that may not be repeated is then in doubt. One that
was cut short because its run was told to stop is kept as that.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from dbos import DBOS, StepInfo
from dbos import error as dbos_error

from prowess.core.errors import CancelledRunError, CutShortError, InDoubtError, StoreError
from prowess.core.ports import Json
from prowess.durable.doors import next_step
from prowess.durable.here import Here
from prowess.durable.journal import Journal
from prowess.durable.kept import pack, pack_error, unpack

FOREVER = 10 * 365 * 24 * 3600.0  # seconds that an answer is waited for when nobody says how long
_under_way: ContextVar[str] = ContextVar("step", default="")
Done = tuple[str, Exception | None]  # what is kept of a step, and what went wrong


def finished(rows: Sequence[StepInfo]) -> list[tuple[int, str]]:
    """These steps of a run, by number and name; an answer's name is its own."""
    return [
        (
            row["function_id"],
            "answer" if row["function_name"] == "DBOS.recv" else row["function_name"],
        )
        for row in rows
        if row["function_name"] != "DBOS.sleep"  # the time limit of an answer
    ]


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
            if kept is None and repeatable:
                kept, failure = await _done(name, work)
                await self._journal.write(self.run_id, step, name, kept)
            elif kept is None:
                kept, failure = await self._do_once(step, name, work)
        try:
            return unpack(kept)
        except Exception as error:
            raise error from failure

    async def _do_once(self, step: int, name: str, work: Callable[[], Awaitable[Json]]) -> Done:
        with self._here.unbroken():
            if not await self._journal.intend(self.run_id, step):
                done: Done = pack_error(_in_doubt(self.run_id, name)), None
            else:
                try:
                    done = await _done(name, work)
                except asyncio.CancelledError:
                    if self._here.in_order and not self._here.cancelled:
                        cut = pack_error(_cut_short(self.run_id, name))
                        await self._journal.write(self.run_id, step, name, cut)
                    raise
            await self._journal.write(self.run_id, step, name, done[0])
        return done

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
            self._here.heard()
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


async def _done(name: str, work: Callable[[], Awaitable[Json]]) -> Done:
    """Do the work."""
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
        hint=f"look whether it was done; `prowess runs fork {run_id} --from PLACE` tries again",
    )


def _cut_short(run_id: str, name: str) -> CutShortError:
    return CutShortError(
        f"the step {name!r} of the run {run_id} was cut short when the run was told to stop,"
        " and may have been done in part",
        hint=f"look how far it came; `prowess runs fork {run_id} --from PLACE` tries again",
    )
