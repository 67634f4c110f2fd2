"""A history carried over to PostgreSQL is there to the last row, or not at all."""

import asyncio
import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psycopg
import pytest

from house import Home, skill_file
from prowess.board import tasks
from prowess.board.opening import open_board
from prowess.core.errors import ConflictError, OutsideError
from prowess.core.event import Event, Recorded
from prowess.durable.opening import open_engine
from prowess.durable.takers import announce
from prowess.keep.migrate import carry_over
from prowess.model.scripted import final
from prowess.observe.log import SqliteLog
from prowess.observe.opening import open_log

STRANGE = ["", "\\N", "\t\n\r\\", "\u0000", "ü🙂\u2028", "'; drop table event; --", '"', "\x7f\x1b"]


def made(url: str) -> str:
    """The tables of this version, with nothing in them."""

    async def engine() -> None:
        async with open_engine(url, {}):
            pass

    open_log(url).close()
    open_board(url, clean=str).close()
    asyncio.run(engine())
    return url


@pytest.fixture
def target(postgres_url: str) -> str:
    return made(postgres_url)


def generated(file: Path, *, runs: int, events: int) -> Path:
    """A history of so many runs, their events mixed, written past the log to be quick."""
    SqliteLog(str(file)).close()
    chance = random.Random(7)  # noqa: S311  the same at every start
    order = [run for run in range(runs) for _ in range(events)]
    chance.shuffle(order)
    seen = [0] * runs

    def rows() -> Iterator[tuple[str, int, str, str]]:
        for run in order:
            seen[run] += 1
            kind = {1: "run.started", events: "run.finished"}.get(seen[run], "call.finished")
            payload = json.dumps({"n": chance.random(), "text": chance.choice(STRANGE)})
            yield f"{run:012x}", seen[run], kind, payload

    with closing(sqlite3.connect(file)) as database, database:
        database.executemany(
            "insert into event (run, seq, kind, payload) values (?, ?, ?, ?)", rows()
        )
    return file


def everything(place: str) -> list[Recorded]:
    log = open_log(place)
    try:
        return list(log.tail())
    finally:
        log.close()


def count(url: str, table: str) -> int:
    with psycopg.connect(url) as connection:
        found = connection.execute(f"select count(*) from prowess.{table}").fetchone()  # noqa: S608
    assert found
    return int(found[0])


def test_ten_thousand_runs_are_the_same_on_both_sides(tmp_path: Path, target: str) -> None:
    file = generated(tmp_path / "log", runs=10_000, events=10)

    carried = carry_over([str(file)], target)

    assert carried["event"].rows == 100_000
    for here, there in zip(everything(str(file)), everything(target), strict=True):
        assert here == there


def test_any_text_arrives_as_it_was(tmp_path: Path, target: str) -> None:
    file = str(tmp_path / "log")
    log = SqliteLog(file)
    for number, text in enumerate(STRANGE):
        log.append(Event(run=f"r{number}", kind="kind", payload={text: [text, None, 1.5]}))
    log.close()

    carry_over([file], target)

    assert everything(target) == everything(file)


def test_what_postgresql_cannot_keep_in_a_name_becomes_its_escape(
    tmp_path: Path, target: str
) -> None:
    file = generated(tmp_path / "log", runs=1, events=1)
    with closing(sqlite3.connect(file)) as database, database:  # as an older version kept it
        query = "insert into event (run, seq, kind, payload) values (?, 1, 'kind', '{}')"
        database.execute(query, ("a\0b",))

    carry_over([str(file)], target)

    assert [each.event.run for each in everything(target)] == [f"{0:012x}", "a\\x00b"]


def test_the_board_is_carried_over_and_numbers_go_on(tmp_path: Path, target: str) -> None:
    file = str(tmp_path / "log")
    SqliteLog(file).close()
    here = open_board(file, clean=str)
    for title in ("first", "second", "gone"):
        tasks.create(here, title=title, role="Engineer")
    kept = [asdict(task) for task in here.tasks()][:2]
    here.close()
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("delete from board_message where task = 3")
        database.execute("delete from board_task where number = 3")

    carry_over([file], target)

    there = open_board(target, clean=str)
    try:
        assert [asdict(task) for task in there.tasks()] == kept
        assert tasks.create(there, title="new", role="Engineer").number == 4
    finally:
        there.close()
    *_, last = everything(target)
    assert last.position == len(everything(file)) + 1


def test_a_database_with_anything_in_it_is_refused_and_left_alone(
    tmp_path: Path, target: str
) -> None:
    file = generated(tmp_path / "log", runs=2, events=3)
    log = open_log(target)
    log.append(Event(run="there", kind="kind", payload={}))
    log.close()

    with pytest.raises(ConflictError, match="event"):
        carry_over([str(file)], target)

    assert [each.event.run for each in everything(target)] == ["there"]


def test_nothing_arrives_when_something_cannot(tmp_path: Path, target: str) -> None:
    file = generated(tmp_path / "log", runs=5, events=3)
    with psycopg.connect(target) as connection:
        connection.execute("alter table prowess.event add check (position < 10)")

    with pytest.raises(OutsideError):
        carry_over([str(file)], target)

    assert count(target, "event") == 0


def test_rows_that_arrive_changed_are_noticed(tmp_path: Path, target: str) -> None:
    file = generated(tmp_path / "log", runs=5, events=3)
    with psycopg.connect(target) as connection:
        connection.execute(
            "create function prowess.spoil() returns trigger language plpgsql as"
            " $$ begin if new.position = 7 then new.kind := 'spoilt'; end if; return new; end $$"
        )
        connection.execute(
            "create trigger spoil before insert on prowess.event"
            " for each row execute function prowess.spoil()"
        )

    with pytest.raises(OutsideError, match="did not arrive as it was"):
        carry_over([str(file)], target)

    assert count(target, "event") == 0


def test_a_table_that_the_other_side_does_not_know_is_refused(tmp_path: Path, target: str) -> None:
    file = generated(tmp_path / "log", runs=1, events=2)
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("create table of_tomorrow (a)")

    with pytest.raises(OutsideError, match="of_tomorrow"):
        carry_over([str(file)], target)


def test_the_files_are_left_as_they_were(tmp_path: Path, target: str) -> None:
    file = generated(tmp_path / "log", runs=3, events=3)
    before = file.read_bytes()

    carry_over([str(file)], target)

    assert file.read_bytes() == before


def test_runs_with_all_their_steps_are_carried_over(
    home: Path, project: Path, target: str, tmp_path: Path
) -> None:
    skill_file(project, "note", "Write a note.")
    here = Home(project, tmp_path / "data", {"*": [final("noted")]})
    ended = here.run("note")
    files = [str(tmp_path / "data" / name) for name in ("log.sqlite3", "engine.sqlite3")]

    carried = carry_over(files, target)

    async def look() -> tuple[Any, Any]:
        async with open_engine(target, {}) as engine:
            return await engine.state(ended.run), await engine.result(ended.run)

    state, result = asyncio.run(look())
    assert carried["operation_outputs"].rows > 0
    assert state == "ended"
    assert result["answer"] == "noted"


def test_a_folder_where_workers_were_at_work_is_carried_over_without_them(
    home: Path, project: Path, target: str, tmp_path: Path
) -> None:
    file = str(tmp_path / "data" / "engine.sqlite3")
    skill_file(project, "note", "Write a note.")
    Home(project, tmp_path / "data", {"*": [final("noted")]}).run("note")
    announce(file, "a worker", str(project))

    carried = carry_over([file], target)

    assert carried["workflow_status"].rows == 1
    assert "prowess_taker" not in carried
