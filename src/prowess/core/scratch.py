"""
Temporary folders that do not outlive their process for long, however it ends.

A folder is locked while it is in use, and the kernel lets go of the lock when its process dies. Who
makes a folder clears away those of the same kind that nobody holds: a killed process leaves nothing
that the next one does not find.
"""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from prowess.core.files import take_away

_BEING_MADE = "prowess-new-"  # not yet locked, so nobody may take it for one that was left


@contextmanager
def scratch(kind: str, *, within: str | None = None) -> Iterator[str]:
    """A folder of this kind for its owner's eyes only, gone when the block ends; `within` one of ours."""
    clear_left(kind, within=within)
    made = tempfile.mkdtemp(prefix=_BEING_MADE, dir=within)
    place = os.path.realpath(made.replace(_BEING_MADE, _prefix(kind)))
    held = _open(made)
    try:
        with suppress(OSError):  # a file system that locks no folders, such as NFS
            fcntl.flock(held, fcntl.LOCK_EX)
        os.rename(made, place)  # the lock stays with the folder
        yield place
    finally:
        for path in (made, place):
            _remove(path)
        os.close(held)


def clear_left(kind: str, *, within: str | None = None) -> None:
    """Remove the folders of this kind whose process is gone."""
    with os.scandir(within or tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(_prefix(kind)):
                with suppress(OSError):  # somebody holds it, clears it too, or it is another's
                    _clear_one(entry)


def _clear_one(entry: "os.DirEntry[str]") -> None:
    if entry.stat(follow_symlinks=False).st_uid != os.getuid():
        return
    held = _open(entry.path)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(entry.path)
    finally:
        os.close(held)


def _remove(place: str) -> None:
    with suppress(OSError):  # whoever comes next clears away what is left
        take_away(place)


def _prefix(kind: str) -> str:
    return f"prowess-{kind}-"


def _open(folder: str) -> int:
    """Not inherited, or a program that outlives us would hold the lock for us."""
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
