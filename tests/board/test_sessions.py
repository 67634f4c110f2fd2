"""Agents come to work and leave."""

import pytest

from prowess.board import sessions, tasks
from prowess.core.board import Board
from prowess.core.errors import ConflictError, NotOnBoardError, UsageError


def test_a_session_starts_under_its_name(board: Board) -> None:
    session = sessions.start(board, "Ptah", role="architect", task="Plan hunter2")

    assert (session.name, session.role, session.task) == ("Ptah", "Architect", "Plan [secret]")
    assert sessions.at_work(board, "ptah") == session
    assert [each.name for each in board.sessions()] == ["Ogun", "Eris", "Ptah"]


def test_a_name_at_work_is_not_free(board: Board) -> None:
    with pytest.raises(ConflictError, match="Ogun is at work already, as Engineer") as taken:
        sessions.start(board, "OGUN", role="Tester")

    assert "prowess name suggest Tester" in taken.value.hint


def test_a_name_is_free_again_when_its_session_has_ended(board: Board) -> None:
    first = sessions.at_work(board, "Ogun")
    sessions.end(board, "Ogun")

    again = sessions.start(board, "Ogun", role="Engineer")

    assert again.number > first.number
    assert len(board.sessions(ended=True)) == 3


@pytest.mark.parametrize(
    "name", ["", "Two Words", "-x", "4", "_a", "a" * 41, "a/b", "Engineer", "worker"]
)
def test_what_cannot_be_a_name_is_refused(board: Board, name: str) -> None:
    with pytest.raises(UsageError):
        sessions.start(board, name, role="Engineer")
    assert len(board.sessions()) == 2


def test_a_session_ends_with_a_summary(board: Board) -> None:
    ended, left = sessions.end(board, "ogun", summary="It\nstands.")

    assert (ended.name, ended.summary, left) == ("Ogun", "It\nstands.", [])
    assert ended.ended
    assert [each.name for each in board.sessions()] == ["Eris"]


def test_a_session_ends_once(board: Board) -> None:
    sessions.end(board, "Ogun")

    with pytest.raises(NotOnBoardError, match="Ogun"):
        sessions.end(board, "Ogun")


def test_a_near_miss_is_told(board: Board) -> None:
    with pytest.raises(NotOnBoardError) as unknown:
        sessions.at_work(board, "Ogum")

    assert unknown.value.hint == "did you mean Ogun?"


def test_what_a_session_holds_goes_back_to_the_board(board: Board) -> None:
    for title in ("under way", "blocked", "done"):
        task = tasks.create(board, title=title, role="Engineer")
        tasks.claim(board, task.id, session="Ogun")
        if title != "under way":
            tasks.update(board, task.id, status=title, message="no key")  # type: ignore[arg-type]

    _, left = sessions.end(board, "Ogun")

    assert [(task.title, task.status, task.session) for task in board.tasks()] == [
        ("under way", "open", ""),
        ("blocked", "blocked", ""),
        ("done", "done", "Ogun"),
    ]
    assert [task.title for task in left] == ["under way", "blocked"]
    assert left[1].reason == "no key"
    assert board.messages(left[0])[-1].text == "Ogun left"
