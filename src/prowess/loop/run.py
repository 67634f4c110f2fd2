"""
The loop: take the next tasks, bring each to an end that is true, tick the plan, go on.

A durable body: each attempt, check, tick and commit is a step, and what was finished is not done
again. The plan and the repository are a person's too, so both are read anew for every task.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from prowess.core.errors import (
    CancelledRunError,
    InDoubtError,
    OutsideError,
    ProwessError,
    StoreError,
)
from prowess.core.ports import Json, Steps
from prowess.core.run import Outcome
from prowess.core.task import DONE, Task
from prowess.engine.ending import to_its_end
from prowess.engine.world import World
from prowess.loop import marks, waves
from prowess.loop.agents.base import Agent
from prowess.loop.away import away, taken_up
from prowess.loop.beforehand.place import begin
from prowess.loop.behind.guarding import alone_in
from prowess.loop.between import Between, CameBetweenError, forget, seen_at_work, tell_at
from prowess.loop.choosing import Chosen, choose, chosen_from_json, name_of
from prowess.loop.crew import Crew
from prowess.loop.done import Done
from prowess.loop.git.worktrees import Worktree
from prowess.loop.phase.phases import parse_phases, read_phases
from prowess.loop.request import loop_request
from prowess.loop.telling.report import Entry, ending
from prowess.loop.telling.story import Story, outcome_of

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
    record, asked = world.recorder(steps.run_id), loop_request(request)
    crew = Crew(
        run=steps.run_id,
        step=steps.do,
        request=asked,
        away=await _away(world, steps.run_id) if asked.seconds else 0.0,
        world=world,
        record=record,
        agents=agents,
    )
    outcome = await to_its_end(_loop(crew), run=crew.run, record=record)
    if outcome.ending == "cancelled":  # its report is in the log; the run itself ends as others do
        raise CancelledRunError(outcome.reason)
    return outcome.as_json()


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
    story = Story(crew=crew, phases=parse_phases(request.phases or read_phases()))
    with alone_in(request.workspace):
        try:
            outcome = await _rounds(story)
        except CancelledRunError as error:
            outcome = await outcome_of(story, "cancelled", str(error))
        except (InDoubtError, StoreError):  # it has not ended, it stops here
            raise
        except ProwessError as error:
            reason = f"{error} ({error.hint})" if error.hint else str(error)
            outcome = await outcome_of(
                story, "failed", reason, outside=isinstance(error, OutsideError)
            )
        except OSError as error:  # a full disk, or what lies where a file or folder should be
            reason = f"a file cannot be read or written in {request.workspace}: {error.strerror}"
            outcome = await outcome_of(story, "failed", reason, outside=True)
        crew.kept.forget()
        forget(crew)
    return outcome


async def _rounds(story: Story) -> Outcome:
    crew, request = story.crew, story.crew.request
    begun = await crew.step("clean", partial(begin, request, crew.run, crew.world.sandbox))
    await crew.kept.begin(begun, _put_back(crew))
    crew.judges.begin(begun.get("head", ""))  # one of an older version has not told it
    story.used.started = await crew.step("clock", crew.clock)
    ends = story.used.started + request.seconds + crew.away
    crew.kept.until = ends if request.seconds else 0.0
    for _ in range(_MOST_ROUNDS):
        if story.cut:
            return await outcome_of(story, "partial", story.cut, outside=story.outside)
        spent = story.used.spent(request, await crew.step("clock", crew.clock))
        found = await crew.step(
            "select", partial(choose, request.plan, frozenset(story.tried), request.parallel)
        )
        if found is None:  # a plan that is done has been in time
            break
        if spent:
            return await outcome_of(story, "partial", spent)
        chosen = chosen_from_json(found)
        story.commands = chosen.commands
        _tell_plan(story, chosen)
        for task in chosen.plan.tasks:
            _tell_task(story, task, chosen)
        await (_wave(story, chosen) if request.parallel > 1 else _alone(story, chosen))
    return await outcome_of(story, *ending(story.entries, marks.read(request.plan)))


def _tell_plan(story: Story, chosen: Chosen) -> None:
    """The tasks of the plan, when they are not those that were told last."""
    labels = [each["task"] for each in chosen.all]
    if labels and labels != story.planned:
        story.planned = labels
        tasks = f"{len(labels)} task{'s' if len(labels) > 1 else ''}"
        told = f"Plan: {tasks}, {chosen.left} to do"
        story.crew.tell("loop.planned", told, tasks=list(chosen.all))


def _tell_task(story: Story, task: Task, chosen: Chosen) -> None:
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


async def _alone(story: Story, chosen: Chosen) -> None:
    """One task, in the person's own tree."""
    (task,), crew = chosen.plan.tasks, story.crew
    journey = story.journey(chosen.plan, task, crew.request.workspace)
    between = Between(crew=crew, journey=journey)
    journey.crew = replace(crew, step=between.step)
    name, done = f"prowess/{crew.run}/task-{story.next_number()}", None
    while True:
        try:
            done = done or await journey.run()
            recorded = await _record_alone(between, done, name)
            break
        except CameBetweenError as came:
            journey.goes_on_from(came.head)
            if done and _is_kept(done):  # it was proven of another tree
                done = None
    _tell_recorded(story, task, done, recorded)


async def _record_alone(between: Between, done: Done, name: str) -> Json:
    """What is not kept goes into the branch of this name; the tick, and its commit."""
    journey = between.journey
    crew, task = journey.crew, journey.task
    repository, branch = crew.repository(crew.request.workspace), ""

    async def back(aside: str) -> str:
        await crew.back_to(crew.request.workspace, journey.branch, journey.base, aside)
        return await between.must_still_be()

    async def set_aside() -> Json:
        return await repository.set_aside(journey.base, name, onto=await back(name))

    if not _is_kept(done):
        branch = await crew.step("set aside", set_aside)

    async def record() -> Json:
        await crew.warn_of_beside()
        made, now = await between.made()
        if made and made != now:  # before a kill, and a person has gone on from there
            return {"branch": branch, "ticked": True, "commit": made, "head": now}
        onto = await back(f"{name}-left")
        if _is_kept(done) and journey.checked:
            await repository.restore(journey.checked, f"{name}-left")
        there = marks.tick(crew.request.plan, task, done.mark)
        try:
            commit = await repository.commit(
                _title(task, done),
                tree=journey.checked if _is_kept(done) else journey.base,
                base=journey.base,
                onto=onto,
                making=partial(tell_at, crew, made=True),
            )
        except OutsideError:  # a tick without its commit would say what is not so
            marks.tick(crew.request.plan, task, task.mark)
            raise
        return {"branch": branch, "ticked": there, "commit": commit, "head": commit}

    return await crew.step("record", record)


def _is_kept(done: Done) -> bool:
    return done.mark not in "~ "


async def _wave(story: Story, chosen: Chosen) -> None:
    """Several tasks, each in a work tree of its own, taken in one after another."""
    crew, tasks = story.crew, chosen.plan.tasks
    trees = [waves.worktree(crew, story.next_number()) for _ in tasks]
    branch = await waves.prepare(crew, tasks, trees)
    journeys = [
        story.journey(chosen.plan, task, tree.folder)
        for task, tree in zip(tasks, trees, strict=True)
    ]
    dones, stuck = await waves.work(crew, journeys), ""
    for journey, tree, done in zip(journeys, trees, dones, strict=True):
        ended = await waves.take_in(crew, journey, tree, done, branch=branch)
        if ended.again:
            story.again[name_of(journey.task)] = journey.task, ended
            del story.at_work[name_of(journey.task)]
            if left := await crew.step("remove", tree.remove):
                story.earlier[name_of(journey.task)].append(left)
            crew.judges.went_on(await crew.step("head", tree.home.head), [])
        else:
            stuck = await _record_wave(story, journey.task, ended, tree) or stuck
    if stuck:
        raise OutsideError(
            f"what was done cannot be taken into your branch: {stuck}",
            hint="it is kept in the branches that are named here; mend your tree, and begin again",
        )


async def _record_wave(story: Story, task: Task, ended: waves.Ended, tree: Worktree) -> str:
    """The tick and its commit; why they, or the work itself, could not come into the person's tree."""
    crew = story.crew

    async def record() -> Json:
        await crew.warn_of_beside()
        there, head, stuck = True, "", ended.stuck
        if not stuck:
            there = marks.tick(crew.request.plan, task, ended.done.mark)
            title = f"Plan: [{ended.done.mark}] {task.label}"
            try:
                head = await tree.home.commit_only(crew.plan_name, title)
            except OutsideError as error:  # a tick without its commit would say what is not so
                marks.tick(crew.request.plan, task, task.mark)
                stuck = str(error)
        branch = await tree.remove()
        told = {"commit": ended.commit or head, "head": head or await tree.home.head()}
        return {"branch": branch, "ticked": there, "stuck": stuck, **told}

    kept = await crew.step("record", record)
    stuck: str = kept.pop("stuck", "")
    done = replace(ended.done, mark=" ", reason=stuck, cut=stuck) if stuck else ended.done
    _tell_recorded(story, task, done, kept)
    return stuck


def _title(task: Task, done: Done) -> str:
    titles = {"R": task.label, "x": f"{task.label} (not proven)", "~": f"Blocked: {task.label}"}
    return titles.get(done.mark, task.label)


def _tell_recorded(story: Story, task: Task, done: Done, kept: dict[str, Any]) -> None:
    crew = story.crew
    head: str = kept.pop("head", kept["commit"])
    crew.judges.went_on(head, [task] if done.mark in DONE else [])
    journey = story.at_work[name_of(task)]
    crew.went_on(journey.checked if done.mark in DONE else journey.base, head)
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
    story.cut, story.outside = story.cut or done.cut, story.outside or done.outside
    story.tried.add(name_of(task))
    del story.at_work[name_of(task)]
    made = Entry(
        task=task,
        done=done,
        branch=kept["branch"],
        commit=kept["commit"],
        earlier=tuple(story.earlier[name_of(task)]),
        added=crew.judges.is_added(task.label),
    )
    story.entries.append(made)


def _put_back(crew: Crew) -> Callable[[Sequence[str]], None]:
    def told(beside: Sequence[str]) -> None:
        where = ", ".join(beside)
        crew.warn(
            f"Settings or hooks of git were changed and are put back; what was there is in {where}"
        )

    return told


async def _away(world: World, run: str) -> float:
    """Seconds in which nobody worked on the loop; those before this process took it up are told now."""
    seen = seen_at_work(world.settings.data, run)
    before, since = await world.log.aside(partial(away, world.log, run, now=time.time(), seen=seen))
    if since >= 1:
        world.appender(run)(taken_up(run, since))
    return before + since
