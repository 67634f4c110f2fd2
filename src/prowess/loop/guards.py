"""
Guards of transitions: `or`, `and`, `not`, parentheses, comparisons, `status.…`, literals.

The grammar is that of a workflow's conditions with less in it. What a guard may ask about is known,
so a guard that asks about anything else is an error when the phases are read, not at midnight.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from prowess.core.errors import ProwessError
from prowess.workflow.conditions import Condition, ConditionError, parse_condition

KNOWN = frozenset(
    "status.attempt status.max_attempts status.trouble status.check status.review status.script".split()
)
_TEXTS = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_MORE = re.compile(r"[\[\]{},]|\bin\b")


class GuardError(ProwessError):
    """A guard cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    text: str
    condition: Condition

    def holds(self, status: Mapping[str, Any]) -> bool:
        return self.condition.holds(status)


def parse_guard(text: str) -> Guard:
    if found := _MORE.search(_TEXTS.sub("''", text)):
        raise GuardError(f"{found[0]!r} is not part of a guard")
    try:
        condition = parse_condition(text)
    except ConditionError as error:
        raise GuardError(str(error)) from None
    for slot in condition.slots:
        if (name := ".".join(slot.path)) not in KNOWN:
            known = ", ".join(sorted(KNOWN))
            raise GuardError(f"a guard cannot ask about {name!r}; it may about {known}")
    return Guard(text=text, condition=condition)
