"""
What is wrong with the validation commands of a plan, as far as it shows before they are run.

Each line is a command of its own, run in a shell of its own: nothing that a line sets lasts until
the next, and what needs several lines has to stand in a script. Bash itself is asked whether a line
is whole; it reads the line and runs nothing.
"""

import os
import re
import subprocess
from collections.abc import Sequence

from prowess.core.task import Plan

Slip = tuple[int, str]
_LINES_ONLY = "each line is a shell of its own"
# Lines that are about the lines below and do nothing else: `cd app`, `export A=1`, `A=1`, `. env.sh`.
_FOR_THE_NEXT = re.compile(
    r"(?:(?:cd|pushd|popd|export|declare|unset|alias|source|\.|set|shopt|ulimit|umask)(?:\s[^;&|]*)?"
    r"|(?:[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|[^\s;&|]*)\s*)+)"
)
_PLACE = re.compile(r"^.*?\bline \d+: ")
_PATIENCE = 10.0  # seconds


def validation_slips(plan: Plan) -> list[Slip]:
    """Lines that prove nothing as they stand, each with what is wrong with it."""
    return sorted([*unreadable(plan), *_without_effect(plan)])


def unreadable(plan: Plan) -> list[Slip]:
    """Lines that are no whole command, so that they can never succeed."""
    return [
        (line, f"{command!r} is no whole command ({why}); {_LINES_ONLY}: use a script, or one line")
        for line, command in _commands(plan)
        if (why := _refused(command))
    ]


def _without_effect(plan: Plan) -> list[Slip]:
    return [
        (line, f"{command!r} does nothing for the lines below; {_LINES_ONLY}: join them with `&&`")
        for line, command in _commands(plan)
        if _FOR_THE_NEXT.fullmatch(command)
    ]


def _commands(plan: Plan) -> Sequence[Slip]:
    return list(zip(plan.validation_lines, plan.validation, strict=True))


def _refused(command: str) -> str:
    """Why bash does not take the line for a whole command; empty where it does, or is not here."""
    try:
        read = subprocess.run(  # noqa: S603
            ["bash", "-n", "-c", command],  # noqa: S607
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ""
    # A here-document without its end is only warned of.
    said = read.stderr.decode(errors="replace").strip().splitlines()
    return _PLACE.sub("", said[0]) if said else ""
