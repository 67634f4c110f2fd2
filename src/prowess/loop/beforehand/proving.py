"""Validation commands with which no task could ever be proven, as far as it shows before they are run."""

import os
import re

from prowess.check.running.shell import says_nothing, simple_commands
from prowess.core.near import did_you_mean
from prowess.core.task import Plan
from prowess.select.validation import unreadable, validation_slips


def never_proving(plan: Plan, folder: str) -> list[tuple[int, str]]:
    """Validation commands with which every task would be blocked, whatever an agent does."""
    told, found = dict(validation_slips(plan)), dict(unreadable(plan))
    for line, command in zip(plan.validation_lines, plan.validation, strict=True):
        if says_nothing(command):
            same = f"{command!r} proves nothing: its exit code is the same whatever is true"
            found.setdefault(line, told.get(line, same))
        elif (program := _program_in(command)) and _is_mistyped(program, plan, folder):
            near = did_you_mean(program, _beside(folder, program), most=1)
            found.setdefault(line, f"there is no {program}" + (f"; {near}" if near else ""))
    return sorted(found.items())


def _program_in(command: str) -> str:
    """The path of the program that a command begins with; empty where it is looked for by its name."""
    words = next((words for _, words in simple_commands(command) or ()), [])
    word = next((word for word in words if not re.match(r"\w+=", word)), "")
    return word if re.fullmatch(r"[\w.@+-]+(?:/[\w.@+-]+)+", word) else ""


def _is_mistyped(program: str, plan: Plan, folder: str) -> bool:
    """Whether it is not where others are, and no task speaks of it that could bring it."""
    said = " ".join(f"{task.text} {task.criteria} {task.files}" for task in plan.tasks)
    among = os.path.isdir(os.path.join(folder, os.path.dirname(program)))
    there = os.path.lexists(os.path.join(folder, program))
    return among and not there and os.path.basename(program) not in said


def _beside(folder: str, program: str) -> list[str]:
    place = os.path.dirname(program)
    return [f"{place}/{name}" for name in os.listdir(os.path.join(folder, place))]
