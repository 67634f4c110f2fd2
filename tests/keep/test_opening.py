"""While one file is put in the place of another, nobody opens either: it could meet the wrong journal."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from keep.folders import backed_up, brought_back
from prowess.board.store import SqliteBoard
from prowess.core.errors import ConflictError
from prowess.core.locks import opening
from prowess.durable.standing import standing
from prowess.keep.at_work import unopened
from prowess.observe.log import SqliteLog


def open_log(data: Path) -> None:
    SqliteLog(str(data / "log.sqlite3")).close()


def open_board(data: Path) -> None:
    SqliteBoard(str(data / "log.sqlite3"), clean=str).close()


def look_at_runs(data: Path) -> None:
    standing(str(data / "engine.sqlite3"))


@pytest.mark.parametrize("opens", [open_log, open_board, look_at_runs])
def test_who_opens_a_database_waits_until_it_is_in_its_place(
    data: Path, opens: Callable[[Path], None]
) -> None:
    databases = [str(data / name) for name in ("log.sqlite3", "engine.sqlite3")]
    done = threading.Event()

    def work() -> None:
        opens(data)
        done.set()

    somebody = threading.Thread(target=work)
    with unopened(databases):
        somebody.start()
        too_early = done.wait(0.5)
    somebody.join(60)

    assert not too_early
    assert done.is_set()


def test_a_folder_that_somebody_just_opens_is_not_replaced(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prowess.keep.at_work.PATIENCE", 0.2)
    file, _ = backed_up(data)

    with opening(str(data / "log.sqlite3")), pytest.raises(ConflictError, match="begins to work"):
        brought_back(file, data, replace=True)

    assert not list(data.glob("replaced-*"))
