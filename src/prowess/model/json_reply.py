"""
Reading one step out of what a model wrote: an action, or its final answer.

Lenient with how it is written (prose and fences around, wrong quotes, trailing commas), strict
with what it says. Where there are several objects the first that is a step counts: what a model
writes after it was written before it saw the observation. The work is bounded for any text.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from prowess.core.depth import is_deep
from prowess.core.execution import shown
from prowess.model.characters import whole
from prowess.model.depth import DEEPEST, TooDeepError

_MOST_STARTS = 40  # braces that are tried as the beginning of an object
_MOST_REPAIRS = 8
_MOST_REPAIRED = 200_000  # characters
_FORM = 'write one JSON object: {"thought": …, "action": …, "action_input": {…}}, or {"is_final": true, "final_answer": …}'
_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_REPAIRABLE = re.compile(
    r"""(?P<double>"(?:[^"\\]|\\.)*")|'(?P<single>(?:[^'\\]|\\.)*)'|(?P<comma>,)(?=\s{0,99}[}\]])|\b(?P<word>True|False|None)\b""",
    re.DOTALL,
)
_LONE_BACKSLASH = re.compile(r'\\(\\|["/bfnrt]|u[0-9a-fA-F]{4}|)')
_WORDS = {"True": "true", "False": "false", "None": "null"}
_FINAL_ACTIONS = {"final answer", "final_answer", "finish", "final"}
_FLATTER = f"the objects in the reply {TooDeepError()}"
_DECODER = json.JSONDecoder(strict=False)


class WrongFormError(ValueError):
    """Says what is wrong with a reply, for the model to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A tool to use, and why."""

    tool: str
    input: Mapping[str, Any]
    thought: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Final:
    """The answer that ends the run."""

    answer: str


def read_step(text: str, tools: Mapping[str, Mapping[str, Any]]) -> Action | Final:
    """`tools` are the parameters of each tool by its name, to know where a bare value belongs."""
    wrong: WrongFormError | None = None
    for value in _objects(_THINKING.sub("", text)):
        try:
            return _step(value, tools)
        except WrongFormError as error:
            wrong = wrong or error
    raise wrong or WrongFormError(f"there is no JSON object in the reply; {_FORM}")


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The objects in the text that can be read, in order, repaired where they need it."""
    place, repairs = text.find("{"), 0
    for _ in range(_MOST_STARTS):
        if place < 0:
            return
        found = _decoded(text, place)
        if found is None and repairs < _MOST_REPAIRS:
            repairs += 1
            repaired = _repaired(text[place : place + _MOST_REPAIRED])
            if found := _decoded(repaired, 0):
                text = repaired
        if found:
            yield found[0]
        place = text.find("{", found[1] if found else place + 1)


def _decoded(text: str, place: int) -> tuple[dict[str, Any], int] | None:
    try:
        value, end = _DECODER.raw_decode(text, place)
    except RecursionError:
        raise WrongFormError(_FLATTER) from None
    except ValueError:
        return None
    if is_deep(value, DEEPEST):
        raise WrongFormError(_FLATTER)
    return whole(value), end


def _repaired(text: str) -> str:
    """Single quotes made double, lone backslashes doubled, trailing commas dropped, Python's words made JSON's."""

    def mend(found: re.Match[str]) -> str:
        if found["comma"]:
            return ""
        if found["word"]:
            return _WORDS[found["word"]]
        inside = found["double"][1:-1] if found["double"] else _requoted(found["single"])
        return f'"{_LONE_BACKSLASH.sub(lambda lone: lone[0] if lone[1] else 2 * lone[0], inside)}"'

    return _REPAIRABLE.sub(mend, text)


def _requoted(inside: str) -> str:
    return inside.replace("\\'", "'").replace('\\"', '"').replace('"', '\\"')


def _step(value: Mapping[str, Any], tools: Mapping[str, Mapping[str, Any]]) -> Action | Final:
    action = value.get("action")
    if _is_true(value.get("is_final")) or "final_answer" in value:
        return _final(value.get("final_answer", value.get("answer")))
    if isinstance(action, str) and action.strip().lower() in _FINAL_ACTIONS:
        return _final(value.get("action_input"))
    if not isinstance(action, str) or not action.strip():
        raise WrongFormError(f"the object has no action and no final_answer; {_FORM}")
    tool = action.strip()
    return Action(
        tool=tool,
        input=_input(value.get("action_input"), tool, tools.get(tool, {})),
        thought=str(value.get("thought") or ""),
    )


def _final(answer: Any) -> Final:
    if answer is None or answer == "":
        raise WrongFormError("is_final is set, but final_answer is missing; put the answer there")
    return Final(
        answer=answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    )


def _input(value: Any, tool: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments; a bare value is meant for the tool's only argument."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = next(_objects(value), value)
    if isinstance(value, dict):
        return value
    if value in (None, ""):
        return {}
    names = list(parameters.get("required") or parameters.get("properties") or ())
    if len(names) == 1:
        return {names[0]: value}
    raise WrongFormError(
        f"action_input of {tool} is {shown(value)}; write an object with its arguments by name"
    )


def _is_true(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() == "true")
