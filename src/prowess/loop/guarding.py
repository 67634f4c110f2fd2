"""
What an agent may not change behind the loop's back: how git behaves here, the plan it is judged by,
and where files lead.

An agent can write anything in its workspace, `.git` included. Settings of git can run programs, and
a link can lead out of the workspace; so the settings are put back before git is used, links are not
followed, and a plan whose tasks were changed during an attempt is put back as it was.
"""

import base64
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from prowess.core.errors import OutsideError, UsageError
from prowess.core.task import Plan, Task
from prowess.select.plan import read_plan

_SETTINGS = ("config", "config.worktree", os.path.join("info", "attributes"))
Kept = Mapping[
    str, str | None
]  # the files that say how git behaves, in base64; None: there is none


def git_settings(folder: str) -> dict[str, str | None]:
    """How git behaves in this repository before any agent has been at work in it."""
    place = _git_folder(folder)
    return {os.path.join(place, name): _encoded(os.path.join(place, name)) for name in _SETTINGS}


def put_back(kept: Kept) -> list[str]:
    """Put git's settings back where they were changed; which ones were."""
    changed = [path for path, content in kept.items() if _encoded(path) != content]
    for path in changed:
        content = kept[path]
        if os.path.lexists(path):
            os.unlink(path)
        if content is not None:
            with open(path, "wb") as file:
                file.write(base64.b64decode(content))
    return changed


def no_link(path: str) -> str:
    """The path, if no part of it has become a link since the loop began."""
    if os.path.realpath(path) != path:
        raise OutsideError(
            f"{path} leads elsewhere by a link", hint="remove the link; nothing was read or written"
        )
    return path


def restore_plan(path: str, before: bytes, aside: str) -> list[str]:
    """Put a plan back whose tasks were changed; the changed one is kept at `aside`, and told is what was."""
    after = b""  # of a plan that was taken away
    with suppress(FileNotFoundError), open(no_link(path), "rb") as file:
        after = file.read()
    told = tampered(before, after)
    if told:
        os.makedirs(os.path.dirname(no_link(aside)), exist_ok=True)
        for place, content in ((aside, after), (path, before)):
            with open(place, "wb") as file:
                file.write(content)
    return told


def tampered(before: bytes, after: bytes) -> list[str]:
    """
    What was done to the tasks of a plan that nobody but a person or the loop may do: a mark, a
    criterion, a scope, a validation command changed, a task gone. More tasks are fine.
    """
    old = read_plan(before)
    try:
        new = read_plan(after)
    except UsageError:
        return ["the plan can no longer be read"]
    told = [] if old.validation == new.validation else ["the validation commands were changed"]
    return told + [
        f"{task.label!r} was {how}" for task in old.tasks if (how := _changed(task, new))
    ]


def _changed(task: Task, plan: Plan) -> str:
    same = [each for each in plan.tasks if each.label == task.label]
    if not same:
        return "taken out or reworded"
    if any(_judged_by(each) == _judged_by(task) for each in same):
        return ""
    return "ticked" if same[0].mark != task.mark else "changed"


def _judged_by(task: Task) -> Sequence[object]:
    return (task.mark, task.criteria, task.files, task.after, task.ignored)


def _git_folder(folder: str) -> str:
    """The folder of the repository, also where the work tree is a linked one."""
    place = os.path.join(folder, ".git")
    if os.path.isfile(place):
        with open(place, encoding="utf-8") as file:
            place = os.path.join(folder, file.read().removeprefix("gitdir:").strip())
        common = os.path.join(place, "commondir")
        if os.path.isfile(common):
            with open(common, encoding="utf-8") as file:
                place = os.path.join(place, file.read().strip())
    return os.path.realpath(place)


def _encoded(path: str) -> str | None:
    if os.path.islink(path):
        return ""  # it was none when the loop began
    try:
        with open(path, "rb") as file:
            return base64.b64encode(file.read()).decode()
    except OSError:
        return None
