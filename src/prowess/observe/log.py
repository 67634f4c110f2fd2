"""The event log in one SQLite file: written once, read back in order as often as you like."""

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

from prowess.core.errors import OutsideError
from prowess.core.event import Event, Recorded
from prowess.core.files import make_private

_SCHEMA = """
create table if not exists event (
    position integer primary key autoincrement,   -- the order of the whole log; never used twice
    run      text not null,
    seq      integer not null,                     -- the order of the run, from 1
    at       text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    kind     text not null,
    payload  text not null,                        -- JSON
    unique (run, seq)
);
create index if not exists event_kind on event (kind, position);
"""
PATIENCE = 30  # seconds to wait for another process that writes
_COLUMNS = "position, run, seq, at, kind, payload"


class SqliteLog:
    """The `Log` port on an embedded database. Several processes may write to one file at once."""

    def __init__(self, path: str) -> None:
        self._path = path
        with self._explained():
            make_private(os.path.dirname(os.path.abspath(path)))
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            self._db = sqlite3.connect(path, isolation_level=None, timeout=PATIENCE)
            try:
                self._switch_to_wal()
                self._db.execute("pragma synchronous = normal")
                self._db.executescript(_SCHEMA)
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
        with self._explained():
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
                kept = self._db.execute(query, (run, seq)).fetchone()
                self._db.execute("commit")
            except BaseException:
                self._db.execute("rollback")
                raise
        return _recorded(kept)

    def run(self, run: str, *, after: int = 0) -> Iterator[Recorded]:
        query = f"select {_COLUMNS} from event where run = ? and seq > ? order by seq"  # noqa: S608  our own columns
        yield from self._rows(query, (run, after))

    def tail(self, *, after: int = 0, kind: str | None = None) -> Iterator[Recorded]:
        with self._explained():
            (last,) = self._db.execute("select max(position) from event").fetchone()
        # Up to what is there now: who writes while reading still comes to an end.
        query = f"select {_COLUMNS} from event where position > ? and position <= ? and (? is null or kind = ?) order by position"  # noqa: S608  our own columns
        yield from self._rows(query, (after, last or 0, kind, kind))

    def close(self) -> None:
        self._db.close()

    def _rows(self, query: str, values: tuple[object, ...]) -> Iterator[Recorded]:
        with self._explained():
            for row in self._db.execute(query, values):
                yield _recorded(row)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.DatabaseError, json.JSONDecodeError) as error:
            raise OutsideError(
                f"the event log {self._path} cannot be used: {error}",
                hint="move the file away to begin a new log, or name another folder with --data",
            ) from error
        except OSError as error:
            raise OutsideError(
                f"the data folder {os.path.dirname(self._path)} cannot be used: {error.strerror}",
                hint="name a folder that you can write to with --data or PROWESS_DATA",
            ) from error


def _text(text: str) -> str:
    """Names of files may hold what is no text; what cannot be stored is written as an escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _recorded(row: tuple[int, str, int, str, str, str]) -> Recorded:
    position, run, seq, at, kind, payload = row
    return Recorded(
        event=Event(run=run, kind=kind, payload=json.loads(payload)),
        seq=seq,
        position=position,
        at=at,
    )
