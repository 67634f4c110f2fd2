"""
The board in the SQLite file of the event log.

One transaction is one change with its events: what the tables hold, the log has told. The log's
table is written here as well, because only one connection can be in a transaction.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import quote

from prowess.board.rows import TABLES, Rows, fit, now, told
from prowess.board.schema import bring_up_to_date
from prowess.core.board import RUN, BoardTask, Noun
from prowess.core.locks import opening
from prowess.core.sqlite_file import unusable
from prowess.core.text import storable

PATIENCE = 30  # seconds to wait for another process that writes
_TOLD = """
    insert into event (run, seq, kind, payload)
    select :run, coalesce(max(seq), 0) + 1, :kind, :payload from event where run = :run
"""


class SqliteBoard(Rows):
    """
    The `Board` port on an embedded database. The event log must have opened the file before: it
    makes it, for its owner's eyes only, with the table of events in it.
    """

    def __init__(self, path: str, *, clean: Callable[[str], str]) -> None:
        self.path = path
        self.clean = clean
        self._one = threading.RLock()  # one thread at a time uses the connection
        with self._explained(), opening(path):
            self._db = sqlite3.connect(
                f"file:{quote(path)}?mode=rw",  # never makes the file
                uri=True,
                isolation_level=None,
                timeout=PATIENCE,
                check_same_thread=False,
            )
            self._db.row_factory = sqlite3.Row
            try:
                self._db.execute("pragma synchronous = normal")
                bring_up_to_date(self._db, path)
            except BaseException:
                self._db.close()
                raise

    @contextmanager
    def changing(self) -> Iterator["SqliteChange"]:
        with self._one, self._explained():
            self._db.execute("begin immediate")
            try:
                yield SqliteChange(self._db)
                self._db.execute("commit")
            except BaseException:
                self._db.rollback()
                raise

    def close(self) -> None:
        with self._one:
            self._db.close()

    def _rows(self, query: str, *values: object) -> list[dict[str, Any]]:
        with self._one, self._explained():
            return [dict(row) for row in self._db.execute(query, values)]

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise unusable("the board in", self.path, error) from error


class SqliteChange:
    """A transaction that is under way."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._db = database
        self.now = now()

    def keep(self, noun: Noun, kind: str, *, summary: str, by: str = "", message: str = "") -> Noun:
        kept = self._written(fit(noun))
        if isinstance(kept, BoardTask):
            self._db.execute(
                "insert into board_message (task, at, by, status, text) values (?, ?, ?, ?, ?)",
                (kept.number, self.now, storable(by), kept.status, storable(message)),
            )
        payload = told(kept, kind, summary=summary, by=by, message=message)
        self._db.execute(_TOLD, {"run": RUN, "kind": kind, "payload": payload})
        return kept

    def _written(self, noun: Noun) -> Noun:
        """Everything but the number, which the table gives when it is new."""
        table, values = TABLES[type(noun)], asdict(noun)
        number = values.pop("number")
        if number:
            pairs = ", ".join(f"{name} = :{name}" for name in values)
            query = f"update {table} set {pairs} where number = :number"  # noqa: S608  our own words
            self._db.execute(query, {**values, "number": number})
            return noun
        names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
        query = f"insert into {table} ({names}) values ({marks})"  # noqa: S608  our own words
        return replace(noun, number=self._db.execute(query, values).lastrowid or 0)
