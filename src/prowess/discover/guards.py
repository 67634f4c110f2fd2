"""
The fields that say who may call a skill, and with which tools: what each of them may be.

They keep somebody out, so one that cannot be read is never taken in silence for one that is not
there: it is an error, and until it is mended the skill gives away less than its author may have meant.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from prowess.core.execution import shown
from prowess.core.skill import names_tools, says_truth, spelled_alike

_TOOLS = "tools between blanks, such as Read Bash(git diff:*), or a list of them"


class _Guard(NamedTuple):
    is_read: Callable[[object], bool]
    hint: str


_GUARDS = {
    "allowed_tools": _Guard(names_tools, f"use {_TOOLS}; until then no tool is allowed"),
    "disallowed_tools": _Guard(names_tools, f"use {_TOOLS}; until then every tool is forbidden"),
    "disable_model_invocation": _Guard(
        says_truth, "use true or false; until then only a person may call the skill"
    ),
    "user_invocable": _Guard(
        says_truth, "use true or false; until then a person may call the skill"
    ),
}


class Unread(NamedTuple):
    """A field as it is spelled in the header, what is wrong with it, and what it may be."""

    field: str
    message: str
    hint: str


def may_hold_guards(fields: Iterable[str]) -> bool:
    """Rough and quick, because it is asked of every file: a part that each guard has, however it is spelled."""
    names = "".join(fields).lower()
    return "tools" in names or "invoca" in names


def is_guard(field: str) -> bool:
    return any(unread_guards({field: {}}))


def unread_guards(header: Mapping[str, Any]) -> Iterator[Unread]:
    """The guards in it that cannot be read, under whatever spelling; one that is left empty says nothing."""
    for field, value in header.items():
        name = field.replace("-", "_")
        guard = _GUARDS.get(name if name.islower() else next(iter(spelled_alike({field: value}))))
        if guard and value is not None and not guard.is_read(value):
            yield Unread(field, f"{field} is {shown(value)}", guard.hint)
