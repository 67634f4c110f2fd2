"""A data folder goes into one file and comes back the same, whatever is going on in it."""

import itertools
import json
import os
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from keep.hostile import rewritten
from prowess import __version__
from prowess.core.errors import ConflictError, OutsideError, ProwessError, UsageError
from prowess.keep.archive import Manifest
from prowess.keep.backup import back_up
from prowess.keep.restore import Restored, restore
from prowess.keep.snapshot import copy_databases
from support import write_file

WRITER = """
import sqlite3, sys
first, second = [sqlite3.connect(path, isolation_level=None, timeout=60) for path in sys.argv[1:]]
for each in (first, second):
    each.execute("pragma synchronous = off")
for number in range(200_000):  # it is killed long before
    first.execute("insert into t values (?)", ("x" * 200,))
    second.execute("insert into t values (?)", ("x" * 200,))
    if number == 100:
        print("at work", flush=True)
"""


def database(path: Path, rows: int = 10) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as made:
        made.execute("pragma journal_mode = wal")
        made.execute("create table t (text)")
        made.executemany("insert into t values (?)", [("row " * 50,)] * rows)
    return path


def count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as opened:
        (found,) = opened.execute("select count(*) from t").fetchone()
    return int(found)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    database(data / "log.sqlite3", 30)
    database(data / "engine.sqlite3", 20)
    write_file(data / "runs/one/outputs/1.txt", "long output")
    write_file(data / "runs/one/outputs/ü ö.txt", "more")
    write_file(data / "index/cache", "is made again")
    write_file(data / "engine.sqlite3.workers/1-dead", "")
    write_file(data / "engine.sqlite3.lock", "")
    return data


def backed_up(data: Path, name: str = "kept.zip") -> tuple[Path, Manifest]:
    file = data.parent / name
    made = back_up(
        str(data),
        str(file),
        databases=[str(data / "log.sqlite3"), str(data / "engine.sqlite3")],
        rebuilt=[str(data / "index")],
    )
    return file, made


def brought_back(file: Path, data: Path, *, replace: bool = False) -> Restored:
    names = [str(data / "log.sqlite3"), str(data / "engine.sqlite3")]
    return restore(str(file), str(data), databases=names, replace=replace)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


def test_what_is_restored_is_what_was_backed_up(data: Path, tmp_path: Path) -> None:
    file, made = backed_up(data)
    done = brought_back(file, tmp_path / "new")

    assert done.manifest == made
    assert done.aside is None
    assert set(tree(tmp_path / "new")) == {
        "log.sqlite3",
        "engine.sqlite3",
        "runs/one/outputs/1.txt",
        "runs/one/outputs/ü ö.txt",
    }
    assert (tmp_path / "new/runs/one/outputs/1.txt").read_text() == "long output"
    assert (count(tmp_path / "new/log.sqlite3"), count(tmp_path / "new/engine.sqlite3")) == (30, 20)


def test_the_manifest_tells_the_version_and_counts_rows_and_bytes(data: Path) -> None:
    _, made = backed_up(data)

    assert made.prowess == __version__
    assert made.rows == {"engine.sqlite3": {"t": 20}, "log.sqlite3": {"t": 30}}
    assert made.files["runs/one/outputs/1.txt"].bytes == len("long output")
    assert all(len(kept.sha256) == 64 for kept in made.files.values())


def test_only_its_owner_can_read_a_backup_and_what_is_restored(data: Path, tmp_path: Path) -> None:
    file, _ = backed_up(data)
    brought_back(file, tmp_path / "new")
    files = [path for path in (tmp_path / "new").rglob("*") if path.is_file()]
    folders = [path for path in (tmp_path / "new").rglob("*") if path.is_dir()]

    assert {path.stat().st_mode & 0o777 for path in (file, *files)} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "new", *folders)} == {0o700}


def test_both_databases_are_of_one_moment_while_another_process_writes(tmp_path: Path) -> None:
    first, second = (database(tmp_path / name, 3000) for name in ("first", "second"))
    command = [sys.executable, "-c", WRITER, str(first), str(second)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        try:
            assert writer.stdout
            assert writer.stdout.readline() == "at work\n"
            pairs = []
            for number in range(3):
                (tmp_path / str(number)).mkdir()
                copy_databases([str(first), str(second)], str(tmp_path / str(number)))
                pairs.append([count(tmp_path / str(number) / name) for name in ("first", "second")])
        finally:
            writer.kill()

    assert all(ahead - behind in {0, 1} for ahead, behind in pairs), pairs
    assert all(earlier < later for earlier, later in itertools.pairwise(pairs)), "nobody wrote"


def test_changes_that_are_only_in_the_journal_are_taken_along(data: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(data / "log.sqlite3", isolation_level=None)) as writer:
        writer.execute("insert into t values ('only in the journal')")
        file, _ = backed_up(data)
    brought_back(file, tmp_path / "new")

    assert count(tmp_path / "new/log.sqlite3") == 31


@pytest.mark.parametrize("where", [0, 8192])
def test_a_damaged_database_is_not_backed_up(data: Path, where: int) -> None:
    with (data / "log.sqlite3").open("r+b") as file:
        file.seek(where)
        file.write(b"\xa5" * 500)

    with pytest.raises(OutsideError, match=r"log\.sqlite3") as failed:
        backed_up(data)

    assert "prowess restore" in failed.value.hint
    assert sorted(path.name for path in data.parent.iterdir()) == ["data"]


def test_a_backup_replaces_no_file(data: Path) -> None:
    file = write_file(data.parent / "kept.zip", "an older one")

    with pytest.raises(ConflictError):
        backed_up(data)

    assert file.read_text() == "an older one"


def test_a_backup_does_not_lie_in_what_it_is_a_backup_of(data: Path) -> None:
    with pytest.raises(UsageError, match="data folder"):
        backed_up(data, "data/kept.zip")


def test_an_empty_place_has_nothing_to_back_up(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to back up"):
        backed_up(tmp_path / "data")


def test_links_and_pipes_are_left_out_and_told(data: Path, tmp_path: Path) -> None:
    secret = write_file(tmp_path / "secret", "not ours")
    (data / "runs/link").symlink_to(secret)
    (data / "runs/folder").symlink_to(tmp_path)
    os.mkfifo(data / "runs/pipe")

    file, made = backed_up(data)
    brought_back(file, tmp_path / "new")

    assert set(made.left_out) == {"runs/link", "runs/folder", "runs/pipe"}
    assert not any(b"not ours" in content for content in tree(tmp_path / "new").values())


def test_a_program_stays_one(data: Path, tmp_path: Path) -> None:
    write_file(data / "worktrees/tool", "#!/bin/sh").chmod(0o755)
    file, _ = backed_up(data)
    brought_back(file, tmp_path / "new")

    assert (tmp_path / "new/worktrees/tool").stat().st_mode & 0o777 == 0o700


# What is there is not lost


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
    assert tree(Path(done.aside)) == before
    assert count(data / "log.sqlite3") == 30
    assert not (data / "runs/two").exists()


def test_what_was_set_aside_stays_and_goes_into_no_backup(data: Path, tmp_path: Path) -> None:
    file, _ = backed_up(data)
    asides = [brought_back(file, data, replace=True).aside for _ in range(2)]
    _, again = backed_up(data, "again.zip")

    assert all(aside and Path(aside).is_dir() for aside in asides)
    assert not any("replaced-" in name for name in again.files)


def test_a_folder_that_a_process_works_with_is_not_replaced(data: Path) -> None:
    file, _ = backed_up(data)
    lock = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); input()"
    alive = data / "engine.sqlite3.workers" / "4711-alive"
    command = [sys.executable, "-c", lock, str(alive)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as worker:
        try:
            assert worker.stdout
            worker.stdout.readline()
            before = tree(data)

            with pytest.raises(ConflictError, match="4711"):
                brought_back(file, data, replace=True)

            assert tree(data) == before
        finally:
            worker.kill()


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


# Archives that are not what they say


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    for number, content in enumerate((b"", b"no zip", b"PK\x05\x06" + b"\0" * 18)):
        file = write_file(tmp_path / str(number), content)
        with pytest.raises(ProwessError, match=str(number)):
            brought_back(file, tmp_path / "new")

    assert not (tmp_path / "new").exists()


def test_any_byte_that_differs_is_noticed_or_means_nothing(data: Path, tmp_path: Path) -> None:
    file, _ = backed_up(data)
    whole = file.read_bytes()
    brought_back(file, tmp_path / "right")
    right = tree(tmp_path / "right")
    refused = 0
    places = range(0, len(whole), max(1, len(whole) // 150))

    for place in places:
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        new = tmp_path / str(place)
        try:
            brought_back(file, new)
        except ProwessError:
            refused += 1
            assert not new.exists() or not any(new.iterdir())
        else:
            assert tree(new) == right

    assert refused > len(places) // 2


def test_an_archive_that_was_cut_short_is_refused(data: Path, tmp_path: Path) -> None:
    file, _ = backed_up(data)
    whole = file.read_bytes()

    for length in (0, 100, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        with pytest.raises(ProwessError):
            brought_back(file, tmp_path / "new")


def test_an_archive_of_a_later_format_is_refused(data: Path, tmp_path: Path) -> None:
    file, _ = backed_up(data)

    def later(manifest: dict[str, object]) -> None:
        manifest.update(format=2, prowess="9.9.9")

    with pytest.raises(ProwessError, match=r"9\.9\.9"):
        brought_back(rewritten(file, later), tmp_path / "new")


def test_the_manifest_is_json_that_anybody_can_read(data: Path) -> None:
    file, made = backed_up(data)
    with zipfile.ZipFile(file) as opened:
        told = json.loads(opened.read("manifest.json"))

    assert told["rows"] == made.rows
