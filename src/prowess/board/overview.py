"""
The board at a glance, and in a report: both only say what the tasks, sessions and handoffs say.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from prowess.board.telling import session_as_json
from prowess.core.board import (
    FINISHED,
    ROLES,
    TASK_STATUSES,
    Board,
    BoardTask,
    Handoff,
    Session,
    role_named,
)

_MARKS = re.compile(r"([\\`*_\[\]<>|~])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """`role` is empty for the whole board. `next` are open tasks, in the board's order."""

    role: str
    counts: dict[str, int]
    sessions: tuple[Session, ...]
    held: dict[str, list[str]]  # the ids of unfinished tasks by the name of who has them
    next: tuple[BoardTask, ...]
    blocked: tuple[BoardTask, ...]
    handoffs: tuple[Handoff, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "role": self.role,
            "counts": self.counts,
            "sessions": [
                {**session_as_json(each), "tasks": self.held.get(each.name, [])}
                for each in self.sessions
            ],
            "next": [each.as_json() for each in self.next],
            "blocked": [each.as_json() for each in self.blocked],
            "handoffs": [each.as_json() for each in self.handoffs],
        }


def overview(board: Board, *, role: str | None = None, limit: int = 10) -> Overview:
    """With a role: its tasks, its sessions, and the handoffs that wait for it."""
    chosen = role_named(role).name if role else None
    tasks = board.tasks(role=chosen)
    waiting = board.handoffs(to_role=chosen, statuses=["pending"])
    held: dict[str, list[str]] = {}
    for task in board.tasks(statuses=("in-progress", "blocked")):
        if task.session:
            held.setdefault(task.session, []).append(task.id)
    return Overview(
        role=chosen or "",
        counts=_counts(tasks),
        sessions=tuple(each for each in board.sessions() if chosen in {None, each.role}),
        held=held,
        next=tuple(each for each in tasks if each.status == "open")[:limit],
        blocked=tuple(each for each in tasks if each.status == "blocked")[:limit],
        handoffs=tuple(waiting),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """`finished` are those of the last `days`, the newest first."""

    days: int
    by_status: dict[str, int]
    by_role: dict[str, dict[str, int]]
    in_progress: tuple[BoardTask, ...]
    blocked: tuple[BoardTask, ...]
    finished: tuple[BoardTask, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "days": self.days,
            "by_status": self.by_status,
            "by_role": self.by_role,
            "in_progress": [each.as_json() for each in self.in_progress],
            "blocked": [each.as_json() for each in self.blocked],
            "finished": [each.as_json() for each in self.finished],
        }


def report(tasks: Sequence[BoardTask], *, days: int = 7, now: datetime | None = None) -> Report:
    since = ((now or datetime.now(UTC)) - timedelta(days=days)).isoformat(timespec="milliseconds")
    finished = [each for each in tasks if each.finished >= since and each.status in FINISHED]
    return Report(
        days=days,
        by_status=_counts(tasks),
        by_role={
            role.name: _counts(own)
            for role in ROLES
            if (own := [each for each in tasks if each.role == role.name])
        },
        in_progress=tuple(each for each in tasks if each.status == "in-progress"),
        blocked=tuple(each for each in tasks if each.status == "blocked"),
        finished=tuple(sorted(finished, key=lambda each: each.finished, reverse=True)),
    )


def markdown(told: Report) -> str:
    """The report as a page that can be pasted anywhere."""
    heads = " | ".join(TASK_STATUSES)
    table = [f"| role | {heads} |", "|---" * (len(TASK_STATUSES) + 1) + "|"]
    for role, counts in {**told.by_role, "all": told.by_status}.items():
        table.append(f"| {role} | {' | '.join(str(counts[each]) for each in TASK_STATUSES)} |")
    days = "day" if told.days == 1 else f"{told.days} days"
    parts = [
        "# Tasks",
        "\n".join(table),
        _section("In progress", [f"{_line(each)} ({each.session})" for each in told.in_progress]),
        _section("Blocked", [f"{_line(each)}: {_plain(each.reason)}" for each in told.blocked]),
        _section(
            f"Finished in the last {days}",
            [f"{_line(each)}: {each.status} on {each.finished[:10]}" for each in told.finished],
        ),
    ]
    return "\n\n".join(parts)


def _section(heading: str, lines: Sequence[str]) -> str:
    return f"## {heading}\n\n" + ("\n".join(f"- {line}" for line in lines) or "None.")


def _line(task: BoardTask) -> str:
    return f"{task.id} {_plain(task.title)}"


def _plain(text: str) -> str:
    """On one line, with nothing in it that Markdown would take for its own."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def _counts(tasks: Sequence[BoardTask]) -> dict[str, int]:
    number = Counter(each.status for each in tasks)
    return {status: number[status] for status in TASK_STATUSES}
