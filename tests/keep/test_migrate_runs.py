"""Ten thousand runs with their steps, tickets, turns and answers are the same in PostgreSQL, row by row."""

import asyncio
import json
import random
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg.types.json import set_json_loads

from house import Home, skill_file
from prowess.core.ports import Json
from prowess.durable.fair import Ticket
from prowess.durable.opening import open_engine
from prowess.durable.queue import OWN, PAUSED, WAITING
from prowess.keep.migrate import carry_over
from prowess.model.scripted import call, final

RUNS, USERS = 10_000, 50
TEXTS = ["", "\\N", "\t\n\r\\", "\u0000", "ü🙂\u2028", "'; drop table prowess_queue; --", '"', "\x7f\x1b"]  # fmt: skip
# How runs stand, and in which queue.
STANDS = [("SUCCESS", None), ("SUCCESS", f"{OWN}gone"), ("CANCELLED", None), ("ERROR", None)]
STANDS += [("PENDING", f"{OWN}gone"), ("ENQUEUED", WAITING), ("ENQUEUED", PAUSED)]
# What the files and the database each keep of themselves.
OWN_TABLES = {"dbos_migrations", "application_versions", "version", "prowess_taker"}
Tables = dict[str, list[dict[str, Any]]]


@pytest.fixture
def engine_file(home: Path, project: Path, tmp_path: Path) -> Path:
    """What one run left there, and one that waits in the queue."""
    skill_file(project, "note", "Write a note.")
    written = call("Write", file_path="note.txt", content="hello")
    Home(project, tmp_path / "data", {"*": [written, final("noted")]}).run("note")
    file = tmp_path / "data" / "engine.sqlite3"

    async def body(steps: object, request: Mapping[str, Any]) -> Json:
        return None

    async def enqueue() -> None:
        async with open_engine(str(file), {"skill": body}) as engine:
            await engine.enqueue("skill", "queued", {}, Ticket(user="ann", project="/p"))

    asyncio.run(enqueue())
    return file


def in_files(file: Path) -> Tables:
    with closing(sqlite3.connect(file)) as database:
        database.row_factory = sqlite3.Row
        query = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"
        names = {name for (name,) in database.execute(query)} - OWN_TABLES
        return {
            name: [dict(row) for row in database.execute(f'select * from "{name}"')]  # noqa: S608
            for name in names
        }


def in_database(url: str, names: Sequence[str]) -> Tables:
    with psycopg.connect(url, row_factory=dict_row) as connection:
        set_json_loads(_as_it_is, connection)
        connection.execute("set search_path to prowess, dbos")
        return {name: connection.execute(f'select * from "{name}"').fetchall() for name in names}  # noqa: S608


def _as_it_is(text: str | bytes) -> str:
    return text if isinstance(text, str) else text.decode()


def alike(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> list[str]:
    """In an order that is the same on both sides."""
    return sorted(json.dumps([_plain(name, row[name]) for name in columns]) for row in rows)


def _plain(column: str, value: Any) -> Any:
    """True is 1 in SQLite; and PostgreSQL keeps what JSON says, not how it is written."""
    if column == "attributes" and value is not None:
        return json.dumps(json.loads(value), sort_keys=True)
    return int(value) if isinstance(value, bool) else value


def multiplied(file: Path, count: int) -> None:
    """The rows of the two runs become those of many, each a little different; written by SQL."""
    tables, chance = in_files(file), random.Random(7)  # noqa: S311  the same at every start
    (model,) = (row for row in tables["workflow_status"] if row["status"] == "SUCCESS")
    runs = [f"{number:012x}" for number in range(count)]
    made: Tables = {
        "workflow_status": [_run(model, run, chance) for run in runs],
        "operation_outputs": [
            {**row, "workflow_uuid": run, "output": _said(row["output"], chance)}
            for run in runs
            for row in tables["operation_outputs"]
        ],
        "prowess_queue": [_ticket(tables["prowess_queue"][0], run, chance) for run in runs],
        "prowess_turn": [{"user": f"user {n}", "turn": 10**12 + n} for n in range(USERS)],
        "prowess_intent": [{"run": run, "step": chance.randrange(9)} for run in runs[::3]],
        "notifications": [_answer(run, chance) for run in runs[::7]],
    }
    for name in ("workflow_input", "workflow_output"):
        found = [row for row in tables[name] if row["workflow_uuid"] == model["workflow_uuid"]]
        made[name] = [{**row, "workflow_uuid": run} for row in found for run in runs]
    with closing(sqlite3.connect(file)) as database, database:
        for name, rows in made.items():
            _insert(database, name, rows)


def _run(model: Mapping[str, Any], run: str, chance: random.Random) -> dict[str, Any]:
    status, queue = chance.choice(STANDS)
    return {
        **model,
        "workflow_uuid": run,
        "status": status,
        "queue_name": queue,
        "executor_id": None if status == "ENQUEUED" else "gone",
        "output": _said(model["output"], chance) if status == "SUCCESS" else None,
        "created_at": chance.randrange(10**13),
        "was_forked_from": chance.random() < 0.5,
        "forked_from": chance.choice([None, f"{0:012x}"]),
        "attributes": chance.choice([None, "null", '{"who": "ü🙂", "n":  1.5}']),
    }


def _said(output: str | None, chance: random.Random) -> str | None:
    return output and output + json.dumps(chance.choice(TEXTS))


def _ticket(model: Mapping[str, Any], run: str, chance: random.Random) -> dict[str, Any]:
    return {
        **model,
        "run": run,
        "came": chance.randrange(10**13),
        "user": f"user {chance.randrange(USERS)}",
        "model": chance.choice(["", "openai:gpt-4o", "ü🙂"]),
        "priority": chance.randrange(-100, 101),
        "begun": chance.choice([None, chance.randrange(10**13)]),
        "cost": chance.random() * 10 ** chance.randrange(-9, 9),
    }


def _answer(run: str, chance: random.Random) -> dict[str, Any]:
    text = json.dumps(chance.choice(TEXTS))
    return {"message_uuid": f"answer to {run}", "destination_uuid": run, "message": text}


def _insert(database: sqlite3.Connection, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    if not rows:
        return
    columns = ", ".join(f'"{column}"' for column in rows[0])
    values = ", ".join(f":{column}" for column in rows[0])
    database.executemany(f'insert into "{name}" ({columns}) values ({values})', rows)  # noqa: S608


@pytest.fixture
def target(postgres_url: str) -> str:
    async def make() -> None:
        async with open_engine(postgres_url, {}):
            pass

    asyncio.run(make())
    return postgres_url


def test_ten_thousand_runs_with_all_that_belongs_to_them_are_the_same_on_both_sides(
    engine_file: Path, target: str
) -> None:
    multiplied(engine_file, RUNS)
    here = in_files(engine_file)

    carried = carry_over([str(engine_file)], target)

    there = in_database(target, list(here))
    counts = {name: len(rows) for name, rows in here.items()}
    assert counts["workflow_status"] == RUNS + 2
    assert counts["prowess_queue"] == RUNS + 1
    assert counts["operation_outputs"] > 3 * RUNS
    assert {name: told.rows for name, told in carried.items()} == counts
    for name, rows in here.items():
        columns = list(rows[0]) if rows else []
        assert alike(there[name], columns) == alike(rows, columns), name


def test_runs_stand_there_as_they_did_here(engine_file: Path, target: str) -> None:
    multiplied(engine_file, 100)
    rows = in_files(engine_file)["workflow_status"]
    runs = {(row["status"], row["queue_name"]): row["workflow_uuid"] for row in rows}

    carry_over([str(engine_file)], target)

    async def states() -> list[str]:
        async with open_engine(target, {}) as engine:
            return [await engine.state(runs[stands]) for stands in STANDS]

    # What a dead process had taken is taken up by workers there.
    ended = ["ended", "ended", "cancelled", "ended"]
    assert asyncio.run(states()) == [*ended, "queued", "queued", "paused"]
