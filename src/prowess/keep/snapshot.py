"""
Copies of several SQLite files as they stood at one and the same moment, while others write to them.

For that moment all writers are held back, just long enough for a reader of each file to begin. What
a reader sees never changes, so the copying itself holds up nobody.

SQLite reads no file of ours where it cannot write, on a read-only file system say. There the files
are copied as they lie, journals too, and the copies are read.
"""

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from urllib.parse import quote

from prowess.core.errors import ConflictError
from prowess.core.sqlite_file import damaged, look, unusable
from prowess.keep.archive import chunks, readable

PATIENCE = 30  # seconds to wait for somebody who writes
JOURNALS = ("-wal", "-journal")
WHAT = "the database"


def copy_databases(paths: Sequence[str], folder: str) -> None:
    """Each file under its own name in `folder`, gone through from its first page to its last."""
    if all(map(_is_writable, paths)):
        _copy_read(paths, folder)
    else:
        _copy_as_they_lie(paths, folder)
    for path in paths:
        check(os.path.join(folder, os.path.basename(path)), named=path)


def _is_writable(path: str) -> bool:
    """It, and a journal beside it."""
    return os.access(path, os.W_OK) and os.access(os.path.dirname(os.path.abspath(path)), os.W_OK)


def _copy_read(paths: Sequence[str], folder: str) -> None:
    with ExitStack() as stack:
        readers = {path: stack.enter_context(opened(path)) for path in paths}
        with nobody_writes(paths):
            for path, reader in readers.items():
                with explained(path):
                    reader.execute("begin")
                    reader.execute("select count(*) from sqlite_master").fetchone()
        for path, reader in readers.items():
            with explained(path):
                _copy(reader, os.path.join(folder, os.path.basename(path)))


def _copy_as_they_lie(paths: Sequence[str], folder: str) -> None:
    """Nobody can be held back from here, so whether somebody wrote meanwhile is seen afterwards."""
    files = [path + end for path in paths for end in ("", *JOURNALS) if os.path.exists(path + end)]
    before = [_traces(path) for path in paths]
    for path in paths:
        look(path, WHAT)
    for path in files:
        _copy_bytes(path, os.path.join(folder, os.path.basename(path)))
    if before != [_traces(path) for path in paths]:
        raise ConflictError(
            "somebody writes to the data folder, which can only be read from here",
            hint="make the backup where it can be written, or when nobody works with it",
        )
    for path in paths:
        with opened(os.path.join(folder, os.path.basename(path))) as copy, explained(path):
            # What is in the journal becomes part of the file; closed, it has no journal.
            copy.execute("pragma wal_checkpoint(truncate)").fetchone()


def _copy_bytes(path: str, target: str) -> None:
    name = os.path.basename(path)
    with readable(name):
        source = open(path, "rb")  # noqa: SIM115  closed below, where what fails is the writing
    with source, open(target, "xb") as copy:
        copy.writelines(chunks(name, source))


def _traces(path: str) -> list[tuple[int, int, int]]:
    """What changes when somebody writes to a database."""
    there = [path + end for end in ("", *JOURNALS) if os.path.exists(path + end)]
    return [(found.st_ino, found.st_size, found.st_mtime_ns) for found in map(os.stat, there)]


def check(path: str, *, named: str) -> None:
    """Go through the whole file; `named` is what people know it by."""
    with opened(path) as database, explained(named):
        ((found,),) = database.execute("pragma integrity_check(1)").fetchall()
    if found != "ok":
        raise damaged(WHAT, named, found)


def rows(path: str) -> Mapping[str, int]:
    """How many rows each table has."""
    names = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"
    with opened(path) as database, explained(path):
        tables = sorted(name for (name,) in database.execute(names))
        return {
            name: database.execute(f'select count(*) from "{name}"').fetchone()[0]  # noqa: S608  read from the file's own list
            for name in tables
        }


@contextmanager
def nobody_writes(paths: Sequence[str]) -> Iterator[None]:
    """While it lasts, the files stay as they are; who wants to write waits."""
    with ExitStack() as stack:
        for path in paths:
            writer = stack.enter_context(opened(path))
            with explained(path):
                writer.execute("begin immediate")
        yield


@contextmanager
def opened(path: str) -> Iterator[sqlite3.Connection]:
    """A connection to a file that is there, on which every statement is a transaction."""
    look(path, WHAT)
    with explained(path):
        database = sqlite3.connect(
            f"file:{quote(path)}?mode=rw",  # never makes the file
            uri=True,
            isolation_level=None,
            timeout=PATIENCE,
        )
    with closing(database):
        yield database


def _copy(reader: sqlite3.Connection, target: str) -> None:
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with closing(sqlite3.connect(target)) as copy:
        reader.backup(copy)


@contextmanager
def explained(path: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise unusable(WHAT, path, error) from error
