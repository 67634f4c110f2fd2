"""The index is only ever a shortcut: it is never believed when it is wrong and never missed when it is gone."""

import json
import os
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prowess import __version__
from prowess.discover import folder as folder_module
from prowess.discover.catalog import Catalog, open_catalog
from prowess.discover.folder import Found, read_folder
from prowess.discover.roots import Root
from support import write_file, write_skill

SECOND = 1_000_000_000
LONG_AGO = 1_700_000_000 * SECOND + 123_456_789


def age(tree: Path, when: int = LONG_AGO) -> None:
    """Let the whole tree look as if it had last been touched at `when`."""
    for path in [tree, *tree.rglob("*")]:
        os.utime(path, ns=(when, when), follow_symlinks=False)


def write_at(path: Path, text: str, when: int) -> None:
    """Write in place, so that only the file's own times tell of it."""
    folder = path.parent.stat().st_mtime_ns
    path.write_text(text)
    os.utime(path, ns=(when, when))
    assert path.parent.stat().st_mtime_ns == folder


class Look:
    """Opens the catalog of a folder with its index, as every start does, and keeps book of what was read."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = tmp_path / "root"
        self.index = tmp_path / "index"
        self.read: list[str] = []

        def reading(path: str, names: list[str]) -> Found:
            self.read.append(os.path.basename(path))
            return read_folder(path, names)

        monkeypatch.setattr(folder_module, "read_folder", reading)

    def __call__(self, *roots: Path) -> Catalog:
        self.read.clear()
        found = [Root(str(root), "project") for root in roots or (self.root,)]
        return open_catalog(found, index_folder=str(self.index))

    @property
    def file(self) -> Path:
        (file,) = self.index.glob("*.index")
        return file


@pytest.fixture
def look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Look:
    return Look(tmp_path, monkeypatch)


@pytest.fixture
def pdf(look: Look) -> Path:
    """The SKILL.md of a skill that has long been there, beside another, and that the index knows."""
    folder = write_skill(look.root, "pdf", description="As it was.")
    write_skill(look.root / "office", "mail")
    age(look.root)
    look()
    return folder / "SKILL.md"


# Nothing changed


def test_a_warm_start_reads_no_file(look: Look, pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cold = open_catalog([Root(str(look.root), "project")])

    def poisoned(path: str, names: list[str]) -> Found:
        pytest.fail(f"{path} was read")

    monkeypatch.setattr(folder_module, "read_folder", poisoned)

    assert look() == cold
    assert list(cold.skills) == ["mail", "pdf"]


def test_everything_in_a_header_comes_back_from_the_index_as_it_was_read(look: Look) -> None:
    header = (
        "name: odd\ndescription: 'Ünïcode  \"quoted\"'\nversion: 1.10\nempty:\nbig: 1e999\n"
        "number: 12\nlist: [1, a, null, {deep: [true]}]\nlong: 123456789012345678901234567890\n"
    )
    write_file(look.root / "odd" / "SKILL.md", f"---\n{header}---\n")
    write_file(
        look.root / "listed" / "manifest.json",
        json.dumps(
            {"name": "L", "description": "lone \ud800 surrogate", "config": {"1": [0.1, "\ud800"]}}
        ),
    )
    write_file(look.root / "broken" / "SKILL.md", "---\nname: broken\n---\n")
    (look.root / "link").symlink_to("nowhere")
    age(look.root)
    cold = look()

    warm = look()

    assert look.read == []
    assert warm == cold
    assert len(warm.problems) > 2


def test_the_index_is_not_written_again_when_nothing_changed(look: Look, pdf: Path) -> None:
    before = look.file.stat()

    look()

    assert look.file.stat().st_ino == before.st_ino
    assert look.file.stat().st_mtime_ns == before.st_mtime_ns


# Something changed


def test_only_what_changed_is_read_again(look: Look, pdf: Path) -> None:
    write_at(pdf, "---\nname: pdf\ndescription: As it is now, and longer.\n---\n", LONG_AGO)

    assert look().get("pdf").description == "As it is now, and longer."
    assert look.read == ["pdf"]


def test_an_edit_of_the_same_size_is_seen(look: Look, pdf: Path) -> None:
    text = pdf.read_text()
    write_at(pdf, text.replace("As it was.", "As it is!!"), LONG_AGO + SECOND)

    assert look().get("pdf").description == "As it is!!"


def test_an_edit_of_the_same_size_that_puts_the_time_back_is_seen(look: Look, pdf: Path) -> None:
    before = pdf.stat()
    changed = pdf.read_text().replace("As it was.", "As it is!!")
    write_at(pdf, changed, before.st_mtime_ns)
    while pdf.stat().st_ctime_ns == before.st_ctime_ns:  # on a kernel whose clock ticks slowly
        os.utime(pdf, ns=(before.st_mtime_ns, before.st_mtime_ns))

    assert look().get("pdf").description == "As it is!!"


def test_a_file_replaced_by_rename_is_seen(look: Look, pdf: Path) -> None:
    fresh = pdf.with_name("fresh")
    fresh.write_text(pdf.read_text().replace("As it was.", "As it is!!"))
    os.utime(fresh, ns=(LONG_AGO, LONG_AGO))
    fresh.replace(pdf)
    os.utime(pdf.parent, ns=(LONG_AGO, LONG_AGO))

    assert look().get("pdf").description == "As it is!!"


def test_a_folder_replaced_by_rename_is_seen(look: Look, pdf: Path) -> None:
    fresh = write_skill(look.root.parent / "aside", "pdf", description="As it is!!")
    age(fresh)
    shutil.rmtree(pdf.parent)
    fresh.rename(pdf.parent)
    os.utime(look.root, ns=(LONG_AGO, LONG_AGO))

    assert look().get("pdf").description == "As it is!!"


def test_an_added_skill_yaml_is_seen(look: Look, pdf: Path) -> None:
    write_file(
        pdf.with_name("skill.yaml"), "name: pdf\ndescription: Runs.\nsteps:\n  - output: hello\n"
    )

    assert look().get("pdf").format == "workflow"


def test_a_file_added_by_a_tool_that_puts_the_folders_time_back_is_seen(
    look: Look, pdf: Path
) -> None:
    write_file(
        pdf.with_name("skill.yaml"), "name: pdf\ndescription: Runs.\nsteps:\n  - output: hello\n"
    )
    os.utime(pdf.parent, ns=(LONG_AGO, LONG_AGO))

    assert look().get("pdf").format == "workflow"


def test_a_removed_definition_file_is_seen(look: Look, pdf: Path) -> None:
    pdf.unlink()
    os.utime(pdf.parent, ns=(LONG_AGO, LONG_AGO))

    assert list(look().skills) == ["mail"]


def test_a_removed_skill_is_seen_and_forgotten(look: Look, pdf: Path) -> None:
    shutil.rmtree(pdf.parent)

    assert list(look().skills) == ["mail"]
    assert b"As it was." not in look.file.read_bytes()


def test_an_added_skill_in_a_category_is_seen(look: Look, pdf: Path) -> None:
    write_skill(look.root / "office", "calendar")

    assert list(look().skills) == ["calendar", "mail", "pdf"]
    assert look.read == ["calendar"]


def test_an_edit_of_a_manifests_instructions_is_seen(look: Look) -> None:
    folder = look.root / "listed"
    write_file(folder / "manifest.json", '{"name": "L", "version": "1.0.0", "description": "D"}')
    write_file(folder / "skill.md", "As it was.")
    age(look.root)
    look()
    write_at(folder / "skill.md", "As it is!!", LONG_AGO + SECOND)

    look()

    assert look.read == ["listed"]


# The clock


def test_a_file_edited_in_the_tick_of_the_first_look_is_read_again(
    look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(look.root, "pdf")
    age(look.root)
    monkeypatch.setattr("time.time_ns", lambda: LONG_AGO + 1_000_000)
    look()

    look()

    assert look.read == ["pdf"]


def test_a_file_that_rested_for_longer_than_a_tick_is_relied_on(
    look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(look.root, "pdf")
    age(look.root)
    monkeypatch.setattr("time.time_ns", lambda: LONG_AGO + SECOND)
    look()

    look()

    assert look.read == []


@pytest.mark.parametrize(("seconds_later", "read_again"), [(1, ["pdf"]), (3, [])])
def test_a_time_in_whole_seconds_is_taken_for_a_coarse_clock(
    look: Look,
    monkeypatch: pytest.MonkeyPatch,
    seconds_later: int,
    read_again: list[str],
) -> None:
    write_skill(look.root, "pdf")
    age(look.root, 1_700_000_000 * SECOND)
    monkeypatch.setattr(
        "time.time_ns", lambda: (1_700_000_000 + seconds_later) * SECOND + 5_000_000
    )
    look()

    look()

    assert look.read == read_again


def test_a_time_in_the_future_is_never_relied_on(look: Look) -> None:
    write_skill(look.root, "pdf")
    age(look.root, 4_000_000_000 * SECOND)
    look()

    look()

    assert look.read == ["pdf"]


def test_what_was_read_again_in_doubt_is_relied_on_once_the_tick_is_over(
    look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(look.root, "pdf")
    age(look.root)
    monkeypatch.setattr("time.time_ns", lambda: LONG_AGO)
    look()
    monkeypatch.undo()
    again = Look(look.root.parent, monkeypatch)
    again()
    assert again.read == ["pdf"]

    again()

    assert again.read == []


# A file that cannot be trusted


def _flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def _rows(data: bytes, change: Callable[[list[Any]], object]) -> bytes:
    """The file with its rows changed and a checksum that fits them."""
    head, rows, headers = data.split(b"\n", 2)
    changed = json.loads(rows)
    for row in changed.values():
        change(row)
    body = json.dumps(changed).encode() + b"\n" + headers
    mark, _, root = head.rsplit(b" ", 2)
    return b"%s %08x %s\n%s" % (mark, zlib.crc32(body), root, body)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: _rows(data, lambda row: row.pop(-2)), id="short rows"),
        pytest.param(lambda data: _rows(data, lambda row: row.insert(-1, 0)), id="long rows"),
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: data[: len(data) // 2], id="torn"),
        pytest.param(lambda data: data[:-1], id="torn at the last byte"),
        pytest.param(lambda data: data[: data.index(b"\n") + 1], id="only the head"),
        pytest.param(lambda data: data[data.index(b"\n") + 1 :], id="without the head"),
        pytest.param(lambda data: data + b" ", id="longer"),
        pytest.param(lambda data: _flip(data, len(data) // 2), id="a bit flipped in the middle"),
        pytest.param(lambda data: _flip(data, 0), id="a bit flipped in the head"),
        pytest.param(lambda data: data.replace(b"As it was.", b"As it is!!"), id="edited"),
        pytest.param(
            lambda data: data.replace(__version__.encode(), b"9.9.9", 1), id="another version"
        ),
        pytest.param(lambda data: data.replace(b"index ", b"index 9", 1), id="another format"),
        pytest.param(lambda data: os.urandom(4096), id="noise"),
        pytest.param(lambda data: b"\n" * 64, id="blank lines"),
        pytest.param(lambda data: b"{}", id="foreign"),
    ],
)
def test_a_file_that_is_not_as_we_wrote_it_is_passed_over_in_silence_and_written_anew(
    look: Look,
    pdf: Path,
    damage: Callable[[bytes], bytes],
    capfd: pytest.CaptureFixture[str],
) -> None:
    good, whole = look(), look.file.read_bytes()
    look.file.write_bytes(damage(whole))

    assert look() == good
    assert sorted(look.read) == ["mail", "pdf"]
    assert look.file.read_bytes() == whole
    assert capfd.readouterr() == ("", "")


def test_a_pipe_in_the_place_of_the_file_holds_nobody_up_and_is_replaced(
    look: Look, pdf: Path
) -> None:
    good, file = look(), look.file
    whole = file.read_bytes()
    file.unlink()
    os.mkfifo(file)

    assert look() == good
    assert file.is_file()
    assert file.read_bytes() == whole


def test_the_index_of_another_root_in_its_place_is_passed_over(look: Look, pdf: Path) -> None:
    mine = look.file
    other = look.root.parent / "other"
    write_skill(other, "foreign")
    age(other)
    look(other)
    (theirs,) = set(look.index.glob("*.index")) - {mine}
    shutil.copyfile(theirs, mine)

    assert list(look().skills) == ["mail", "pdf"]


def test_the_index_of_a_root_that_was_moved_here_is_passed_over(look: Look) -> None:
    here, there = look.root, look.root.parent / "there"
    write_skill(here, "pdf")
    look()
    mine = look.file
    shutil.rmtree(here)
    write_file(there / "broken" / "SKILL.md", "no header")
    age(there)
    look(there)
    (theirs,) = set(look.index.glob("*.index")) - {mine}
    there.rename(here)
    shutil.copyfile(theirs, mine)

    (problem,) = look().problems

    assert problem.path == str(here / "broken/SKILL.md")


@pytest.mark.parametrize("kind", ["below a file", "a file", "a dangling link"])
def test_an_index_folder_that_cannot_be_written_costs_nothing(
    look: Look, tmp_path: Path, kind: str
) -> None:
    write_skill(look.root, "pdf")
    plain = write_file(tmp_path / "plain", "")
    if kind == "below a file":
        look.index = plain / "index"
    elif kind == "a file":
        look.index = plain
    else:
        look.index.symlink_to(plain / "nowhere")

    assert list(look().skills) == list(look().skills) == ["pdf"]


def test_a_folder_in_the_place_of_the_index_file_costs_nothing_and_leaves_no_litter(
    look: Look, pdf: Path
) -> None:
    file = look.file
    file.unlink()
    file.mkdir()

    assert list(look().skills) == ["mail", "pdf"]
    assert os.listdir(look.index) == [file.name]


def test_a_folder_of_its_own_is_made_for_the_index_and_nobody_else_may_enter(
    look: Look, pdf: Path
) -> None:
    assert look.index.stat().st_mode & 0o777 == 0o700
    assert look.file.stat().st_mode & 0o777 == 0o600
    assert os.listdir(look.index) == [look.file.name]


# Roots


def test_two_roots_keep_separate_files(look: Look, pdf: Path) -> None:
    other = look.root.parent / "other"
    write_skill(other, "foreign")
    age(other)
    look(look.root, other)
    assert len(list(look.index.glob("*.index"))) == 2
    write_at(pdf, "---\nname: pdf\ndescription: As it is now, and longer.\n---\n", LONG_AGO)

    catalog = look(look.root, other)

    assert look.read == ["pdf"]
    assert list(catalog.skills) == ["mail", "pdf", "foreign"]


def test_the_same_root_may_be_found_as_the_projects_or_as_global(look: Look, pdf: Path) -> None:
    catalog = open_catalog([Root(str(look.root), "global")], index_folder=str(look.index))

    assert catalog.get("pdf").location == "global"


def test_paths_that_are_not_utf_8_are_kept_byte_for_byte(look: Look, tmp_path: Path) -> None:
    look.root = tmp_path / os.fsdecode(b"root-\xff")
    odd = os.fsdecode(b"caf\xe9")
    folder = look.root / "category" / odd
    write_file(folder / "SKILL.md", "---\ndescription: Serves.\n---\n")
    age(look.root)
    cold = look()

    warm = look()

    assert look.read == []
    assert warm == cold
    assert warm.get("caf").path == str(folder)
    assert os.path.exists(warm.get("caf").file)


def test_a_skill_whose_only_file_went_away_is_gone_without_a_problem(tmp_path: Path) -> None:
    folder = write_skill(tmp_path / "root", "pdf")
    roots = [Root(str(tmp_path / "root"), "project")]
    open_catalog(roots, index_folder=str(tmp_path / "index"))
    (folder / "SKILL.md").unlink()

    catalog = open_catalog(roots, index_folder=str(tmp_path / "index"))

    assert catalog.skills == {}
    assert catalog.problems == ()
