"""
The event log in one SQLite file: written once, read back in order as often as you like.

One transaction is one event, so the order of positions is the order in which events were kept: who
has read up to a position has missed nothing below it.
"""

import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from prowess.core.errors import OutsideError
from prowess.core.event import Event, Recorded
from prowess.core.files import make_private, make_private_file
from prowess.observe.schema import bring_up_to_date

PATIENCE = 30  # seconds to wait for another process that writes
_PAGE = 200  # rows read at once; nothing is held open while the reader thinks
_COLUMNS = "position, run, seq, at, kind, payload"
STARTED = "kind = 'run.started'"
# A run is what has begun; a second beginning of it would not be another run.
RUNS = f"""
    select run from event as start where {STARTED} and not exists (
        select 1 from event where {STARTED} and run = start.run and seq < start.seq
    )
"""  # noqa: S608  our own words
_Row = tuple[int, str, int, str, str, str]


class SqliteLog:
    """
    The `Log` port on an embedded database.

    Several processes may write to one file at once, and several threads to one log.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._one = threading.Lock()  # one thread at a time uses the connection
        self._listeners: tuple[Callable[[], None], ...] = ()
        with self._explained():
            make_private(os.path.dirname(os.path.abspath(path)))
            make_private_file(path)
            self._db = sqlite3.connect(
                path, isolation_level=None, timeout=PATIENCE, check_same_thread=False
            )
            try:
                self._switch_to_wal()
                self._db.execute("pragma synchronous = normal")
                bring_up_to_date(self._db, path)
            except BaseException:
                self._db.close()
                raise

    def _switch_to_wal(self) -> None:
        """Write-ahead logging, so that a slow reader of the log never holds up a run."""
        until = time.monotonic() + PATIENCE
        while True:
            try:  # a file system that cannot do it keeps the journal it has
                self._db.execute("pragma journal_mode = wal")
            except sqlite3.OperationalError as error:  # this one statement does not wait by itself
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.05)
            else:
                return

    def append(self, event: Event, *, seq: int | None = None) -> Recorded:
        if seq is not None and seq < 1:
            raise ValueError(f"seq counts from 1, not {seq}")
        run, kind = _text(event.run), _text(event.kind)
        payload = _text(json.dumps(dict(event.payload), ensure_ascii=False, sort_keys=True))
        with self._explained(), self._one:
            kept = self._keep(run, seq, kind, payload)
        for wake in self._listeners:
            wake()
        return _recorded(kept)

    def _keep(self, run: str, seq: int | None, kind: str, payload: str) -> _Row:
        self._db.execute("begin immediate")
        try:
            if seq is None:
                query = "select coalesce(max(seq), 0) + 1 from event where run = ?"
                (seq,) = self._db.execute(query, (run,)).fetchone()
            self._db.execute(
                "insert or ignore into event (run, seq, kind, payload) values (?, ?, ?, ?)",
                (run, seq, kind, payload),
            )
            query = f"select {_COLUMNS} from event where run = ? and seq = ?"  # noqa: S608  our own columns
            kept: _Row = self._db.execute(query, (run, seq)).fetchone()
            self._db.execute("commit")
        except BaseException:
            self._db.execute("rollback")
            raise
        return kept

    def run(self, run: str, *, after: int = 0) -> Iterator[Recorded]:
        ((last,),) = self._all("select max(seq) from event where run = ?", run)
        yield from self._read("run = ?", (run,), by="seq", after=after, last=last)

    def tail(self, *, after: int = 0, kind: str | None = None) -> Iterator[Recorded]:
        ((last,),) = self._all("select max(position) from event")
        where, values = ("true", ()) if kind is None else ("kind = ?", (kind,))
        yield from self._read(where, values, by="position", after=after, last=last)

    def last(self, count: int, *, kind: str | None = None) -> Sequence[Recorded]:
        where, values = ("true", ()) if kind is None else ("kind = ?", (kind,))
        query = f"select {_COLUMNS} from event where {where} order by position desc limit ?"  # noqa: S608  our own words
        with self._explained():
            return [_recorded(row) for row in reversed(self._all(query, *values, count))]

    def runs(self, *, limit: int, before: str | None = None) -> Sequence[str]:
        if before is None:
            return self._column(f"{RUNS} order by position desc limit ?", limit)
        place = f"select position from event where {STARTED} and run = ? order by seq limit 1"  # noqa: S608  our own words
        query = f"{RUNS} and position < ({place}) order by position desc limit ?"
        return self._column(query, before, limit)

    def runs_beginning(self, beginning: str) -> Sequence[str]:
        last = beginning + chr(0x10FFFF)  # after everything that begins so
        query = f"""
            select run from event indexed by run_started
            where {STARTED} and run >= ? and run < ? and instr(substr(run, ?), '.') = 0
            group by run order by min(position) desc
        """  # noqa: S608  our own words
        return self._column(query, beginning, last, len(beginning) + 1)

    @contextmanager
    def notify(self, wake: Callable[[], None]) -> Iterator[None]:
        with self._one:
            self._listeners = (*self._listeners, wake)
        try:
            yield
        finally:
            with self._one:
                self._listeners = tuple(each for each in self._listeners if each is not wake)

    def close(self) -> None:
        with self._one:
            self._db.close()

    def _read(
        self, where: str, values: tuple[str, ...], *, by: str, after: int, last: int | None
    ) -> Iterator[Recorded]:
        """Page by page, up to what is there now: who writes while reading still comes to an end."""
        query = f"select {_COLUMNS} from event where {where} and {by} > ? and {by} <= ? order by {by} limit {_PAGE}"  # noqa: S608  our own words
        while last is not None and after < last:
            with self._explained():
                page = [_recorded(row) for row in self._all(query, *values, after, last)]
            yield from page
            after = getattr(page[-1], by) if page else last

    def _all(self, query: str, *values: object) -> list[Any]:
        with self._explained(), self._one:
            return self._db.execute(query, values).fetchall()

    def _column(self, query: str, *values: object) -> list[str]:
        return [value for (value,) in self._all(query, *values)]

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.DatabaseError, json.JSONDecodeError) as error:
            raise OutsideError(
                f"the event log {self.path} cannot be used: {error}",
                hint="move the file away to begin a new log, or name another folder with --data",
            ) from error
        except OSError as error:
            raise OutsideError(
                f"the data folder {os.path.dirname(self.path)} cannot be used: {error.strerror}",
                hint="name a folder that you can write to with --data or PROWESS_DATA",
            ) from error


def _text(text: str) -> str:
    """Names of files may hold what is no text; what cannot be stored is written as an escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _recorded(row: _Row) -> Recorded:
    position, run, seq, at, kind, payload = row
    return Recorded(
        event=Event(run=run, kind=kind, payload=json.loads(payload)),
        seq=seq,
        position=position,
        at=at,
    )
