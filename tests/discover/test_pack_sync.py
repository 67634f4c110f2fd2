"""The pack is copied whole or not at all, and nobody else's files are touched."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from prowess.core.errors import OutsideError
from prowess.discover.catalog import open_catalog
from prowess.discover.pack_sync import OURS, Synced, sync_pack
from prowess.discover.roots import Root
from prowess.settings import PACK
from support import write_file, write_skill


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A pack of two skills, one of them with a supporting file."""
    write_skill(tmp_path / "pack", "git", description="Version one.")
    write_skill(tmp_path / "pack", "pdf", description="Version one.")
    write_file(tmp_path / "pack" / "pdf" / "references" / "guide.md", "Guide one.")
    write_file(tmp_path / "pack" / "registry.yaml", "version: 1\n")
    return tmp_path / "pack"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "data" / "skills"


def sync(pack: Path, target: Path) -> Synced:
    return sync_pack(str(pack), str(target))


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below `folder` but our own list, with its content."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != OURS
    }


# Copying


def test_a_first_sync_writes_every_skill_of_the_pack(pack: Path, target: Path) -> None:
    assert sync(pack, target) == Synced(written=("git", "pdf"))
    assert tree(target) == {
        "git/SKILL.md": (pack / "git/SKILL.md").read_bytes(),
        "pdf/SKILL.md": (pack / "pdf/SKILL.md").read_bytes(),
        "pdf/references/guide.md": b"Guide one.",
    }


def test_a_second_sync_does_nothing(pack: Path, target: Path) -> None:
    sync(pack, target)
    inode = (target / "pdf").stat().st_ino

    assert sync(pack, target) == Synced()
    assert (target / "pdf").stat().st_ino == inode


def test_a_changed_skill_is_replaced_whole(pack: Path, target: Path) -> None:
    sync(pack, target)
    write_skill(pack, "pdf", description="Version two.")
    (pack / "pdf/references/guide.md").rename(pack / "pdf/references/manual.md")

    assert sync(pack, target) == Synced(written=("pdf",))
    assert tree(target / "pdf") == tree(pack / "pdf")


def test_a_skill_that_was_retired_is_removed(pack: Path, target: Path) -> None:
    sync(pack, target)
    shutil.rmtree(pack / "git")

    assert sync(pack, target) == Synced(removed=("git",))
    assert not (target / "git").exists()
    assert (target / "pdf").exists()


def test_a_skill_that_was_deleted_from_the_copy_is_written_again(pack: Path, target: Path) -> None:
    sync(pack, target)
    shutil.rmtree(target / "pdf")

    assert sync(pack, target) == Synced(written=("pdf",))


def test_private_folders_and_plain_files_of_the_pack_are_not_copied(
    pack: Path, target: Path
) -> None:
    write_skill(pack, "_draft")
    write_skill(pack, ".hidden")

    assert sync(pack, target).written == ("git", "pdf")
    assert sorted(os.listdir(target)) == [OURS, "git", "pdf"]


def test_a_pack_with_a_link_in_it_is_copied_once(pack: Path, target: Path) -> None:
    (pack / "pdf" / "README.md").symlink_to("SKILL.md")
    sync(pack, target)

    assert sync(pack, target) == Synced()


def test_the_real_pack_is_copied_and_gives_the_same_skills(target: Path) -> None:
    sync_pack(PACK, str(target))

    copied, packaged = (open_catalog([Root(root, "builtin")]) for root in (str(target), PACK))
    assert list(copied.skills) == list(packaged.skills) != []
    assert copied.problems == packaged.problems == ()


# Other people's files


def test_files_that_are_not_ours_stay_as_they_are(pack: Path, target: Path) -> None:
    write_skill(target, "mine", description="Somebody else's.")
    write_file(target / "notes.txt", "Somebody else's.")
    before = tree(target)
    sync(pack, target)
    shutil.rmtree(pack / "git")

    sync(pack, target)

    assert tree(target).items() >= before.items()


def test_somebody_elses_skill_of_the_same_name_is_kept(pack: Path, target: Path) -> None:
    write_skill(target, "pdf", description="Somebody else's.")
    before = tree(target / "pdf")

    assert sync(pack, target) == Synced(written=("git",), kept=("pdf",))
    assert tree(target / "pdf") == before


@pytest.mark.parametrize("kind", ["file", "link", "dangling link"])
def test_anything_else_in_the_place_of_a_skill_is_kept(
    pack: Path, target: Path, tmp_path: Path, kind: str
) -> None:
    target.mkdir(parents=True)
    place = target / "pdf"
    if kind == "file":
        place.write_text("Somebody else's.")
    else:
        place.symlink_to(pack / "pdf" if kind == "link" else tmp_path / "nowhere")
    before = place.lstat()

    assert sync(pack, target).kept == ("pdf",)
    assert place.lstat().st_ino == before.st_ino


@pytest.mark.parametrize("change", ["edited", "added", "removed", "renamed"])
def test_a_skill_changed_by_hand_is_neither_replaced_nor_removed(
    pack: Path, target: Path, change: str
) -> None:
    sync(pack, target)
    guide = target / "pdf/references/guide.md"
    match change:
        case "edited":
            guide.write_text("By hand.")
        case "added":
            guide.with_name("more.md").write_text("By hand.")
        case "removed":
            guide.unlink()
        case "renamed":
            guide.rename(guide.with_name("by-hand.md"))
    by_hand = tree(target / "pdf")
    write_skill(pack, "pdf", description="Version two.")

    assert sync(pack, target) == Synced(kept=("pdf",))
    assert tree(target / "pdf") == by_hand
    shutil.rmtree(pack / "pdf")
    assert sync(pack, target) == Synced()
    assert tree(target / "pdf") == by_hand


def test_a_skill_changed_by_hand_and_then_retired_is_not_removed(pack: Path, target: Path) -> None:
    sync(pack, target)
    write_file(target / "pdf/references/guide.md", "By hand.")
    shutil.rmtree(pack / "pdf")

    assert sync(pack, target) == Synced()
    assert (target / "pdf/references/guide.md").read_text() == "By hand."


@pytest.mark.parametrize("added", ["link", "empty folder"])
def test_a_folder_added_by_hand_counts_as_a_change(
    pack: Path, target: Path, tmp_path: Path, added: str
) -> None:
    sync(pack, target)
    if added == "link":
        (target / "pdf/mine").symlink_to(tmp_path)
    else:
        (target / "pdf/mine").mkdir()
    write_skill(pack, "pdf", description="Version two.")

    assert sync(pack, target).kept == ("pdf",)
    assert (target / "pdf/mine").exists()


def test_a_skill_changed_by_hand_into_the_new_version_is_ours_again(
    pack: Path, target: Path
) -> None:
    sync(pack, target)
    write_skill(pack, "pdf", description="Version two.")
    write_skill(target, "pdf", description="Version two.")
    assert sync(pack, target) == Synced()
    write_skill(pack, "pdf", description="Version three.")

    assert sync(pack, target) == Synced(written=("pdf",))


# The list of what is ours


@pytest.mark.parametrize(
    "foreign",
    [
        b"",
        b"not JSON",
        b"\xff\xfe",
        b"[]",
        b"null",
        b'{"pdf": 1}',
        b'{"pdf": null, "git": {}}',
        b'{"nothing": "here", "\\ud800": "x", "a\\u0000b": "x"}',
        pytest.param(b"[" * 200_000, id="nested deeply"),
    ],
)
def test_a_foreign_list_claims_nothing_and_is_replaced(
    pack: Path, target: Path, foreign: bytes
) -> None:
    write_skill(target, "mine")
    write_file(target / OURS, foreign)

    assert sync(pack, target) == Synced(written=("git", "pdf"))
    assert (target / "mine/SKILL.md").exists()
    assert json.loads((target / OURS).read_bytes()).keys() == {"git", "pdf"}


@pytest.mark.parametrize(
    ("name", "digest"), [("pdf", "no folder"), ("notes", "no folder"), ("gone", "")]
)
def test_a_foreign_list_cannot_claim_what_is_not_a_folder(
    pack: Path, target: Path, name: str, digest: str
) -> None:
    write_file(target / "notes", "Somebody else's.")
    write_file(target / "pdf", "Somebody else's.")
    before = tree(target)
    write_file(target / OURS, json.dumps({name: digest}))

    assert sync(pack, target) == Synced(written=("git",), kept=("pdf",))
    assert tree(target).items() >= before.items()


def test_a_foreign_list_cannot_have_anything_outside_removed(
    pack: Path, target: Path, tmp_path: Path
) -> None:
    nothing = hashlib.sha256().hexdigest()
    (tmp_path / "outside").mkdir()
    (tmp_path / "absolute").mkdir()
    listed = {"../../outside": nothing, str(tmp_path / "absolute"): nothing}
    write_file(target / OURS, json.dumps(listed))

    sync(pack, target)

    assert (tmp_path / "outside").exists()
    assert (tmp_path / "absolute").exists()


# Failures


@pytest.mark.parametrize("kind", ["target is a file", "target below a file", "no pack"])
def test_a_disk_that_will_not_have_it_is_an_outside_error_with_a_hint(
    pack: Path, target: Path, kind: str
) -> None:
    if kind == "target is a file":
        write_file(target, "")
    elif kind == "target below a file":
        write_file(target.parent, "")
    else:
        shutil.rmtree(pack)

    with pytest.raises(OutsideError) as failed:
        sync(pack, target)

    assert str(target) in str(failed.value)
    assert "skills_sync_on_start" in failed.value.hint


def test_a_copy_that_fails_half_way_leaves_the_old_skill_whole_and_no_litter(
    pack: Path, target: Path
) -> None:
    sync(pack, target)
    before = tree(target)
    write_skill(pack, "pdf", description="Version two.")
    os.mkfifo(pack / "pdf/references/link.md")

    with pytest.raises(OutsideError):
        sync(pack, target)

    assert tree(target) == before
    assert sorted(os.listdir(target)) == [OURS, "git", "pdf"]


def test_a_copy_that_fails_half_way_says_why(pack: Path, target: Path) -> None:
    os.mkfifo(pack / "pdf/link.md")

    with pytest.raises(OutsideError) as failed:
        sync(pack, target)

    assert "None" not in str(failed.value)


def test_a_sync_after_a_failed_one_completes_it(pack: Path, target: Path) -> None:
    os.mkfifo(pack / "pdf/link.md")
    with pytest.raises(OutsideError):
        sync(pack, target)
    (pack / "pdf/link.md").unlink()

    assert sync(pack, target).kept == ()
    assert tree(target / "pdf") == tree(pack / "pdf")


def test_a_list_that_cannot_be_written_leaves_no_litter(pack: Path, target: Path) -> None:
    (target / OURS).mkdir(parents=True)

    with pytest.raises(OutsideError):
        sync(pack, target)

    assert sorted(os.listdir(target)) == [OURS, "git", "pdf"]


def test_what_a_killed_sync_left_behind_is_out_of_sight_and_cleared(
    pack: Path, target: Path
) -> None:
    write_skill(target / ".prowess-sync-killed" / "new", "old")
    before = open_catalog([Root(str(target), "builtin")])

    sync(pack, target)

    assert list(before.skills) == []
    assert sorted(os.listdir(target)) == [OURS, "git", "pdf"]


# Elsewhere at once


SYNCS = """
import sys
from prowess.discover.pack_sync import sync_pack

pack, base, count = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(count)):
    sync_pack(pack, f"{base}/{number}/skills")
"""


def test_processes_that_start_at_once_do_not_disturb_each_other(pack: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-c", SYNCS, str(pack), str(tmp_path / "data"), "30"]
    processes = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()

    assert [process.returncode for process in processes] == [0] * 4
    for number in range(30):
        copy = tmp_path / "data" / str(number) / "skills"
        assert tree(copy) == {
            path: content for path, content in tree(pack).items() if path != "registry.yaml"
        }


def test_a_target_that_is_a_link_to_another_disk_is_written(pack: Path, target: Path) -> None:
    disk = "/dev/shm"  # noqa: S108  a disk of its own wherever it exists
    if not os.path.isdir(disk) or os.stat(disk).st_dev == os.stat(pack).st_dev:
        pytest.skip("there is only one disk here")
    with tempfile.TemporaryDirectory(dir=disk) as elsewhere:
        target.parent.mkdir()
        target.symlink_to(elsewhere)

        assert sync(pack, target) == Synced(written=("git", "pdf"))
        assert tree(target / "pdf") == tree(pack / "pdf")
        assert sorted(os.listdir(elsewhere)) == [OURS, "git", "pdf"]
