"""Files of every version that was ever released open in this one, with every row in them."""

import hashlib
import itertools
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from prowess.board import postgres as board_postgres
from prowess.board import schema as board_schema
from prowess.board.store import SqliteBoard
from prowess.core.event import Event
from prowess.observe import postgres_log
from prowess.observe import schema as log_schema
from prowess.observe.log import SqliteLog

ROWS = 25
# The first logs had their tables and no number; every later version has its own.
LOGS = [0, *range(1, len(log_schema.MIGRATIONS) + 1)]
BOARDS = range(len(board_schema.MIGRATIONS) + 1)  # 0: a log on which no board was ever opened
MIGRATIONS = {
    "log": log_schema.MIGRATIONS,
    "board": board_schema.MIGRATIONS,
    "log on PostgreSQL": postgres_log.MIGRATIONS,
    "board on PostgreSQL": board_postgres.MIGRATIONS,
}
RELEASED = {
    "log": ["02f60aa2eecc", "959c6d2d5492"],
    "board": ["9ab6c5b3e19f"],
    "log on PostgreSQL": ["d6786be0982e"],
    "board on PostgreSQL": ["dedd3ae21b6f"],
}
TABLES = ("board_task", "board_message", "board_session", "board_handoff")


@contextmanager
def written(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file)) as database, database:
        yield database


def old_log(file: Path, version: int) -> Path:
    with written(file) as database:
        for statement in itertools.chain(*log_schema.MIGRATIONS[: version or 1]):
            database.execute(statement)
        database.execute(f"pragma user_version = {version}")
        for number in range(1, ROWS + 1):
            kind = "run.started" if number == 1 else "kind"
            row = ("old", number, kind, f'{{"number": {number}}}')
            database.execute("insert into event (run, seq, kind, payload) values (?, ?, ?, ?)", row)
    return file


def old_board(file: Path, version: int) -> Path:
    """A board of that version, with a row in every table it had."""
    with written(file) as database:
        if version:
            database.execute("create table board_version (version integer not null)")
        for number, statements in enumerate(board_schema.MIGRATIONS[:version], 1):
            for statement in statements:
                database.execute(statement)
            database.execute("insert into board_version values (?)", (number,))
        for table in TABLES if version else ():
            columns = [
                (name, kind)
                for _, name, kind, *_ in database.execute(f"pragma table_info({table})")
            ]
            values = [1 if kind == "INTEGER" else f"{name} of old" for name, kind in columns]
            marks = ", ".join("?" * len(values))
            database.execute(f"insert into {table} values ({marks})", values)  # noqa: S608  our own words
    return file


def rows(file: Path, table: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(file)) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(f"select * from {table}")]  # noqa: S608


@pytest.mark.parametrize("version", LOGS)
def test_a_log_of_every_version_opens_with_every_event(tmp_path: Path, version: int) -> None:
    file = old_log(tmp_path / "log", version)
    before = rows(file, "event")

    log = SqliteLog(str(file))
    try:
        assert [each.event.payload["number"] for each in log.run("old")] == [*range(1, ROWS + 1)]
        assert list(log.runs(limit=5)) == list(log.runs_beginning("ol")) == ["old"]
        assert log.append(Event(run="old", kind="kind", payload={})).seq == ROWS + 1
    finally:
        log.close()
    kept = [{name: row[name] for name in before[0]} for row in rows(file, "event")]
    assert kept[:ROWS] == before


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("version", LOGS)
def test_a_board_of_every_version_opens_with_every_row(
    tmp_path: Path, version: int, board: int
) -> None:
    file = old_board(old_log(tmp_path / "log", version), board)
    before = {table: rows(file, table) for table in TABLES} if board else {}

    SqliteLog(str(file)).close()
    opened = SqliteBoard(str(file), clean=str)
    opened.close()

    for table, old in before.items():
        kept = [{name: row[name] for name in old[0]} for row in rows(file, table)]
        assert kept == old
    assert len(rows(file, "event")) == ROWS
    versions = [row["version"] for row in rows(file, "board_version")]
    assert versions == [*range(1, len(board_schema.MIGRATIONS) + 1)]


def test_what_was_released_is_not_edited() -> None:
    """Each version is known by a sum; a new one adds a line here, and none ever changes."""

    def sums(migrations: tuple[tuple[str, ...], ...]) -> list[str]:
        return [
            hashlib.sha256(" ".join(" ".join(statements).split()).encode()).hexdigest()[:12]
            for statements in migrations
        ]

    for name, migrations in MIGRATIONS.items():
        released = RELEASED[name]
        assert sums(migrations)[: len(released)] == released, name
