"""Starts that are killed while the database is made, or made newer: the next one works, and no run is lost."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from prowess.core.errors import OutsideError
from prowess.core.ports import Json, Steps
from prowess.durable.opening import open_engine
from prowess.durable.standing import standing
from support import PATIENCE, Cli

# Opens an engine in one process after another, each of which kills itself at a later moment; after
# every death another opens it, and does a run. All are forks of one that has imported what they need.
STARTS = """
import asyncio, json, os, shutil, signal, sys
import sqlalchemy as sa
from prowess.core import sqlite_file
from prowess.durable.opening import open_engine

folder, before, last = sys.argv[1], sys.argv[2], int(sys.argv[3])

async def works(steps, request):
    return steps.run_id

async def story(place, run):
    async with asyncio.timeout(60), open_engine(place, {"works": works}) as engine:
        await engine.start("works", run, {})
        assert await engine.result(run) == run
        if before:
            assert await engine.result("old") == "old"
        os._exit(0)

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def die_at(moment):
    seen = 0
    def count(*_):
        nonlocal seen
        seen += 1
        if seen == moment:
            die()
    if moment == 0:
        sqlite_file._empty = die
    sa.event.listen(sa.Engine, "after_cursor_execute", count)

def forked(work):
    if not (pid := os.fork()):
        try:
            work()
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

def killed(place, moment):
    die_at(moment)
    asyncio.run(story(place, "first"))

codes = []
for moment in [*range(0, 20, 2), *range(20, last, 12)]:
    place = f"{folder}/{moment}/engine.sqlite3"
    if before:
        os.makedirs(os.path.dirname(place))
        shutil.copy(before, place)
    death = forked(lambda: killed(place, moment))
    codes.append([moment, death, forked(lambda: asyncio.run(story(place, "second")))])
print(json.dumps(codes))
"""
# What the library's last changes added, taken away again.
OLDER = (
    "alter table notifications drop column consumed_by_function_id",
    "alter table workflow_status drop column creator_xid",
    "update dbos_migrations set version = 120",
)


async def works(steps: Steps, request: Mapping[str, Any]) -> Json:
    return steps.run_id


def run(place: Path, name: str) -> None:
    async def story() -> None:
        async with asyncio.timeout(60), open_engine(str(place), {"works": works}) as engine:
            await engine.start("works", name, {})
            assert await engine.result(name) == name

    asyncio.run(story())


def change(place: Path, *statements: str) -> None:
    with closing(sqlite3.connect(place)) as database, database:
        for statement in statements:
            database.execute(statement)


def starts(folder: Path, *, before: Path | None = None, last: int) -> list[tuple[int, int, int]]:
    done = subprocess.run(
        [sys.executable, "-c", STARTS, str(folder), str(before or ""), str(last)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    codes = [tuple(each) for each in json.loads(done.stdout)]
    assert all(code == 0 for _, _, code in codes), (codes, done.stderr)
    return codes


def test_a_first_start_that_is_killed_at_any_moment_leaves_nothing_that_the_next_refuses(
    tmp_path: Path,
) -> None:
    codes = starts(tmp_path, last=100)

    assert {death for _, death, _ in codes} == {-9}


def test_tables_of_an_older_release_become_todays_or_stay_and_keep_their_runs(
    tmp_path: Path,
) -> None:
    run(older := tmp_path / "engine.sqlite3", "old")
    change(older, *OLDER)

    codes = starts(tmp_path / "starts", before=older, last=50)

    assert -9 in {death for _, death, _ in codes}


def half_made(place: Path) -> None:
    """As an older release left it that was killed: tables, and no word of how far it came."""
    run(place, "r")
    change(place, "delete from dbos_migrations", "delete from workflow_status")


def test_what_an_older_release_had_half_made_is_made_anew(tmp_path: Path) -> None:
    half_made(place := tmp_path / "engine.sqlite3")
    assert standing(str(place)) == {}

    run(place, "again")

    assert standing(str(place)) == {}


def test_tables_that_nobody_can_read_are_left_alone_while_there_are_runs_in_them(
    cli: Cli, tmp_path: Path
) -> None:
    run(place := tmp_path / "data" / "engine.sqlite3", "r")
    change(place, "delete from dbos_migrations")

    with pytest.raises(OutsideError, match="nothing says how they are laid out"):
        run(place, "again")

    found = cli("doctor", "--json", "--data", place.parent)
    assert found.code == 1
    (told,) = [each for each in found.json["findings"] if each["level"] == "error"]
    assert (told["area"], "is damaged: there are runs in it" in told["what"]) == ("Data", True)
    assert "prowess restore" in told["hint"]
    with closing(sqlite3.connect(place)) as database:
        assert database.execute("select workflow_uuid from workflow_status").fetchall() == [("r",)]
