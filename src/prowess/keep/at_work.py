"""
Who works with a data folder right now, and would be robbed of it.

A process that works on runs takes the turn of their database before it begins, and holds a lock on
a file that is named after it from then on. Whoever else may write has a database open.
"""

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from prowess.core.errors import ConflictError, OutsideError
from prowess.core.locks import OPENING, TURN, WORKERS, is_locked, lock, open_lock
from prowess.keep.snapshot import opened

PATIENCE = 5.0  # seconds to wait for others who only look something up


@contextmanager
def turn(database: str) -> Iterator[None]:
    """While it lasts, no process begins to work on the runs in `database`."""
    with _held(database + TURN, patience=0):
        yield


@contextmanager
def unopened(databases: Sequence[str]) -> Iterator[None]:
    """While it lasts, nobody opens one of them, for whatever purpose: who wants to waits."""
    with ExitStack() as stack:
        for path in databases:
            stack.enter_context(_held(path + OPENING, patience=PATIENCE))
        yield


@contextmanager
def _held(path: str, *, patience: float) -> Iterator[None]:
    file = open_lock(path)
    until = time.monotonic() + patience
    try:
        while not lock(file):
            if time.monotonic() >= until:
                raise ConflictError(
                    "a process begins to work with this data folder",
                    hint="end `prowess serve` and every run first",
                )
            time.sleep(0.01)
        yield
    finally:
        os.close(file)


def refuse_at_work(databases: Sequence[str]) -> None:
    """Raise `ConflictError` while a process works on runs."""
    for folder in (path + WORKERS for path in databases):
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if is_locked(os.path.join(folder, name)):
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
