"""
How a path stands: its kind, its mode and its content, in a line that is the same as long as they are.

A folder is a repository of its own, told by all that lies in it and by the commit that it is at.
"""

import hashlib
import os
import stat
from typing import BinaryIO

_BLOCK = 1024 * 1024


def printed(folder: str, path: str) -> str:
    """How `path` stands in `folder`; no link is followed."""
    place = os.path.join(folder, path)
    try:
        mode = os.lstat(place).st_mode
        if stat.S_ISLNK(mode):
            return f"link {_hashed(os.fsencode(os.readlink(place)))}"
        if stat.S_ISDIR(mode):
            return f"folder {_repository(place)}"
        return f"{mode:o} {_content(place) if stat.S_ISREG(mode) else ''}"
    except OSError as error:
        return f"nothing {error.errno}"


def _repository(place: str) -> str:
    lines = [_commit(place)]
    for folder, folders, files in os.walk(place):
        folders[:] = sorted(name for name in folders if name != ".git")
        inside = os.path.relpath(folder, place)
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        lines += [
            f"{inside}/{name} {printed(folder, name)}"
            for name in sorted((*files, *links))
            if name != ".git"
        ]
    return _hashed(os.fsencode("\n".join(lines)))


def _commit(place: str) -> str:
    """What the repository's HEAD says, and the branch that it names."""
    records = os.path.join(place, ".git")
    if os.path.isfile(records):
        records = os.path.join(place, _text(records).removeprefix("gitdir:").strip())
    head = _text(os.path.join(records, "HEAD"))
    branch = head.removeprefix("ref:").strip()
    return head + _text(os.path.join(records, branch)) + _text(os.path.join(records, "packed-refs"))


def _text(path: str) -> str:
    try:
        with _opened(path) as file:
            return os.fsdecode(file.read(_BLOCK))
    except OSError:
        return ""


def _content(path: str) -> str:
    found = hashlib.sha256()
    with _opened(path) as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()


def _opened(path: str) -> BinaryIO:
    """Without waiting for whoever would write into a pipe."""
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")


def _hashed(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
