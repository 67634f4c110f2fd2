"""
The `demo` model: it follows a script that the skill brings along, so that a first run needs no key.

The tools really run, and what they return decides which turn comes next. A reply is a function of
the conversation alone, so a resumed run goes on where it was. Where there is no script, or where
it does not fit what happened, asking the model is an error that says so; it never pretends.
"""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from prowess.core.chat import Message, Reply
from prowess.core.errors import ModelError
from prowess.core.patterns import compiled
from prowess.model.demo_script import DemoScript, DemoTurn, read_script
from prowess.model.scripted import Scripted, Turn, calls, final

_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")


class _MissingError(Exception):
    """A value that the script needs was in no observation."""


def demo_model(folder: str | None) -> Scripted:
    """The `demo` model for the skill in `folder`. Raises `SkillError` when its script is wrong."""
    script = read_script(folder) if folder else None
    if script is None:
        return Unplayable(os.path.basename(folder) if folder else "this task")
    return Scripted(lambda messages: _next(script, messages), name="demo")


class Unplayable(Scripted):
    """The demo model of a skill without a script: whatever it is asked, it says `why` not."""

    def __init__(self, skill: str) -> None:
        self.why = (
            f"the demo model only plays examples that bring a script, and {skill} brings none"
        )
        self.hint = (
            "see it at work with `prowess demo`; for this, name a real model: --model sonnet with"
            " ANTHROPIC_API_KEY set, openai:NAME, google:NAME, or ollama:NAME for one on this machine"
        )
        super().__init__(lambda messages: ModelError(self.why, hint=self.hint), name="demo")


def _next(script: DemoScript, messages: Sequence[Message]) -> Turn:
    """Play the script along the conversation so far, then say the turn that is due now."""
    task, *rounds = _rounds(messages)
    values = {**script.defaults, **_captured(script.capture, task[::-1])}
    place = _due(script, 0, [])
    for observations in rounds:
        values |= _captured(script.turns[place].capture, observations)
        place = _due(script, place + 1, observations)
    try:
        return _said(script.turns[place], values, _declared(script))
    except _MissingError as missing:
        return ModelError(
            f"the script of the demo model does not fit what happened: it needs `{missing}`, and no"
            " observation had it",
            hint="use the example as it is described, or name a real model, which would look again",
        )


def _rounds(messages: Sequence[Message]) -> list[list[Message]]:
    """What came before the model's first reply, then the observations after each of its replies."""
    rounds: list[list[Message]] = [[]]
    for message in messages:
        if message.role == "assistant":
            rounds.append([])
        elif message.role == "tool" or len(rounds) == 1:
            rounds[-1].append(message)
    return rounds


def _due(script: DemoScript, place: int, observations: Sequence[Message]) -> int:
    """The first turn from `place` on whose conditions hold; the last one always does."""
    last = len(script.turns) - 1
    while place < last and not _holds(script.turns[place], observations):
        place += 1
    return min(place, last)


def _holds(turn: DemoTurn, observations: Sequence[Message]) -> bool:
    failed = any(not seen.ok for seen in observations)
    if turn.if_failed is not None and turn.if_failed != failed:
        return False
    return not turn.if_matches or any(
        compiled(turn.if_matches).search(seen.text) for seen in observations
    )


def _captured(patterns: Mapping[str, str], messages: Sequence[Message]) -> dict[str, str]:
    """For each name the first match: its first group, or all of it where it has none."""
    found = {}
    for name, pattern in patterns.items():
        matches = (compiled(pattern).search(message.text) for message in messages)
        if match := next(filter(None, matches), None):
            found[name] = match.group(1 if match.re.groups else 0) or ""
    return found


def _said(turn: DemoTurn, values: Mapping[str, str], declared: frozenset[str]) -> Reply:
    if turn.answer:
        return final(_filled(turn.answer, values, declared))
    wanted = ((tool, _filled(arguments, values, declared)) for tool, arguments in turn.calls)
    return calls(*wanted, thought=_filled(turn.thought, values, declared))


def _filled(value: Any, values: Mapping[str, str], declared: frozenset[str]) -> Any:
    """Put values in for `{name}`, once; braces around any other word are left alone."""

    def put(found: re.Match[str]) -> str:
        name = found[1]
        if name not in declared:
            return found[0]
        if name not in values:
            raise _MissingError(name)
        return values[name]

    if isinstance(value, str):
        return _PLACE.sub(put, value)
    if isinstance(value, Mapping):
        return {key: _filled(each, values, declared) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, values, declared) for each in value]
    return value


def _declared(script: DemoScript) -> frozenset[str]:
    captured = (name for turn in script.turns for name in turn.capture)
    return frozenset((*script.defaults, *script.capture, *captured))
