"""
Our messages as the model library's, and its replies as ours.

What was converted for one request is used again for the next, so that a long conversation costs
no more to continue than a short one, and its beginning stays the same to the byte: the providers'
prompt caches depend on it. Loaded only together with a provider, because the library is heavy.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from itertools import takewhile
from operator import is_
from typing import Any, NoReturn

from pydantic import TypeAdapter
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from prowess.core.chat import Call, Message, Reply, ToolCard, Usage
from prowess.core.depth import is_deep
from prowess.core.execution import shown
from prowess.core.text import shortened
from prowess.model.characters import whole, whole_text
from prowess.model.cost import price
from prowess.model.depth import DEEPEST, TooDeepError
from prowess.model.names import Named

_RESPONSE = TypeAdapter(ModelResponse)
_KEPT = {"parts", "provider_name", "canonical_system", "model_name"}
_EMPTY = "(an empty reply)"
LONGEST = 1_000_000  # characters of one reply
_MOST_CALLS = 1_000  # of one reply; each must have an answer in the next request
_SHOWN = 2_000  # of one that is too long
_CUT_OFF = {  # a reply that ends for these reasons is not all that the model had to say
    "length": "the reply was cut off at the limit of its length: do it in smaller steps",
    "content_filter": "the reply was cut off by the provider's content filter: say it another way",
    "error": "the reply was cut off by an error of the provider: say it again",
}
_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # what names half of a surrogate pair in JSON


class Conversation:
    """The messages of one conversation as the library wants them, converted once each."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._known: list[Message] = []
        self._converted: list[ModelMessage] = []
        self._ends: list[int] = []  # where each of them ends among the known messages
        self._tools: dict[str, str] = {}  # the tool of each call, by the call's id

    def converted(self, messages: Sequence[Message]) -> list[ModelMessage]:
        """System messages at the beginning are left out: they go with the request's parameters."""
        self._forget(messages)
        place = self._ends[-1] if self._ends else len(_instructions(messages))
        while place < len(messages):
            group = _group(messages, place)
            place += len(group)
            self._ends.append(place)
            self._converted.append(self._convert(group))
        self._known = list(messages)
        return list(self._converted)

    def _forget(self, messages: Sequence[Message]) -> None:
        """Drop what was converted from messages that are no longer there, or whose group has grown."""
        same = _common(self._known, messages)
        while self._ends and (self._ends[-1] > same or _grows(messages, self._ends[-1])):
            self._ends.pop()
            self._converted.pop()

    def _convert(self, group: Sequence[Message]) -> ModelMessage:
        if group[0].role == "assistant":
            self._tools |= {call.id: call.tool for call in group[0].calls}
            return _response(group[0], self._provider)
        return ModelRequest(parts=[self._part(message) for message in group])

    def _part(self, message: Message) -> ToolReturnPart | UserPromptPart:
        if message.role != "tool":
            return UserPromptPart(content=whole_text(message.text))
        return ToolReturnPart(
            tool_name=self._tools.get(message.answers, ""),
            content=whole_text(message.text),
            tool_call_id=message.answers,
            outcome="success" if message.ok else "failed",
        )


def parameters(messages: Sequence[Message], tools: Sequence[ToolCard]) -> ModelRequestParameters:
    """The instructions and the tools of a request, which stay the same through a conversation."""
    text = whole_text("\n\n".join(message.text for message in _instructions(messages)))
    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=tool.name,
                description=tool.description,
                parameters_json_schema=dict(tool.parameters),
            )
            for tool in tools
        ],
        instruction_parts=[InstructionPart(content=text)] if text else [],
        allow_text_output=True,
    )


def heard(event: ModelResponseStreamEvent) -> tuple[str, bool]:
    """What came with one event of a stream, and whether it is said aloud."""
    if isinstance(event, PartStartEvent):
        return _content(event.part), isinstance(event.part, TextPart)
    if isinstance(event, PartDeltaEvent):
        delta = event.delta
        if isinstance(delta, TextPartDelta):
            return delta.content_delta, True
        if isinstance(delta, ThinkingPartDelta):
            return delta.content_delta or "", False
        if isinstance(delta, ToolCallPartDelta):
            return str(delta.args_delta or ""), False
    return "", False


def reply_from(response: ModelResponse, named: Named) -> Reply:
    """What the model said; a reply that cannot be followed is one that says so, not an error."""
    response = replace(response, parts=[_whole_part(part) for part in response.parts])
    calls, wrong = _calls(response)
    text = response.text or ""
    if not calls and not wrong and not text.strip():
        wrong = "the reply is empty: call a tool, or answer in text"
    if response.finish_reason in _CUT_OFF:
        wrong = _CUT_OFF[response.finish_reason]
    if len(calls) > _MOST_CALLS:
        wrong = (
            f"the reply makes {len(calls):,} calls at once: make a few, and look at what comes back"
        )
    if sum(len(_content(part)) for part in response.parts) > LONGEST:
        wrong = (
            f"the reply was stopped after {LONGEST:,} characters: say less, or write it in parts"
        )
    if wrong:
        message = Message(role="assistant", text=shortened(text or _written(response), _SHOWN))
    else:
        thought = text or (response.thinking or "" if calls else "")
        message = Message(role="assistant", text=thought, calls=calls, kept=_kept(response, named))
    return Reply(
        message=message,
        usage=_usage(response, named),
        model=named.name,
        malformed=wrong,
    )


def _whole_part(part: ModelResponsePart) -> ModelResponsePart:
    """The part in whole characters, before anything of it goes into the conversation."""
    said = {each.name: getattr(part, each.name) for each in fields(part) if each.init}
    said = {name: value for name, value in said.items() if isinstance(value, str | dict)}
    try:
        if (
            isinstance(part, ToolCallPart)
            and isinstance(part.args, str)
            and _HALF.search(part.args)
        ):
            said["args"] = json.dumps(whole(_arguments(part.args)), ensure_ascii=False)
        return replace(part, **whole(said))
    except (ValueError, RecursionError):  # arguments that are none; this is told when they are read
        return part


def _common(known: Sequence[Message], messages: Sequence[Message]) -> int:
    """How many messages at the beginning are the very same; nearly always all that are known."""
    if len(known) <= len(messages) and all(map(is_, known, messages)):
        return len(known)
    pairs = zip(known, messages, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))


def _instructions(messages: Sequence[Message]) -> list[Message]:
    return list(takewhile(lambda message: message.role == "system", messages))


def _group(messages: Sequence[Message], place: int) -> Sequence[Message]:
    """One reply of the model, or all that was said to it until the next."""
    if messages[place].role == "assistant":
        return messages[place : place + 1]
    return list(takewhile(lambda message: message.role != "assistant", messages[place:]))


def _grows(messages: Sequence[Message], end: int) -> bool:
    """Whether the group that ended at `end` was said to the model and has more to it now."""
    return end < len(messages) and "assistant" not in (messages[end - 1].role, messages[end].role)


def _response(message: Message, provider: str) -> ModelResponse:
    if message.kept.get("provider") == provider:
        return _RESPONSE.validate_python(message.kept["response"])
    parts: list[ModelResponsePart] = [TextPart(content=message.text)] if message.text else []
    parts += [
        ToolCallPart(tool_name=call.tool, args=dict(call.input), tool_call_id=call.id)
        for call in message.calls
    ]
    return ModelResponse(parts=parts or [TextPart(content=_EMPTY)])


def _kept(response: ModelResponse, named: Named) -> Mapping[str, Any]:
    """The reply as the provider wants it back, where text and calls alone would not do."""
    if all(_is_plain(part) for part in response.parts):
        return {}
    whole = _RESPONSE.dump_python(response, mode="json", include=_KEPT, exclude_none=True)
    return {"provider": named.provider, "response": whole}


def _is_plain(part: ModelResponsePart) -> bool:
    return isinstance(part, TextPart | ToolCallPart) and not (part.id or part.provider_details)


def _content(part: ModelResponsePart) -> str:
    said = part.args if isinstance(part, ToolCallPart) else getattr(part, "content", "")
    if not isinstance(said, str) and is_deep(said, DEEPEST):
        return "{…}"  # too deep even to be written out
    return str(said or "")


def _calls(response: ModelResponse) -> tuple[tuple[Call, ...], str]:
    """The calls, and what is wrong with them; one wrong call spoils the reply, so that none is made twice."""
    calls = []
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            try:
                arguments = _arguments(part.args)
            except TooDeepError as error:
                return (), f"the arguments of {part.tool_name} {error}"
            except ValueError as error:
                return (), f"the arguments of {part.tool_name} are not a JSON object: {error}"
            calls.append(Call(id=part.tool_call_id, tool=part.tool_name, input=arguments))
    return tuple(calls), ""


def _arguments(written: str | Mapping[str, Any] | None) -> Mapping[str, Any]:
    if isinstance(written, str) and written.strip():
        try:
            written = json.loads(written, parse_constant=_no_number)
        except RecursionError:
            raise TooDeepError from None
    if written in (None, ""):
        return {}
    if is_deep(written, DEEPEST):
        raise TooDeepError
    if not isinstance(written, dict):
        raise ValueError(f"{shown(written)}")  # noqa: TRY004  the text is wrong, not our types
    return written


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _written(response: ModelResponse) -> str:
    """A reply that could not be followed, as text, so that the model sees what it wrote."""
    wrote = (
        f"{part.tool_name}({shown(_content(part))})"
        for part in response.parts
        if isinstance(part, ToolCallPart)
    )
    return "\n".join(wrote) or _EMPTY


def _usage(response: ModelResponse, named: Named) -> Usage:
    used = response.usage
    counted = {
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cached_tokens": used.cache_read_tokens,
    }
    cost = price(named, **counted, written_tokens=used.cache_write_tokens)
    return Usage(**counted, cost=cost if any(counted.values()) else None)
