"""
What an agent may not change behind the loop's back: the plan it is judged by, and where files lead.

An agent can write anything in its workspace, and a link can lead out of it; so links are not
followed, and what was done to the tasks of a plan during an attempt is found out.
"""

import errno
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from prowess.core.errors import OutsideError, UsageError
from prowess.core.locks import lock
from prowess.core.task import DONE, Plan, Task, key_of, names_of
from prowess.select.plan import read_plan


@contextmanager
def alone_in(folder: str) -> Iterator[None]:
    """Two loops in one work tree would take each other's work for their agents'; the second is refused."""
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not _locked(held):
            raise UsageError(
                f"another loop is at work in {folder}",
                hint="wait for its end, or use a work tree of your own: `git worktree add`",
            )
        yield
    finally:
        os.close(held)


def _locked(folder: int) -> bool:
    try:
        return lock(folder)
    except OSError:  # a file system that locks no folders, such as NFS
        return True


def no_link(path: str) -> str:
    """The path, if no part of it has become a link since the loop began."""
    if os.path.realpath(path) != path:
        raise OutsideError(
            f"{path} leads elsewhere by a link", hint="remove the link; nothing was read or written"
        )
    return path


def read_plain(path: str) -> bytes:
    """What a file holds; `OSError` for anything else, such as a pipe that nobody ever writes into."""
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise OSError(errno.EINVAL, "it is not a plain file")
    with os.fdopen(opened, "rb") as file:
        return file.read()


def read_if_plain(path: str) -> bytes | None:
    """What a file holds; None where an agent made something else of it, such as a link."""
    try:
        return read_plain(path)
    except OSError:
        return None


def write_plain(path: str, content: bytes) -> None:
    with open(no_link(path), "wb") as file:
        file.write(content)


def free_place(path: str) -> str:
    """The path, or one beside it, where nothing is; its folder is there, and no link leads to it."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    number, place = 1, path
    while os.path.lexists(place):
        number += 1
        place = f"{path}-{number}"
    return no_link(place)


def tampered(before: bytes, after: bytes) -> list[str]:
    """
    What was done to the tasks of a plan that nobody but a person or the loop may do: a mark, a
    criterion, a scope, a validation command changed, a task gone, or one in the place of another of the
    same words. More tasks are fine, unless they are ticked already, or are called like another one and
    could be taken for it.
    """
    old = read_plan(before)
    try:
        new = read_plan(after)
    except UsageError:
        return ["the plan can no longer be read"]
    told = [] if old.validation == new.validation else ["the validation commands were changed"]
    return [*told, *_changed(old, new), *_added(old, new)]


def added(before: bytes, after: bytes) -> list[str]:
    """The labels of tasks to do that came in; none where the plan can no longer be read."""
    with suppress(UsageError):
        came = _came(read_plan(before), read_plan(after))
        return [task.label for task in came if not task.ignored]
    return []


def _came(old: Plan, new: Plan) -> list[Task]:
    """Tasks that are in the new plan more often than in the old one."""
    known, came = Counter(key_of(task.label) for task in old.tasks), []
    for task in new.tasks:
        known[key_of(task.label)] -= 1
        came += [task] if known[key_of(task.label)] < 0 else []
    return came


def _added(old: Plan, new: Plan) -> list[str]:
    """What is wrong with tasks that came in."""
    called = Counter(name for task in new.tasks for name in set(names_of(task)))
    told = []
    for task in _came(old, new):
        if task.mark in DONE and not task.ignored:
            told.append(f"{task.label!r} was added, ticked")
        elif any(called[name] > 1 for name in names_of(task)):
            told.append(f"{task.label!r} was added, and another task is called so")
    return told


def _changed(old: Plan, new: Plan) -> list[str]:
    """What became of tasks that are no longer there as they were."""
    now, told = by_words(new.tasks), []
    for words, were in by_words(old.tasks).items():
        are = now.get(words, [])
        changed = [how for task in were if (how := _became(task, are))]
        # Nothing but their order tells them apart, and a tick would go to the wrong one.
        if not changed and len(were) > 1 and [*map(_stands, were)] != [*map(_stands, are)]:
            changed = [f"{were[0].label!r} stands there {len(were)} times, and one was moved"]
        told += changed
    return told


def _became(task: Task, alike: Sequence[Task]) -> str:
    """What was done to this task, by those of its words that are there now; empty if nothing was."""
    named = [each for each in alike if each.label == task.label]
    if not named:
        return f"{task.label!r} was taken out or reworded"
    if _judged_by(task) in map(_judged_by, named):
        return ""
    return f"{task.label!r} was {'ticked' if named[0].mark != task.mark else 'changed'}"


def by_words(tasks: Iterable[Task]) -> dict[str, list[Task]]:
    """Tasks of the same words together, in their order."""
    alike: dict[str, list[Task]] = {}
    for task in tasks:
        alike.setdefault(key_of(task.label), []).append(task)
    return alike


def _stands(task: Task) -> tuple[object, ...]:
    return (task.label, task.section, *_judged_by(task))


def _judged_by(task: Task) -> tuple[object, ...]:
    return (task.mark, task.description, task.criteria, task.files, task.after, task.ignored)
