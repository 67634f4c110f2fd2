"""
The loop: take the next tasks, bring each to an end that is true, tick the plan, go on.

A durable body: each attempt, check, tick and commit is a step, and what was finished is not done
again. The plan and the repository are a person's too, so both are read anew for every task.
"""

import contextlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from prowess.core.errors import CancelledRunError, UsageError
from prowess.core.ports import Json, Steps
from prowess.core.run import Ending, Outcome
from prowess.core.task import Plan, Task
from prowess.engine.ending import to_its_end
from prowess.engine.world import World
from prowess.loop import marks, waves
from prowess.loop.agents.base import Agent
from prowess.loop.budget import Used
from prowess.loop.choosing import Chosen, choose, chosen_from_json, name_of
from prowess.loop.crew import Crew
from prowess.loop.git import Repository
from prowess.loop.guarding import git_settings
from prowess.loop.journey import Done, Journey
from prowess.loop.phases import DEFAULT, Phases, load_phases
from prowess.loop.report import Entry, report
from prowess.loop.request import ARTIFACTS, LoopRequest, loop_request, own_paths
from prowess.loop.worktrees import Worktree

KIND = "loop"
_MOST_ROUNDS = 10_000


async def run_loop(
    steps: Steps,
    request: Mapping[str, Any],
    *,
    world: World,
    agents: Callable[[str], Agent | None] = lambda name: None,
) -> Json:
    """The body of a loop, as the durable engine knows it."""
    record = world.recorder(steps.run_id)
    crew = Crew(
        run=steps.run_id,
        step=steps.do,
        request=loop_request(request),
        world=world,
        record=record,
        agents=agents,
    )
    outcome = await to_its_end(_loop(crew), run=crew.run, record=record)
    if outcome.ending == "cancelled":  # its report is in the log; the run itself ends as others do
        raise CancelledRunError(outcome.reason)
    return outcome.as_json()


@dataclass(slots=True, kw_only=True)
class _Story:
    """
    What has happened so far. `again` are tasks that go on, and how their last wave left them; `at_work`
    are those that have begun and have no end yet; `cut` says which budget cut a task short.
    """

    crew: Crew
    phases: Phases
    used: Used = field(default_factory=Used)
    entries: list[Entry] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)
    again: dict[str, tuple[Task, waves.Ended]] = field(default_factory=dict)
    at_work: dict[str, Journey] = field(default_factory=dict)
    cut: str = ""
    numbers: int = 0

    def journey(self, plan: Plan, task: Task, workspace: str) -> Journey:
        _, ended = self.again.pop(name_of(task), (None, None))
        before = ended.done if ended else None
        made = self.at_work[name_of(task)] = Journey(
            crew=self.crew,
            phases=self.phases,
            plan=plan,
            task=task,
            workspace=workspace,
            used=self.used,
            attempts=before.attempts if before else 0,
            feedback=before.reason if before else "",
        )
        return made

    def next_number(self) -> int:
        self.numbers += 1
        return self.numbers


async def _loop(crew: Crew) -> Outcome:
    request = crew.request
    crew.tell(
        "run.started",
        f"Loop over {crew.plan_name}",
        run_kind=KIND,
        skill=crew.plan_name,
        arguments="",
        project=request.workspace,
        model=request.model or "",
        progress=0,
    )
    story = _Story(crew=crew, phases=load_phases(request.phases or DEFAULT))
    try:
        return await _rounds(story)
    except CancelledRunError as error:
        return _outcome(story, "cancelled", str(error))


async def _rounds(story: _Story) -> Outcome:
    crew, request = story.crew, story.crew.request
    crew.kept.update(await crew.step("clean", partial(_begin, request)))
    story.used.started = await crew.step("clock", _now)
    for _ in range(_MOST_ROUNDS):
        if reason := story.cut or story.used.spent(request, await crew.step("clock", _now)):
            return _outcome(story, "partial", reason)
        found = await crew.step(
            "select", partial(choose, request.plan, frozenset(story.tried), request.parallel)
        )
        if found is None:
            break
        chosen = chosen_from_json(found)
        for task in chosen.plan.tasks:
            _tell_task(story, task, chosen)
        await (_wave(story, chosen) if request.parallel > 1 else _alone(story, chosen))
    return _outcome(story, *_ending(story.entries, marks.read(request.plan)))


def _tell_task(story: _Story, task: Task, chosen: Chosen) -> None:
    done = len(story.entries)
    story.crew.tell(
        "loop.task",
        f"Task: {task.label}",
        task=task.label,
        line=task.line,
        left=chosen.left,
        abreast=len(chosen.plan.tasks),
        progress=round(100 * done / max(1, done + chosen.left)),
    )


async def _alone(story: _Story, chosen: Chosen) -> None:
    """One task, in the person's own tree."""
    (task,), crew = chosen.plan.tasks, story.crew
    journey = story.journey(chosen.plan, task, crew.request.workspace)
    done = await journey.run()
    repository = crew.repository(crew.request.workspace)
    name, branch = f"prowess/{crew.run}/task-{story.next_number()}", ""
    if done.mark in "~ ":
        branch = await crew.step("set aside", partial(repository.set_aside, journey.base, name))

    async def record() -> Json:
        there = marks.tick(crew.request.plan, task, done.mark)
        commit = await repository.commit(_title(task, done))
        return {"branch": branch, "ticked": there, "commit": commit}

    _tell_recorded(story, task, done, await crew.step("record", record))


async def _wave(story: _Story, chosen: Chosen) -> None:
    """Several tasks, each in a work tree of its own, taken in one after another."""
    crew, tasks = story.crew, chosen.plan.tasks
    trees = [waves.worktree(crew, story.next_number()) for _ in tasks]
    journeys = [
        story.journey(chosen.plan, task, tree.folder)
        for task, tree in zip(tasks, trees, strict=True)
    ]
    dones = await waves.work(crew, journeys, trees)
    for journey, tree, done in zip(journeys, trees, dones, strict=True):
        ended = await waves.take_in(crew, journey, tree, done)
        if ended.again:
            story.again[name_of(journey.task)] = journey.task, ended
            del story.at_work[name_of(journey.task)]
            await crew.step("remove", tree.remove)
        else:
            await _record_wave(story, journey.task, ended, tree)


async def _record_wave(story: _Story, task: Task, ended: waves.Ended, tree: Worktree) -> None:
    crew = story.crew

    async def record() -> Json:
        there = marks.tick(crew.request.plan, task, ended.done.mark)
        title = f"Plan: [{ended.done.mark}] {task.label}"
        head = await tree.home.commit_only(crew.plan_name, title)
        return {"branch": await tree.remove(), "ticked": there, "commit": ended.commit or head}

    _tell_recorded(story, task, ended.done, await crew.step("record", record))


def _title(task: Task, done: Done) -> str:
    titles = {"R": task.label, "x": f"{task.label} (not proven)", "~": f"Blocked: {task.label}"}
    return titles.get(done.mark, task.label)


def _tell_recorded(story: _Story, task: Task, done: Done, kept: Mapping[str, Any]) -> None:
    crew = story.crew
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
    story.cut = story.cut or done.cut
    story.tried.add(name_of(task))
    del story.at_work[name_of(task)]
    story.entries.append(Entry(task=task, done=done, branch=kept["branch"], commit=kept["commit"]))


async def check_place(request: LoopRequest) -> None:
    """Refuse a plan without tasks, and a repository that is none or holds work of somebody else."""
    if marks.read(request.plan) is None:
        raise UsageError(
            f"{request.plan} holds no task that could be read",
            hint="write tasks as `- [ ] text`; `prowess plan` shows how a plan is read",
        )
    await Repository(folder=request.workspace, own=own_paths(request)).must_be_clean()


async def _begin(request: LoopRequest) -> Json:
    await check_place(request)
    _make_room(os.path.join(request.workspace, ARTIFACTS))
    return git_settings(request.workspace)


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


def _ending(entries: Sequence[Entry], plan: Plan | None) -> tuple[Ending, str]:
    """What the marks say, those of earlier loops too: a plan is done when nothing of it is left."""
    tasks = [task for task in plan.tasks if not task.ignored] if plan else []
    blocked = {name_of(task) for task in tasks if task.mark == "~"}
    blocked |= {name_of(entry.task) for entry in entries if entry.done.mark == "~"}
    waiting = sum(task.mark == " " for task in tasks)
    if not entries and (blocked or waiting):
        stuck = len(blocked) + waiting
        return "partial", f"nothing can be begun: {stuck} blocked or waiting for those that are"
    if blocked or waiting:
        wait = f", {waiting} wait for what is not done" if waiting else ""
        return "partial", f"{len(blocked)} of {len(tasks)} tasks are blocked{wait}"
    if unproven := sum(entry.done.mark == "x" for entry in entries):
        return "done", f"all tasks are implemented; {unproven} await review"
    return "done", "all tasks are proven" if entries else "there was nothing to do"


def _outcome(story: _Story, ending: Ending, reason: str) -> Outcome:
    crew, used = story.crew, story.used
    plan = marks.read(crew.request.plan)
    entries = [*story.entries, *_under_way(story, reason)]
    return Outcome(
        ending=ending,
        answer=report(crew.plan_name, entries, used, reason=reason, plan=plan),
        reason=reason,
        iterations=used.attempts,
        tokens=used.tokens,
        cost=None if used.unpriced else used.dollars,
        details={"tasks": [entry.as_json() for entry in entries]},
    )


def _under_way(story: _Story, reason: str) -> list[Entry]:
    """
    Tasks without an end when the loop had one: what was done of those that were to be tried again is
    in their branches, and of those that were at work it lies where they were.
    """
    left = [
        Entry(task=journey.task, done=_left_there(journey, reason))
        for journey in story.at_work.values()
    ]
    return left + [
        Entry(
            task=task,
            done=replace(ended.done, mark=" ", cut=reason),
            branch=ended.branch,
            commit="",
        )
        for task, ended in story.again.values()
    ]


def _left_there(journey: Journey, reason: str) -> Done:
    return Done(
        mark=" ",
        reason=f"{reason}; what was done of it lies in {journey.workspace}",
        attempts=journey.status.get("attempt", journey.attempts),
        cut=reason,
    )
