"""
The way back: an archive becomes a data folder, whole or not at all, and nothing that was there is lost.

Everything is unpacked and checked beside its place first. Only then is what was there moved aside,
by names alone, and the new put in its place; both stay inside the data folder, which may be a disk
of its own. Meanwhile nobody can begin to work there, and a name that cannot be moved undoes the rest.
"""

import os
import shutil
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from prowess.core.errors import ConflictError, OutsideError
from prowess.core.files import make_private
from prowess.core.locks import OPENING, TURN
from prowess.keep.archive import Archive, Manifest, reading
from prowess.keep.at_work import refuse_at_work, refuse_open, turn, unopened
from prowess.keep.snapshot import check

ASIDE = "replaced-"  # and the moment: what a restore found in its place
STAGED = ".restoring-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """`aside` is where the former content lies now, if there was any."""

    manifest: Manifest
    aside: str | None


def restore(
    file: str, data: str, *, databases: Sequence[str], engine: str, replace: bool
) -> Restored:
    """
    Put the archive `file` in the place of `data`; with `replace`, also where something is.

    `engine` is the one of the `databases` that runs are kept in: who works on them takes its turn.
    """

    held = [engine + TURN, *(path + OPENING for path in databases)]
    stays = {os.path.relpath(path, data) for path in held}

    def refuse_occupied() -> None:
        if _content(data, stays) and not replace:
            raise ConflictError(
                f"there is something in {data} already",
                hint="--replace moves it aside, --data names another folder",
            )
        refuse_at_work(databases)
        refuse_open(databases)

    with reading(file) as archive, _explained(data):
        make_private(data)
        refuse_occupied()
        _refuse_too_big(archive, data)
        with _staged(data) as folder:
            _unpack_all(archive, folder)
            for path in databases:
                copy = os.path.join(folder, os.path.relpath(path, data))
                if os.path.exists(copy):
                    check(copy, named=f"{os.path.basename(path)} in {file}")
            with turn(engine), unopened(databases):
                refuse_occupied()  # unpacking takes its time
                aside = _swap(data, folder, _content(data, stays))
    return Restored(manifest=archive.manifest, aside=aside)


def _content(data: str, stays: Collection[str]) -> list[str]:
    """What is in the folder, without what restores left there and the locks that others wait for."""
    return [
        name
        for name in os.listdir(data)
        if name not in stays and not name.startswith((ASIDE, STAGED))
    ]


def _refuse_too_big(archive: Archive, data: str) -> None:
    needed, free = archive.manifest.size, shutil.disk_usage(data).free
    if needed > free:
        raise OutsideError(
            f"{archive.path} needs {needed:,} bytes, and {free:,} are free in {data}",
            hint="make room, or name a folder on another disk with --data",
        )


def _unpack_all(archive: Archive, folder: str) -> None:
    for name in archive.manifest.folders:
        make_private(os.path.join(folder, name))
    for name in archive.manifest.files:
        _unpack(archive, name, folder)


def _unpack(archive: Archive, name: str, folder: str) -> None:
    path = os.path.join(folder, name)
    make_private(os.path.dirname(path))
    mode = 0o700 if archive.manifest.files[name].executable else 0o600
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, mode), "wb") as target:
        archive.unpack(name, target.write)
        target.flush()
        os.fsync(target.fileno())


def _swap(data: str, folder: str, there: Sequence[str]) -> str | None:
    """
    Names only. An error puts everything back; the end of the process leaves everything in one of
    the two places.
    """
    aside = None
    with ExitStack() as undoing:
        if there:
            now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
            aside = tempfile.mkdtemp(prefix=f"{ASIDE}{now}-", dir=data)
            undoing.callback(os.rmdir, aside)
            _move(there, data, aside, undoing)
        _move(os.listdir(folder), folder, data, undoing)
        undoing.pop_all()
    return aside


def _move(names: Sequence[str], source: str, target: str, undoing: ExitStack) -> None:
    for name in names:
        old, new = os.path.join(source, name), os.path.join(target, name)
        os.rename(old, new)
        undoing.callback(os.rename, new, old)


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
            f"{data} cannot be restored: {error}",
            hint="name a folder that you can write to with --data",
        ) from error
