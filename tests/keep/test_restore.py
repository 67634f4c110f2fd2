"""What is in a data folder is not lost by a restore, whoever works there and whatever fails."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from keep.folders import backed_up, brought_back, count, tree
from prowess.core.errors import ConflictError, OutsideError
from prowess.keep.archive import Archive
from prowess.keep.restore import _unpack_all
from support import write_file

LOCKS = "import fcntl, sys; file = open(sys.argv[1], 'a'); fcntl.flock(file, fcntl.LOCK_EX)"
OPENS = "import sqlite3, sys; it = sqlite3.connect(sys.argv[1]); it.execute('pragma journal_mode = wal')"
# What a process does that works on runs, that is about to, and that writes to the log only.
OTHERS = [
    pytest.param(LOCKS, "engine.sqlite3.workers/4711-alive", "4711", id="works"),
    pytest.param(LOCKS, "engine.sqlite3.lock", "begins", id="begins"),
    pytest.param(OPENS, "log.sqlite3", r"log\.sqlite3", id="has the log open"),
]


def test_a_folder_with_anything_in_it_is_not_touched(data: Path) -> None:
    file, _ = backed_up(data)
    before = tree(data)

    with pytest.raises(ConflictError) as failed:
        brought_back(file, data)

    assert "--replace" in failed.value.hint
    assert tree(data) == before


def test_what_is_replaced_is_moved_aside_whole(data: Path) -> None:
    file, _ = backed_up(data)
    write_file(data / "log.sqlite3", "damaged")
    write_file(data / "runs/two/outputs/1.txt", "newer than the backup")
    before = tree(data)

    done = brought_back(file, data, replace=True)

    assert done.aside
    assert tree(Path(done.aside)) | {"engine.sqlite3.lock": b""} == before
    assert count(data / "log.sqlite3") == 30
    assert not (data / "runs/two").exists()


def test_what_was_set_aside_stays_and_goes_into_no_backup(data: Path, tmp_path: Path) -> None:
    file, _ = backed_up(data)
    asides = [brought_back(file, data, replace=True).aside for _ in range(2)]
    _, again = backed_up(data, "again.zip")

    assert all(aside and Path(aside).is_dir() for aside in asides)
    assert not any("replaced-" in name for name in again.files)


@contextmanager
def another(program: str, path: Path) -> Iterator[None]:
    """A process that has run `program` with `path` in `sys.argv`, and goes on."""
    command = [sys.executable, "-c", program + "; print(flush=True); input()", str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == "\n"
            yield
        finally:
            process.kill()


@pytest.mark.parametrize(("program", "name", "told"), OTHERS)
def test_a_folder_that_a_process_works_with_is_not_replaced(
    data: Path, program: str, name: str, told: str
) -> None:
    file, _ = backed_up(data)
    with another(program, data / name):
        before = tree(data)

        with pytest.raises(ConflictError, match=told):
            brought_back(file, data, replace=True)

        assert tree(data) == before


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize(("program", "name", "told"), OTHERS)
def test_a_process_that_begins_during_a_restore_keeps_its_folder(
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    program: str,
    name: str,
    told: str,
    replace: bool,
) -> None:
    file, _ = backed_up(data)
    new = data if replace else data.parent / "new"
    with ExitStack() as stack:

        def unpack_slowly(archive: Archive, folder: str) -> None:
            _unpack_all(archive, folder)
            (new / name).parent.mkdir(exist_ok=True)
            stack.enter_context(another(program, new / name))

        monkeypatch.setattr("prowess.keep.restore._unpack_all", unpack_slowly)

        with pytest.raises(ConflictError, match=told if replace else f"{told}|already"):
            brought_back(file, new, replace=replace)

    assert not list(new.glob("replaced-*"))
    assert not list(new.glob(".restoring-*"))
    assert (new / name).exists()


@pytest.mark.parametrize("stuck", ["runs", "log.sqlite3", "engine.sqlite3"])
@pytest.mark.parametrize("way", ["out", "in"])
def test_a_name_that_cannot_be_moved_leaves_everything_where_it_was(
    data: Path, monkeypatch: pytest.MonkeyPatch, way: str, stuck: str
) -> None:
    file, _ = backed_up(data)
    write_file(data / "runs/two/outputs/1.txt", "newer than the backup")
    before, real = tree(data), os.rename

    def rename(old: str, new: str) -> None:
        if (
            old == str(data / stuck)
            if way == "out"
            else ".restoring-" in old and new == str(data / stuck)
        ):
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), old)
        real(old, new)

    monkeypatch.setattr(os, "rename", rename)

    with pytest.raises(OutsideError, match=f"busy.*{stuck}"):
        brought_back(file, data, replace=True)

    assert tree(data) == before
    assert not list(data.glob("replaced-*"))
    assert not list(data.glob(".restoring-*"))


def test_a_turn_that_a_restore_took_keeps_nobody_from_the_next(data: Path, tmp_path: Path) -> None:
    """The file stays where it is, for others may wait for it; it is nothing that could be lost."""
    file, _ = backed_up(data)
    write_file(tmp_path / "new/engine.sqlite3.lock", "")
    brought_back(file, tmp_path / "new")

    assert count(tmp_path / "new/log.sqlite3") == 30


def test_a_restore_without_room_says_how_much_it_needs(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, made = backed_up(data)
    monkeypatch.setattr(
        "prowess.keep.restore.shutil.disk_usage", lambda _: type("Usage", (), {"free": 7})
    )

    with pytest.raises(OutsideError, match=f"{made.size:,}"):
        brought_back(file, tmp_path / "new")


def test_a_place_that_cannot_be_written_is_an_outside_error(data: Path, tmp_path: Path) -> None:
    file, _ = backed_up(data)
    write_file(tmp_path / "a file", "")

    with pytest.raises(OutsideError):
        brought_back(file, tmp_path / "a file" / "data")
    with pytest.raises(OutsideError):
        backed_up(data, "nowhere/kept.zip")
