"""What the stages ask of the world outside, so that each answer can be replaced."""

from collections.abc import Callable, Iterator
from typing import Protocol

from prowess.core.event import Event, Recorded

Record = Callable[[Event], object]


class Log(Protocol):
    """
    The append-only event log. One contract suite holds for every implementation.

    Order within a run is by `seq`, never by clock. Writing the same `seq` of a run again changes
    nothing, so that a replayed run writes nothing twice.
    """

    def append(self, event: Event, *, seq: int | None = None) -> Recorded:
        """Keep the event; without `seq` it gets the run's next. Returns what is kept under that number."""
        ...

    def run(self, run: str, *, after: int = 0) -> Iterator[Recorded]:
        """The events of one run in order, those after `seq` `after`."""
        ...

    def tail(self, *, after: int = 0, kind: str | None = None) -> Iterator[Recorded]:
        """The events of all runs in the order they were written, those after `position` `after`."""
        ...

    def close(self) -> None: ...
