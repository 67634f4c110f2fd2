"""
Reading a board that is tables, in the words that both of its databases know, and what a change
writes into them.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from prowess.core.board import (
    HANDOFF_STATUSES,
    TASK_STATUSES,
    BoardTask,
    Handoff,
    HandoffStatus,
    Noun,
    Session,
    TaskMessage,
    TaskStatus,
)
from prowess.core.text import storable

TABLES = {BoardTask: "board_task", Session: "board_session", Handoff: "board_handoff"}

_LARGEST = 2**63 - 1  # a row's number, in any database


class Rows(ABC):
    """What a board on a database has to bring: an answer to a query, whose values are marked `?`."""

    clean: Callable[[str], str]
    _session = "session = ?"  # whatever the case of a name

    @abstractmethod
    def _rows(self, query: str, *values: object) -> list[dict[str, Any]]: ...

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
        for row in names:  # the lower() of a database knows only ASCII
            name = row["name"].lower()
            used[name] = used.get(name, 0) + row["uses"]
        return used

    def handoff(self, number: int) -> Handoff | None:
        if not 0 < number <= _LARGEST:
            return None
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

    def _where(
        self, table: str, statuses: Collection[str], **equal: str | None
    ) -> list[dict[str, Any]]:
        """The rows with one of the statuses and with every value that is not None."""
        asked = {name: storable(value) for name, value in equal.items() if value is not None}
        marks = ", ".join("?" * len(statuses))
        same = (self._session if name == "session" else f"{name} = ?" for name in asked)
        where = " and ".join([f"status in ({marks})" if marks else "false", *same])
        query = f"select * from {table} where {where} order by number"  # noqa: S608  our own words
        return self._rows(query, *statuses, *asked.values())


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def fit(noun: Noun) -> Noun:
    """The noun as a database can keep it."""
    texts: dict[str, Any] = {
        name: storable(value) for name, value in asdict(noun).items() if isinstance(value, str)
    }
    return replace(noun, **texts)


def told(kept: Noun, kind: str, *, summary: str, by: str, message: str) -> str:
    """The payload of the event that tells of a change."""
    payload = {
        "summary": summary,
        "visibility": "SUMMARY",
        "by": by,
        "message": message,
        kind.partition(".")[0]: kept.as_json(),
    }
    return storable(json.dumps(payload, ensure_ascii=False, sort_keys=True))
