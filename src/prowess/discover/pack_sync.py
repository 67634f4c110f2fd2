"""
Copy the built-in pack to where other tools can read it.

Each copy is made out of sight and moved into place, so whoever looks sees the old skill or the
new one, and processes that start at once wait for each other. A list of what is ours, with digests, is kept in the target: what was retired
is removed, what somebody else put there, or changed by hand, is never touched.
"""

import contextlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from prowess.core.errors import OutsideError
from prowess.core.files import make_private
from prowess.discover.scan import HIDDEN

OURS = ".prowess-pack.json"
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """Names of skills written, removed as retired, and left alone because somebody else's hand is in them."""

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def sync_pack(source: str, target: str) -> Synced:
    """Make `target` hold the pack of `source`. Raises `OutsideError` when the disk will not have it."""
    try:
        make_private(target)  # it may be the first of us to need the data folder above it
        with _aside(target) as aside:
            return _sync(source, target, aside)
    except OSError as error:
        why = error.strerror or str(error).splitlines()[0]
        raise OutsideError(
            f"the built-in skills cannot be copied to {target}: {why}",
            hint="check the folder, or set skills_sync_on_start = false",
        ) from error


def _sync(source: str, target: str, aside: str) -> Synced:
    import shutil

    ours = _ours(target)
    written, removed, kept = [], [], []
    wanted = {name: _digest(os.path.join(source, name)) for name in _skills(source)}
    for name, digest in wanted.items():
        place = os.path.join(target, name)
        there = _digest(place)
        if there and there != digest and there != ours.get(name):
            kept.append(name)
            ours.pop(name, None)
            continue
        ours[name] = digest
        if there != digest:
            _replace(os.path.join(source, name), place, aside)
            written.append(name)
    for name in sorted(ours.keys() - wanted.keys()):
        place = os.path.join(target, name)
        if _digest(place) == ours.pop(name):
            shutil.rmtree(place)
            removed.append(name)
    _write_ours(target, ours, aside)
    return Synced(written=tuple(written), removed=tuple(removed), kept=tuple(kept))


def _skills(source: str) -> Iterator[str]:
    for name in sorted(os.listdir(source)):
        if os.path.isdir(os.path.join(source, name)) and not name.startswith(("_", ".")):
            yield name


def _digest(folder: str) -> str:
    """Of every name, byte and link below `folder`; empty when there is nothing, no answer to any other when it is no folder."""
    import hashlib

    if not os.path.lexists(folder):
        return ""
    if os.path.islink(folder) or not os.path.isdir(folder):
        return "no folder"
    digest = hashlib.sha256()
    for below, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(folders + files):
            path = os.path.join(below, name)
            digest.update(os.fsencode(os.path.relpath(path, folder)) + b"\0")
            if os.path.islink(path):
                digest.update(b"link " + os.fsencode(os.readlink(path)))
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


@contextlib.contextmanager
def _aside(target: str) -> Iterator[str]:
    """A folder of our own that no search enters, on the target's disk; what a crash left is cleared."""
    import fcntl
    import shutil
    import tempfile

    descriptor = os.open(target, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        for name in os.listdir(target):
            if name.startswith(HIDDEN):
                shutil.rmtree(os.path.join(target, name), ignore_errors=True)
        aside = tempfile.mkdtemp(dir=target, prefix=HIDDEN)
        try:
            yield aside
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    finally:
        os.close(descriptor)


def _replace(source: str, place: str, aside: str) -> None:
    import shutil

    fresh, old = os.path.join(aside, "new"), os.path.join(aside, f"old-{os.path.basename(place)}")
    shutil.copytree(source, fresh, symlinks=True)
    if os.path.lexists(place):
        os.rename(place, old)
    os.rename(fresh, place)


def _ours(target: str) -> dict[str, str]:
    """What the list says is ours; anything in it that is not the plain name of a folder is passed over."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        with open(os.path.join(target, OURS), encoding="utf-8") as file:
            kept = json.load(file)
        if isinstance(kept, dict):
            return {
                name: digest
                for name, digest in kept.items()
                if _DIGEST.fullmatch(str(digest))
                and name == os.path.basename(name)
                and not name.startswith(".")
            }
    return {}


def _write_ours(target: str, ours: dict[str, str], aside: str) -> None:
    path = os.path.join(aside, OURS)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(ours, file, indent=1, sort_keys=True)
    os.replace(path, os.path.join(target, OURS))
