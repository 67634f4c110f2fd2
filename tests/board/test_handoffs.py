"""Work passes from one role to another."""

from collections.abc import Callable

import pytest

from prowess.board import handoffs, sessions, tasks
from prowess.core.board import Board, Handoff
from prowess.core.errors import ConflictError, NotOnBoardError, UsageError

STEPS: dict[str, Callable[[Board], Handoff]] = {
    "accepted": lambda board: handoffs.accept(board, 1, session="Eris"),
    "completed": lambda board: handoffs.complete(board, 1),
    "cancelled": lambda board: handoffs.cancel(board, 1),
}
WAYS = {
    "pending": (),
    "accepted": ("accepted",),
    "completed": ("accepted", "completed"),
    "cancelled": ("cancelled",),
}
POSSIBLE = {"pending": {"accepted", "cancelled"}, "accepted": {"completed", "cancelled"}}


def a_handoff(board: Board, **more: str) -> Handoff:
    words = {"sender": "ogun", "to_role": "tester", "text": "Built; try hunter2", **more}
    return handoffs.create(board, **words)


def test_a_session_hands_over_in_its_role(board: Board) -> None:
    made = a_handoff(board)

    assert (made.sender, made.from_role, made.to_role) == ("Ogun", "Engineer", "Tester")
    assert (made.status, made.text, made.task) == ("pending", "Built; try [secret]", "")
    assert board.handoff(1) == made


def test_a_role_can_hand_over_without_a_session(board: Board) -> None:
    made = a_handoff(board, sender="architect")

    assert (made.sender, made.from_role) == ("", "Architect")


def test_a_handoff_may_be_about_a_task_which_stays_where_it_is(board: Board) -> None:
    task = tasks.create(board, title="Fix it", role="Engineer")
    held = tasks.claim(board, task.id, session="Ogun")

    a_handoff(board, task=task.id.lower())
    accepted = handoffs.accept(board, 1, session="Eris")

    assert accepted.task == task.id
    assert board.handoffs(task=task.id) == [accepted]
    assert board.task(1) == held


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"sender": "Sindri"}, NotOnBoardError),
        ({"to_role": "Pirate"}, UsageError),
        ({"text": " "}, UsageError),
        ({"task": "ENG-H-0001"}, NotOnBoardError),
    ],
)
def test_a_handoff_that_makes_no_sense_is_refused(
    board: Board, wrong: dict[str, str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        a_handoff(board, **wrong)
    assert board.handoffs() == []


@pytest.mark.parametrize("wanted", STEPS)
@pytest.mark.parametrize("status", WAYS)
def test_a_handoff_moves_forward_or_says_why_not(board: Board, status: str, wanted: str) -> None:
    a_handoff(board)
    for step in WAYS[status]:
        STEPS[step](board)
    before = board.handoff(1)

    if wanted in POSSIBLE.get(status, ()):
        assert STEPS[wanted](board).status == wanted
    else:
        with pytest.raises(ConflictError, match=f"handoff 1 is {status}") as refused:
            STEPS[wanted](board)
        assert refused.value.hint
        assert board.handoff(1) == before


def test_a_handoff_is_accepted_by_a_session_of_its_role(board: Board) -> None:
    a_handoff(board)

    with pytest.raises(ConflictError, match="for Tester, and Ogun is Engineer"):
        handoffs.accept(board, 1, session="Ogun")
    assert handoffs.accept(board, 1, session="eris").receiver == "Eris"


def test_who_comes_second_is_told_who_was_first(board: Board) -> None:
    a_handoff(board)
    sessions.start(board, "Loki", role="Tester")
    handoffs.accept(board, 1, session="Eris")

    with pytest.raises(ConflictError, match="accepted by Eris"):
        handoffs.accept(board, 1, session="Loki")


def test_the_last_word_is_kept(board: Board) -> None:
    a_handoff(board)

    assert handoffs.cancel(board, 1, message="no need").message == "no need"


def test_a_handoff_that_is_not_there_is_not_found(board: Board) -> None:
    with pytest.raises(NotOnBoardError, match="there is no handoff 1"):
        handoffs.cancel(board, 1)


def test_handoffs_are_listed_by_role_and_status(board: Board) -> None:
    a_handoff(board)
    a_handoff(board, to_role="Designer")
    handoffs.accept(board, 1, session="Eris")

    assert [each.number for each in board.handoffs()] == [1, 2]
    assert [each.number for each in board.handoffs(to_role="Designer")] == [2]
    assert [each.number for each in board.handoffs(statuses=["accepted"])] == [1]


@pytest.mark.parametrize("number", [2, 2**63, -(10**40)])
def test_a_number_that_no_handoff_can_have_is_not_found(board: Board, number: int) -> None:
    a_handoff(board)

    with pytest.raises(NotOnBoardError, match=f"there is no handoff {number}"):
        handoffs.complete(board, number)
