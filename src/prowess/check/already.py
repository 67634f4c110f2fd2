"""
What the verdicts rest on: files, commands, our own sight; and whether a task of which nobody did
anything was done before, by another one.

Only what lies in files shows it, or a test that the criterion itself names and that a runner counted.
That a command succeeds does not: most commands succeed on work that was never begun.
"""

import re
from collections.abc import Iterable, Sequence

from prowess.check.probes import FILES
from prowess.check.running.runners import names_tests, runner_in
from prowess.core.evidence import Criterion, Looked

_LINES = re.compile(r":\d+(?:[-:]\d+)?$")


def is_so(criteria: Sequence[Criterion]) -> bool:
    """Whether we saw of all that the task itself asks for, in a way that counts, that it holds."""
    own = [each for each in criteria if not each.added]
    return bool(own) and all(map(_seen, own))


def seen_by_us(criteria: Iterable[Criterion]) -> bool:
    """Whether the whole of each was met in our own sight, and no part only by what somebody cites."""
    return all(
        (ours := _ours(criterion)) and all(each.state == "confirmed" for each in ours)
        for criterion in criteria
    )


def is_cited(criterion: Criterion) -> bool:
    """Whether it holds only by what somebody cites."""
    return criterion.verdict == "PASS" and not seen_by_us((criterion,))


def shown_by(criteria: Iterable[Criterion]) -> list[str]:
    """The files by which the criteria were seen to hold."""
    items = [item for each in criteria for item in each.evidence if item.state == "confirmed"]
    return [_LINES.sub("", item.evidence.location) for item in items if item.evidence.type in FILES]


def _seen(criterion: Criterion) -> bool:
    ours = _ours(criterion)
    return bool(ours) and all(_shows(criterion.text, item) for item in ours)


def _ours(criterion: Criterion) -> list[Looked]:
    """What we looked at ourselves; a part that we could not look at is among it, unconfirmed."""
    return [item for item in criterion.evidence if item.own]


def _shows(text: str, item: Looked) -> bool:
    if item.state != "confirmed":
        return False
    if item.evidence.type in FILES:
        return True
    counted = item.evidence.type == "test_result" and bool(runner_in(item.evidence.location))
    return counted and names_tests(text)
