"""A new board, with two agents at work on it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prowess.board import sessions
from prowess.board.store import SqliteBoard
from prowess.core.board import Board
from prowess.observe.log import SqliteLog


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A log's file, as the board finds it."""
    path = tmp_path / "log.sqlite3"
    SqliteLog(str(path)).close()
    return path


@pytest.fixture
def open_board(file: Path) -> Iterator[Callable[[], Board]]:
    opened: list[Board] = []

    def opening() -> Board:
        opened.append(
            SqliteBoard(str(file), clean=lambda text: text.replace("hunter2", "[secret]"))
        )
        return opened[-1]

    yield opening
    for board in opened:
        board.close()


@pytest.fixture
def board(open_board: Callable[[], Board]) -> Board:
    board = open_board()
    sessions.start(board, "Ogun", role="Engineer")
    sessions.start(board, "Eris", role="Tester")
    return board
