"""
The board: what is to be done, who is at work, and what one hands to another.

A `BoardTask` lives on the board over many runs and has nothing to do with the `Task` of a plan
file. An open task is nobody's; one in progress is a session's and of no other. A finished task has
no unfinished subtask. A change that does not apply is an error that says how things stand.
"""

import difflib
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from prowess.core.errors import UsageError
from prowess.core.near import did_you_mean

RUN = "board"  # the run under which the log keeps what happens on the board

Priority = Literal["critical", "high", "medium", "low"]
PRIORITIES: tuple[Priority, ...] = ("critical", "high", "medium", "low")

TaskStatus = Literal["open", "in-progress", "blocked", "done", "failed", "cancelled"]
UNFINISHED: tuple[TaskStatus, ...] = ("open", "in-progress", "blocked")
FINISHED: tuple[TaskStatus, ...] = ("done", "failed", "cancelled")
TASK_STATUSES = UNFINISHED + FINISHED

HandoffStatus = Literal["pending", "accepted", "completed", "cancelled"]
HANDOFF_STATUSES: tuple[HandoffStatus, ...] = ("pending", "accepted", "completed", "cancelled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """`prefix` begins the ids of its tasks."""

    name: str
    about: str

    @property
    def prefix(self) -> str:
        return self.name[:3].upper()

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "prefix": self.prefix, "about": self.about}


ROLES: tuple[Role, ...] = (
    Role(name="Administrator", about="keeps the project and its people in order"),
    Role(name="Architect", about="decides how the parts fit together"),
    Role(name="Engineer", about="builds what was decided"),
    Role(name="Tester", about="tries to break it before anybody else does"),
    Role(name="Documentarian", about="writes down what others need to know"),
    Role(name="Designer", about="shapes what people see and touch"),
    Role(name="Inspector", about="looks closely and says what is wrong"),
    Role(name="Operator", about="keeps it running"),
    Role(name="Historian", about="remembers what was done, and why"),
    Role(name="worker", about="brings one task to its end"),
    Role(name="orchestrator", about="cuts the goal into tasks and judges what comes back"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardTask:
    """
    `number` counts all tasks of the board and is never used twice; 0 is a task not yet kept.

    `session` is the name of who has it, or had it at its end. `reason` says why it is blocked or
    has failed. Times are UTC; `finished` is empty until then. `parent` is a task's id, or empty.
    """

    number: int = 0
    title: str
    description: str = ""
    role: str
    priority: Priority
    status: TaskStatus = "open"
    session: str = ""
    reason: str = ""
    parent: str = ""
    created: str = ""
    updated: str = ""
    finished: str = ""

    @property
    def id(self) -> str:
        return f"{role_named(self.role).prefix}-{self.priority[0].upper()}-{self.number:04d}"

    @property
    def order(self) -> tuple[int, str, int]:
        """Tasks stand by priority, then prefix, then number."""
        return PRIORITIES.index(self.priority), role_named(self.role).prefix, self.number

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": self.title,
            "description": self.description,
            "role": self.role,
            "priority": self.priority,
            "status": self.status,
            "session": self.session,
            "reason": self.reason,
            "parent": self.parent,
            "created": self.created,
            "updated": self.updated,
            "finished": self.finished,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMessage:
    """What was said when a task changed; `status` is the one it then had, `by` may be empty."""

    at: str
    by: str
    status: TaskStatus
    text: str

    def as_json(self) -> dict[str, Any]:
        return {"at": self.at, "by": self.by, "status": self.status, "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """An agent at work under a name that nobody else at work has; `ended` is empty until it leaves."""

    number: int = 0
    name: str
    role: str
    task: str = ""  # what it is about, in words or as a task's id
    started: str = ""
    ended: str = ""
    summary: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.number,
            "name": self.name,
            "role": self.role,
            "task": self.task,
            "started": self.started,
            "ended": self.ended,
            "summary": self.summary,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """
    Work that one role passes to another. `sender` is the session that wrote it, or empty;
    `receiver` the one that accepted it; `message` what was said at its last change.
    """

    number: int = 0
    sender: str = ""
    from_role: str
    to_role: str
    task: str = ""
    text: str
    status: HandoffStatus = "pending"
    receiver: str = ""
    message: str = ""
    created: str = ""
    updated: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.number,
            "sender": self.sender,
            "from_role": self.from_role,
            "to_role": self.to_role,
            "task": self.task,
            "text": self.text,
            "status": self.status,
            "receiver": self.receiver,
            "message": self.message,
            "created": self.created,
            "updated": self.updated,
        }


Noun = TypeVar("Noun", BoardTask, Session, Handoff)


class Change(Protocol):
    """One change of the board under way; what is read from the board stays true until it ends."""

    now: str  # the time of the change, for everything in it

    def keep(self, noun: Noun, kind: str, *, summary: str, by: str = "", message: str = "") -> Noun:
        """
        Add what has no number yet, or write what has one, together with the event `kind`, whose
        first word is the noun's. A task also gets the message in its history. Returns what is kept.
        """
        ...


class Board(Protocol):
    """
    Where the board is kept. One contract suite holds for every implementation.

    May be used by several threads and processes at once: changes happen one after the other, and
    each is kept whole, with its events, or not at all.
    """

    def clean(self, text: str) -> str:
        """The text without the secrets and personal data that may not be kept."""
        ...

    def changing(self) -> AbstractContextManager[Change]:
        """Nobody else changes the board meanwhile; an error inside leaves it as it was."""
        ...

    def task(self, number: int) -> BoardTask | None: ...

    def tasks(
        self,
        *,
        role: str | None = None,
        statuses: Collection[TaskStatus] = TASK_STATUSES,
        session: str | None = None,
        parent: str | None = None,
    ) -> list[BoardTask]:
        """In the board's order."""
        ...

    def messages(self, task: BoardTask) -> list[TaskMessage]:
        """The history of a task, oldest first."""
        ...

    def sessions(self, *, ended: bool = False) -> list[Session]:
        """Those at work, the oldest first; with `ended` those that have left as well."""
        ...

    def names_used(self) -> Mapping[str, int]:
        """How many sessions each name has had, by the name in lower case."""
        ...

    def handoff(self, number: int) -> Handoff | None: ...

    def handoffs(
        self,
        *,
        to_role: str | None = None,
        statuses: Collection[HandoffStatus] = HANDOFF_STATUSES,
        task: str | None = None,
    ) -> list[Handoff]:
        """The oldest first."""
        ...

    def close(self) -> None: ...


_BY_NAME = {role.name.lower(): role for role in ROLES}


def role_named(name: str) -> Role:
    """Upper and lower case are the same."""
    if role := _BY_NAME.get(name.lower()):
        return role
    near = difflib.get_close_matches(name.lower(), _BY_NAME, n=1)
    hint = f"did you mean {_BY_NAME[near[0]].name}?" if near else "`prowess roles` lists them"
    raise UsageError(f"there is no role {name!r}", hint=hint)


def priority_named(name: str) -> Priority:
    """In full, or its first letter."""
    for priority in PRIORITIES:
        if name.lower() in {priority, priority[0]}:
            return priority
    raise UsageError(f"there is no priority {name!r}", hint=f"use {', '.join(PRIORITIES)}")


def task_status_named(name: str) -> TaskStatus:
    """Other tools say `completed` for `done` and write blanks or underscores for the hyphen."""
    wanted = name.lower().replace("_", "-").replace(" ", "-")
    wanted = "done" if wanted == "completed" else wanted
    for status in TASK_STATUSES:
        if wanted == status:
            return status
    raise _no_status(name, TASK_STATUSES)


def handoff_status_named(name: str) -> HandoffStatus:
    for status in HANDOFF_STATUSES:
        if name.lower() == status:
            return status
    raise _no_status(name, HANDOFF_STATUSES)


def _no_status(name: str, known: Sequence[str]) -> UsageError:
    near = did_you_mean(name, known, most=1)
    listed = f"use {', '.join(known)}"
    return UsageError(f"there is no status {name!r}", hint=f"{near} {listed}" if near else listed)
