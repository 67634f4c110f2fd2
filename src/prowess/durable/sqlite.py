"""The embedded database: one private file, with a journal that lets readers and a writer go on together."""

import os
import sqlite3
import time
from typing import Any

import sqlalchemy as sa

from prowess.core.files import make_private
from prowess.core.sqlite_file import make_database

WHAT = "the database of runs"
SUBSEC = (3, 42)  # the SQLite that can tell parts of a second
PATIENCE_MS = 30_000  # how long a statement waits for another process that writes


def open_sqlite(path: str) -> sa.Engine:
    """
    The file holds what a resumed run needs word for word, so only its owner may read it.

    A commit survives the end of the process at once, and a power cut as soon as the system has
    written it out; the file is never left half written.
    """
    path = os.path.abspath(path)
    make_private(os.path.dirname(path))
    make_database(path, WHAT)
    database = sa.create_engine(
        sa.URL.create("sqlite", database=path), pool_size=20, max_overflow=0
    )
    sa.event.listen(database, "connect", prepare)
    return database


def prepare(connection: Any, _record: object) -> None:
    connection.isolation_level = "IMMEDIATE"  # a writer waits at its beginning, not half way
    for setting in (
        f"busy_timeout = {PATIENCE_MS}",
        "journal_mode = wal",
        "synchronous = normal",
        "foreign_keys = on",
    ):
        connection.execute(f"pragma {setting}")
    if sqlite3.sqlite_version_info < SUBSEC:
        # From Python 3.12 on, DBOS asks unixepoch('subsec') of any SQLite; an older one answers with null.
        connection.create_function("unixepoch", 1, lambda _: round(time.time(), 3))
