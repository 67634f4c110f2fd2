"""Temporary folders: private, gone at the end, and cleared away after a process that was killed."""

import errno
import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from prowess.core.scratch import scratch

HOLDER = """
import sys
from prowess.core.scratch import scratch
with scratch("toy") as place:
    open(f"{place}/file", "w").close()
    print(place, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def holder() -> tuple[subprocess.Popen[str], Path]:
    """Another process that holds a folder, and the folder."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout
    return child, Path(child.stdout.readline().strip())


def end(child: subprocess.Popen[str]) -> None:
    child.kill()
    child.communicate()


def test_a_folder_is_private_and_gone_at_the_end(temporary: Path) -> None:
    with scratch("toy") as place:
        Path(place, "file").write_text("x")

        assert os.stat(place).st_mode & 0o777 == 0o700
        assert os.path.basename(place).startswith("prowess-toy-")

    assert list(temporary.iterdir()) == []


def test_a_folder_is_gone_after_an_error_too(temporary: Path) -> None:
    with pytest.raises(ZeroDivisionError), scratch("toy"):
        raise ZeroDivisionError

    assert list(temporary.iterdir()) == []


def test_what_a_killed_process_left_is_cleared_away_by_the_next() -> None:
    child, left = holder()
    end(child)
    assert left.exists()

    with scratch("toy"):
        assert not left.exists()


def test_a_folder_in_use_is_left_alone() -> None:
    child, held = holder()
    try:
        with scratch("toy"):
            assert (held / "file").exists()
    finally:
        end(child)


def test_folders_of_another_kind_and_links_are_left_alone(temporary: Path) -> None:
    (temporary / "prowess-other-1").mkdir()
    (temporary / "mine").mkdir()
    (temporary / "prowess-toy-link").symlink_to(temporary / "mine")

    with scratch("toy"):
        pass

    assert sorted(path.name for path in temporary.iterdir()) == [
        "mine",
        "prowess-other-1",
        "prowess-toy-link",
    ]


def test_where_folders_cannot_be_locked_it_is_made_all_the_same_and_nothing_is_left(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: int, how: int) -> None:
        raise OSError(errno.EBADF, "Bad file descriptor")

    monkeypatch.setattr(fcntl, "flock", refuse)

    with scratch("toy") as place:
        assert os.path.isdir(place)
    assert list(temporary.iterdir()) == []


def test_a_folder_that_cannot_be_put_in_its_place_is_not_left(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(old: str, new: str) -> None:
        raise OSError(errno.EIO, "a disk that fails")

    monkeypatch.setattr(os, "rename", refuse)

    with pytest.raises(OSError, match="fails"), scratch("toy"):
        pass
    assert list(temporary.iterdir()) == []
