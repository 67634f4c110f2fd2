"""
A wave: tasks that do not get in each other's way, worked on at the same time and merged one by one.

Each task has a work tree of its own. What it proved there is proven again on top of what came into
the person's branch meanwhile, and only then taken in. A task whose work does not go together with
that has lost an attempt, and no work: its branch stays. Where the person's own tree is in the way, it
has lost nothing, and the loop ends.
"""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

from prowess.check.already import shown_by
from prowess.core.ports import Json
from prowess.core.task import Task
from prowess.loop.abreast import Step, abreast
from prowess.loop.beforehand.place import must_take_in
from prowess.loop.between import tell_begins
from prowess.loop.crew import Crew
from prowess.loop.done import Done
from prowess.loop.git.running import few
from prowess.loop.git.worktrees import Merge, Worktree
from prowess.loop.journey import Journey
from prowess.loop.telling.lying import trees_of

_MOST_MOVES = 20  # of the person's branch while one merge is checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """
    How a task left its wave. `again`: it goes into another one, with the feedback of `done`. `stuck`
    says why the person's tree did not take in what is done, which is no fault of it.
    """

    done: Done
    branch: str
    commit: str = ""
    again: bool = False
    stuck: str = ""


def worktree(crew: Crew, number: int) -> Worktree:
    """The work tree of the loop's so many-th task."""
    trees = trees_of(crew.world.settings.data, crew.run)
    return Worktree(
        home=crew.repository(crew.request.workspace),
        folder=os.path.join(trees, f"task-{number}"),
        branch=f"prowess/{crew.run}/task-{number}",
    )


async def prepare(crew: Crew, tasks: Sequence[Task], trees: Sequence[Worktree]) -> str | None:
    """
    A work tree for each task, if the person's tree can take in what will be done there. The branch that
    this tree is on, None where an older version made them.
    """
    home = crew.repository(crew.request.workspace)

    async def make() -> Json:
        await must_take_in(home, tasks)
        base = await home.head()
        for tree in trees:
            await tree.make(base)
        branch = await home.branch()
        folders = {task.label: tree.folder for task, tree in zip(tasks, trees, strict=True)}
        tell_begins(crew, base, branch, trees=folders)
        return branch

    branch: str | None = await crew.step("worktrees", make)
    return branch


async def work(crew: Crew, journeys: Sequence[Journey]) -> list[Done]:
    """All tasks of the wave to the end of their phases, side by side."""

    async def one(step: Step, *, journey: Journey) -> Done:
        journey.crew = replace(crew, step=step)
        return await journey.run()

    dones = await abreast(crew.step, [partial(one, journey=journey) for journey in journeys])
    for journey in journeys:
        journey.crew = crew
    return dones


async def take_in(
    crew: Crew, journey: Journey, tree: Worktree, done: Done, *, branch: str | None
) -> Ended:
    """Keep what was done as a branch, and bring it into the person's `branch` if it may go there."""
    label = journey.task.label
    checked = "" if done.mark in "~ " else journey.checked
    kept = await crew.step("keep", partial(tree.keep, journey.base, label, checked))
    if branch is not None:
        await crew.step("on its branch", partial(crew.must_be_on, tree.home.folder, branch))
    await crew.step("followed", partial(tree.home.must_have_followed, journey.base))
    if done.mark in "~ ":
        return Ended(done=done, branch=tree.branch)
    shown = shown_by(done.report.criteria) if done.report else []
    if lost := await crew.step("lost", partial(tree.not_in, kept, shown)):
        why = "what shows that it is done is in files that git ignores"
        return _refused(crew, journey, tree, done, _ignored(lost), why=why)
    return await _brought_in(crew, journey, tree, done)


async def _brought_in(crew: Crew, journey: Journey, tree: Worktree, done: Done) -> Ended:
    label = journey.task.label
    for _ in range(_MOST_MOVES):
        merge = await _merged(crew, tree, label)
        crew.tell(
            "loop.merged",
            f"{'Conflict' if merge.conflicts else 'Merging'}: {label}",
            task=label,
            branch=tree.branch,
            **asdict(merge),
        )
        if merge.conflicts:
            why = f"others changed {few(merge.conflicts)} too"
            return _refused(crew, journey, tree, done, _conflict(tree, merge), why=why)
        if merge.onto != journey.base and (wrong := await journey.recheck(merge.onto)):
            why = "it does not hold on top of what came before it"
            return _refused(crew, journey, tree, done, f"{_with_others(tree)}\n\n{wrong}", why=why)
        landed = await crew.step("land", partial(_land, tree, merge))
        if not landed["moved"]:
            why = landed["why"]
            _tell_taken_in(crew, journey, tree, commit="" if why else merge.commit, why=why)
            if not why:
                return Ended(done=_proven(done, journey), branch="", commit=merge.commit)
            return Ended(done=done, branch=tree.branch, stuck=why)
    moved = "it moved on faster than the merge was checked"
    _tell_taken_in(crew, journey, tree, why=moved)
    return Ended(done=done, branch=tree.branch, stuck=moved)


def _tell_taken_in(
    crew: Crew, journey: Journey, tree: Worktree, *, commit: str = "", why: str
) -> None:
    """That the work is in the person's branch, or why it is not."""
    label = journey.task.label
    told = f"Not taken in: {label}: {why}" if why else f"Merged: {label}"
    crew.tell("loop.taken_in", told, task=label, branch=tree.branch, commit=commit, why=why)


async def _merged(crew: Crew, tree: Worktree, label: str) -> Merge:
    async def merge() -> Json:
        return asdict(await tree.merge(label))

    made = await crew.step("merge", merge)
    return Merge(**{**made, "conflicts": tuple(made["conflicts"])})


async def _land(tree: Worktree, merge: Merge) -> Json:
    """`moved`: somebody committed meanwhile, so that it has to be merged anew."""
    why = await tree.land(merge)
    await tree.home.tell_uncovered()
    return {"why": why, "moved": bool(why) and await tree.home.head() != merge.onto}


def _proven(done: Done, journey: Journey) -> Done:
    """With the newer proof, where the merge was checked again."""
    newer = journey.report if journey.report and journey.report.passed else done.report
    return replace(done, report=newer)


def _refused(
    crew: Crew, journey: Journey, tree: Worktree, done: Done, feedback: str, *, why: str
) -> Ended:
    _tell_taken_in(crew, journey, tree, why=why)
    again = done.attempts < crew.request.max_attempts
    # The report is of a check that was passed: it would say nothing of why the work was not taken in.
    refused = replace(done, mark="~", reason=feedback, report=None)
    return Ended(done=refused, branch=tree.branch, again=again)


def _ignored(lost: Sequence[str]) -> str:
    files = "".join(f"- {path}\n" for path in lost)
    return (
        f"What shows that the task is done is in files that git ignores:\n\n{files}\n"
        "They do not outlast the work tree, so they prove nothing. Put it where git keeps it."
    )


def _conflict(tree: Worktree, merge: Merge) -> str:
    files = "".join(f"- {path}\n" for path in merge.conflicts)
    return (
        f"{_with_others(tree)} These files were changed by both and could not be merged:\n\n{files}\n"
        "Do the task again on top of what is there now."
    )


def _with_others(tree: Worktree) -> str:
    return (
        "What was done does not go together with what other tasks changed at the same time."
        f" It is kept in the branch `{tree.branch}`."
    )
