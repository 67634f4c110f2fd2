"""
The loop: take the next task, bring it to an end that is true, tick the plan, go on.

A durable body: each attempt, check, tick and commit is a step, and what was finished is not done
again. The plan and the repository are a person's too, so both are read anew for every task.
"""

import contextlib
import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from prowess.core.errors import UsageError
from prowess.core.ports import Json, Steps
from prowess.core.run import Ending, Outcome
from prowess.core.task import Plan, Task, key_of
from prowess.engine.ending import to_its_end
from prowess.engine.world import World
from prowess.loop import marks
from prowess.loop.agents.base import Agent
from prowess.loop.budget import Used
from prowess.loop.crew import Crew
from prowess.loop.journey import ARTIFACTS, Done, Journey
from prowess.loop.phases import DEFAULT, load_phases
from prowess.loop.report import Entry, report
from prowess.loop.request import loop_request

KIND = "loop"


async def run_loop(
    steps: Steps,
    request: Mapping[str, Any],
    *,
    world: World,
    agents: Callable[[str], Agent | None] = lambda name: None,
) -> Json:
    """The body of a loop, as the durable engine knows it."""
    asked = loop_request(request)
    record = world.recorder(steps.run_id)
    crew = Crew(request=asked, steps=steps, world=world, record=record, agents=agents)
    return (await to_its_end(_loop(crew), run=crew.run, record=record)).as_json()


async def _loop(crew: Crew) -> Outcome:
    request, used = crew.request, Used()
    entries: list[Entry] = []
    crew.tell(
        "run.started",
        f"Loop over {crew.plan_name}",
        run_kind=KIND,
        skill=crew.plan_name,
        arguments="",
        model=request.model or "",
        progress=0,
    )
    phases = load_phases(request.phases or DEFAULT)
    await crew.step("clean", partial(_begin, crew))
    started = await crew.step("clock", _now)
    tried: set[str] = set()
    for number in range(1, 10_000):
        if reason := used.spent(request, await crew.step("clock", _now) - started):
            return _outcome(crew, entries, used, "partial", reason)
        chosen = await crew.step("select", partial(_select, request.plan, frozenset(tried)))
        if chosen is None:
            break
        plan, task = _plan_from_json(chosen)
        tried.add(f"{key_of(task.label)} {task.line}")
        crew.tell(
            "loop.task",
            f"Task: {task.label}",
            task=task.label,
            line=task.line,
            left=chosen["left"],
            progress=_progress(entries, chosen["left"]),
        )
        journey = Journey(
            crew=crew,
            phases=phases,
            plan=plan,
            task=task,
            number=number,
            workspace=request.workspace,
            used=used,
        )
        done = await journey.run()
        entries.append(await _recorded(crew, task, done, journey.base, number))
    return _outcome(crew, entries, used, *_ending(entries))


async def _begin(crew: Crew) -> Json:
    if marks.read(crew.request.plan) is None:
        raise UsageError(
            f"{crew.request.plan} holds no task that could be read",
            hint="write tasks as `- [ ] text`; `prowess plan` shows how a plan is read",
        )
    _make_room(os.path.join(crew.request.workspace, ARTIFACTS))
    await crew.repository(crew.request.workspace).must_be_clean()
    return None


def _make_room(folder: str) -> None:
    """Reports and feedback are for this machine, so git is told to pass them over."""
    os.makedirs(folder, exist_ok=True)
    with (
        contextlib.suppress(FileExistsError),
        open(os.path.join(folder, ".gitignore"), "x") as file,
    ):
        file.write("*\n")


async def _now() -> Json:
    return time.time()


async def _select(path: str, tried: frozenset[str]) -> Json:
    """The next task that can be begun, and how many are to do; None when there is none."""
    plan = marks.read(path)
    if plan is None:
        return None
    waiting = plan.waiting()
    to_do = [
        task
        for task in plan.tasks
        if task.mark == " "
        and not task.ignored
        and f"{key_of(task.label)} {task.line}" not in tried
    ]
    ready = [task for task in to_do if task not in waiting]
    if not ready:
        return None
    return {
        "task": ready[0].as_json(),
        "validation": list(plan.validation),
        "left": len(to_do),
    }


def _plan_from_json(value: Mapping[str, Any]) -> tuple[Plan, Task]:
    lists = ("hints", "criteria", "files", "after")
    task = Task(**{**value["task"], **{name: tuple(value["task"][name]) for name in lists}})
    return Plan(tasks=(task,), validation=tuple(value["validation"])), task


async def _recorded(crew: Crew, task: Task, done: Done, base: str, number: int) -> Entry:
    """Tick the plan and keep the work: proven work as a commit, other work as a branch of its own."""
    repository = crew.repository(crew.request.workspace)

    async def record() -> Json:
        branch = ""
        if done.mark == "~":
            branch = await repository.set_aside(base, f"prowess/{crew.run}/task-{number}")
        there = marks.tick(crew.request.plan, task, done.mark)
        title = {"R": task.label, "x": f"{task.label} (not proven)", "~": f"Blocked: {task.label}"}
        commit = await repository.commit(title[done.mark])
        return {"branch": branch, "ticked": there, "commit": commit}

    kept = await crew.step("record", record)
    crew.tell(
        "loop.recorded",
        f"[{done.mark}] {task.label}",
        task=task.label,
        line=task.line,
        mark=done.mark,
        reason=done.reason,
        attempts=done.attempts,
        **kept,
    )
    if not kept["ticked"]:
        crew.tell("loop.plan_changed", f"The plan no longer has: {task.label}", task=task.label)
    return Entry(task=task, done=done, branch=kept["branch"], commit=kept["commit"])


def _progress(entries: list[Entry], left: int) -> int:
    return round(100 * len(entries) / max(1, len(entries) + left))


def _ending(entries: list[Entry]) -> tuple[Ending, str]:
    blocked = sum(entry.done.mark == "~" for entry in entries)
    if blocked:
        return "partial", f"{blocked} of {len(entries)} tasks are blocked"
    if unproven := sum(entry.done.mark == "x" for entry in entries):
        return "done", f"all tasks are implemented; {unproven} await review"
    return "done", "all tasks are proven" if entries else "there was nothing to do"


def _outcome(crew: Crew, entries: list[Entry], used: Used, ending: Ending, reason: str) -> Outcome:
    plan = marks.read(crew.request.plan)
    text = report(crew.plan_name, entries, used, reason=reason, plan=plan)
    return Outcome(
        ending=ending,
        answer=text,
        reason=reason,
        iterations=used.attempts,
        tokens=used.tokens,
        cost=None if used.unpriced else used.dollars,
        details={"tasks": [entry.as_json() for entry in entries]},
    )
