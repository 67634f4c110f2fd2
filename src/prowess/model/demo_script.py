"""
The script a skill may bring along for the `demo` model: `demo.yaml` or `demo.json` beside SKILL.md.

Every field is checked when the file is read, so that a wrong script is told before the run and
not in the middle of it. docs/models.md describes the format.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from prowess.core.errors import SkillError
from prowess.core.execution import shown
from prowess.core.files import decode, read_beneath
from prowess.core.patterns import compiled

FILES = ("demo.yaml", "demo.json")
MAX_BYTES = 64 * 1024
_SCRIPT = ("about", "capture", "defaults", "turns")
_TURN = ("if_failed", "if_matches", "thought", "call", "input", "calls", "answer", "capture")
_CALL = ("call", "input")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoTurn:
    """One turn: made when its conditions hold for the last observation, passed over when they do not."""

    if_failed: bool | None = None
    if_matches: str = ""
    thought: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    answer: str = ""
    capture: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoScript:
    """`capture` takes values from the task; each turn's own, from the observations of its calls."""

    turns: tuple[DemoTurn, ...]
    capture: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)


def has_script(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, name)) for name in FILES)


def read_script(folder: str) -> DemoScript | None:
    """The script in a skill's folder; None when there is none."""
    for name in FILES:
        if os.path.lexists(os.path.join(folder, name)):
            return parse_script(decode(read_beneath(folder, name, limit=MAX_BYTES)), name)
    return None


def parse_script(text: str, file: str = FILES[0]) -> DemoScript:
    try:
        return _script(_json(text) if file.endswith(".json") else _yaml(text))
    except SkillError as error:
        raise SkillError(f"{file}: {error}", hint=error.hint, line=error.line) from None


def _yaml(text: str) -> Any:
    from prowess.core.safe_yaml import read_mapping

    return read_mapping(text).value


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SkillError(f"not valid JSON: {error}", hint="mend it at this place") from None


def _script(value: Any) -> DemoScript:
    _check_fields(value, _SCRIPT, "the script")
    _text(value, "about", "the script")
    turns = value.get("turns")
    if not isinstance(turns, list) or not turns:
        raise SkillError("turns is missing", hint="give a list that ends with an `answer`")
    read = tuple(_turn(each, f"turn {place}") for place, each in enumerate(turns, 1))
    last = read[-1]
    if not last.answer or last.if_failed is not None or last.if_matches:
        raise SkillError(
            f"turn {len(read)} is the last and does not always end the run",
            hint="end with an `answer` that has no condition",
        )
    return DemoScript(
        turns=read,
        capture=_patterns(value, "capture", "the script"),
        defaults=_values(value, "defaults", "the script"),
    )


def _turn(value: Any, where: str) -> DemoTurn:
    _check_fields(value, _TURN, where)
    if sum(name in value for name in ("call", "calls", "answer")) != 1:
        raise SkillError(
            f"{where} must do one thing", hint="give it one of `call`, `calls`, `answer`"
        )
    failed = value.get("if_failed")
    if failed is not None and not isinstance(failed, bool):
        raise SkillError(f"{where}: if_failed is {shown(failed)}", hint="use true or false")
    if "answer" in value and "capture" in value:
        raise SkillError(
            f"{where}: nothing is observed after an answer", hint="put `capture` beside a call"
        )
    pattern = _text(value, "if_matches", where)
    return DemoTurn(
        if_failed=failed,
        if_matches=_pattern(pattern, f"{where}: if_matches") if pattern else "",
        thought=_text(value, "thought", where),
        calls=_calls(value, where),
        answer=_text(value, "answer", where, needed="answer" in value),
        capture=_patterns(value, "capture", where),
    )


def _calls(turn: Mapping[str, Any], where: str) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    if "call" in turn:
        return (_call(turn, where),)
    if "input" in turn:
        raise SkillError(f"{where}: `input` without `call`", hint="put it beside its `call`")
    several = turn.get("calls", [])
    if not isinstance(several, list) or ("calls" in turn and not several):
        raise SkillError(f"{where}: calls is {shown(several)}", hint="give a list of calls")
    for each in several:
        _check_fields(each, _CALL, f"{where}: calls")
    return tuple(_call(each, where) for each in several)


def _call(value: Mapping[str, Any], where: str) -> tuple[str, Mapping[str, Any]]:
    arguments = value.get("input", {})
    if not isinstance(arguments, dict):
        raise SkillError(
            f"{where}: input is {shown(arguments)}", hint="give the tool's arguments by name"
        )
    return _text(value, "call", where, needed=True), arguments


def _check_fields(value: Any, known: tuple[str, ...], where: str) -> None:
    if not isinstance(value, dict):
        raise SkillError(f"{where} is {shown(value)}", hint=f"give fields: {', '.join(known)}")
    for name in value:
        if name not in known:
            raise SkillError(f"{where}: unknown field {name!r}", hint=f"use {', '.join(known)}")


def _text(value: Mapping[str, Any], name: str, where: str, *, needed: bool = False) -> str:
    text = value.get(name, "")
    if not isinstance(text, str) or (needed and not text.strip()):
        raise SkillError(f"{where}: {name} is {shown(text)}", hint="give a text")
    return text


def _values(value: Mapping[str, Any], name: str, where: str) -> dict[str, str]:
    values = value.get(name, {})
    if not isinstance(values, dict):
        raise SkillError(f"{where}: {name} is {shown(values)}", hint="give values by name")
    for key, each in values.items():
        if not _NAME.fullmatch(key):
            raise SkillError(f"{where}: {name}: {key!r}", hint="use small letters, digits and _")
        if not isinstance(each, str | int | float):
            raise SkillError(f"{where}: {name}: {key} is {shown(each)}", hint="give a text")
    return {key: str(each) for key, each in values.items()}


def _patterns(value: Mapping[str, Any], name: str, where: str) -> dict[str, str]:
    return {
        key: _pattern(pattern, f"{where}: {name}: {key}")
        for key, pattern in _values(value, name, where).items()
    }


def _pattern(pattern: str, where: str) -> str:
    import re2  # type: ignore[import-untyped]

    try:
        compiled(pattern)
    except re2.error as error:
        raise SkillError(
            f"{where}: {shown(pattern)} is not a pattern ({error.args[0].decode()})",
            hint="use a regular expression in RE2's syntax",
        ) from None
    return pattern
