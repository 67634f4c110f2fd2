"""
Sessions: an agent comes under a free name, and leaves with a word about what it did.

What a session still holds when it leaves goes back to the board, so no task is ever in the hands
of somebody who is gone.
"""

import difflib
from dataclasses import replace

from prowess.board import words
from prowess.core.board import UNFINISHED, Board, BoardTask, Change, Session, role_named
from prowess.core.errors import ConflictError, NotOnBoardError


def at_work(board: Board, name: str) -> Session:
    """The session of this name that has not ended, in upper or lower case."""
    there = {session.name.lower(): session for session in board.sessions()}
    if session := there.get(name.lower()):
        return session
    near = difflib.get_close_matches(name.lower(), there, n=1)
    raise NotOnBoardError(
        f"no session named {name} is at work",
        hint=f"did you mean {there[near[0]].name}?"
        if near
        else "`prowess session list` shows who is; `prowess session start NAME --role ROLE` begins one",
    )


def start(board: Board, name: str, *, role: str, task: str = "") -> Session:
    name, chosen = words.agent_name(name), role_named(role)
    about = words.line(board, task, "what the session is about")
    with board.changing() as change:
        taken = [each for each in board.sessions() if each.name.lower() == name.lower()]
        if taken:
            raise ConflictError(
                f"{taken[0].name} is at work already, as {taken[0].role}",
                hint=f"`prowess name suggest {chosen.name}` has names that are free",
            )
        session = Session(name=name, role=chosen.name, task=about, started=change.now)
        summary = f"{name} is at work as {chosen.name}"
        return change.keep(session, "session.started", summary=summary, by=name)


def end(board: Board, name: str, *, summary: str = "") -> tuple[Session, list[BoardTask]]:
    """Returns also the tasks that went back to the board."""
    summary = words.text(board, summary, "the summary")
    with board.changing() as change:
        session = at_work(board, name)
        left = _put_back(board, change, session.name)
        ended = replace(session, ended=change.now, summary=summary)
        told = f"{session.name} has left"
        return change.keep(ended, "session.ended", summary=told, by=session.name), left


def _put_back(board: Board, change: Change, name: str) -> list[BoardTask]:
    """Others can claim what was in progress; what is blocked stays so, in nobody's hands."""
    left = []
    for task in board.tasks(statuses=UNFINISHED, session=name):
        free = replace(
            task,
            status="blocked" if task.status == "blocked" else "open",
            session="",
            updated=change.now,
        )
        summary = f"{name} left {task.id}: {task.title}"
        kept = change.keep(free, "task.updated", summary=summary, by=name, message=f"{name} left")
        left.append(kept)
    return left
