"""
Whether the event log is sound: every run told in order, without a gap, with one beginning and one end.

The log is read once from its beginning and nothing is changed. A run that has not ended is no flaw:
it may be under way, or wait to be resumed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from prowess.core.errors import OutsideError
from prowess.core.event import Recorded
from prowess.core.ports import Log

_STARTED, _FINISHED = "run.started", "run.finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """What is wrong, and with which run; `position` is the event that shows it, 0 for the whole log."""

    run: str
    position: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """`open` are the runs that have begun and not ended."""

    events: int
    runs: int
    open: tuple[str, ...]
    flaws: tuple[Flaw, ...]


@dataclass(slots=True)
class _Story:
    """One run as far as it was read."""

    seq: int = 0
    started: int = 0
    finished: int = 0


@dataclass(slots=True)
class _Reading:
    stories: dict[str, _Story] = field(default_factory=dict)
    events: int = 0
    position: int = 0

    def read(self, each: Recorded) -> Iterator[Flaw]:
        """What is wrong with this event, after all those before it."""
        story = self.stories.setdefault(each.event.run, _Story())
        if each.position <= self.position:
            yield _flaw(each, f"position {each.position} comes after {self.position}")
        if each.seq != story.seq + 1:
            yield _flaw(each, f"event {each.seq} comes after event {story.seq}")
        self.events, self.position, story.seq = self.events + 1, each.position, each.seq
        yield from _counted(each, story)


def examine(log: Log) -> Examined:
    """Read the whole log. What cannot be read ends the reading, and is a flaw itself."""
    reading = _Reading()
    flaws: list[Flaw] = []
    try:
        for each in log.tail():
            flaws += reading.read(each)
    except OutsideError as error:
        after = f"what comes after position {reading.position} cannot be read: {error}"
        flaws.append(Flaw(run="", position=0, what=after))
    runs = {run: story for run, story in reading.stories.items() if story.started}
    return Examined(
        events=reading.events,
        runs=len(runs),
        open=tuple(run for run, story in runs.items() if not story.finished),
        flaws=tuple(flaws),
    )


def _counted(each: Recorded, story: _Story) -> Iterator[Flaw]:
    if each.event.kind == _STARTED:
        story.started += 1
        if story.started > 1:
            yield _flaw(each, "the run begins twice")
    elif each.event.kind == _FINISHED:
        story.finished += 1
        if story.finished > 1:
            yield _flaw(each, "the run ends twice")
        elif not story.started and not _cancelled(each):
            yield _flaw(each, "the run ends and never began")


def _cancelled(each: Recorded) -> bool:
    """A run may be cancelled before it begins; then its end is all there is."""
    outcome = each.event.payload.get("outcome")
    return isinstance(outcome, dict) and outcome.get("ending") == "cancelled"


def _flaw(each: Recorded, what: str) -> Flaw:
    return Flaw(run=each.event.run, position=each.position, what=what)
