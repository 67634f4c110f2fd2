"""
Tasks: made, claimed, moved on, finished.

`NEXT` is all that can happen to a task; besides it there is only the claim, which takes an open
task for one session. Who holds a task decides about it: another session is refused, a person (no
session) is not.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from prowess.board import words
from prowess.board.sessions import at_work
from prowess.core.board import (
    FINISHED,
    UNFINISHED,
    Board,
    BoardTask,
    Change,
    TaskStatus,
    priority_named,
    role_named,
)
from prowess.core.errors import ConflictError, NotOnBoardError, UsageError
from prowess.core.near import did_you_mean

NEXT: Mapping[TaskStatus, tuple[TaskStatus, ...]] = {
    "open": ("blocked", "cancelled"),
    "in-progress": ("open", "blocked", "done", "failed", "cancelled"),
    "blocked": ("open", "in-progress", "failed", "cancelled"),
    "done": ("open",),
    "failed": ("open",),
    "cancelled": ("open",),
}
_ID = re.compile(r"[A-Z]{3}-[CHML]-([0-9]{4,18})", re.ASCII)


def find(board: Board, id: str) -> BoardTask:  # noqa: A002  what everybody calls it
    """The task with this id, in upper or lower case."""
    named = _ID.fullmatch(id.upper())
    found = board.task(int(named[1])) if named else None
    if found is None:
        near = did_you_mean(id, (task.id for task in board.tasks()))
        hint = near or "`prowess task list` lists them"
        raise NotOnBoardError(f"there is no task {id}", hint=hint)
    if found.id != id.upper():
        raise NotOnBoardError(f"there is no task {id}", hint=f"did you mean {found.id}?")
    return found


def create(
    board: Board,
    *,
    title: str,
    role: str | None = None,
    priority: str | None = None,
    parent: str | None = None,
    description: str = "",
    by: str = "",
) -> BoardTask:
    """A subtask has its parent's role and priority where it is given none of its own."""
    title = words.needed(
        words.line(board, title, "the title"), "the title", "say what is to be done"
    )
    description = words.text(board, description, "the description")
    with board.changing() as change:
        author = at_work(board, by).name if by else ""
        above = find(board, parent) if parent else None
        if above and above.status in FINISHED:
            raise ConflictError(
                f"{above.id} is {above.status}, so it takes no more subtasks",
                hint=f"open it again first: prowess task update {above.id} --status open",
            )
        if role is None and above is None:
            raise UsageError("whose task is it?", hint="name a role, or a parent to take it from")
        task = BoardTask(
            title=title,
            description=description,
            role=role_named(role or (above.role if above else "")).name,
            priority=priority_named(priority or (above.priority if above else "medium")),
            parent=above.id if above else "",
            created=change.now,
            updated=change.now,
        )
        return change.keep(task, "task.created", summary=f"new task: {title}", by=author)


def claim(board: Board, id: str, *, session: str) -> BoardTask:  # noqa: A002
    """Of all who claim a task at the same moment one gets it, and the others are told who."""
    with board.changing() as change:
        task, who = find(board, id), at_work(board, session)
        if task.status != "open":
            raise ConflictError(_why_not_open(task, who.name), hint=_instead(task))
        taken = replace(task, status="in-progress", session=who.name, updated=change.now)
        summary = f"{who.name} has {task.id}: {task.title}"
        return change.keep(taken, "task.claimed", summary=summary, by=who.name)


def update(
    board: Board,
    id: str,  # noqa: A002
    *,
    status: TaskStatus | None = None,
    message: str = "",
    by: str = "",
) -> BoardTask:
    """Move a task to another status, or only say something about it."""
    message = words.text(board, message, "the message")
    if status is None:
        words.needed(message, "what to change", "give a status, a message or both")
    if status in {"blocked", "failed"}:
        words.needed(message, "the message", f"say why it is {status}")
    with board.changing() as change:
        task = find(board, id)
        author = at_work(board, by).name if by else ""
        if author and task.session not in {"", author} and task.status in UNFINISHED:
            raise ConflictError(
                f"{task.id} is in the hands of {task.session}",
                hint=f"{task.session} can set it to open, and then {author} can claim it",
            )
        if status is None:
            said = replace(task, updated=change.now)
            summary = f"{task.id}: {_first_line(message)}"
            return change.keep(said, "task.updated", summary=summary, by=author, message=message)
        _check(board, task, status)
        return _moved(change, task, status, message=message, by=author)


def _moved(
    change: Change, task: BoardTask, status: TaskStatus, *, message: str, by: str
) -> BoardTask:
    moved = replace(
        task,
        status=status,
        session="" if status == "open" else task.session,
        reason=message if status in {"blocked", "failed"} else "",
        updated=change.now,
        finished=change.now if status in FINISHED else "",
    )
    kind = "task.done" if status == "done" else "task.updated"
    summary = f"{task.id} is {status}: {task.title}"
    return change.keep(moved, kind, summary=summary, by=by, message=message)


def _check(board: Board, task: BoardTask, status: TaskStatus) -> None:
    """Raise `ConflictError` where the task cannot get this status now."""
    if status == task.status:
        raise ConflictError(f"{task.id} is {status} already", hint=_instead(task))
    if task.status == "open" and status in {"in-progress", "done", "failed"}:
        raise ConflictError(
            f"{task.id} is open: nobody has claimed it",
            hint=f"claim it first: prowess task claim {task.id} --session NAME",
        )
    if status not in NEXT[task.status]:
        raise ConflictError(
            f"{task.id} is {task.status} and cannot become {status}", hint=_instead(task)
        )
    if status == "in-progress" and not task.session:
        raise ConflictError(
            f"{task.id} is in nobody's hands", hint="set it to open, and then claim it"
        )
    if status in FINISHED and (below := board.tasks(parent=task.id, statuses=UNFINISHED)):
        raise ConflictError(
            f"{task.id} has unfinished subtasks: {', '.join(each.id for each in below)}",
            hint="finish or cancel them first",
        )
    if status == "open" and task.status in FINISHED and task.parent:
        above = find(board, task.parent)
        if above.status in FINISHED:
            raise ConflictError(
                f"{above.id}, the parent of {task.id}, is {above.status}",
                hint=f"open it first: prowess task update {above.id} --status open",
            )


def _why_not_open(task: BoardTask, asking: str) -> str:
    if task.status in FINISHED or not task.session:
        return f"{task.id} is {task.status}"
    if task.session == asking:
        return f"{asking} has {task.id} already"
    return f"{task.session} has {task.id}"


def _instead(task: BoardTask) -> str:
    if task.status == "in-progress":
        return "`prowess task list --status open` shows what is free"
    return f"from {task.status} it can become {', '.join(NEXT[task.status])}"


def _first_line(message: str) -> str:
    return message.splitlines()[0][: words.LONGEST_LINE]
