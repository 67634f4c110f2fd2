"""
The event log in one SQLite file: written once, read back in order as often as you like.

One process at a time writes, so the order of positions is the order in which events were kept: who
has read up to a position has missed nothing below it.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from prowess.core.errors import OutsideError
from prowess.core.files import make_private
from prowess.core.locks import opening
from prowess.core.ports import Clean
from prowess.core.sqlite_file import make_database, unusable
from prowess.observe.rows import COLUMNS, Row, Rows
from prowess.observe.schema import bring_up_to_date

WHAT = "the event log"
PATIENCE = 30  # seconds to wait for another process that writes
T = TypeVar("T")


class SqliteLog(Rows):
    """
    The `Log` port on an embedded database.

    Several processes may write to one file at once, and several threads to one log.
    """

    look = 0.1  # nothing tells of what another process wrote
    _index = "indexed by run_started"

    def __init__(self, path: str, *, clean: Clean = dict) -> None:
        super().__init__(clean)
        self.path = path
        with self._explained():
            make_private(os.path.dirname(os.path.abspath(path)))
            with opening(path):
                make_database(path, WHAT)
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

    def _keep(self, row: Mapping[str, Any]) -> Row:
        with self._explained(), self._one:
            self._db.execute("begin immediate")
            try:
                kept = self._keep_one(row)
                self._db.execute("commit")
            except BaseException:
                self._db.rollback()
                raise
        return kept

    def _keep_one(self, row: Mapping[str, Any]) -> Row:
        run, seq = row["run"], row["seq"]
        if seq is None:
            query = "select coalesce(max(seq), 0) + 1 from event where run = ?"
            (seq,) = self._db.execute(query, (run,)).fetchone()
        self._db.execute(
            "insert or ignore into event (run, seq, kind, payload) values (?, ?, ?, ?)",
            (run, seq, row["kind"], row["payload"]),
        )
        query = f"select {COLUMNS} from event where run = ? and seq = ?"  # noqa: S608  our own columns
        kept: Row = self._db.execute(query, (run, seq)).fetchone()
        return kept

    async def aside(self, work: Callable[[], T]) -> T:
        """At once, on the event loop itself: a file answers sooner than a thread begins."""
        return work()

    def close(self) -> None:
        with self._one:
            self._db.close()

    def _all(self, query: str, *values: object) -> list[Any]:
        with self._explained(), self._one:
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise unusable(WHAT, self.path, error) from error
        except OSError as error:
            raise OutsideError(
                f"the data folder {os.path.dirname(self.path)} cannot be used: {error.strerror}",
                hint="name a folder that you can write to with --data or PROWESS_DATA",
            ) from error
