"""
Ticking a plan that a person may be editing: the task is found again by its words, and exactly one
mark changes.
"""

import os
import tempfile
from collections.abc import Sequence
from typing import Any

from prowess.core.errors import OutsideError, UsageError
from prowess.core.task import DONE, Mark, Plan, Task, key_of, numbered
from prowess.loop.behind.guarding import by_words, no_link, read_plain
from prowess.select.plan import read_plan, ticked
from prowess.select.validation import validation_slips


def read(path: str) -> Plan | None:
    """The plan as it is now; None when it holds no task that could be read."""
    try:
        plan = must_read(path)
    except UsageError:
        return None
    return plan if plan.tasks else None


def must_read(path: str) -> Plan:
    """The plan as it is now; one that is no text is refused."""
    try:
        return read_plan(_bytes(path))
    except UsageError as error:
        raise UsageError(f"{path}: {error}", hint=error.hint) from None


def slips(path: str) -> tuple[tuple[int, str], ...]:
    """Lines that look like something they are not, or prove nothing, each with what is wrong with it."""
    plan = read(path)
    return tuple(sorted((*plan.slips, *validation_slips(plan)))) if plan else ()


def content(path: str) -> bytes:
    """The plan as it lies there."""
    return _bytes(path)


def tick(path: str, task: Task, mark: Mark) -> bool:
    """Give the task this mark; false when the plan no longer has it, and then nothing is changed."""
    data = _bytes(path)
    found = again(read_plan(data), task)
    if found is None:
        return False
    changed = ticked(data, found, mark)
    if changed != data:
        _replace(path, changed)
    return True


def now(path: str) -> list[tuple[str, int, Mark]]:
    """What the plan says of each task: its label, its line and its mark."""
    plan = read(path)
    return [(task.label, task.line, task.mark) for task in plan.tasks] if plan else []


def undo_ticks(path: str, before: Sequence[Sequence[Any]]) -> list[str]:
    """Take back marks of done work that were set since; the labels of those tasks."""
    plan = read(path)
    former = by_words(
        numbered(Task(label=label, line=line, mark=mark) for label, line, mark in before)
    )
    undone = []
    for task in plan.tasks if plan else ():
        was = _twin(task, former.get(key_of(task.label), []))
        if task.mark in DONE and was is not None and was.mark not in DONE | {"?"}:
            tick(path, task, was.mark)
            undone.append(task.label)
    return undone


def again(plan: Plan, task: Task) -> Task | None:
    """The same task in a plan that may have changed: the same words, and the same of its twins."""
    return _twin(task, [each for each in plan.tasks if key_of(each.label) == key_of(task.label)])


def _twin(task: Task, alike: Sequence[Task]) -> Task | None:
    return alike[min(task.twin, len(alike) - 1)] if alike else None


def _bytes(path: str) -> bytes:
    try:
        return read_plain(no_link(path))
    except OSError as error:
        raise UsageError(
            f"the plan {path} cannot be read: {error.strerror}", hint="name a plan that exists"
        ) from None


def _replace(path: str, data: bytes) -> None:
    """In one move, so that nobody ever reads half a plan."""
    folder, name = os.path.split(no_link(path))
    try:
        descriptor, made = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.chmod(made, os.stat(path).st_mode & 0o7777)
        os.replace(made, os.path.join(folder, name))
    except OSError as error:
        raise OutsideError(
            f"the plan {path} cannot be written: {error.strerror}", hint="check its folder"
        ) from error
