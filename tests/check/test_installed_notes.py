"""What `pip install` leaves beside the work: notes that judge nothing, and links to what is worked on."""

import os
from pathlib import Path

import pytest

from prowess.check.tree.beside import Entry, found_beside, lying_beside, missed
from support import write_file

PLACE = ".venv/lib/python3.11/site-packages"
NOTES = f"{PLACE}/shop-0.1.0.dist-info"


def test_notes_of_what_is_installed_may_change(tmp_path: Path) -> None:
    for name in ("RECORD", "METADATA", "entry_points.txt"):
        write_file(tmp_path / NOTES / name, "old\n")
    before = lying_beside(str(tmp_path), [], ())
    for name in ("RECORD", "METADATA", "entry_points.txt"):
        write_file(tmp_path / NOTES / name, "new one\n")

    (entry,) = found_beside(str(tmp_path), [], (), before)

    assert entry.hidden == {f"{NOTES}/entry_points.txt"}
    assert missed(before, [], [entry], entry.hidden) == [f"{NOTES}/entry_points.txt"]


def test_notes_of_npm_and_yarn_are_not_missed_and_npms_which_has_scripts_is_not_shown(
    tmp_path: Path,
) -> None:
    npm, yarn = "node_modules/.package-lock.json", "node_modules/.yarn-integrity"
    for name in (npm, yarn):
        write_file(tmp_path / name, "old\n")
    before = lying_beside(str(tmp_path), [], ())
    for name in (npm, yarn):
        write_file(tmp_path / name, "new one\n")

    (entry,) = found_beside(str(tmp_path), [], (), before)

    assert entry.hidden == {npm}
    assert missed(before, [], [entry], entry.hidden) == []


def test_folders_that_something_is_hidden_in_are_made_anew_and_no_others() -> None:
    shown = (".venv/pyvenv.cfg", ".venv/bin/python", ".venv/lib/a/b.py", ".venv/lib/a/c/d.py")
    hidden = (".venv/bin/new", ".venv/lib/a/all/hidden.py")
    entry = Entry(path=".venv/", files=dict.fromkeys(shown + hidden, 1), hidden=frozenset(hidden))

    parts = entry.parts()

    assert set(parts.as_they_lie) == {".venv", ".venv/lib/a/c"}
    assert set(parts.made) == {".venv/bin", ".venv/lib/a"}
    assert parts.copied == [".venv/bin/python", ".venv/lib/a/b.py"]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("{here}/src\n", True),
        ("/etc\n", False),
        ("import os\n", False),
        ("{here}/src\nimport os\n", False),
        ("src\n", False),
    ],
)
def test_a_link_to_the_work_is_shown_and_no_other(tmp_path: Path, said: str, shown: bool) -> None:  # noqa: FBT001
    folder = tmp_path / "work"
    write_file(folder / PLACE / "six.py", "")
    before = lying_beside(str(folder), [], ())
    link = f"{PLACE}/__editable__.shop-0.1.0.pth"
    write_file(folder / link, said.format(here=folder))

    (entry,) = found_beside(str(folder), [], (), before)

    assert (link not in entry.hidden) == shown


def test_a_link_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    write_file(tmp_path / PLACE / "six.py", "")
    before = lying_beside(str(tmp_path), [], ())
    link = f"{PLACE}/__editable__.shop.pth"
    os.symlink(write_file(tmp_path / "src/said", f"{tmp_path}/src\n"), tmp_path / link)

    entries = found_beside(str(tmp_path), ["src/said"], (), before)

    assert any(link in entry.hidden for entry in entries)


def test_what_is_hidden_is_told_no_wider_than_it_is() -> None:
    entry = Entry(
        path="tests/__pycache__/",
        files={"tests/__pycache__/a.pyc": 1},
        hidden=frozenset(("tests/__pycache__/a.pyc",)),
    )

    assert entry.masks() == ["tests/__pycache__/"]
