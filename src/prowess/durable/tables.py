"""
The tables of the queue, alike on every database, and how those of an older release become today's.

What is there stays as it is, and older releases can go on working with it: columns are only added,
each with a value for those who do not know it. A change that an older release must not meet gets the
next number: it refuses what has a higher one than it knows, and so it does with the library's tables.
"""

import sqlalchemy as sa

from prowess.core.errors import OutsideError
from prowess.core.postgres import UPDATING
from prowess.durable.doors import versions
from prowess.durable.sqlite import WHAT

VERSION = 1  # of all tables of the engine that are ours
_TABLES = (
    "create table if not exists version (part text, version integer, primary key (part, version))",
    f"insert into version values ('engine', {VERSION}) on conflict do nothing",  # noqa: S608
    """
    create table if not exists prowess_queue (
        run text primary key, came bigint not null, kind text not null,
        "user" text not null, skill text not null, model text not null,
        project text not null, priority integer not null,
        begun bigint, cost double precision not null default 0
    )
    """,
    "create index if not exists prowess_queue_begun on prowess_queue (begun)",
    'create table if not exists prowess_turn ("user" text primary key, turn bigint not null)',
    "create index if not exists prowess_turn_turn on prowess_turn (turn)",
)
# Columns of prowess_queue that came later.
_LATER = {
    "deaths": "integer not null default 0",  # of processes at work on the run, since it got further
    "reached": "integer not null default 0",  # how many steps it had finished at the last of them
    "inherited": "double precision not null default 0",  # what a fork's original had spent on its steps
    "unpriced": "integer not null default 0",  # 1 when the run cost more than is known
}


def make_tables(database: sa.Engine) -> None:
    """Where they are not there yet, or not as they are today."""
    with database.begin() as connection:
        if database.dialect.name == "postgresql":  # the log counts its versions in the same table
            connection.execute(sa.text(f"select pg_advisory_xact_lock({UPDATING})"))
        for statement in _TABLES:
            connection.execute(sa.text(statement))
        for name in _missing(connection):
            change = f"alter table prowess_queue add column {name} {_LATER[name]}"
            connection.execute(sa.text(change))


def refuse_newer(database: sa.Engine) -> None:
    """Raise `OutsideError` for tables of a newer release, and write nothing."""
    theirs, known = versions(database)
    if theirs <= known and _version(database) <= VERSION:
        return
    if database.dialect.name == "postgresql":
        raise OutsideError(
            "the runs in the database were written by a newer version of Prowess",
            hint="update Prowess, or name another database in database_url",
        )
    raise OutsideError(
        f"{WHAT} {database.url.database} was written by a newer version of Prowess",
        hint="update Prowess, or name another folder with --data",
    )


def _version(database: sa.Engine) -> int:
    query = "select coalesce(max(version), 0) from version where part = 'engine'"
    with database.connect() as connection:
        if not sa.inspect(connection).has_table("version"):
            return 0
        return int(connection.execute(sa.text(query)).scalar_one())


def are_made(database: sa.Engine) -> bool:
    """As they are today."""
    with database.connect() as connection:
        there = sa.inspect(connection).has_table("prowess_queue")
        return there and not _missing(connection)


def _missing(connection: sa.Connection) -> set[str]:
    there = connection.execute(sa.text("select * from prowess_queue limit 0")).keys()
    return _LATER.keys() - there
