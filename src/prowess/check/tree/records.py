"""
The folders outside of a work tree that its git needs.

Whoever worked here can write into `.git` what they like, and what it names becomes readable. So the
records of a repository count only if it says, in turn, that this is its work tree; and objects that
are borrowed from another repository are shown to our own git alone, and to no command of the work.
"""

import os
import re
from collections.abc import Iterator

_SECTION = re.compile(r"\s*\[\s*([^\]]*?)\s*\]")
_WORK_TREE = re.compile(r"\s*worktree\s*=\s*(.*?)\s*", re.IGNORECASE)
_MOST_LENDERS = 20  # repositories that borrow from one another
_MOST_BYTES = 64 * 1024


def records_outside(folder: str, own: str | None) -> tuple[str, ...]:
    """
    The records of a linked work tree, of a submodule, or of a repository that names this folder as its
    work tree (`core.worktree`). `own` is where `.git` leads.
    """
    if own is None or own.startswith(folder + os.sep):
        return ()
    linked = os.path.realpath(_text(os.path.join(own, "gitdir")).strip())
    if linked != os.path.join(folder, ".git") and _names_tree(own) != folder:
        return ()
    common = common_records(own)
    return (own, common) if os.path.isdir(os.path.join(common, "objects")) else ()


def borrowed_objects(folder: str, own: str | None) -> tuple[str, ...]:
    """Where a clone finds objects that it did not copy (`git clone -s`, `--reference`)."""
    found: list[str] = []
    left = [os.path.join(common_records(own), "objects")] if own else []
    while left and len(found) < _MOST_LENDERS:
        new = [each for each in _lenders(left.pop()) if each not in found]
        found += new
        left += new
    return tuple(each for each in found if not each.startswith(folder + os.sep))


def _lenders(objects: str) -> Iterator[str]:
    for line in _text(os.path.join(objects, "info", "alternates")).splitlines():
        place = os.path.realpath(os.path.join(objects, line))
        plain = line and not line.startswith("#")
        if plain and os.path.basename(place) == "objects" and os.path.isdir(place):
            yield place


def common_records(own: str) -> str:
    """The records that all work trees of a repository share."""
    return os.path.realpath(
        os.path.join(own, _text(os.path.join(own, "commondir")).strip() or os.curdir)
    )


def _names_tree(own: str) -> str:
    """The work tree that a repository names in its settings; empty where it names none."""
    section, named = "", ""
    for line in _text(os.path.join(own, "config")).splitlines():
        if found := _SECTION.match(line):
            section = found[1].lower()
        elif section == "core" and (found := _WORK_TREE.fullmatch(line)):
            named = found[1].strip('"')
    return os.path.realpath(os.path.join(own, named)) if named else ""


def _text(path: str) -> str:
    """What a file says; nothing where there is none, or a pipe that nobody ever writes into."""
    try:
        with open(path, "rb", opener=_at_once) as file:
            return os.fsdecode(file.read(_MOST_BYTES) or b"")
    except OSError:
        return ""


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)
