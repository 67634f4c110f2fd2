"""A data folder goes into one file and comes back the same, whatever is going on in it."""

import errno
import itertools
import json
import os
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from keep.folders import backed_up, brought_back, count, database, tree
from keep.hostile import rewritten
from prowess import __version__
from prowess.core.errors import ConflictError, OutsideError, ProwessError, UsageError
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


def test_what_is_restored_is_what_was_backed_up(data: Path, tmp_path: Path) -> None:
    file, made = backed_up(data)
    done = brought_back(file, tmp_path / "new")

    assert done.manifest == made
    assert done.aside is None
    assert set(tree(tmp_path / "new")) == {
        "log.sqlite3",
        "engine.sqlite3",
        "engine.sqlite3.lock",  # which the restore took its turn with
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

    assert made.left_out == {
        "runs/link": "it is a link",
        "runs/folder": "it is a link",
        "runs/pipe": "it is no plain file",
    }
    assert not any(b"not ours" in content for content in tree(tmp_path / "new").values())


def test_a_program_stays_one(data: Path, tmp_path: Path) -> None:
    write_file(data / "worktrees/tool", "#!/bin/sh").chmod(0o755)
    file, _ = backed_up(data)
    brought_back(file, tmp_path / "new")

    assert (tmp_path / "new/worktrees/tool").stat().st_mode & 0o777 == 0o700


def test_folders_with_nothing_in_them_come_back(data: Path, tmp_path: Path) -> None:
    """Without `refs`, which is empty once it is packed, git takes a repository for none."""
    work = data / "worktrees/one"
    (work / "empty/inside").mkdir(parents=True)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (
        ["init", "-q"],
        ["commit", "-q", "--allow-empty", "-m", "m"],
        ["pack-refs", "--all"],
    ):
        subprocess.run([*git, *words], cwd=work, check=True)

    file, _ = backed_up(data)
    brought_back(file, tmp_path / "new")

    back = tmp_path / "new/worktrees/one"
    told = subprocess.run([*git, "log", "--format=%s"], cwd=back, capture_output=True, check=True)
    assert told.stdout == b"m\n"
    assert (back / "empty/inside").is_dir()


def test_names_that_mean_something_elsewhere_come_back(data: Path, tmp_path: Path) -> None:
    write_file(data / "runs/a\\b", "of systemd, say")
    write_file(data / "runs/manifest.json", "of a run")
    file, _ = backed_up(data)
    brought_back(file, tmp_path / "new")

    assert (tmp_path / "new/runs/a\\b").read_text() == "of systemd, say"
    assert (tmp_path / "new/runs/manifest.json").read_text() == "of a run"


def test_what_no_backup_can_hold_is_left_out_and_told(data: Path) -> None:
    write_file(data / "manifest.json", "is that of the backup itself")
    write_file(data / os.fsdecode(b"runs/\xff/file"), "")
    _, made = backed_up(data)

    assert set(made.left_out) == {"manifest.json", os.fsdecode(b"runs/\xff")}


def test_a_file_that_packs_very_well_makes_no_bomb(data: Path, tmp_path: Path) -> None:
    size = 64 << 20
    with write_file(data / "worktrees/one/disk.img", b"").open("wb") as image:
        image.truncate(size)
    file, made = backed_up(data)
    brought_back(file, tmp_path / "new")

    assert made.size > 200 * file.stat().st_size
    assert (tmp_path / "new/worktrees/one/disk.img").stat().st_size == size


def failing(monkeypatch: pytest.MonkeyPatch, name: str, number: int) -> None:
    """From here on, opening a file of that name fails with that number."""
    real = os.open

    def opening(path: str, *given: Any, **more: Any) -> int:
        if os.path.basename(path) == name:
            raise OSError(number, os.strerror(number), path)
        return real(path, *given, **more)

    monkeypatch.setattr(os, "open", opening)


@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE])
def test_a_backup_that_cannot_read_a_file_is_none(
    data: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    failing(monkeypatch, "1.txt", number)

    with pytest.raises(OutsideError, match=rf"outputs/1\.txt.*{os.strerror(number)}"):
        backed_up(data)

    assert sorted(path.name for path in data.parent.iterdir()) == ["data"]


def test_a_file_that_may_not_be_read_is_left_out_with_the_reason(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, "1.txt", errno.EACCES)

    _, made = backed_up(data)

    assert made.left_out == {"runs/one/outputs/1.txt": "you may not read it"}


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
