"""Reads and writes that cannot leave a folder."""

import errno
import os
from pathlib import Path

import pytest

from prowess.core.errors import RefusedError
from prowess.core.workspace import AbsentError, is_folder, names_in, read_in, write_in
from support import write_file


def test_a_file_is_made_with_its_folders_and_replaced_in_one_move(tmp_path: Path) -> None:
    first = write_in(str(tmp_path), "a/b/c.txt", b"one")
    held = (tmp_path / "a/b/c.txt").open("rb")
    second = write_in(str(tmp_path), "a/b/c.txt", b"two")

    assert (first.created, first.made) == (True, "a")
    assert (second.created, second.made) == (False, "")
    with held:
        assert held.read() == b"one"
    assert read_in(str(tmp_path), "a/b/c.txt", limit=10) == b"two"
    assert os.listdir(tmp_path / "a/b") == ["c.txt"]


def test_the_mode_of_an_old_file_is_kept(tmp_path: Path) -> None:
    path = write_file(tmp_path / "go.sh", "x")
    os.chmod(path, 0o700)

    write_in(str(tmp_path), "go.sh", b"y")

    assert path.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "path", ["../x", "a/../../x", "", ".", "link/x", "file/x", "folder", "linked"]
)
def test_a_write_that_would_leave_or_break_something_is_refused(tmp_path: Path, path: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "folder").mkdir(parents=True)
    outside.mkdir()
    write_file(root / "file", "plain")
    write_file(outside / "kept", "kept")
    (root / "link").symlink_to(outside)
    (root / "linked").symlink_to(outside / "kept")

    with pytest.raises((RefusedError, OSError)):
        write_in(str(root), path, b"x")

    assert os.listdir(outside) == ["kept"]
    assert (outside / "kept").read_text() == "kept"
    assert sorted(os.listdir(root)) == ["file", "folder", "link", "linked"]


def test_nothing_is_written_through_a_link_even_inside(tmp_path: Path) -> None:
    (tmp_path / ".git/hooks").mkdir(parents=True)
    (tmp_path / "out").symlink_to(".git/hooks")

    for path in ("out/pre-commit", "out/new/pre-commit"):
        with pytest.raises(RefusedError, match=r"out is a link to \.git/hooks"):
            write_in(str(tmp_path), path, b"x")

    assert os.listdir(tmp_path / ".git/hooks") == []


def test_the_folder_itself_may_be_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    write_in(str(tmp_path / "link"), "a/b", b"x")

    assert (tmp_path / "real/a/b").read_bytes() == b"x"


def test_a_failed_write_leaves_the_old_file_and_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file(tmp_path / "a", "old")

    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)

    with pytest.raises(OSError, match="No space"):
        write_in(str(tmp_path), "a", b"new")

    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_what_is_absent_is_told_from_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/etc")

    with pytest.raises(AbsentError, match="there is no gone"):
        read_in(str(tmp_path), "gone", limit=10)
    with pytest.raises(RefusedError, match="not a path inside") as refused:
        read_in(str(tmp_path), "out/passwd", limit=10)
    assert not isinstance(refused.value, AbsentError)


def test_no_more_than_the_limit_is_read(tmp_path: Path) -> None:
    write_file(tmp_path / "a", b"x" * 11)

    with pytest.raises(RefusedError, match="more than 10 bytes"):
        read_in(str(tmp_path), "a", limit=10)
    assert len(read_in(str(tmp_path), "a", limit=11)) == 11


def test_folders_are_told_and_listed(tmp_path: Path) -> None:
    write_file(tmp_path / "sub/b", "")
    write_file(tmp_path / "sub/a/x", "")

    assert is_folder(str(tmp_path), ".")
    assert is_folder(str(tmp_path), "sub")
    assert not is_folder(str(tmp_path), "sub/b")
    assert not is_folder(str(tmp_path), "gone")
    assert names_in(str(tmp_path), "sub") == ["a/", "b"]
    with pytest.raises(RefusedError, match="sub is a folder"):
        read_in(str(tmp_path), "sub", limit=10)
