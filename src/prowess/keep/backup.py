"""
One file with all that matters of a data folder, made while runs are under way.

Databases first, all of one moment; then the other files, which are written before a database speaks
of them. So whatever a restored database names is there.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from prowess import __version__
from prowess.core.errors import ConflictError, OutsideError, UsageError
from prowess.keep.archive import Manifest, Writing, reading, writing
from prowess.keep.restore import ASIDE, STAGED
from prowess.keep.snapshot import copy_databases, rows

# Beside a database: its journal, who takes turns with it, who is alive. True only where they lie.
_BESIDE = ("-wal", "-shm", "-journal", ".lock", ".workers")


def back_up(
    data: str, file: str, *, databases: Sequence[str], rebuilt: Collection[str]
) -> Manifest:
    """
    Write the archive `file`, which must not be there, and read it back to be sure of it.

    `databases` are the SQLite files in `data`; `rebuilt` are folders in it that are made again when
    they are missed.
    """
    if os.path.lexists(file):
        raise ConflictError(
            f"{file} is there already", hint="a backup replaces nothing: name another file"
        )
    if os.path.realpath(file).startswith(os.path.join(os.path.realpath(data), "")):
        raise UsageError(
            f"{file} would lie in the data folder, and be lost with it",
            hint="name a file elsewhere",
        )
    there = [path for path in databases if os.path.exists(path)]
    if not there:
        raise UsageError(
            f"there is nothing to back up in {data}", hint="name the data folder with --data"
        )
    apart = {os.path.relpath(path, data) for path in (*databases, *rebuilt)}
    apart |= {name + end for name in apart for end in _BESIDE}
    with _explained(file), _beside(file) as folder:
        copies = os.path.join(folder, "databases")
        os.mkdir(copies)
        copy_databases(there, copies)
        draft = os.path.join(folder, "archive")
        with writing(draft) as archive:
            manifest = _fill(archive, data, copies, apart)
        with reading(draft) as archive_made:
            archive_made.verify()
        os.rename(draft, file)
    return manifest


def _fill(archive: Writing, data: str, copies: str, apart: Collection[str]) -> Manifest:
    names = sorted(os.listdir(copies))
    for name in names:
        with open(os.path.join(copies, name), "rb") as source:
            archive.add(name, source)
    left_out = [name for name in _files(data, apart) if not _added(archive, data, name)]
    manifest = Manifest(
        prowess=__version__,
        made=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        files=archive.files,
        rows={name: rows(os.path.join(copies, name)) for name in names},
        left_out=tuple(left_out),
    )
    archive.end(manifest)
    return manifest


def _files(data: str, apart: Collection[str]) -> Iterator[str]:
    """Everything else in the data folder, in order, without what an earlier restore set aside."""
    for folder, folders, files in os.walk(data):
        inside = os.path.relpath(folder, data)
        if inside == ".":
            folders[:] = [name for name in folders if not name.startswith((ASIDE, STAGED))]
        shown = {name: os.path.normpath(os.path.join(inside, name)) for name in (*folders, *files)}
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        folders[:] = sorted(name for name in folders if shown[name] not in apart)
        yield from (shown[name] for name in sorted((*files, *links)) if shown[name] not in apart)


def _added(archive: Writing, data: str, name: str) -> bool:
    """False for what cannot be taken: links, pipes, names that are no text. What is gone by now is no loss."""
    path = os.path.join(data, name)
    try:
        name.encode()
        # Not blocking, so that a pipe that nobody writes to answers at once.
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    except (OSError, UnicodeEncodeError):
        return False
    with os.fdopen(file, "rb") as source:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return False
        archive.add(name, source)
    return True


@contextmanager
def _beside(file: str) -> Iterator[str]:
    """A folder on the same disk for what is not finished, gone when the block is left."""
    folder = tempfile.mkdtemp(prefix=".backup-", dir=os.path.dirname(os.path.abspath(file)))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _explained(file: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutsideError(
            f"the backup {file} cannot be written: {error.strerror}",
            hint="name a file in a folder that you can write to, with room on its disk",
        ) from error
