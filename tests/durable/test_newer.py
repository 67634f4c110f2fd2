"""A database of runs that a newer release wrote is refused, and nothing is written to it."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from postgres import server
from prowess.core.errors import OutsideError
from prowess.core.ports import Json, Steps
from prowess.durable.opening import open_engine
from prowess.durable.postgres import open_postgres
from prowess.durable.sqlite import open_sqlite
from prowess.durable.standing import standing

OURS = "insert into version values ('engine', 99)"
THEIRS = "update {}dbos_migrations set version = version + 50"


async def works(steps: Steps, request: Mapping[str, Any]) -> Json:
    return steps.run_id


def run(place: str) -> Json:
    async def story() -> Json:
        async with asyncio.timeout(120), open_engine(place, {"works": works}) as engine:
            await engine.start("works", "r1", {})
            return await engine.result("r1")

    return asyncio.run(story())


@pytest.fixture(params=["file", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return server().new_database() if request.param == "postgres" else str(tmp_path / "runs.db")


@pytest.fixture
def database(place: str) -> Iterator[sa.Engine]:
    sql = open_postgres(place) if place.startswith("postgresql") else open_sqlite(place)
    yield sql
    sql.dispose()


@pytest.mark.parametrize("newer", [OURS, THEIRS])
def test_runs_of_a_newer_version_are_refused_and_left_alone(
    place: str, database: sa.Engine, newer: str
) -> None:
    run(place)
    schema = "dbos." if place.startswith("postgresql") else ""
    with database.begin() as connection:
        connection.execute(sa.text(newer.format(schema)))
        connection.execute(sa.text("drop table prowess_turn"))  # whoever opens it makes it again

    with pytest.raises(OutsideError, match="newer version of Prowess") as failed:
        run(place)
    with pytest.raises(OutsideError, match="newer version of Prowess"):
        standing(place)

    assert "update Prowess" in failed.value.hint
    assert not sa.inspect(database).has_table("prowess_turn")


def test_a_database_without_a_number_is_an_older_one(place: str, database: sa.Engine) -> None:
    run(place)
    with database.begin() as connection:
        connection.execute(sa.text("drop table version"))

    assert run(place) == "r1"
    assert sa.inspect(database).has_table("version")
