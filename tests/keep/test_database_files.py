"""A database file is made whole and for its owner only, and looked at before SQLite sees it."""

import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from prowess.core.errors import OutsideError
from prowess.core.sqlite_file import make_database, unusable
from support import write_file


def test_a_file_that_is_just_being_made_is_waited_for(tmp_path: Path) -> None:
    made, whole = tmp_path / "made", tmp_path / "whole"
    make_database(str(whole), "the database")
    made.touch()
    writer = threading.Timer(0.2, lambda: made.write_bytes(whole.read_bytes()))
    writer.start()

    make_database(str(made), "the database")

    writer.join()
    with closing(sqlite3.connect(made)) as database:
        assert database.execute("pragma integrity_check").fetchall() == [("ok",)]


def test_a_new_file_is_private_whole_and_has_a_write_ahead_log(tmp_path: Path) -> None:
    path = tmp_path / "new"
    make_database(str(path), "the database")

    with closing(sqlite3.connect(path)) as database:
        assert database.execute("pragma journal_mode").fetchone() == ("wal",)
        assert database.execute("pragma integrity_check").fetchall() == [("ok",)]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"no database" * 100, b"SQLite format 3\0junk"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prowess.core.sqlite_file.PATIENCE", 0.0)
    path = write_file(tmp_path / "file", content)

    with pytest.raises(OutsideError, match=str(path)) as failed:
        make_database(str(path), "the database")

    assert "prowess restore" in failed.value.hint
    assert path.read_bytes() == content


def test_a_file_that_lost_its_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    make_database(str(path), "the database")
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("create table t (a)")
        database.execute("insert into t values (?)", ("x" * 20_000,))
    whole = path.read_bytes()
    cut = write_file(tmp_path / "cut", whole[:-5000])

    with pytest.raises(OutsideError, match="5,000 bytes are missing"):
        make_database(str(cut), "the database")


def test_a_journal_without_its_database_is_kept(tmp_path: Path) -> None:
    journal = write_file(tmp_path / "file-wal", b"what nobody else has")

    with pytest.raises(OutsideError, match="journal"):
        make_database(str(tmp_path / "file"), "the database")

    assert os.listdir(tmp_path) == ["file-wal"]
    assert journal.read_bytes() == b"what nobody else has"


def test_a_full_disk_is_told_with_how_to_go_on() -> None:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL

    told = unusable("the event log", "log.sqlite3", error)

    assert "disk is full" in str(told)
    assert "prowess runs resume" in told.hint
