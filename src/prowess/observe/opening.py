"""Which event log it is: a file for one machine, a PostgreSQL database for many."""

import os

from prowess.core.place import is_database
from prowess.core.ports import Clean, Log


def open_log(place: str, *, clean: Clean = dict) -> Log:
    """`place` is a file, or the URL of a database. Who means to append says how events are cleaned."""
    if is_database(place):
        from prowess.observe.postgres_log import PostgresLog

        return PostgresLog(place, clean=clean)
    from prowess.observe.log import SqliteLog

    return SqliteLog(place, clean=clean)


def is_there(place: str) -> bool:
    """Whether there is something to read; a database is taken to be there."""
    return is_database(place) or os.path.exists(place)
