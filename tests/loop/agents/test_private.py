"""What is left of the folders that agents keep their things in."""

import os
import tempfile
import time
from pathlib import Path

import pytest

from prowess.loop.agents.private import PREFIX, private_folder


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def aged(folder: Path) -> Path:
    long_ago = time.time() - 86_400
    os.utime(folder, (long_ago, long_ago), follow_symlinks=False)
    return folder


def left(temporary: Path, name: str) -> Path:
    folder = temporary / f"{PREFIX}{name}"
    (folder / "tmp").mkdir(parents=True)
    return folder


def test_nobody_else_can_look_into_it_and_it_goes(temporary: Path) -> None:
    with private_folder() as place:
        assert Path(place).stat().st_mode & 0o777 == 0o700

    assert not any(temporary.iterdir())


def test_one_that_a_killed_process_left_is_cleared_away(temporary: Path) -> None:
    old, young = aged(left(temporary, "old")), left(temporary, "young")

    with private_folder():
        assert not old.exists()
        assert young.exists()


def test_one_in_use_stays_however_old_it_is(temporary: Path) -> None:
    with private_folder() as first:
        aged(Path(first))

        with private_folder():
            assert Path(first, "tmp").exists()


def test_nothing_but_such_folders_is_ever_cleared(temporary: Path) -> None:
    others = [temporary / "mine", temporary / f"{PREFIX}file"]
    others[0].mkdir()
    others[1].write_text("mine")
    link = temporary / f"{PREFIX}link"
    link.symlink_to(others[0])
    for each in (*others, link):
        aged(each)

    with private_folder():
        assert all(each.exists() for each in (*others, link))
