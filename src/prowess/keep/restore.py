"""
The way back: an archive becomes a data folder, whole or not at all, and nothing that was there is lost.

Everything is unpacked and checked beside its place first. Only then is what was there moved aside,
by names alone, and the new put in its place; both stay inside the data folder, which may be a disk
of its own.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from prowess.core.errors import ConflictError, OutsideError
from prowess.core.files import make_private
from prowess.keep.archive import Archive, Manifest, reading
from prowess.keep.at_work import refuse_at_work
from prowess.keep.snapshot import check

ASIDE = "replaced-"  # and the moment: what a restore found in its place
STAGED = ".restoring-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """`aside` is where the former content lies now, if there was any."""

    manifest: Manifest
    aside: str | None


def restore(file: str, data: str, *, databases: Sequence[str], replace: bool) -> Restored:
    """Put the archive `file` in the place of `data`; with `replace`, also where something is."""
    with reading(file) as archive, _explained(data):
        make_private(data)
        if os.listdir(data) and not replace:
            raise ConflictError(
                f"there is something in {data} already",
                hint="--replace moves it aside, --data names another folder",
            )
        refuse_at_work(databases)
        _refuse_too_big(archive, data)
        with _staged(data) as folder:
            for name in archive.manifest.files:
                _unpack(archive, name, folder)
            for path in databases:
                copy = os.path.join(folder, os.path.relpath(path, data))
                if os.path.exists(copy):
                    check(copy, named=f"{os.path.basename(path)} in {file}")
            aside = _swap(data, folder)
    return Restored(manifest=archive.manifest, aside=aside)


def _refuse_too_big(archive: Archive, data: str) -> None:
    needed, free = archive.manifest.size, shutil.disk_usage(data).free
    if needed > free:
        raise OutsideError(
            f"{archive.path} needs {needed:,} bytes, and {free:,} are free in {data}",
            hint="make room, or name a folder on another disk with --data",
        )


def _unpack(archive: Archive, name: str, folder: str) -> None:
    path = os.path.join(folder, name)
    make_private(os.path.dirname(path))
    mode = 0o700 if archive.manifest.files[name].executable else 0o600
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, mode), "wb") as target:
        archive.unpack(name, target.write)
        target.flush()
        os.fsync(target.fileno())


def _swap(data: str, folder: str) -> str | None:
    """Names only; a moment's end in between leaves everything in one of the two places."""
    staged = os.path.basename(folder)
    there = [name for name in os.listdir(data) if name != staged and not name.startswith(ASIDE)]
    aside = None
    if there:
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
        aside = tempfile.mkdtemp(prefix=f"{ASIDE}{now}-", dir=data)
        for name in there:
            os.rename(os.path.join(data, name), os.path.join(aside, name))
    for name in os.listdir(folder):
        os.rename(os.path.join(folder, name), os.path.join(data, name))
    return aside


@contextmanager
def _staged(data: str) -> Iterator[str]:
    folder = tempfile.mkdtemp(prefix=STAGED, dir=data)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _explained(data: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutsideError(
            f"{data} cannot be restored: {error.strerror}",
            hint="name a folder that you can write to with --data",
        ) from error
