"""
The tables of the event log, and how an older file becomes a newer one.

The file says which version it is. Each version is reached from the one before it, in one
transaction with its number, so a file is never half way; what was written stays as it was.
"""

import sqlite3

from prowess.core.errors import OutsideError

# Never edit one that was released: add the next.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        # The first logs had these and no number yet.
        """
        create table if not exists event (
            position integer primary key autoincrement,   -- the order of the whole log; never used twice
            run      text not null,
            seq      integer not null,                     -- the order of the run, from 1
            at       text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
            kind     text not null,
            payload  text not null,                        -- JSON
            unique (run, seq)
        )
        """,
        "create index if not exists event_kind on event (kind, position)",
    ),
    (
        # A run is found by its id, or the beginning of it, without a look at events of any other kind.
        "create index run_started on event (run, seq, position) where kind = 'run.started'",
    ),
)


def bring_up_to_date(database: sqlite3.Connection, path: str) -> None:
    """Several processes may open one old file at once; the first does it and the others wait."""
    if _version(database, path) == len(MIGRATIONS):
        return
    database.execute("begin immediate")
    try:
        for statements in MIGRATIONS[_version(database, path) :]:
            for statement in statements:
                database.execute(statement)
        database.execute(f"pragma user_version = {len(MIGRATIONS)}")
        database.execute("commit")
    except BaseException:
        database.rollback()
        raise


def _version(database: sqlite3.Connection, path: str) -> int:
    (version,) = database.execute("pragma user_version").fetchone()
    if version > len(MIGRATIONS):
        raise OutsideError(
            f"the event log {path} was written by a newer version of Prowess",
            hint="update Prowess, or name another folder with --data",
        )
    return int(version)
