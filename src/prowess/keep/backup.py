"""
One file with all that matters of a data folder, made while runs are under way.

Databases first, all of one moment; then the other files, which are written before a database speaks
of them. So whatever a restored database names is there.
"""

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime

from prowess import __version__
from prowess.core.errors import ConflictError, OutsideError, UsageError
from prowess.core.locks import OPENING, TURN, WORKERS, opening
from prowess.keep.archive import MANIFEST, Manifest, Writing, readable, reading, writing
from prowess.keep.restore import ASIDE, STAGED
from prowess.keep.snapshot import copy_databases, rows

# Beside a database: its journal, who takes turns with it, who is alive. True only where they lie.
_BESIDE = ("-wal", "-shm", "-journal", TURN, WORKERS, OPENING)
# Following no link, and not blocking, so that a pipe that nobody writes to answers at once.
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NOT_PLAIN = "it is no plain file"
_LEFT_OUT = {
    errno.ELOOP: "it is a link",
    errno.ENXIO: _NOT_PLAIN,  # a socket
    errno.EACCES: "you may not read it",
    errno.ENAMETOOLONG: "its path is too long",
}


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
        with ExitStack() as stack:
            for path in there:
                stack.enter_context(opening(path))
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
    left_out = _take_all(archive, data, apart)
    manifest = Manifest(
        prowess=__version__,
        made=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        files=archive.files,
        rows={name: rows(os.path.join(copies, name)) for name in names},
        folders=tuple(archive.folders),
        left_out=left_out,
    )
    archive.end(manifest)
    return manifest


def _take_all(archive: Writing, data: str, apart: Collection[str]) -> dict[str, str]:
    """Take everything else, but what earlier restores set aside. Returns what was left out, and why."""
    left_out: dict[str, str] = {}
    waiting = [name for name in os.listdir(data) if not name.startswith((ASIDE, STAGED))]
    while waiting:
        name = waiting.pop()
        if name in apart:
            continue
        inside, why = _take(archive, data, name)
        waiting += [f"{name}/{each}" for each in inside]
        if why:
            left_out[name] = why
    return left_out


def _take(archive: Writing, data: str, name: str) -> tuple[list[str], str]:
    """Take a file or a folder. Returns what is in the folder, and why it was left out, if it was."""
    if name == MANIFEST or not _is_text(name):
        return [], "no backup can hold a file of this name"
    with readable(name):
        try:
            file = os.open(os.path.join(data, name), _FLAGS)
        except (FileNotFoundError, NotADirectoryError):
            return [], ""  # gone by now, which is no loss
        except OSError as error:
            if why := _LEFT_OUT.get(error.errno or 0):
                return [], why
            raise
    try:
        mode = os.fstat(file).st_mode
        if stat.S_ISDIR(mode):
            archive.folders.append(name)
            with readable(name):
                return os.listdir(file), ""
        if not stat.S_ISREG(mode):
            return [], _NOT_PLAIN
        with os.fdopen(file, "rb", closefd=False) as source:
            archive.add(name, source)
        return [], ""
    finally:
        os.close(file)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
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
