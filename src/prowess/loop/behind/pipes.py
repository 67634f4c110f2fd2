"""
Named pipes in the place of files that git reads, for which it would wait for ever.

Nothing in a pipe can be lost, so those are taken away: all among git's own records, and in a work tree
those that are called like a file that git reads whatever it is asked.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress

from prowess.loop.behind.guarding import read_if_plain

READ = (".gitattributes", ".gitignore", ".gitmodules")  # by git itself, whatever it is asked


def take_pipes_away(folder: str, *records: str) -> list[str]:
    """The paths of those that were there, in this work tree and in these folders of git's."""
    found = [path for path in _beneath(folder) if os.path.basename(path) in READ]
    found += [path for place in records for path in _beneath(place)]
    found = [path for path in dict.fromkeys(found) if _is_pipe(path)]
    for path in found:
        with suppress(FileNotFoundError):
            os.unlink(path)
    return found


def records_of(folder: str) -> str:
    """Where git has what is this work tree's alone, such as its index."""
    place = os.path.join(folder, ".git")
    told = os.fsdecode(read_if_plain(place) or b"")
    return os.path.join(folder, told.removeprefix("gitdir:").strip()) if told else place


def _beneath(folder: str) -> Iterator[str]:
    """All that is no folder; links are not followed."""
    for place, folders, names in os.walk(folder):
        if ".git" in folders:
            folders.remove(".git")
        yield from (os.path.join(place, name) for name in names)


def _is_pipe(path: str) -> bool:
    """Also where a link leads to one."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False
