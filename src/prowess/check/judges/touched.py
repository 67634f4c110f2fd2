"""What a change did to something that judges it, and which commands that matters to."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prowess.check.judges.by_name import ANY
from prowess.check.judges.web_scripts import scripts_run
from prowess.check.kept.moved_tests import Moved, Stayed
from prowess.check.running.runners import RUNS_TESTS, may_run_tests

if TYPE_CHECKING:
    from prowess.check.running.commands import (
        Ran,  # which itself asks what decides how commands end
    )

TOUCHES = "the change touches what judges it"
_PUT_BACK, _OR_NAME = (
    "; put it back",
    ", or have the task ask for the change: name the file in its words, or in its `files:` if it has any",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """
    `what` is worded for people; `matters_to` is a pattern of commands; what matters to any matters only
    where tests are run, and what `weakens` tests where they may be. What has an `unless` does no harm
    where that test is seen to run, and what has `scripts` where a command is known to run other ones.
    `path` is what could be put back for a second look; `had` are the targets or scripts that it had. What
    is not `excusable` no task can allow.
    """

    what: str
    matters_to: str = ANY
    path: str = ""
    had: frozenset[str] | None = None
    weakens: bool = False
    unless: Moved | Stayed | None = None
    scripts: frozenset[str] = frozenset()
    excusable: bool = True

    def spoils(self, ran: "Ran", *, tests: bool) -> bool:
        if self.unless and self.unless.still_runs(ran):
            return False
        return self.judges(ran.command, tests=tests)

    def configures(self, command: str) -> bool:
        """Whether it judges what a criterion's own command tells: a target that is new is the work itself."""
        if self.weakens or self.matters_to == ANY or not self.judges(command, tests=False):
            return False
        _, *words = command.split()
        return self.had is None or not words or bool(self.had.intersection(words))

    def judges(self, command: str, *, tests: bool) -> bool:
        if self.weakens and may_run_tests(command):
            return True
        if self.scripts and (run := scripts_run(command)) is not None and not run & self.scripts:
            return False
        return bool(re.search(self.matters_to, command)) and (tests or self.matters_to != ANY)


def touches(found: Sequence[Touched]) -> str:
    """What of the judges was touched and what to do, or an empty text where nothing was."""
    if not found:
        return ""
    allow = _OR_NAME if any(each.excusable for each in found) else ""
    return f"{TOUCHES}: {'; '.join(each.what for each in found[:3])}{_PUT_BACK}{allow}"


def spoiled(touched: Sequence[Touched], commands: Sequence[str]) -> list[str]:
    """What of this is a judge of these commands, which somebody else's work will be proven by."""
    return [
        each.what
        for each in touched
        if not each.unless
        and any(each.judges(line, tests=bool(RUNS_TESTS.search(line))) for line in commands)
    ]
