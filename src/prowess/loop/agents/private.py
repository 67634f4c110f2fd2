"""
The private folder of an agent at work: its settings, its histories, what it thinks temporary.

It is locked while it is in use and gone afterwards. One that a killed process left, which may hold the
settings of MCP servers, is cleared away by the next.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

PREFIX = "prowess-agent-"
TEMPORARY = "tmp"  # inside of it
_OLD = 600.0  # seconds; a younger one may be just being made, before its lock


@contextmanager
def private_folder() -> Iterator[str]:
    """A folder that only the owner can look into, with one inside for what is temporary."""
    _clear_left()
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as place:
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            os.mkdir(os.path.join(place, TEMPORARY))
            yield os.path.realpath(place)
        finally:
            os.close(descriptor)


def write_files(place: str, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = os.path.join(place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)


def _clear_left() -> None:
    with os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX):
                with suppress(OSError):  # somebody uses it, or clears it too
                    _clear_one(entry)


def _clear_one(entry: "os.DirEntry[str]") -> None:
    state = entry.stat(follow_symlinks=False)
    if state.st_uid != os.getuid() or time.time() - state.st_mtime < _OLD:
        return
    descriptor = os.open(entry.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(entry.path)
    finally:
        os.close(descriptor)
