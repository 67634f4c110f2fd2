"""A task of a plan, and the plan it stands in."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from prowess.core.near import did_you_mean

# To do, blocked, done and awaiting review, reviewed, for a person to try by hand.
Mark = Literal[" ", "~", "x", "R", "?"]
_HINT = re.compile(r"\(\s*@[a-z0-9-]+\s*\)|(?<!\w)@[a-z0-9-]+")
DONE: frozenset[str] = frozenset(("x", "R"))
_OFFERS = 3  # names that are not there, for which one is looked for that is like them
_COMPARED = 500  # tasks nearest to the line, for each of them
_COMPARED_CHARS = 200
_RING = 8  # lines of a ring that are told


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """
    `label` is the task's first paragraph on one line, hints included, and `description` what follows
    it; `line` counts from 1. `twin` is how many tasks with the same words stand above it, which tells
    it from them wherever it is moved.
    """

    label: str
    line: int
    mark: Mark
    section: str = ""
    description: str = ""
    hints: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    ignored: bool = False
    twin: int = 0

    @property
    def text(self) -> str:
        """All that it asks for in words."""
        return f"{self.label}\n\n{self.description}" if self.description else self.label

    def as_json(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "line": self.line,
            "mark": self.mark,
            "section": self.section,
            "description": self.description,
            "hints": list(self.hints),
            "criteria": list(self.criteria),
            "files": list(self.files),
            "after": list(self.after),
            "ignored": self.ignored,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """
    The tasks in the order of the file, and the commands that prove each of them, with the line that
    each stands on. `slips` are lines that look like a task or like such commands and are neither, each
    with what is wrong with it.
    """

    tasks: tuple[Task, ...]
    validation: tuple[str, ...] = ()
    validation_lines: tuple[int, ...] = ()
    slips: tuple[tuple[int, str], ...] = ()

    def next(self) -> Task | None:
        """The first task to do whose `after` tasks are done; None when there is none."""
        waiting = self.waiting()
        return next(
            (
                task
                for task in self.tasks
                if task.mark == " " and not task.ignored and task not in waiting
            ),
            None,
        )

    def waiting(self) -> dict[Task, list[str]]:
        """Tasks to do that must wait, each with the labels of what they wait for."""
        done = {name for task in self.tasks if task.mark in DONE for name in names_of(task)}
        known = self._called()
        held: dict[Task, list[str]] = {}
        for task in self.tasks:
            if task.after and task.mark == " " and not task.ignored:
                # A task that is nowhere in the plan cannot be waited for; `unknown` reports it.
                open_ = [
                    name
                    for name in task.after
                    if (key := key_of(name)) in known and key not in done
                ]
                if open_:
                    held[task] = open_
        return held

    def for_people(self) -> str:
        """Which open tasks nothing will begin, and why, in words; empty where there are none."""
        kept = sum(task.mark == " " and task.ignored for task in self.tasks)
        if not kept:
            return ""
        return (
            f"{kept} open {'task is' if kept == 1 else 'tasks are'} left to people: marked `[ ]?`, or below"
            " a heading about verification, checklists or manual QA"
        )

    def about_blocked(self) -> str:
        """Which tasks are blocked, and how they are tried again, in words; empty where there are none."""
        lines = [str(task.line) for task in self.tasks if task.mark == "~" and not task.ignored]
        if not lines:
            return ""
        here = f"{'line' if len(lines) == 1 else 'lines'} {', '.join(lines)}"
        return f"to have what is blocked tried again, write `[ ]` for `[~]` in the plan ({here})"

    def unknown(self) -> list[tuple[Task, str]]:
        """What `after:` names and no task is called."""
        known = self._called()
        return [
            (task, name) for task in self.tasks for name in task.after if key_of(name) not in known
        ]

    def lost(self) -> list[tuple[Task, str]]:
        """The same of tasks that are to do, which keeps a loop from beginning."""
        return [each for each in self.unknown() if each[0].mark == " " and not each[0].ignored]

    def circle(self) -> list[Task]:
        """Tasks that wait for one another in a ring, so that none can ever be begun; [] if there are none."""
        called = self._called()
        held = {task: list(map(key_of, names)) for task, names in self.waiting().items()}
        stuck = _never_freed(held, called)
        place: dict[Task, int] = {}
        ahead = next(iter(stuck), None)
        while ahead is not None and ahead not in place:
            place[ahead] = len(place)
            ahead = called[next(name for name in held[ahead] if name in stuck[ahead])][0]
        return list(place)[place[ahead] :] if ahead else []

    def _called(self) -> dict[str, list[Task]]:
        """The tasks by each of their names, as `after:` may use it."""
        called: dict[str, list[Task]] = {}
        for task in self.tasks:
            for name in set(names_of(task)):
                called.setdefault(name, []).append(task)
        return called

    def problems(self) -> list[tuple[int, str]]:
        """All that is wrong with it, by line."""
        ring = self.circle()
        circle = [(ring[0].line, about_circle(ring))] if ring else []
        return sorted([*self.slips, *self.about_unknown(self.unknown()), *circle])

    def about_unknown(self, unknown: Sequence[tuple[Task, str]]) -> list[tuple[int, str]]:
        """What is wrong with each, with its line. What may be meant takes long to find: the first few are told."""
        return [
            (task.line, _no_such(name, self._near(task, name) if place < _OFFERS else ""))
            for place, (task, name) in enumerate(unknown)
        ]

    def _near(self, task: Task, name: str) -> str:
        around = sorted(self.tasks, key=lambda each: abs(each.line - task.line))[:_COMPARED]
        labels = (each.label for each in around if len(each.label) <= _COMPARED_CHARS)
        return did_you_mean(name, labels, most=1) if len(name) <= _COMPARED_CHARS else ""


def _never_freed(
    held: Mapping[Task, Sequence[str]], called: Mapping[str, Sequence[Task]]
) -> dict[Task, set[str]]:
    """The held tasks that stay so however many others get done, each with the names that hold it."""
    holds = {task: set(names) for task, names in held.items()}
    behind: dict[str, list[Task]] = {}
    for task, names in holds.items():
        for name in names:
            behind.setdefault(name, []).append(task)
    # One task that can be done is enough for whoever waits for its name.
    freed = [name for name in behind if any(task not in holds for task in called[name])]
    while freed:
        name = freed.pop()
        for task in behind.pop(name, ()):
            holds[task].discard(name)
            if not holds[task]:
                del holds[task]
                freed += names_of(task)
    return holds


def _no_such(name: str, near: str) -> str:
    told = f"after names {name!r}, and there is no such task"
    return f"{told}; {near}" if near else told


def about_circle(ring: Sequence[Task]) -> str:
    if len(ring) == 1:
        return "it waits for itself, and can never begin"
    lines = [f"line {task.line}" for task in (*ring[1:], ring[0])]
    if len(lines) > _RING:
        lines[_RING - 2 : -1] = [f"{len(lines) - _RING + 1:,} more in a row"]
    return f"it waits for {', which waits for '.join(lines)}: none of them can ever begin"


def numbered(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """The tasks of a plan, those of the same words told apart by their order."""
    seen: Counter[str] = Counter()
    told = []
    for task in tasks:
        key = key_of(task.label)
        told.append(replace(task, twin=seen[key]) if seen[key] else task)
        seen[key] += 1
    return tuple(told)


def names_of(task: Task) -> Sequence[str]:
    """What `after:` may call a task: its text with or without the hints."""
    return (key_of(task.label), key_of(_HINT.sub(" ", task.label)))


def key_of(name: str) -> str:
    return " ".join(name.split()).casefold().rstrip(". ")
