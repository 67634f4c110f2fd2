"""Tasks, sessions and handoffs of the board, in the words of `prowess task`, `session` and `handoff`."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict

from prowess.board import handoffs, names, overview, sessions, tasks, telling
from prowess.core.board import ROLES, task_status_named
from prowess.serve.auth import Developer
from prowess.serve.site import TheSite

router = APIRouter(prefix="/api", tags=["board"])
Id = Annotated[str, Path(description="A task's id.", examples=["ENG-H-0042"])]
Number = Annotated[int, Path(ge=1, lt=10**15, description="A handoff's id.")]
BoardRole = Annotated[str, Path(json_schema_extra={"enum": [role.name for role in ROLES]})]
Limit = Annotated[int, Query(ge=1, le=1000)]
Offset = Annotated[int, Query(ge=0, lt=10**9)]


def _body(**example: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"example": example})


class NewTask(BaseModel):
    """A subtask has its parent's role and priority where it is given none."""

    model_config = _body(title="Fix the parser", role="Engineer", priority="high")

    title: str
    role: str | None = None
    priority: str | None = None
    parent: str | None = None
    description: str = ""
    session: str = ""


class Claim(BaseModel):
    model_config = _body(session="Ptah")

    session: str


class Update(BaseModel):
    """Blocked and failed need a message. Without a session, a person does it."""

    model_config = _body(status="blocked", message="No access yet", session="Ptah")

    status: str | None = None
    message: str = ""
    session: str = ""


class Done(BaseModel):
    model_config = _body(message="make test: 212 passed", session="Ptah")

    message: str = ""
    session: str = ""


class NewSession(BaseModel):
    model_config = _body(name="Ptah", role="Engineer", task="ENG-H-0042")

    name: str
    role: str
    task: str = ""


class SessionEnd(BaseModel):
    model_config = _body(summary="The parser is fixed and tested")

    summary: str = ""


class NewHandoff(BaseModel):
    """`sender` is a session at work, or a role."""

    model_config = _body(sender="Ptah", to_role="Tester", task="ENG-H-0042", text="Please try it")

    sender: str
    to_role: str
    text: str
    task: str = ""


@router.get("/board")
def show_board(site: TheSite, role: str | None = None) -> Any:
    """How many tasks there are, who is at work, what is next, what waits; as `prowess dashboard`."""
    return overview.overview(site.board, role=role).as_json()


@router.get("/roles")
async def list_roles() -> Any:
    """The roles that sessions and tasks may have."""
    return [role.as_json() for role in ROLES]


@router.get("/names/{role}")
def suggest_names(
    site: TheSite, role: BoardRole, count: Annotated[int, Query(ge=1, le=50)] = 3
) -> Any:
    """Free names for an agent of this role, the least used first."""
    return [each.as_json() for each in names.suggest(site.board, role, count=count)]


@router.get("/tasks")
def list_tasks(
    site: TheSite,
    *,
    role: str | None = None,
    status: str | None = None,
    session: str | None = None,
    all: bool = False,  # noqa: A002
    limit: Limit = 1000,
    offset: Offset = 0,
) -> Any:
    """The unfinished ones by priority, role and number; with `all` or a status, others as well."""
    found = telling.found_tasks(site.board, role=role, status=status, session=session, ended=all)
    return [each.as_json() for each in found[offset : offset + limit]]


@router.post("/tasks", status_code=201)
def create_task(site: TheSite, _: Developer, asked: NewTask) -> Any:
    """Put a task on the board, whole or as a part of another."""
    made = tasks.create(
        site.board,
        title=asked.title,
        role=asked.role,
        priority=asked.priority,
        parent=asked.parent,
        description=asked.description,
        by=asked.session,
    )
    return made.as_json()


@router.get("/tasks/{id}")
def show_task(site: TheSite, id: Id) -> Any:  # noqa: A002
    """One task with its subtasks, its handoffs and all that was said about it."""
    return telling.whole_task(site.board, id)


@router.post("/tasks/{id}/claim")
def claim_task(site: TheSite, _: Developer, id: Id, asked: Claim) -> Any:  # noqa: A002
    """Take an open task; nobody else can have it then."""
    return tasks.claim(site.board, id, session=asked.session).as_json()


@router.post("/tasks/{id}/update")
def update_task(site: TheSite, _: Developer, id: Id, asked: Update) -> Any:  # noqa: A002
    """Change its status, say something about it, or both."""
    status = task_status_named(asked.status) if asked.status else None
    changed = tasks.update(site.board, id, status=status, message=asked.message, by=asked.session)
    return changed.as_json()


@router.post("/tasks/{id}/done")
def finish_task(site: TheSite, _: Developer, id: Id, asked: Done) -> Any:  # noqa: A002
    """Finish a task that is in progress and has no unfinished subtasks."""
    ended = tasks.update(site.board, id, status="done", message=asked.message, by=asked.session)
    return ended.as_json()


@router.get("/sessions")
def list_sessions(site: TheSite, all: bool = False) -> Any:  # noqa: A002, FBT001, FBT002
    """Those at work, the longest there first; with `all` those that have left as well."""
    return [telling.session_as_json(each) for each in site.board.sessions(ended=all)]


@router.post("/sessions", status_code=201)
def start_session(site: TheSite, _: Developer, asked: NewSession) -> Any:
    """Come to work under a name that is free."""
    session = sessions.start(site.board, asked.name, role=asked.role, task=asked.task)
    return telling.session_as_json(session)


@router.post("/sessions/{name}/end")
def end_session(site: TheSite, _: Developer, name: str, asked: SessionEnd) -> Any:
    """Leave; what it still holds goes back to the board."""
    return telling.ended_as_json(*sessions.end(site.board, name, summary=asked.summary))


@router.get("/handoffs")
def list_handoffs(
    site: TheSite,
    role: str | None = None,
    status: str | None = None,
    all: bool = False,  # noqa: A002, FBT001, FBT002
) -> Any:
    """Those that are pending or accepted, the oldest first; with `all` or a status, others as well."""
    found = telling.found_handoffs(site.board, role=role, status=status, ended=all)
    return [each.as_json() for each in found]


@router.post("/handoffs", status_code=201)
def create_handoff(site: TheSite, _: Developer, asked: NewHandoff) -> Any:
    """Write down what another role should go on with."""
    made = handoffs.create(
        site.board, sender=asked.sender, to_role=asked.to_role, text=asked.text, task=asked.task
    )
    return made.as_json()


@router.post("/handoffs/{id}/accept")
def accept_handoff(site: TheSite, _: Developer, id: Number, asked: Claim) -> Any:  # noqa: A002
    """Take over what was handed."""
    return handoffs.accept(site.board, id, session=asked.session).as_json()


@router.post("/handoffs/{id}/complete")
def complete_handoff(site: TheSite, _: Developer, id: Number, asked: Done) -> Any:  # noqa: A002
    """Say that the work which was handed over is done."""
    ended = handoffs.complete(site.board, id, message=asked.message, by=asked.session)
    return ended.as_json()


@router.post("/handoffs/{id}/cancel")
def cancel_handoff(site: TheSite, _: Developer, id: Number, asked: Done) -> Any:  # noqa: A002
    """Take back what was handed over."""
    ended = handoffs.cancel(site.board, id, message=asked.message, by=asked.session)
    return ended.as_json()
