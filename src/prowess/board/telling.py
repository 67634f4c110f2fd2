"""What the board tells whoever asks: the same for the command line, REST and MCP."""

from collections.abc import Sequence
from typing import Any

from prowess.board.names import about
from prowess.board.tasks import find
from prowess.core.board import (
    HANDOFF_STATUSES,
    TASK_STATUSES,
    UNFINISHED,
    Board,
    BoardTask,
    Handoff,
    HandoffStatus,
    Session,
    handoff_status_named,
    role_named,
    task_status_named,
)

WAITING: tuple[HandoffStatus, ...] = ("pending", "accepted")


def found_tasks(
    board: Board,
    *,
    role: str | None = None,
    status: str | None = None,
    session: str | None = None,
    ended: bool = False,
) -> Sequence[BoardTask]:
    """The unfinished ones; with `ended` all of them, with a status those that have it."""
    wanted = (task_status_named(status),) if status else TASK_STATUSES if ended else UNFINISHED
    return board.tasks(role=_role(role), statuses=wanted, session=session)


def whole_task(board: Board, id: str) -> dict[str, Any]:  # noqa: A002
    """One task with its subtasks, its handoffs and all that was said about it."""
    found = find(board, id)
    return {
        **found.as_json(),
        "subtasks": [each.as_json() for each in board.tasks(parent=found.id)],
        "handoffs": [each.as_json() for each in board.handoffs(task=found.id)],
        "messages": [each.as_json() for each in board.messages(found)],
    }


def found_handoffs(
    board: Board, *, role: str | None = None, status: str | None = None, ended: bool = False
) -> Sequence[Handoff]:
    """Those that are pending or accepted; with `ended` all of them, with a status those that have it."""
    wanted = (handoff_status_named(status),) if status else HANDOFF_STATUSES if ended else WAITING
    return board.handoffs(to_role=_role(role), statuses=wanted)


def session_as_json(session: Session) -> dict[str, Any]:
    """With the line about its name."""
    return {**session.as_json(), "about": about(session.name)}


def ended_as_json(session: Session, left: Sequence[BoardTask]) -> dict[str, Any]:
    """`left` went back to the board."""
    return {**session_as_json(session), "left": [each.as_json() for each in left]}


def _role(named: str | None) -> str | None:
    return role_named(named).name if named else None
