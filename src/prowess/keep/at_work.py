"""
Who works with a data folder right now, and would be robbed of it.

A process that works on runs takes the turn of their database before it begins, and holds a lock on
a file that is named after it from then on. Whoever else may write has a database open.
"""

import fcntl
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from prowess.core.errors import ConflictError, OutsideError
from prowess.keep.snapshot import opened

TURN = ".lock"  # beside a database: the file to take turns with
_WORKERS = ".workers"  # beside a database: a folder with one file for each process


@contextmanager
def turn(database: str) -> Iterator[None]:
    """While it lasts, no process begins to work on the runs in `database`."""
    file = os.open(database + TURN, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not _lock(file):
            raise ConflictError(
                "a process begins to work with this data folder",
                hint="end `prowess serve` and every run first",
            )
        yield
    finally:
        os.close(file)


def refuse_at_work(databases: Sequence[str]) -> None:
    """Raise `ConflictError` while a process works on runs."""
    for folder in (path + _WORKERS for path in databases):
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if _is_locked(os.path.join(folder, name)):
                raise ConflictError(
                    f"the process {name.partition('-')[0]} works with this data folder",
                    hint="end `prowess serve` and every run first",
                )


def refuse_open(databases: Sequence[str]) -> None:
    """Raise `ConflictError` while anybody has one of the files open."""
    for path in databases:
        if os.path.exists(path) and _is_open(path):
            raise ConflictError(
                f"a process has {path} open", hint="end `prowess serve` and every run first"
            )


def _is_open(path: str) -> bool:
    """Whoever has a database with a journal open shares a lock on it until he closes it."""
    try:
        with opened(path) as database:
            database.execute("pragma busy_timeout = 0")
            database.execute("pragma locking_mode = exclusive")
            database.execute("begin exclusive")
    except sqlite3.DatabaseError as error:
        return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    except OutsideError:  # damaged at first sight: not even SQLite may see it
        return False
    return False


def _is_locked(path: str) -> bool:
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not _lock(file)
    finally:
        os.close(file)


def _lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
