"""A task of a plan, and the plan it stands in."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

# To do, blocked, done and awaiting review, reviewed, for a person to try by hand.
Mark = Literal[" ", "~", "x", "R", "?"]
_HINT = re.compile(r"\(\s*@[a-z0-9-]+\s*\)|(?<!\w)@[a-z0-9-]+")
DONE: frozenset[str] = frozenset(("x", "R"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """`label` is the task's text on one line, hints included; `line` counts from 1."""

    label: str
    line: int
    mark: Mark
    section: str = ""
    hints: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    ignored: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "line": self.line,
            "mark": self.mark,
            "section": self.section,
            "hints": list(self.hints),
            "criteria": list(self.criteria),
            "files": list(self.files),
            "after": list(self.after),
            "ignored": self.ignored,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The tasks in the order of the file, and the commands that prove each of them."""

    tasks: tuple[Task, ...]
    validation: tuple[str, ...] = ()

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
        known = {name for task in self.tasks for name in names_of(task)}
        held: dict[Task, list[str]] = {}
        for task in self.tasks:
            if task.mark == " " and not task.ignored:
                # A task that is nowhere in the plan cannot be waited for; `unknown` reports it.
                open_ = [
                    name
                    for name in task.after
                    if (key := key_of(name)) in known and key not in done
                ]
                if open_:
                    held[task] = open_
        return held

    def unknown(self) -> list[tuple[Task, str]]:
        """What `after:` names and no task is called."""
        known = {name for task in self.tasks for name in names_of(task)}
        return [
            (task, name) for task in self.tasks for name in task.after if key_of(name) not in known
        ]


def names_of(task: Task) -> Sequence[str]:
    """What `after:` may call a task: its text with or without the hints."""
    return (key_of(task.label), key_of(_HINT.sub(" ", task.label)))


def key_of(name: str) -> str:
    return " ".join(name.split()).casefold().rstrip(". ")
