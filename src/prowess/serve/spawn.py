"""
Spawning: a session comes to work, gets its tasks and its skills, and a run does the work.

What the session was given is written down in its manifest before anything starts. When the run has
ended, its tasks and the session end with it; a server that was killed in between does so when it is
back.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from string import Template
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from prowess.board import names, sessions, tasks
from prowess.core.board import BoardTask, Session, TaskStatus, role_named
from prowess.core.errors import (
    CancelledRunError,
    ConflictError,
    NotOnBoardError,
    ProwessError,
    UsageError,
)
from prowess.core.files import make_private
from prowess.core.run import Outcome
from prowess.core.skill import Skill
from prowess.discover.dependencies import closure
from prowess.discover.roles import for_role
from prowess.discover.roots import ladder
from prowess.engine import role_prompt
from prowess.engine.house import new_run
from prowess.loop.agents.known import open_program
from prowess.serve import hired, steering
from prowess.serve.auth import Developer
from prowess.serve.problems import HttpError
from prowess.serve.rest_runs import begin, request_of
from prowess.serve.site import Site, TheSite

router = APIRouter(prefix="/api/sessions", tags=["board"])
SOURCES = ("ui", "session")
COORDINATOR = "orchestrator"
AGENTS = ("built-in", *hired.AGENTS)
_PROMPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spawn.md")


def _also(name: str, **more: Any) -> Any:
    """Other servers of this kind write the field in another way."""
    spellings = {"tasks": "taskIds", "session": "sessionId", "source": "spawnSource"}
    spellings["project"] = "projectId"
    return Field(None, validation_alias=AliasChoices(name, spellings[name]), **more)


class Spawn(BaseModel):
    """
    `source` says who spawns: a person (`ui`), or another session, which must be a coordinator and
    is then named in `session`. Skills that are not there are reported, and the rest is given.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"role": "worker", "tasks": ["ENG-H-0042"], "skills": ["code-quality"]}
        },
    )

    role: str = "worker"
    tasks: Any = _also("tasks", json_schema_extra={"type": "array", "items": {"type": "string"}})
    skills: list[str] = []
    name: str | None = None
    project: str | None = _also("project")
    source: str | None = _also("source")
    session: str | None = _also("session")
    agent: str = "built-in"
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The skills of the role, its own last; those asked for besides; and what is not there."""

    own: tuple[Skill, ...]
    beside: tuple[Skill, ...]
    missing: tuple[str, ...]


@router.post("/spawn", status_code=201)
async def spawn(site: TheSite, caller: Developer, asked: Spawn, request: Request) -> Any:
    """Bring a session to work on tasks of the board; its run reports as it goes."""
    wanted = await asyncio.to_thread(_checked, site, asked)
    given, run = _skills(site, asked), new_run()
    session = await asyncio.to_thread(_at_work, site, asked, wanted)
    try:
        taken = await asyncio.to_thread(_claimed, site, wanted, session)
        start = await _ready(site, asked, given, _prompt(session, taken, given), user=caller.user)
        manifest = _manifest(session, taken, given, asked, run=run, api=str(request.base_url))
        file = _written(site, session, manifest)
    except ProwessError as error:
        told = f"not started: {error}"
        await asyncio.to_thread(sessions.end, site.board, session.name, summary=told)
        raise
    await start(run)
    request.app.state.attendant.attend(session.name, run, [each.id for each in taken])
    return {
        "session": session.as_json(),
        "run": run,
        "manifest": file,
        "skills": manifest["skills"],
        "missing": manifest["missing"],
    }


async def _ready(
    site: Site, asked: Spawn, given: Given, prompt: str, *, user: str
) -> Callable[[str], Awaitable[object]]:
    """What starts the run under an id, once everything that could be wrong was looked at."""
    skill = given.own[-1]
    if asked.agent == "built-in":
        order = request_of(
            site, skill=skill.name, arguments=prompt, model=asked.model, answers=True
        )
        await steering.check(site.house, order)
        return lambda run: begin(site, order, run=run, user=user)
    open_program(asked.agent)
    text, _ = role_prompt(_role(asked), site.catalog)
    hire = {
        "agent": asked.agent,
        "skill": skill.name,
        "prompt": f"{text}\n\n{prompt}",
        "workspace": site.workspace,
        "model": asked.model,
        "skills": {each.name: each.path for each in (*given.own, *given.beside)},
    }
    return lambda run: site.house.engine.start(hired.KIND, run, hire)


def _checked(site: Site, asked: Spawn) -> list[BoardTask]:
    """The tasks; or the first thing that is wrong with what was asked."""
    ids = asked.tasks
    if not isinstance(ids, list) or not ids or not all(isinstance(each, str) for each in ids):
        raise HttpError(
            400,
            "invalid_task_ids",
            "tasks must be a list of ids, with one at least",
            hint="GET /api/tasks lists them",
        )
    source = asked.source or ("session" if asked.session else "ui")
    if source not in SOURCES:
        raise HttpError(
            400,
            "invalid_spawn_source",
            f"source must be one of: {', '.join(SOURCES)}",
            hint="leave it out, and it is told by whether a session is named",
        )
    if asked.agent not in AGENTS:
        raise UsageError("there is no such agent", hint=f"use {' or '.join(AGENTS)}")
    if asked.agent != "built-in" and not _is_repository(site.settings.project):
        raise HttpError(
            400,
            "not_a_git_repo",
            "without git nobody could see what a coding agent changed",
            hint="type `git init` in the project of the server",
        )
    if asked.project not in {None, site.settings.project, os.path.basename(site.settings.project)}:
        raise HttpError(
            404,
            "project_not_found",
            "this server has another project",
            hint="leave project out, or ask the server that has it",
        )
    if source == "session":
        _coordinator(site, asked.session)
    try:
        return [tasks.find(site.board, each) for each in dict.fromkeys(ids)]
    except NotOnBoardError as error:
        raise HttpError(404, "task_not_found", str(error)) from None


def _coordinator(site: Site, name: str | None) -> None:
    if not name:
        raise HttpError(
            400,
            "missing_session_id",
            "a session that spawns must say which it is",
            hint="name it in session",
        )
    try:
        parent = sessions.at_work(site.board, name)
    except NotOnBoardError as error:
        raise HttpError(404, "parent_session_not_found", str(error)) from None
    if parent.role != COORDINATOR:
        raise HttpError(
            403,
            "spawn_requires_coordinator",
            f"{parent.name} is {parent.role}, not {COORDINATOR}",
            hint=f"have a session with the role {COORDINATOR} spawn it",
        )


def _role(asked: Spawn) -> str:
    """The role by which skills are assigned; all but coordinators are workers."""
    return COORDINATOR if role_named(asked.role).name == COORDINATOR else "worker"


def _is_repository(folder: str) -> bool:
    return os.path.lexists(os.path.join(ladder(folder)[-1], ".git"))


def _skills(site: Site, asked: Spawn) -> Given:
    role, skills = _role(asked), site.catalog.skills
    own = for_role(role, skills)
    if not own.skills:
        raise UsageError(
            f"no skill is assigned to the role {role}", hint="assign one with assignTo"
        )
    more = closure([name for name in asked.skills if name in skills], skills)
    missing = [name for name in asked.skills if name not in skills]
    missing += [name for _, name in (*own.missing, *more.missing)]
    return Given(
        own=own.skills,
        beside=tuple(skill for skill in more.skills if skill not in own.skills),
        missing=tuple(dict.fromkeys(missing)),
    )


def _at_work(site: Site, asked: Spawn, wanted: Sequence[BoardTask]) -> Session:
    name = asked.name or names.suggest(site.board, asked.role, count=1)[0].name
    return sessions.start(site.board, name, role=asked.role, task=wanted[0].id)


def _claimed(site: Site, wanted: Sequence[BoardTask], session: Session) -> list[BoardTask]:
    return [tasks.claim(site.board, each.id, session=session.name) for each in wanted]


def _prompt(session: Session, taken: Sequence[BoardTask], given: Given) -> str:
    with open(_PROMPT, encoding="utf-8") as file:
        template = Template(file.read())
    lines = [f"- {each.id}: {each.title}\n  {each.description}".rstrip() for each in taken]
    return template.substitute(
        name=session.name,
        role=session.role,
        tasks="\n".join(lines),
        skills=", ".join(skill.name for skill in given.beside) or "no other",
    )


def _manifest(
    session: Session,
    taken: Sequence[BoardTask],
    given: Given,
    asked: Spawn,
    *,
    run: str,
    api: str,
) -> dict[str, Any]:
    return {
        "manifestVersion": "1.0",
        "session": session.as_json(),
        "role": session.role,
        "agent": asked.agent,
        "model": asked.model,
        "run": run,
        "api": api,
        "tasks": [each.as_json() for each in taken],
        "skills": [
            {
                "id": skill.name,
                "name": skill.title,
                "version": skill.version,
                "path": skill.path,
                "dependencies": list(skill.dependencies),
            }
            for skill in (*given.own, *given.beside)
        ],
        "missing": list(given.missing),
    }


def _written(site: Site, session: Session, manifest: Mapping[str, Any]) -> str:
    file = _file(site, session)
    try:
        make_private(os.path.dirname(file))
        half = f"{file}.half"
        with open(half, "w", encoding="utf-8") as opened:
            json.dump(manifest, opened, ensure_ascii=False, indent=2)
        os.replace(half, file)
    except OSError as error:
        raise HttpError(
            500,
            "manifest_generation_failed",
            f"the manifest cannot be written: {error.strerror}",
            hint="look after the data folder of the server",
        ) from error
    return file


def _file(site: Site, session: Session) -> str:
    return os.path.join(site.settings.data, "sessions", str(session.number), "manifest.json")


class Attendant:
    """Waits beside each spawned run, and ends its tasks and its session when the run has ended."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._waiting: set[asyncio.Task[None]] = set()

    def attend(self, session: str, run: str, ids: Sequence[str]) -> None:
        task = asyncio.create_task(self._wait(session, run, ids))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def attend_all(self) -> None:
        """Those that were spawned before this server began."""
        for session, run, ids in await asyncio.to_thread(self._spawned):
            self.attend(session, run, ids)

    def _spawned(self) -> list[tuple[str, str, list[str]]]:
        """Sessions at work, each with its run and its tasks."""
        found = []
        for session in self._site.board.sessions():
            with suppress(OSError, ValueError, KeyError):
                with open(_file(self._site, session), encoding="utf-8") as file:
                    manifest = json.load(file)
                ids = [each["id"] for each in manifest["tasks"]]
                found.append((session.name, manifest["run"], ids))
        return found

    async def _wait(self, session: str, run: str, ids: Sequence[str]) -> None:
        try:
            outcome = await self._site.house.outcome(run)
        except CancelledRunError as error:
            outcome = Outcome(ending="cancelled", answer="", reason=str(error))
        except UsageError:
            return  # interrupted: whoever resumes it has it
        except ProwessError as error:
            outcome = Outcome(ending="failed", answer="", reason=str(error))
        await asyncio.to_thread(self._end, session, run, ids, outcome)

    def _end(self, session: str, run: str, ids: Sequence[str], outcome: Outcome) -> None:
        for each in ids:
            with suppress(ConflictError, NotOnBoardError):  # somebody else said how it ended
                self._end_task(each, session, run, outcome)
        with suppress(NotOnBoardError):
            sessions.end(self._site.board, session, summary=_summary(run, outcome))

    def _end_task(self, each: str, session: str, run: str, outcome: Outcome) -> None:
        task = tasks.find(self._site.board, each)
        if task.session == session and task.status == "in-progress":
            status: TaskStatus = "done" if outcome.ok else "failed"
            tasks.update(
                self._site.board, each, status=status, message=_summary(run, outcome), by=session
            )

    def stop(self) -> None:
        for task in self._waiting:
            task.cancel()


def _summary(run: str, outcome: Outcome) -> str:
    said = (outcome.answer.strip() or outcome.reason)[:2_000]
    return f"run {run} ended {outcome.ending}: {said}"


def include(app: FastAPI, site: Site) -> AbstractAsyncContextManager[None]:
    app.state.attendant = attendant = Attendant(site)

    @asynccontextmanager
    async def attending() -> AsyncIterator[None]:
        await attendant.attend_all()
        try:
            yield
        finally:
            attendant.stop()

    return attending()
