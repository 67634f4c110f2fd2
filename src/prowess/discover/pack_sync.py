"""
Copy the built-in pack to where other tools can read it.

The copy is made beside the target and moved into place skill by skill. A list of what is ours,
with digests, is kept in the target: what was retired is removed, what somebody else put there, or
changed by hand, is never touched.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass

from prowess.core.errors import OutsideError

OURS = ".prowess-pack.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """Names of skills written, removed as retired, and left alone because somebody else's hand is in them."""

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def sync_pack(source: str, target: str) -> Synced:
    """Make `target` hold the pack of `source`. Raises `OutsideError` when the disk will not have it."""
    try:
        return _sync(source, target)
    except OSError as error:
        raise OutsideError(
            f"the built-in skills cannot be copied to {target}: {error.strerror}",
            hint="check the folder, or set skills_sync_on_start = false",
        ) from error


def synced_pack(source: str, target: str) -> str:
    """The folder to read the pack from: `target` when it holds all of this pack, unchanged in kind, else `source`."""
    ours = _ours(target)
    names = list(_skills(source)) if ours else []
    if names and all(ours.get(name) == _digest(os.path.join(source, name)) for name in names):
        return target
    return source


def _sync(source: str, target: str) -> Synced:
    import shutil

    os.makedirs(target, exist_ok=True)
    ours = _ours(target)
    written, removed, kept = [], [], []
    wanted = {name: _digest(os.path.join(source, name)) for name in _skills(source)}
    for name, digest in wanted.items():
        place = os.path.join(target, name)
        if os.path.lexists(place):
            there = _digest(place) if os.path.isdir(place) and not os.path.islink(place) else ""
            if there == digest:
                ours[name] = digest
                continue
            if there != ours.get(name):
                kept.append(name)
                ours.pop(name, None)
                continue
        _replace(os.path.join(source, name), place)
        ours[name] = digest
        written.append(name)
    for name in sorted(ours.keys() - wanted.keys()):
        place = os.path.join(target, name)
        if os.path.isdir(place) and not os.path.islink(place) and _digest(place) == ours[name]:
            shutil.rmtree(place)
            removed.append(name)
        del ours[name]
    _write_ours(target, ours)
    return Synced(written=tuple(written), removed=tuple(removed), kept=tuple(kept))


def _skills(source: str) -> Iterator[str]:
    for name in sorted(os.listdir(source)):
        if os.path.isdir(os.path.join(source, name)) and not name.startswith(("_", ".")):
            yield name


def _digest(folder: str) -> str:
    """Of every name and byte below `folder`."""
    import hashlib

    digest = hashlib.sha256()
    for below, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(below, name)
            digest.update(os.fsencode(os.path.relpath(path, folder)) + b"\0")
            if os.path.islink(path):
                digest.update(b"link " + os.fsencode(os.readlink(path)))
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _replace(source: str, place: str) -> None:
    """Put a copy of `source` at `place`: whoever looks sees the old skill or the new one, never half of it."""
    import shutil
    import tempfile

    aside = tempfile.mkdtemp(dir=os.path.dirname(place), prefix=".sync-")
    try:
        fresh, old = os.path.join(aside, "new"), os.path.join(aside, "old")
        shutil.copytree(source, fresh)
        if os.path.lexists(place):
            os.rename(place, old)
        os.rename(fresh, place)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _ours(target: str) -> dict[str, str]:
    with contextlib.suppress(OSError, ValueError):
        with open(os.path.join(target, OURS), encoding="utf-8") as file:
            kept = json.load(file)
        if isinstance(kept, dict) and all(isinstance(digest, str) for digest in kept.values()):
            return kept
    return {}


def _write_ours(target: str, ours: dict[str, str]) -> None:
    import tempfile

    descriptor, name = tempfile.mkstemp(dir=target, prefix=".sync-")
    with open(descriptor, "w", encoding="utf-8") as file:
        json.dump(ours, file, indent=1, sort_keys=True)
    os.replace(name, os.path.join(target, OURS))
