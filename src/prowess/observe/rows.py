"""
An event log that is a table: what goes into it, who is told of it, and reading it in words that both
databases know.

A log reads page by page up to what is there when it begins: nothing is held open while the reader
thinks, and who writes while reading still comes to an end.
"""

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from prowess.core.errors import OutsideError
from prowess.core.event import Event, Recorded
from prowess.core.ports import Clean
from prowess.core.text import storable

COLUMNS = "position, run, seq, at, kind, payload"
STARTED = "kind = 'run.started'"
# A run is what has begun; a second beginning of it would not be another run.
RUNS = f"""
    select run from event as start where {STARTED} and not exists (
        select 1 from event where {STARTED} and run = start.run and seq < start.seq
    )
"""  # noqa: S608  our own words
_PAGE = 200  # rows
Row = tuple[int, str, int, str, str, str]


class Rows(ABC):
    """A log on a database, which has to bring only how to keep one row and how to ask for many."""

    look: float
    _index = ""  # how to say, where it must be said, that beginnings of runs have an index

    def __init__(self, clean: Clean) -> None:
        self._clean = clean
        self._one = threading.Lock()  # one thread at a time uses what the log holds
        self._listeners: tuple[Callable[[], None], ...] = ()

    @abstractmethod
    def _keep(self, row: Mapping[str, Any]) -> Row:
        """What is kept now under its number, or was kept before."""

    @abstractmethod
    def _all(self, query: str, *values: object) -> list[Any]:
        """The answer to a query, whose values are marked `?`."""

    def append(self, event: Event, *, seq: int | None = None) -> Recorded:
        kept = self._keep(_fit(event, self._clean(dict(event.payload)), seq))
        self._wake()
        return _recorded(kept)

    @contextmanager
    def notify(self, wake: Callable[[], None]) -> Iterator[None]:
        with self._one:
            self._listeners = (*self._listeners, wake)
        try:
            yield
        finally:
            with self._one:
                self._listeners = tuple(each for each in self._listeners if each is not wake)

    def _wake(self) -> None:
        for wake in self._listeners:
            wake()

    def run(self, run: str, *, after: int = 0) -> Iterator[Recorded]:
        run = storable(run)
        ((last,),) = self._all("select max(seq) from event where run = ?", run)
        yield from self._read("run = ?", (run,), by="seq", after=after, last=last)

    def tail(self, *, after: int = 0, kind: str | None = None) -> Iterator[Recorded]:
        ((last,),) = self._all("select max(position) from event")
        yield from self._read(*_of_kind(kind), by="position", after=after, last=last)

    def last(self, count: int, *, kind: str | None = None) -> Sequence[Recorded]:
        where, values = _of_kind(kind)
        query = f"select {COLUMNS} from event where {where} order by position desc limit ?"  # noqa: S608  our own words
        return [_recorded(row) for row in reversed(self._all(query, *values, count))]

    def runs(self, *, limit: int, before: str | None = None) -> Sequence[str]:
        if before is None:
            return self._column(f"{RUNS} order by position desc limit ?", limit)
        place = f"select position from event where {STARTED} and run = ? order by seq limit 1"  # noqa: S608  our own words
        query = f"{RUNS} and position < ({place}) order by position desc limit ?"
        return self._column(query, storable(before), limit)

    def runs_beginning(self, beginning: str) -> Sequence[str]:
        beginning = storable(beginning)
        last = beginning + chr(0x10FFFF)  # after everything that begins so
        query = f"""
            select run from event {self._index}
            where {STARTED} and run >= ? and run < ? and substr(run, ?) not like '%.%'
            group by run order by min(position) desc
        """  # noqa: S608  our own words
        return self._column(query, beginning, last, len(beginning) + 1)

    def _read(
        self, where: str, values: tuple[str, ...], *, by: str, after: int, last: int | None
    ) -> Iterator[Recorded]:
        query = f"select {COLUMNS} from event where {where} and {by} > ? and {by} <= ? order by {by} limit {_PAGE}"  # noqa: S608  our own words
        while last is not None and after < last:
            page = [_recorded(row) for row in self._all(query, *values, after, last)]
            yield from page
            after = getattr(page[-1], by) if page else last

    def _column(self, query: str, *values: object) -> list[str]:
        return [value for (value,) in self._all(query, *values)]


def _of_kind(kind: str | None) -> tuple[str, tuple[str, ...]]:
    return ("true", ()) if kind is None else ("kind = ?", (storable(kind),))


def _fit(event: Event, told: Mapping[str, Any], seq: int | None) -> dict[str, Any]:
    """An event as a database can keep it; `told` is what it may say."""
    if seq is not None and seq < 1:
        raise ValueError(f"seq counts from 1, not {seq}")
    payload = json.dumps(told, ensure_ascii=False, sort_keys=True)
    return {
        "run": storable(event.run),
        "seq": seq,
        "kind": storable(event.kind),
        "payload": storable(payload),
    }


def _recorded(row: Row) -> Recorded:
    position, run, seq, at, kind, payload = row
    try:
        event = Event(run=run, kind=kind, payload=json.loads(payload))
    except json.JSONDecodeError as error:
        raise OutsideError(
            f"the event log is damaged: event {position} is not JSON: {error}",
            hint="`prowess restore FILE` puts a backup in its place",
        ) from error
    return Recorded(event=event, seq=seq, position=position, at=at)
