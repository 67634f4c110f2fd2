"""
Guards of transitions: `or`, `and`, `not`, parentheses, comparisons, `status.…`, literals.

The grammar is that of a workflow's conditions with less in it. What a guard may ask about is known,
and so is what it can be: a guard that asks about anything else, or compares it with what it never
is, is an error when the phases are read, not at midnight.
"""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prowess.core.errors import ProwessError
from prowess.workflow.conditions import Condition, ConditionError, parse_condition

NUMBERS = ("status.attempt", "status.max_attempts")
TEXTS: Mapping[str, tuple[str, ...]] = {
    "status.trouble": ("none", "auth", "crash", "timeout", "idle", "malformed", "budget"),
    "status.check": ("none", "passed", "failed", "unproven"),
    "status.review": ("none", "approved", "changes"),
    "status.script": ("none", "passed", "failed"),
}
KNOWN = frozenset((*NUMBERS, *TEXTS))
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_MORE = re.compile(r"[\[\]{},]|\bin\b")
_WORD = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|[=!<>]=|[<>()]|[^\s<>=!()'\"]+")
_BETWEEN = ("and", "or", "not", "(", ")")
_SIGNS = ("==", "!=", "<", ">", "<=", ">=")


class GuardError(ProwessError):
    """A guard cannot be read, or cannot mean what it says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    text: str
    condition: Condition

    def holds(self, status: Mapping[str, Any]) -> bool:
        return self.condition.holds(status)


def parse_guard(text: str) -> Guard:
    if found := _MORE.search(_QUOTED.sub("''", text)):
        raise GuardError(f"{found[0]!r} is not part of a guard")
    try:
        condition = parse_condition(text)
    except ConditionError as error:
        raise GuardError(str(error)) from None
    for slot in condition.slots:
        if (name := ".".join(slot.path)) not in KNOWN:
            known = ", ".join(sorted(KNOWN))
            raise GuardError(f"a guard cannot ask about {name!r}; it may about {known}")
    if wrong := [told for part in _parts(text) if (told := _senseless(part))]:
        raise GuardError("; ".join(wrong))
    return Guard(text=text, condition=condition)


def _parts(text: str) -> Iterator[Sequence[str]]:
    """What stands between `and`, `or`, `not` and parentheses, word by word."""
    part: list[str] = []
    for word in _WORD.findall(text):
        if word in _BETWEEN:
            yield part
            part = []
        else:
            part.append(word)
    yield part


def _senseless(part: Sequence[str]) -> str:
    """Why a part can decide nothing, in words; empty for a good one."""
    if not part:
        return ""
    if len(part) == 1:
        kind = "is no truth" if part[0] in KNOWN else "is always the same"
        return f"{part[0]} {kind}; compare, as in status.check == 'passed'"
    if len(part) != 3 or part[1] not in _SIGNS:  # noqa: PLR2004 - a name, a sign, a value
        return f"{' '.join(part)} is no comparison such as status.check == 'passed'"
    left, sign, right = part
    if left not in KNOWN and right not in KNOWN:
        return f"{' '.join(part)} is always the same"
    name, other = (left, right) if left in KNOWN else (right, left)
    return _not_a_number(name, other) if name in NUMBERS else _not_a_text(name, sign, other)


def _not_a_number(name: str, other: str) -> str:
    is_number = re.fullmatch(r"-?\d+(\.\d+)?", other.strip("'\""))
    return "" if is_number or other in NUMBERS else f"{name} is a number, and {other} is none"


def _not_a_text(name: str, sign: str, other: str) -> str:
    allowed = TEXTS[name]
    told = ", ".join(f"'{each}'" for each in allowed)
    if sign not in ("==", "!="):
        return f"{name} is a text ({told}), which is == or != another, not {sign}"
    if other in TEXTS:
        return ""
    value = other[1:-1]
    if other[0] in "'\"" and value in allowed:
        return ""
    near = difflib.get_close_matches(other.strip("'\""), allowed, n=1)
    meant = f"did you mean '{near[0]}'?" if near else f"it is one of {told}"
    return f"{name} is never {other}; {meant}"
