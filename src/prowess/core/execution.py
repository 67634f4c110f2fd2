"""
How a skill wants to be run: the settings its author may write, and what each may be.

A setting that makes no sense is never replaced by a default in silence: it is reported with what
is allowed, and the skill is not run until it is mended.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from prowess.core.skill import truth

Mode = Literal["autonomous", "simple"]
SETTINGS = frozenset(
    "execution_mode max_iterations max_retries_per_tool timeout_per_iteration early_termination"
    " model context agent".split()
)
SPELLINGS = SETTINGS.union(  # as authors write them: max_iterations, max-iterations, maxIterations
    *((name.replace("_", "-"), name[0] + name.title().replace("_", "")[1:]) for name in SETTINGS)
)
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)?")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, None: 1.0}
_MOST_ITERATIONS = 1000
_LONGEST = 24 * 3600.0
_MOST_DIGITS = 9
_SHOWN = 80  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """None means: what the platform's settings say."""

    mode: Mode = "autonomous"
    max_iterations: int | None = None
    max_retries_per_tool: int | None = None
    timeout_per_iteration: float | None = None
    early_termination: bool = True
    model: str | None = None
    fork: bool = False
    agent: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongSetting:
    """A field whose value we cannot use, and what it may be."""

    field: str
    message: str
    hint: str


def read_execution(fields: Mapping[str, Any]) -> tuple[Execution, list[WrongSetting]]:
    """`fields` in their one spelling; fields that are not about running are ignored."""
    execution, wrong = Execution(), []
    for name in fields.keys() & SETTINGS:
        try:
            execution = replace(execution, **_READ[name](fields[name]))
        except ValueError as error:
            wrong.append(
                WrongSetting(
                    field=name, message=f"{name} is {shown(fields[name])}", hint=f"use {error}"
                )
            )
    return execution, sorted(wrong, key=lambda each: each.field)


def shown(value: object) -> str:
    """A value as it can stand in a message, whatever its length."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def seconds(value: object) -> float:
    """`500ms`, `30s`, `1.5s`, `2m`; a bare number is seconds. ValueError says what is allowed."""
    found = _DURATION.fullmatch(str(value).strip())
    length = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if not 0 < length <= _LONGEST or isinstance(value, bool):
        raise ValueError("a time such as 500ms, 30s, 1.5s or 2m, at most 24h")
    return length


def _mode(value: object) -> dict[str, Any]:
    if value not in ("autonomous", "simple"):
        raise ValueError("autonomous (the default) or simple")
    return {"mode": value}


def _whole(name: str, least: int, most: int) -> Any:
    def read(value: object) -> dict[str, Any]:
        if isinstance(value, str) and value.isdecimal() and len(value) <= _MOST_DIGITS:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ValueError(f"a whole number from {least} to {most}")
        return {name: value}

    return read


def _early(value: object) -> dict[str, Any]:
    yes, no = truth(value, default=True), truth(value, default=False)
    if yes != no:  # neither spelling of yes nor of no: each default won
        raise ValueError("true or false")
    return {"early_termination": yes}


def _text(name: str) -> Any:
    def read(value: object) -> dict[str, Any]:
        if not isinstance(value, str) or not value.strip():
            raise ValueError("a name, as text")
        return {name: value.strip()}

    return read


def _context(value: object) -> dict[str, Any]:
    if value not in ("fork", "inline", "main"):
        raise ValueError("fork, or leave the field out")
    return {"fork": value == "fork"}


_READ: Mapping[str, Any] = {
    "execution_mode": _mode,
    "max_iterations": _whole("max_iterations", 1, _MOST_ITERATIONS),
    "max_retries_per_tool": _whole("max_retries_per_tool", 0, 100),
    "timeout_per_iteration": lambda value: {"timeout_per_iteration": seconds(value)},
    "early_termination": _early,
    "model": _text("model"),
    "context": _context,
    "agent": _text("agent"),
}
