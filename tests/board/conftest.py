"""A new board on each of its databases, with two agents at work on it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from postgres import server
from prowess.board import opening, sessions
from prowess.core.board import Board
from prowess.observe.opening import open_log


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A log's file, as the board finds it."""
    path = tmp_path / "log.sqlite3"
    open_log(str(path)).close()
    return path


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest) -> str:
    """Where a log is, as the board finds it: a file or the URL of a database."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("file"))
    url = server().new_database()
    open_log(url).close()
    return url


@pytest.fixture
def open_board(place: str) -> Iterator[Callable[[], Board]]:
    opened: list[Board] = []

    def opening_it() -> Board:
        clean = lambda text: text.replace("hunter2", "[secret]")  # noqa: E731
        opened.append(opening.open_board(place, clean=clean))
        return opened[-1]

    yield opening_it
    for board in opened:
        board.close()


@pytest.fixture
def board(open_board: Callable[[], Board]) -> Board:
    board = open_board()
    sessions.start(board, "Ogun", role="Engineer")
    sessions.start(board, "Eris", role="Tester")
    return board
