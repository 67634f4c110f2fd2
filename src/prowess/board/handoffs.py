"""
Handoffs: one role writes down what another should go on with.

Pending until a session of that role accepts it; then completed. Until it is completed it can be
cancelled. A task that it names stays in the hands it is in: who accepts can claim it once it is free.
"""

from dataclasses import replace

from prowess.board import words
from prowess.board.sessions import at_work
from prowess.board.tasks import find as find_task
from prowess.core.board import ROLES, Board, Handoff, HandoffStatus, role_named
from prowess.core.errors import ConflictError, NotOnBoardError


def find(board: Board, number: int) -> Handoff:
    found = board.handoff(number)
    if found is None:
        raise NotOnBoardError(
            f"there is no handoff {number}", hint="`prowess handoff list` lists them"
        )
    return found


def create(board: Board, *, sender: str, to_role: str, text: str, task: str = "") -> Handoff:
    """`sender` is a session at work, or a role."""
    receiver = role_named(to_role).name
    text = words.needed(
        words.text(board, text, "the handoff"), "the text", "say what is done and what is left"
    )
    with board.changing() as change:
        if sender.lower() in {role.name.lower() for role in ROLES}:
            name, from_role = "", role_named(sender).name
        else:
            session = at_work(board, sender)
            name, from_role = session.name, session.role
        handoff = Handoff(
            sender=name,
            from_role=from_role,
            to_role=receiver,
            task=find_task(board, task).id if task else "",
            text=text,
            created=change.now,
            updated=change.now,
        )
        summary = f"{name or from_role} hands over to {receiver}"
        return change.keep(handoff, "handoff.created", summary=summary, by=name)


def accept(board: Board, number: int, *, session: str) -> Handoff:
    with board.changing() as change:
        handoff, who = find(board, number), at_work(board, session)
        _check(handoff, "accepted", ("pending",))
        if who.role != handoff.to_role:
            raise ConflictError(
                f"handoff {number} is for {handoff.to_role}, and {who.name} is {who.role}",
                hint=f"`prowess handoff list --role {who.role}` shows what is for {who.role}",
            )
        taken = replace(handoff, status="accepted", receiver=who.name, updated=change.now)
        summary = f"{who.name} accepts handoff {number}"
        return change.keep(taken, "handoff.accepted", summary=summary, by=who.name)


def complete(board: Board, number: int, *, message: str = "", by: str = "") -> Handoff:
    return _ended(board, number, "completed", from_=("accepted",), message=message, by=by)


def cancel(board: Board, number: int, *, message: str = "", by: str = "") -> Handoff:
    return _ended(board, number, "cancelled", from_=("pending", "accepted"), message=message, by=by)


def _ended(
    board: Board,
    number: int,
    status: HandoffStatus,
    *,
    from_: tuple[HandoffStatus, ...],
    message: str,
    by: str,
) -> Handoff:
    message = words.text(board, message, "the message")
    with board.changing() as change:
        handoff = find(board, number)
        author = at_work(board, by).name if by else ""
        _check(handoff, status, from_)
        ended = replace(handoff, status=status, message=message, updated=change.now)
        summary = f"handoff {number} is {status}"
        return change.keep(ended, f"handoff.{status}", summary=summary, by=author, message=message)


def _check(handoff: Handoff, status: HandoffStatus, from_: tuple[HandoffStatus, ...]) -> None:
    if handoff.status in from_:
        return
    by = f" by {handoff.receiver}" if handoff.receiver else ""
    hint = (
        "accept it first" if handoff.status == "pending" else "`prowess handoff list` shows others"
    )
    raise ConflictError(
        f"handoff {handoff.number} is {handoff.status}{by} and cannot be {status}", hint=hint
    )
