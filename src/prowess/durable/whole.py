"""
The library's tables in a file: all of them or none, however often a start is killed.

The library commits what it makes statement by statement and writes down last how far it came, so that
a death in between would leave tables that it refuses for ever. Here making them, and bringing those
of an older release up to date, is one transaction: who dies within it has changed nothing.
"""

import sqlite3

import sqlalchemy as sa

from prowess.core.sqlite_file import damaged
from prowess.durable.doors import make_or_update, versions
from prowess.durable.sqlite import WHAT, prepare

_RUNS = "workflow_status"


def make_whole(database: sa.Engine) -> None:
    """As the library wants its tables. To be called alone, and by nobody whose release is older."""
    there, wanted = versions(database)
    if there >= wanted:
        return
    at_once = sa.create_engine(database.url, poolclass=sa.NullPool)
    sa.event.listen(at_once, "connect", _by_hand)
    sa.event.listen(at_once, "begin", _begin)
    if not there:
        _take_away(at_once)
    make_or_update(at_once)


def is_whole(database: sa.Engine) -> bool:
    """Whether there are runs to be read; `OutsideError` for a file in which nobody can read them."""
    if versions(database)[0]:
        return True
    with database.connect() as connection:
        _must_be_empty(connection)
    return False


def _by_hand(connection: sqlite3.Connection, record: object) -> None:
    """Nothing begins or ends a transaction by itself, as Python's driver does around some statements."""
    prepare(connection, record)
    connection.isolation_level = None


def _begin(connection: sa.Connection) -> None:
    connection.exec_driver_sql("begin immediate")


def _take_away(database: sa.Engine) -> None:
    """What a release that made tables one by one had made when it was killed; nothing ever ran there."""
    with database.begin() as connection:
        _must_be_empty(connection)
        for table in sa.inspect(connection).get_table_names():
            connection.exec_driver_sql(f'drop table "{table}"')


def _must_be_empty(connection: sa.Connection) -> None:
    if not sa.inspect(connection).has_table(_RUNS):
        return
    if connection.execute(sa.text(f"select 1 from {_RUNS} limit 1")).first():  # noqa: S608
        path = str(connection.engine.url.database)
        raise damaged(WHAT, path, "there are runs in it, and nothing says how they are laid out")
