"""
The tables of the board, and how an older file becomes a newer one.

They live in the file of the event log, which counts its own versions, so the board counts its own
in a table. Each version is reached from the one before it, in one transaction with its number.
"""

import sqlite3

from prowess.core.errors import OutsideError

# Never edit one that was released: add the next.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        create table board_task (
            number      integer primary key autoincrement,   -- never used twice
            title       text not null,
            description text not null,
            role        text not null,
            priority    text not null,
            status      text not null,
            session     text not null collate nocase,
            reason      text not null,
            parent      text not null,
            created     text not null,
            updated     text not null,
            finished    text not null
        )
        """,
        "create index board_task_status on board_task (status)",
        "create index board_task_parent on board_task (parent) where parent <> ''",
        """
        create table board_message (
            number integer primary key autoincrement,
            task   integer not null references board_task (number),
            at     text not null,
            by     text not null,
            status text not null,
            text   text not null
        )
        """,
        "create index board_message_task on board_message (task)",
        """
        create table board_session (
            number  integer primary key autoincrement,
            name    text not null,
            role    text not null,
            task    text not null,
            started text not null,
            ended   text not null,
            summary text not null
        )
        """,
        # A name is free again when its session has ended.
        "create unique index board_session_name on board_session (name collate nocase) where ended = ''",
        """
        create table board_handoff (
            number    integer primary key autoincrement,
            sender    text not null,
            from_role text not null,
            to_role   text not null,
            task      text not null,
            text      text not null,
            status    text not null,
            receiver  text not null,
            message   text not null,
            created   text not null,
            updated   text not null
        )
        """,
        "create index board_handoff_status on board_handoff (status)",
    ),
)


def bring_up_to_date(database: sqlite3.Connection, path: str) -> None:
    """Several processes may open one old file at once; the first does it and the others wait."""
    if _version(database, path) == len(MIGRATIONS):
        return
    database.execute("begin immediate")
    try:
        database.execute("create table if not exists board_version (version integer not null)")
        for version in range(_version(database, path), len(MIGRATIONS)):
            for statement in MIGRATIONS[version]:
                database.execute(statement)
            database.execute("insert into board_version values (?)", (version + 1,))
        database.execute("commit")
    except BaseException:
        database.rollback()
        raise


def _version(database: sqlite3.Connection, path: str) -> int:
    there = "select 1 from sqlite_master where type = 'table' and name = 'board_version'"
    if database.execute(there).fetchone() is None:
        return 0
    query = "select coalesce(max(version), 0) from board_version"
    (version,) = database.execute(query).fetchone()
    if version > len(MIGRATIONS):
        raise OutsideError(
            f"the board in {path} was written by a newer version of Prowess",
            hint="update Prowess, or name another folder with --data",
        )
    return int(version)
