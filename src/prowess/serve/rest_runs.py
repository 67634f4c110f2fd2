"""Runs: start, look at, answer, cancel, resume, fork; in the words of `prowess runs`."""

import asyncio
import getpass
from collections.abc import Mapping
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from typing import Annotated, Any, TypedDict

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from prowess.core.errors import ConflictError, UsageError
from prowess.core.run import Kind
from prowess.core.skill import Skill
from prowess.engine import workflows
from prowess.engine.house import new_run
from prowess.engine.request import RunRequest
from prowess.observe.follow import end_of, follow
from prowess.permit.visibility import Role
from prowess.serve import steering
from prowess.serve.auth import Anyone
from prowess.serve.problems import HttpError
from prowess.serve.shown import Shown
from prowess.serve.site import Site, TheSite
from prowess.serve.steering import MOST_PRIORITY

router = APIRouter(prefix="/api/runs", tags=["runs"])
Id = Annotated[str, Path(description="A run's id.", examples=["3f2a9c41d0b7"])]
BEGINS = 5.0  # seconds that a new run has to tell that it began, before its id is given out


class _Turn(TypedDict):
    """Whose turn it is where runs wait for one."""

    user: str
    priority: int


class Start(BaseModel):
    """
    `allow`, `ask` and a `priority` above 0 are for developers. `answers`: somebody will answer what
    the run asks. `given`: what a workflow need not ask, by name.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"skill": "csv-report", "arguments": "sales.csv by region", "model": "demo"}
        },
    )

    skill: str
    arguments: str = Field("", max_length=100_000)
    model: str | None = None
    allow: list[str] = []
    ask: bool = False
    answers: bool = True
    given: dict[str, Any] = {}
    max_iterations: int | None = Field(None, ge=1, le=1000)
    priority: int = Field(0, ge=-MOST_PRIORITY, le=MOST_PRIORITY)


class Fork(BaseModel):
    """The ways part at the beginning of this iteration of a skill, or of this step of a workflow."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"iteration": 2}})

    iteration: int | None = Field(None, ge=1, le=1_000_000)
    step: str | None = Field(None, min_length=1, max_length=200)


class Answer(BaseModel):
    """Without `question`, the one that is open."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"answer": "yes"}})

    answer: str = Field(min_length=1, max_length=20_000)
    question: str | None = None


@router.post("", status_code=201)
async def start_run(site: TheSite, caller: Anyone, asked: Start, response: Response) -> Any:
    """Begin a run. It goes on whether or not anybody watches."""
    if (asked.allow or asked.ask or asked.priority > 0) and not caller.may(Role.DEVELOPER):
        raise HttpError(
            403,
            "FORBIDDEN",
            "allow, ask and priority are for DEVELOPER",
            hint="leave them out, or use a token of that role",
        )
    request = request_of(site, **asked.model_dump(exclude={"priority", "given"}))
    turn: _Turn = {"user": caller.user, "priority": asked.priority}
    skill = site.catalog.get(request.skill)
    if skill.format == workflows.KIND:
        run = await _begin_workflow(site, skill, request, asked.given, turn)
    elif asked.given:
        raise UsageError(
            f"{skill.name} takes no values by name", hint="hand them over as arguments"
        )
    else:
        await steering.check(site.house, request)
        run = await begin(site, request, **turn)
    response.headers["Location"] = f"/api/runs/{run}"
    return {"run": run}


@router.get("")
async def list_runs(
    site: TheSite,
    caller: Anyone,
    *,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[str | None, Query(description="Only runs older than this one.")] = None,
    state: Annotated[Shown | None, Query(description="Only runs that stand so.")] = None,
    skill: Annotated[str | None, Query(description="Only runs of this skill.")] = None,
    kind: Annotated[Kind | None, Query(description="Only runs of this kind.")] = None,
) -> Any:
    """The newest first. `next` is what `before` must be for the next page; `position` is where live events go on."""
    position = await end_of(site.log)
    runs, following = await site.views.page(
        caller.role, limit=limit, before=before, state=state, skill=skill, kind=kind
    )
    return {"runs": runs, "next": following, "position": position}


@router.get("/{id}")
async def show_run(site: TheSite, caller: Anyone, id: Id) -> Any:  # noqa: A002
    """How it stands, what it used, what it answered."""
    return await steering.shown(site.house, site.views, id, caller.role)


@router.post("/{id}/cancel")
async def cancel_run(site: TheSite, _: Anyone, id: Id) -> Any:  # noqa: A002
    """Stop it for good."""
    return await steering.cancel(site.house, site.views, id)


@router.post("/{id}/pause")
async def pause_run(site: TheSite, _: Anyone, id: Id) -> Any:  # noqa: A002
    """Stop it where it is; `resume` goes on with it."""
    return await steering.pause(site.house, site.views, id)


@router.post("/{id}/resume")
async def resume_run(site: TheSite, _: Anyone, id: Id) -> Any:  # noqa: A002
    """Go on with a run that was paused, or whose process ended."""
    return await steering.resume(site.house, site.views, id)


@router.post("/{id}/fork", status_code=201)
async def fork_run(site: TheSite, caller: Anyone, id: Id, asked: Fork) -> Any:  # noqa: A002
    """Try again from an iteration or a step of it, as a run of its own and of who asks for it."""
    told = await steering.fork(
        site.house,
        site.views,
        id,
        **asked.model_dump(),
        user=caller.user,
        hurries=caller.may(Role.DEVELOPER),
    )
    await _begun(site, told["run"])
    return told


@router.post("/{id}/answer")
async def answer_question(
    site: TheSite,
    caller: Anyone,
    id: Id,  # noqa: A002
    given: Answer,
) -> Any:
    """Answer the question that it waits with. To let a tool be used (`grants`) is for developers."""
    view = await site.views.get(id)
    question = view.question
    if question is None or given.question not in {None, question["id"]}:
        raise ConflictError(f"the run {id} does not ask that", hint="its question may be answered")
    if question.get("grants") and not caller.may(Role.DEVELOPER):
        raise HttpError(
            403,
            "FORBIDDEN",
            "to let a tool be used is for DEVELOPER",
            hint="somebody with that role can answer",
        )
    options = question["options"]
    if options and given.answer not in options:
        raise UsageError("the answer is none of the options", hint=f"use {' or '.join(options)}")
    # A sub-agent's question is kept with the run it belongs to.
    whole, engine = id.partition(".")[0], site.house.engine
    if not await engine.send_answer(whole, question["id"], given.answer):
        raise ConflictError(f"the run {id} was answered already", hint="the first answer counts")
    return {"run": id, "question": question["id"], "answer": given.answer}


def request_of(site: Site, **asked: Any) -> RunRequest:
    """What is asked, of this project, by whoever runs this server."""
    return RunRequest(
        **{**asked, "allow": tuple(asked.get("allow", ()))},
        workspace=site.workspace,
        user=getpass.getuser(),
        date=datetime.now(UTC).astimezone().date().isoformat(),
    )


async def begin(
    site: Site, request: RunRequest, *, run: str = "", user: str = "", priority: int = 0
) -> str:
    """Start it, under an id that is given or a new one, and return once it can be looked at."""
    run = await site.house.start(request, run=run, user=user, priority=priority)
    await _begun(site, run)
    return run


async def _begin_workflow(
    site: Site, skill: Skill, request: RunRequest, given: Mapping[str, Any], turn: _Turn
) -> str:
    shared = ("arguments", "workspace", "model", "allow", "ask", "answers", "user", "date")
    asked = {name: getattr(request, name) for name in shared}
    flow = workflows.WorkflowRequest(skill=skill.name, given=given, **asked)
    workflows.check_request(skill, flow)
    run = new_run()
    await site.house.begin(workflows.KIND, run, flow.as_json(), **turn)
    await _begun(site, run)
    return run


async def _begun(site: Site, run: str) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(BEGINS), aclosing(follow(site.log, run)) as events:
            async for _ in events:
                break
