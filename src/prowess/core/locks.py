"""
Files beside a database that say who works with it.

The kernel lets go of a lock when a process ends, however it ends, so a lock that can be taken is
proof that its owner is gone. A file is not inherited, or a command that outlives its process would
hold the lock for it.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

TURN = ".lock"  # after the database's name: the file to take turns with
WORKERS = ".workers"  # after the database's name: a folder with one file for each process
OPENING = ".opening"  # after the database's name: held by who opens it, and by who replaces it


def open_lock(path: str) -> int:
    """The file, made when it is missing; whoever closes it lets go."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def lock(file: int) -> bool:
    """Take the lock at once; false when somebody holds it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def opening(database: str) -> Iterator[None]:
    """
    While it lasts, nobody puts another file in the place of the database. From its first statement on
    whoever has it open is seen by SQLite's own lock; before, it could meet the journal of another file.
    """
    try:
        file = open_lock(database + OPENING)
    except OSError:  # where nothing can be written nothing is replaced
        yield
        return
    try:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield
    finally:
        os.close(file)


def is_locked(path: str) -> bool:
    """Whether somebody holds the lock; nobody holds that of a file that is not there."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not lock(file)
    finally:
        os.close(file)
