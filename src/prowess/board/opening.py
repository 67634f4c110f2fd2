"""Which board it is: in the file of the event log, or in its database."""

from collections.abc import Callable

from prowess.core.board import Board
from prowess.core.place import is_database


def open_board(place: str, *, clean: Callable[[str], str]) -> Board:
    """`place` is where the event log is, which has been opened before."""
    if is_database(place):
        from prowess.board.postgres import PostgresBoard

        return PostgresBoard(place, clean=clean)
    from prowess.board.store import SqliteBoard

    return SqliteBoard(place, clean=clean)
