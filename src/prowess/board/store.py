"""
The board in the SQLite file of the event log.

One transaction is one change with its events: what the tables hold, the log has told. The log's
table is written here as well, because only one connection can be in a transaction.
"""

import json
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from prowess.board.schema import bring_up_to_date
from prowess.core.board import (
    HANDOFF_STATUSES,
    RUN,
    TASK_STATUSES,
    BoardTask,
    Handoff,
    HandoffStatus,
    Noun,
    Session,
    TaskMessage,
    TaskStatus,
)
from prowess.core.errors import OutsideError

PATIENCE = 30  # seconds to wait for another process that writes
_TABLES = {BoardTask: "board_task", Session: "board_session", Handoff: "board_handoff"}
_TOLD = """
    insert into event (run, seq, kind, payload)
    select :run, coalesce(max(seq), 0) + 1, :kind, :payload from event where run = :run
"""


class SqliteBoard:
    """
    The `Board` port on an embedded database. The event log must have opened the file before: it
    makes it, for its owner's eyes only, with the table of events in it.
    """

    def __init__(self, path: str, *, clean: Callable[[str], str]) -> None:
        self.path = path
        self.clean = clean
        self._one = threading.RLock()  # one thread at a time uses the connection
        with self._explained():
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
                self._db.execute("rollback")
                raise

    def task(self, number: int) -> BoardTask | None:
        rows = self._rows("select * from board_task where number = ?", number)
        return BoardTask(**rows[0]) if rows else None

    def tasks(
        self,
        *,
        role: str | None = None,
        statuses: Collection[TaskStatus] = TASK_STATUSES,
        session: str | None = None,
        parent: str | None = None,
    ) -> list[BoardTask]:
        rows = self._where("board_task", statuses, role=role, session=session, parent=parent)
        return sorted((BoardTask(**row) for row in rows), key=lambda task: task.order)

    def messages(self, task: BoardTask) -> list[TaskMessage]:
        query = "select at, by, status, text from board_message where task = ? order by number"
        return [TaskMessage(**row) for row in self._rows(query, task.number)]

    def sessions(self, *, ended: bool = False) -> list[Session]:
        query = "select * from board_session where ended = '' or ? order by number"
        return [Session(**row) for row in self._rows(query, ended)]

    def names_used(self) -> Mapping[str, int]:
        names = self._rows("select name, count(*) as uses from board_session group by name")
        used: dict[str, int] = {}
        for row in names:  # SQLite's own lower() knows only ASCII
            name = row["name"].lower()
            used[name] = used.get(name, 0) + row["uses"]
        return used

    def handoff(self, number: int) -> Handoff | None:
        rows = self._rows("select * from board_handoff where number = ?", number)
        return Handoff(**rows[0]) if rows else None

    def handoffs(
        self,
        *,
        to_role: str | None = None,
        statuses: Collection[HandoffStatus] = HANDOFF_STATUSES,
        task: str | None = None,
    ) -> list[Handoff]:
        rows = self._where("board_handoff", statuses, to_role=to_role, task=task)
        return [Handoff(**row) for row in rows]

    def close(self) -> None:
        with self._one:
            self._db.close()

    def _where(
        self, table: str, statuses: Collection[str], **equal: str | None
    ) -> list[dict[str, Any]]:
        """The rows with one of the statuses and with every value that is not None."""
        asked = {name: value for name, value in equal.items() if value is not None}
        marks = ", ".join("?" * len(statuses))
        where = " and ".join([f"status in ({marks})", *(f"{name} = ?" for name in asked)])
        query = f"select * from {table} where {where} order by number"  # noqa: S608  our own words
        return self._rows(query, *statuses, *asked.values())

    def _rows(self, query: str, *values: object) -> list[dict[str, Any]]:
        with self._one, self._explained():
            return [dict(row) for row in self._db.execute(query, values)]

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise OutsideError(
                f"the board in {self.path} cannot be used: {error}",
                hint="`prowess doctor` looks at the data folder; --data names another",
            ) from error


class SqliteChange:
    """A transaction that is under way."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._db = database
        self.now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def keep(self, noun: Noun, kind: str, *, summary: str, by: str = "", message: str = "") -> Noun:
        kept = self._written(noun)
        if isinstance(kept, BoardTask):
            self._db.execute(
                "insert into board_message (task, at, by, status, text) values (?, ?, ?, ?, ?)",
                (kept.number, self.now, by, kept.status, message),
            )
        told = {
            "summary": summary,
            "visibility": "SUMMARY",
            "by": by,
            "message": message,
            kind.partition(".")[0]: kept.as_json(),
        }
        payload = json.dumps(told, ensure_ascii=False, sort_keys=True)
        self._db.execute(_TOLD, {"run": RUN, "kind": kind, "payload": payload})
        return kept

    def _written(self, noun: Noun) -> Noun:
        """Everything but the number, which the table gives when it is new."""
        table, values = _TABLES[type(noun)], asdict(noun)
        number = values.pop("number")
        if number:
            pairs = ", ".join(f"{name} = :{name}" for name in values)
            query = f"update {table} set {pairs} where number = :number"  # noqa: S608  our own words
            self._db.execute(query, {**values, "number": number})
            return noun
        names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
        query = f"insert into {table} ({names}) values ({marks})"  # noqa: S608  our own words
        return replace(noun, number=self._db.execute(query, values).lastrowid or 0)
