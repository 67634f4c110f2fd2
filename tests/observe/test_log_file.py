"""The file that the embedded log is: for its owner's eyes only, and never locked by who only reads."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from prowess.core.event import Event
from prowess.observe.log import SqliteLog

STARTED = Event(run="r", kind="run.started", payload={})


@pytest.fixture
def lax() -> Iterator[None]:
    """Without our own care, every file made here could be read by all."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("lax")
def test_the_log_and_its_folder_can_be_read_by_their_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "data" / "log.sqlite3"
    with closing(SqliteLog(str(file))) as log:
        log.append(STARTED)

        beside = [path for path in file.parent.iterdir() if path != file]
        modes = {stat.S_IMODE(path.stat().st_mode) for path in (file, *beside)}

    assert modes == {0o600}
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_reader_that_takes_its_time_does_not_hold_up_a_writer(tmp_path: Path) -> None:
    file = str(tmp_path / "log.sqlite3")
    with closing(SqliteLog(file)) as log, closing(sqlite3.connect(file)) as reader:
        log.append(STARTED)
        reader.execute("begin")
        assert reader.execute("select count(*) from event").fetchone() == (1,)

        log.append(STARTED)

        assert reader.execute("select count(*) from event").fetchone() == (1,)
        assert len(list(log.run("r"))) == 2
