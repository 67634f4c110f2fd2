"""
What is said between a model and its tools.

One list of messages is the whole state of a run: what the model saw can be read back from it, in
order, and nothing else influences the next iteration.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

ToolKind = Literal["FILE", "SEARCH", "SHELL", "SKILL", "QUESTION", "API", "DATABASE"]
Speaker = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """
    What the model asks for. `input` is what it wrote, not yet checked.

    `values` never comes from a model: the variables of a command that hold text of neither it nor
    the skill, by name, or by number for an argument.
    """

    id: str
    tool: str
    input: Mapping[str, Any]
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """
    What came of one call, worded for the model to read.

    `healed` says how the tool helped itself (another encoding, a near name), one short phrase each.
    `refused` marks a call that was never made. `facts` is JSON for the log, not for the model.
    """

    call_id: str
    text: str
    ok: bool = True
    refused: bool = False
    healed: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """
    `answers` is the id of the call that a tool's message answers.

    `kept` is what a provider wants back word for word with the conversation (signed reasoning and
    the like); it is JSON, and nobody but the model layer looks inside.
    """

    role: Speaker
    text: str
    calls: tuple[Call, ...] = ()
    answers: str = ""
    ok: bool = True
    kept: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the provider counted them; `cost` is in US dollars, None when no price is known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer of a model. `malformed` says what is wrong with it when it cannot be followed."""

    message: Message
    usage: Usage = Usage()
    model: str = ""
    malformed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCard:
    """What a model is told of a tool; `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


def message_as_json(message: Message) -> dict[str, Any]:
    return {
        "role": message.role,
        "text": message.text,
        "calls": [call_as_json(call) for call in message.calls],
        "answers": message.answers,
        "ok": message.ok,
        "kept": dict(message.kept),
    }


def message_from_json(value: Mapping[str, Any]) -> Message:
    calls = tuple(call_from_json(call) for call in value["calls"])
    return Message(**{**value, "calls": calls})


def call_as_json(call: Call) -> dict[str, Any]:
    return {"id": call.id, "tool": call.tool, "input": dict(call.input)}


def call_from_json(value: Mapping[str, Any]) -> Call:
    return Call(id=value["id"], tool=value["tool"], input=value["input"])


def observation_as_json(seen: Observation) -> dict[str, Any]:
    return {
        "call_id": seen.call_id,
        "text": seen.text,
        "ok": seen.ok,
        "refused": seen.refused,
        "healed": list(seen.healed),
        "facts": dict(seen.facts),
    }


def observation_from_json(value: Mapping[str, Any]) -> Observation:
    return Observation(**{**value, "healed": tuple(value["healed"])})
