"""Tasks, sessions and handoffs as tools, in the same words as `prowess task`, `session` and `handoff`."""

import asyncio
from collections.abc import Mapping
from typing import Any

from prowess.board import handoffs, overview, sessions, tasks
from prowess.board.telling import (
    ended_as_json,
    found_handoffs,
    found_tasks,
    session_as_json,
    whole_task,
)
from prowess.core.board import (
    HANDOFF_STATUSES,
    PRIORITIES,
    ROLES,
    TASK_STATUSES,
    Board,
    task_status_named,
)
from prowess.permit.visibility import Role
from prowess.serve.mcp_own import Own, Properties, choice, flag, number, text
from prowess.serve.mcp_visit import ToolCall, told

_ROLE = choice([role.name for role in ROLES], "Whose it is.")
_TASK = text("A task's id, such as ENG-H-0042.")
_SESSION = text("The name of the session that does it; a person does, when it is left out.")
_MESSAGE = text("What there is to say about it.")
_HANDOFF = number("A handoff's number.")


def _board_tool(
    name: str,
    about: str,
    work: Any,
    properties: Properties,
    *,
    needs: tuple[str, ...] = (),
    reads_only: bool = False,
) -> Own:
    async def called(call: ToolCall) -> Any:
        # Aside, because the board may have to wait for another process that changes it.
        return told(await asyncio.to_thread(work, call.visit.premises.board, call.arguments))

    return Own(
        name=f"prowess_{name}",
        about=about,
        properties=properties,
        needs=needs,
        reads_only=reads_only,
        least=Role.END_USER if reads_only else Role.DEVELOPER,
        work=called,
    )


def _list_tasks(board: Board, given: Mapping[str, Any]) -> dict[str, Any]:
    return {"tasks": [each.as_json() for each in found_tasks(board, **_ended(given))]}


def _show_task(board: Board, given: Mapping[str, Any]) -> dict[str, Any]:
    return whole_task(board, given["id"])


def _create_task(board: Board, given: Mapping[str, Any]) -> dict[str, Any]:
    return tasks.create(
        board,
        title=given["title"],
        role=given.get("role"),
        priority=given.get("priority"),
        parent=given.get("parent"),
        description=given.get("description", ""),
        by=given.get("session", ""),
    ).as_json()


def _claim_task(board: Board, given: Mapping[str, Any]) -> dict[str, Any]:
    return tasks.claim(board, given["id"], session=given["session"]).as_json()


def _update_task(board: Board, given: Mapping[str, Any]) -> dict[str, Any]:
    return tasks.update(
        board,
        given["id"],
        status=task_status_named(given["status"]) if "status" in given else None,
        message=given.get("message", ""),
        by=given.get("session", ""),
    ).as_json()


def _finish_task(board: Board, given: Mapping[str, Any]) -> dict[str, Any]:
    return _update_task(board, {**given, "status": "done"})


def _list_sessions(board: Board, given: Mapping[str, Any]) -> dict[str, Any]:
    return {"sessions": [session_as_json(each) for each in board.sessions(**_ended(given))]}


def _start_session(board: Board, given: Mapping[str, Any]) -> dict[str, Any]:
    task = given.get("task", "")
    return session_as_json(sessions.start(board, given["name"], role=given["role"], task=task))


def _end_session(board: Board, given: Mapping[str, Any]) -> dict[str, Any]:
    return ended_as_json(*sessions.end(board, given["name"], summary=given.get("summary", "")))


def _list_handoffs(board: Board, given: Mapping[str, Any]) -> dict[str, Any]:
    return {"handoffs": [each.as_json() for each in found_handoffs(board, **_ended(given))]}


def _create_handoff(board: Board, given: Mapping[str, Any]) -> dict[str, Any]:
    return handoffs.create(
        board,
        sender=given["sender"],
        to_role=given["to_role"],
        text=given["text"],
        task=given.get("task", ""),
    ).as_json()


def _update_handoff(board: Board, given: Mapping[str, Any]) -> dict[str, Any]:
    id_, session, message = given["id"], given.get("session", ""), given.get("message", "")
    match given["status"]:
        case "accepted":
            return handoffs.accept(board, id_, session=session).as_json()
        case "completed":
            return handoffs.complete(board, id_, message=message, by=session).as_json()
        case _:
            return handoffs.cancel(board, id_, message=message, by=session).as_json()


def _ended(given: Mapping[str, Any]) -> dict[str, Any]:
    """What is called `all` outside."""
    return {{"all": "ended"}.get(name, name): value for name, value in given.items()}


def _show_board(board: Board, given: Mapping[str, Any]) -> dict[str, Any]:
    return overview.overview(board, role=given.get("role")).as_json()


TOOLS = (
    _board_tool(
        "dashboard",
        "The board at a glance: counts, who is at work, what is next, blocked or handed over.",
        _show_board,
        {"role": _ROLE},
        reads_only=True,
    ),
    _board_tool(
        "task_list",
        "The unfinished tasks of the board, or those with one status, most urgent first.",
        _list_tasks,
        {
            "role": _ROLE,
            "status": choice(TASK_STATUSES, "Only this status."),
            "session": text("Only what this session has."),
            "all": flag("Finished ones as well."),
        },
        reads_only=True,
    ),
    _board_tool(
        "task_show",
        "One task, with its subtasks, its handoffs and all that was said about it.",
        _show_task,
        {"id": _TASK},
        needs=("id",),
        reads_only=True,
    ),
    _board_tool(
        "task_create",
        "Put a task on the board.",
        _create_task,
        {
            "title": text("What is to be done, on one line."),
            "role": _ROLE,
            "priority": choice(PRIORITIES, "Default: the parent's, else medium."),
            "parent": text("The id of the task it is a part of."),
            "description": text("All that whoever does it must know."),
            "session": _SESSION,
        },
        needs=("title",),
    ),
    _board_tool(
        "task_claim",
        "Take an open task for a session; nobody else can have it then.",
        _claim_task,
        {"id": _TASK, "session": text("The name of the session that takes it.")},
        needs=("id", "session"),
    ),
    _board_tool(
        "task_update",
        "Change a task's status, say something about it, or both. Blocked and failed need a message.",
        _update_task,
        {
            "id": _TASK,
            "status": choice(TASK_STATUSES, "The new status."),
            "message": _MESSAGE,
            "session": _SESSION,
        },
        needs=("id",),
    ),
    _board_tool(
        "task_done",
        "Finish a task that is in progress and has no unfinished subtasks.",
        _finish_task,
        {"id": _TASK, "message": _MESSAGE, "session": _SESSION},
        needs=("id",),
    ),
    _board_tool(
        "session_list",
        "Who is at work, the longest there first.",
        _list_sessions,
        {"all": flag("Those that have left as well.")},
        reads_only=True,
    ),
    _board_tool(
        "session_start",
        "Begin to work under a name and in a role; tasks are claimed under that name.",
        _start_session,
        {
            "name": text("A name nobody at work has."),
            "role": _ROLE,
            "task": text("What it is about."),
        },
        needs=("name", "role"),
    ),
    _board_tool(
        "session_end",
        "Leave; what was in progress goes back to the board.",
        _end_session,
        {"name": text("The session's name."), "summary": text("What was done.")},
        needs=("name",),
    ),
    _board_tool(
        "handoff_list",
        "Handoffs that are pending or accepted, or those with one status, the oldest first.",
        _list_handoffs,
        {
            "role": _ROLE,
            "status": choice(HANDOFF_STATUSES, "Only this status."),
            "all": flag("Ended ones as well."),
        },
        reads_only=True,
    ),
    _board_tool(
        "handoff_create",
        "Pass work to another role: what is done, what is left, what to know.",
        _create_handoff,
        {
            "sender": text("The session, or the role, that passes it on."),
            "to_role": _ROLE,
            "text": text("What is done and what is left."),
            "task": text("The id of the task it is about."),
        },
        needs=("sender", "to_role", "text"),
    ),
    _board_tool(
        "handoff_update",
        "Accept a handoff for a session, complete it, or cancel it.",
        _update_handoff,
        {
            "id": _HANDOFF,
            "status": choice(("accepted", "completed", "cancelled"), "What happens to it."),
            "session": _SESSION,
            "message": _MESSAGE,
        },
        needs=("id", "status"),
    ),
)
