"""
Writing facts down, so that a log that is away stops the run that has something to tell, never the process.

A log in a file is so quick that it is written on the event loop itself. One on a server is written on
a thread, and the loop waits for it only briefly: whatever the network does, the process goes on to
show life and to hear orders. A fact that comes too late does no harm, because it has its number.
"""

from concurrent.futures import Future, ThreadPoolExecutor

from prowess.core.errors import OutsideError, StoreError
from prowess.core.event import Event, Recorded
from prowess.core.ports import Log, Record

ASIDE = "aside"  # in facts that were told in the middle of a step, and have no number
BRIEFLY = 5.0  # seconds that the event loop waits; a server is restarted in less


class Pen:
    """`far`: the log is on a server."""

    def __init__(self, log: Log, *, far: bool) -> None:
        self._log = log
        self._aside = ThreadPoolExecutor(1, thread_name_prefix="prowess-log") if far else None
        self._late: Future[Recorded] | None = None  # the last one, until it came back

    def write(self, event: Event, *, seq: int | None = None) -> Recorded:
        try:
            if self._aside is None:
                return self._log.append(event, seq=seq)
            return self._write_far(event, seq, self._aside)
        except StoreError:
            raise
        except OutsideError as error:
            raise StoreError(str(error), hint=error.hint) from error

    def _write_far(self, event: Event, seq: int | None, aside: ThreadPoolExecutor) -> Recorded:
        if self._late and not self._late.done():  # who comes next need not wait to know
            raise _away()
        self._late = aside.submit(self._log.append, event, seq=seq)
        try:
            return self._late.result(BRIEFLY)
        except TimeoutError:
            raise _away() from None

    def numbered(self) -> Record:
        """
        Writes the facts of one run, numbered from 1 without a gap. After one that could not be written
        there is no other: the run is over here, even if somebody took the error for one of the run's own.
        Nor is there one after its end, which whoever cancelled it may have told already.
        """
        number, lost, ended = 1, None, False

        def record(event: Event) -> None:
            nonlocal number, lost, ended
            if lost:
                raise lost
            if ended:
                return
            try:
                while True:
                    kept = self.write(event, seq=number)
                    number += 1
                    ended = kept.event.kind == "run.finished"
                    # What stands there may have no number, or be of a replay that went another way.
                    if ended or _is_same(kept.event, event):
                        return
            except StoreError as error:
                lost = error
                raise

        return record


def _is_same(kept: Event, event: Event) -> bool:
    """Whether what stands under a number is what was to be told: of a kind, and both numbered."""
    return kept.kind == event.kind and kept.payload.get(ASIDE) == event.payload.get(ASIDE)


def _away() -> StoreError:
    return StoreError(
        f"the event log has not answered for {BRIEFLY:g} s",
        hint="`prowess doctor` asks whether its database answers",
    )
