"""
Database files as files: made whole, looked at before they are opened, explained when they fail.

SQLite takes an empty or missing file for a new database and throws away the journal that lies
beside it, with everything in there. So a file of ours is never empty, and one that is, or that does
not begin as a database does, is refused before SQLite sees it. Damage further inside is met by the
statement that reads it; the whole file is gone through by `prowess backup`, not at every start.
"""

import contextlib
import os
import struct
import tempfile
import threading
import time

from prowess.core.errors import OutsideError

PATIENCE = 2.0  # seconds for another process to write the first page of the file it just made
_MAGIC = b"SQLite format 3\0"
_NEW = ".new-"  # after the name of a database: one that is being made
_PAGE = 4096
_HEADER = 100  # bytes
# SQLite's numbers.
_READ_ONLY, _IO_ERROR, _CORRUPT, _FULL, _CANNOT_OPEN, _NOT_A_DATABASE = 8, 10, 11, 13, 14, 26
RESTORE = (
    "nothing was changed; `prowess restore FILE` puts a backup in its place and keeps what is there"
    " aside, --data names another folder"
)
_one = threading.Lock()
_seen: set[tuple[int, int]] = set()


def make_database(path: str, what: str) -> None:
    """An empty database for its owner's eyes only, if there is no file; one that is there is looked at."""
    if os.path.lexists(path):
        look(path, what)
        return
    _refuse_lost(path, what)
    file, written = tempfile.mkstemp(
        prefix=os.path.basename(path) + _NEW, dir=os.path.dirname(path)
    )
    try:
        os.write(file, _empty())
        _seen.add(_identity(os.fstat(file)))
        _put(written, path)
    except FileExistsError:
        look(path, what)
    finally:
        os.close(file)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(written)


def _put(written: str, path: str) -> None:
    """Under its name the file is whole from its first moment on, and takes nobody's place."""
    try:
        os.link(written, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        os.rename(written, path)


def look(path: str, what: str) -> None:
    """
    Raise `OutsideError` when the file is damaged at first sight.

    Once in the life of a process, before it opens the file: closing a second descriptor of a
    database drops the locks that the process holds on it.
    """
    with _one:
        identity = _identity(os.stat(path))
        if identity in _seen:
            return
        begins, size = _beginning(path)
        if size == 0:
            raise damaged(what, path, "the file is empty")
        if not begins.startswith(_MAGIC) or len(begins) < _HEADER:
            raise damaged(what, path, "the file does not begin as a database does")
        if not _size(f"{path}-wal") and size < (told := _told_size(begins)):
            raise damaged(what, path, f"{told - size:,} bytes are missing at its end")
        _seen.add(identity)


def damaged(what: str, path: str, reason: str) -> OutsideError:
    return OutsideError(f"{what} {path} is damaged: {reason}", hint=RESTORE)


def unusable(what: str, path: str, error: Exception) -> OutsideError:
    """What SQLite said, as an error with what to do next."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (_CORRUPT, _NOT_A_DATABASE):
        return damaged(what, path, str(error))
    if code in (_FULL, _IO_ERROR):
        return OutsideError(
            f"{what} {path} cannot be written: {error}",
            hint="make room on the disk; `prowess runs resume` then goes on with a run, --data names another folder",
        )
    if code in (_READ_ONLY, _CANNOT_OPEN) and (why := _only_readable(path)):
        return OutsideError(
            f"{what} {path} cannot be used: {why}",
            hint="`prowess backup FILE` copies it as it lies, and `prowess restore FILE --data FOLDER`"
            " puts it where you can write",
        )
    return OutsideError(
        f"{what} {path} cannot be used: {error}",
        hint="`prowess doctor` looks at the data folder; --data names another",
    )


def _only_readable(path: str) -> str:
    """Why nothing can be written there; empty when it can."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.access(path, os.W_OK) and os.access(folder, os.W_OK):
        return ""
    if os.path.isdir(folder) and os.statvfs(folder).f_flag & os.ST_RDONLY:
        return "its file system is read-only"
    return "you may not write to it or beside it"


def _beginning(path: str) -> tuple[bytes, int]:
    """The header and the size of the file, once whoever makes it has written its first page."""
    until = time.monotonic() + PATIENCE
    while True:
        with open(path, "rb") as file:
            begins, size = file.read(_HEADER), os.fstat(file.fileno()).st_size
        if size or _size(f"{path}-wal") or time.monotonic() > until:
            return begins, size
        time.sleep(0.01)


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _refuse_lost(path: str, what: str) -> None:
    if _size(f"{path}-wal"):
        raise damaged(what, path, "the file is gone, and only its journal is left")


def _told_size(header: bytes) -> int:
    """How long the file says that it is; 0 when it was written by a program that does not say."""
    page, changes, pages, valid = (
        *struct.unpack_from(">H", header, 16),
        *struct.unpack_from(">I", header, 24),
        *struct.unpack_from(">I", header, 28),
        *struct.unpack_from(">I", header, 92),
    )
    return pages * (65536 if page == 1 else page) if changes == valid else 0


def _size(path: str) -> int:
    with contextlib.suppress(FileNotFoundError):
        return os.stat(path).st_size
    return 0


def _empty() -> bytes:
    """The one page of a database without tables, with a write-ahead log, as SQLite writes it."""
    header = _MAGIC + struct.pack(">HBBBBBBII", _PAGE, 2, 2, 0, 64, 32, 32, 1, 1)
    return (
        header.ljust(92, b"\0")
        + struct.pack(">I", 1)  # the counter of changes that the size above is true for
        + struct.pack(">I", 3_040_000)  # who wrote it: any SQLite that knows the log
        + struct.pack(">BHHHB", 13, 0, 0, _PAGE, 0)  # the tree of tables: a leaf without cells
    ).ljust(_PAGE, b"\0")
