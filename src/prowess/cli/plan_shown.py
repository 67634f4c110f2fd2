"""What `prowess plan` says of a plan besides its tasks: what is wrong with it, and who can see what it asks for."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Literal

from prowess.core.errors import OutsideError
from prowess.core.task import Plan

How = Literal["code looks", "code looks at a part, the rest needs evidence", "needs evidence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A criterion of the task on this line, and who can see whether it holds."""

    line: int
    criterion: str
    how: How

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def problems_of(plan: Plan, path: str) -> Sequence[tuple[int, str]]:
    """All that is wrong with it, and what a loop would refuse to begin with, by line."""
    from prowess.engine.checking import root_of
    from prowess.loop.beforehand.proving import never_proving
    from prowess.select.validation import validation_slips

    root = root_of(os.path.dirname(path))
    refused = never_proving(plan, root)
    return sorted({*plan.problems(), *validation_slips(plan), *refused, *_lacking(plan, root)})


def _lacking(plan: Plan, root: str) -> Sequence[tuple[int, str]]:
    """Programs that are not where commands are run; nobody looks where there is no sandbox."""
    if not plan.validation:
        return ()
    from prowess.cli.staying import stay
    from prowess.engine.world import open_sandbox_for
    from prowess.loop.beforehand.lacking import told_lacking
    from prowess.settings import load_settings

    with suppress(OutsideError):
        sandbox, _ = open_sandbox_for(load_settings(project=root))
        return stay(told_lacking(plan, root, sandbox))
    return ()


def seen_in(plan: Plan) -> list[Seen]:
    """The criteria of the tasks that are to do."""
    return [
        Seen(line=task.line, criterion=text, how=_how(text, plan.validation))
        for task in plan.tasks
        if task.mark == " " and not task.ignored
        for text in task.criteria
    ]


def _how(text: str, validation: Sequence[str]) -> How:
    from prowess.check.criteria import propose

    found = propose(text, validation=validation, find_test=lambda name: [name])
    if not found.probes:
        return "needs evidence"
    return "code looks" if found.whole else "code looks at a part, the rest needs evidence"
