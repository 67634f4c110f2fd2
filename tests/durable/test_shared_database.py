"""Connections of the engine to a shared database: to whatever libpq can find, and no network is waited for in vain."""

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import psycopg
import pytest
import sqlalchemy as sa

from postgres import server
from prowess.core.errors import SettingsError, StoreError
from prowess.core.ports import Json, Steps
from prowess.durable.opening import open_engine
from prowess.durable.postgres import CONNECTIONS, KEPT, open_postgres


@pytest.fixture
def socket_and_name() -> tuple[str, str]:
    """The folder of the server's socket, and a database of it."""
    url = urlsplit(server().new_database())
    return parse_qs(url.query)["host"][0], url.path[1:]


async def works(steps: Steps, request: Mapping[str, Any]) -> Json:
    return steps.run_id


async def result(place: str) -> Json:
    async with asyncio.timeout(120), open_engine(place, {"works": works}) as engine:
        await engine.start("works", "r1", {})
        return await engine.result("r1")


def test_the_engine_works_with_a_url_whose_host_is_a_socket(
    socket_and_name: tuple[str, str],
) -> None:
    folder, name = socket_and_name

    assert asyncio.run(result(f"postgresql://postgres@{quote(folder, safe='')}/{name}")) == "r1"


def test_the_engine_works_with_a_url_of_several_hosts(socket_and_name: tuple[str, str]) -> None:
    folder, name = socket_and_name
    hosts = f"127.0.0.1:1,{quote(folder, safe='')}:5432"

    assert asyncio.run(result(f"postgresql://postgres@{hosts}/{name}")) == "r1"


def test_a_url_that_cannot_be_read_is_a_wrong_setting_for_the_engine_too() -> None:
    with pytest.raises(SettingsError, match="no URL"):
        asyncio.run(result("postgresql://user:pass%zz@host/name"))


def test_a_network_that_swallows_everything_is_noticed() -> None:
    database = open_postgres(server().new_database())

    with database.connect() as connection:
        driver: Any = connection.connection.dbapi_connection
        told = driver.info.get_parameters()

    database.dispose()
    words = ("keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout")
    assert [told[word] for word in words] == ["10", "5", "3", "30000"]


def test_options_of_the_url_hold_beside_ours() -> None:
    options = quote("-c statement_timeout=12345")
    database = open_postgres(f"{server().new_database()}&options={options}&connect_timeout=7")

    with database.connect() as connection:
        told = {
            name: connection.execute(sa.text(f"show {name}")).scalar()
            for name in ("statement_timeout", "search_path", "application_name")
        }

    database.dispose()
    assert told == {
        "statement_timeout": "12345ms",
        "search_path": "prowess",
        "application_name": "prowess",
    }


def test_connections_that_were_needed_once_are_given_back() -> None:
    database = open_postgres(server().new_database())
    held = [database.connect() for _ in range(CONNECTIONS)]

    for each in held:
        each.close()

    assert isinstance(database.pool, sa.QueuePool)
    assert database.pool.checkedin() == KEPT
    database.dispose()


def test_a_right_that_the_engine_lacks_is_told_by_its_grant() -> None:
    admin = server().new_database()
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("create role half login password 'secret'")
        connection.execute("create schema prowess authorization half")

    with pytest.raises(StoreError, match="permission denied") as failed:
        asyncio.run(result(admin.replace("postgres@", "half:secret@")))

    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("drop owned by half")
        connection.execute("drop role half")
    assert "grant create on database" in failed.value.hint
