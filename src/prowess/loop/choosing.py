"""Which tasks come next: those that can be begun, and of them those that do not get in each other's way."""

import os
import posixpath
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prowess.check.criteria import commands_of
from prowess.core.errors import UsageError
from prowess.core.ports import Json
from prowess.core.task import Plan, Task, key_of
from prowess.loop import marks

_WILD = "*?[{"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """
    `plan` holds the tasks that were chosen, in its order; `left` is how many are to do, and `commands`
    are those by which they will be proven. `all` are the tasks of the whole plan with their marks.
    """

    plan: Plan
    left: int
    commands: tuple[str, ...] = ()
    all: tuple[Mapping[str, Any], ...] = ()


async def choose(path: str, tried: Collection[str], most: int) -> Json:
    """The next tasks, at most so many, as JSON; None when there is nothing to begin."""
    plan = marks.read(path)
    if plan is None:
        raise UsageError(f"{path} holds no task any more", hint="put the plan back, and resume")
    # Whoever names a task that is not there waits for something, and nobody knows for what.
    waiting = plan.waiting().keys() | {task for task, _ in plan.unknown()}
    to_do = [
        task
        for task in plan.tasks
        if task.mark == " " and not task.ignored and name_of(task) not in tried
    ]
    chosen = together([task for task in to_do if task not in waiting], most)
    if not chosen:
        return None
    return {
        "tasks": [{**task.as_json(), "twin": task.twin} for task in chosen],
        "validation": list(plan.validation),
        "left": len(to_do),
        "all": [
            {
                "task": task.label,
                "line": task.line,
                "mark": task.mark,
                "after": list(task.after),
            }
            for task in plan.tasks
            if not task.ignored
        ],
        "commands": commands_of(
            (text for task in to_do for text in task.criteria), validation=plan.validation
        ),
    }


def chosen_from_json(value: Mapping[str, Any]) -> Chosen:
    lists = ("hints", "criteria", "files", "after")
    tasks = tuple(
        Task(**{**each, **{name: tuple(each[name]) for name in lists}}) for each in value["tasks"]
    )
    return Chosen(
        plan=Plan(tasks=tasks, validation=tuple(value["validation"])),
        left=value["left"],
        commands=tuple(value.get("commands", ())),
        all=tuple(value.get("all", ())),
    )


def not_its_own(commands: Collection[str], task: Task, plan: Plan) -> tuple[str, ...]:
    """Those of these commands that are not run to prove this task."""
    own = {*plan.validation, *commands_of(task.criteria, validation=plan.validation)}
    return tuple(each for each in commands if each not in own)


def name_of(task: Task) -> str:
    """What tells a task from the others of its plan, wherever the plan is edited meanwhile."""
    return f"{key_of(task.label)} {task.twin}"


def together(ready: Sequence[Task], most: int) -> list[Task]:
    """The first task, and those after it that touch none of its files, nor each other's."""
    chosen = list(ready[:1])
    for task in ready[1:]:
        if len(chosen) < most and all(apart(task.files, each.files) for each in chosen):
            chosen.append(task)
    return chosen


def apart(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """
    Whether no file can be in both. Who names no files may touch any. Globs are compared by what
    stands before their first wildcard, so that in doubt they are not apart.
    """
    if not ours or not theirs:
        return False
    return not any(_may_meet(_start(one), _start(other)) for one in ours for other in theirs)


def _may_meet(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _start(glob: str) -> str:
    place = min((glob.find(char) for char in _WILD if char in glob), default=len(glob))
    start = posixpath.normpath(glob[:place]) if glob[:place] else ""
    kept_slash = "/" if glob[:place].endswith("/") else ""
    return "" if start == os.curdir else start + kept_slash
