"""What a scripted turn looks like on the wire of each provider, whole and as a stream."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Wanted = tuple[str, Mapping[str, Any] | str]  # a tool, and its arguments or the raw text of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """What the model says. `signature` is what its provider signed the thinking with."""

    text: str = ""
    calls: Sequence[Wanted] = ()
    thinking: str = ""
    signature: str = "sig-1"
    input_tokens: int = 100
    cached_tokens: int = 0
    output_tokens: int = 20
    cut: bool = False  # it ran into the limit of its length


def streamed(path: str, say: Say, model: str) -> list[bytes]:
    """The events of the format that `path` asks for, each as bytes."""
    if path.startswith("/v1/messages"):
        return _named_events(_anthropic_events(say, model))
    if path.startswith("/v1/responses"):
        return _named_events(_responses_events(say, model))
    if path.startswith("/v1/chat/completions"):
        return [*_events(_chat_events(say, model)), b"data: [DONE]\n\n"]
    return _events([_gemini(say, half) for half in _halves(say)])


def whole(path: str, say: Say, model: str) -> Any:
    """The same turn as one JSON value."""
    if path.startswith("/v1/messages"):
        return _anthropic(say, model)
    if path.startswith("/v1/responses"):
        return _responses(say, model)
    if path.startswith("/v1/chat/completions"):
        return _chat(say, model)
    return _gemini(say, say)


def _events(values: Iterable[Any]) -> list[bytes]:
    return [b"data: %s\n\n" % json.dumps(value).encode() for value in values]


def _named_events(values: Iterable[Any]) -> list[bytes]:
    return [
        b"event: %s\ndata: %s\n\n" % (value["type"].encode(), json.dumps(value).encode())
        for value in values
    ]


def _written(arguments: Mapping[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _split(text: str) -> tuple[str, str]:
    middle = len(text) // 2
    return text[:middle], text[middle:]


# How Anthropic says it, in messages.


def _anthropic(say: Say, model: str) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if say.thinking:
        content.append({"type": "thinking", "thinking": say.thinking, "signature": say.signature})
    if say.text:
        content.append({"type": "text", "text": say.text})
    content += [
        {"type": "tool_use", "id": f"toolu_{place}", "name": tool, "input": arguments}
        for place, (tool, arguments) in enumerate(say.calls)
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "max_tokens" if say.cut else "tool_use" if say.calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": say.input_tokens - say.cached_tokens,
            "cache_read_input_tokens": say.cached_tokens,
            "cache_creation_input_tokens": 0,
            "output_tokens": say.output_tokens,
        },
    }


def _anthropic_events(say: Say, model: str) -> list[dict[str, Any]]:
    message = _anthropic(say, model)
    start = {**message, "content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for index, block in enumerate(message["content"]):
        opening, deltas = _anthropic_block(block)
        events.append({"type": "content_block_start", "index": index, "content_block": opening})
        events += [
            {"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas
        ]
        events.append({"type": "content_block_stop", "index": index})
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ending, "usage": message["usage"]})
    return [*events, {"type": "message_stop"}]


def _anthropic_block(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "tool_use":
        halves = _split(_written(block["input"]))
        deltas = [{"type": "input_json_delta", "partial_json": half} for half in halves]
        return {**block, "input": {}}, deltas
    kind = block["type"]
    deltas = [{"type": f"{kind}_delta", kind: half} for half in _split(block[kind])]
    if kind == "thinking":
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
        return {**block, "thinking": "", "signature": ""}, deltas
    return {**block, "text": ""}, deltas


# How OpenAI says it, in chat completions.


def _chat_usage(say: Say) -> dict[str, Any]:
    return {
        "prompt_tokens": say.input_tokens,
        "completion_tokens": say.output_tokens,
        "total_tokens": say.input_tokens + say.output_tokens,
        "prompt_tokens_details": {"cached_tokens": say.cached_tokens},
    }


def _chat_ending(say: Say) -> str:
    return "length" if say.cut else "tool_calls" if say.calls else "stop"


def _chat(say: Say, model: str) -> dict[str, Any]:
    calls = [
        {
            "id": f"call_{place}",
            "type": "function",
            "function": {"name": tool, "arguments": _written(arguments)},
        }
        for place, (tool, arguments) in enumerate(say.calls)
    ]
    message = {"role": "assistant", "content": say.text or None, "tool_calls": calls or None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": _chat_ending(say)}],
        "usage": _chat_usage(say),
    }


def _chat_events(say: Say, model: str) -> list[dict[str, Any]]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": half} for half in _split(say.text) if half]
    for index, (tool, arguments) in enumerate(say.calls):
        first, second = _split(_written(arguments))
        named = {"id": f"call_{index}", "type": "function"}
        deltas += [
            {
                "tool_calls": [
                    {"index": index, **named, "function": {"name": tool, "arguments": first}}
                ]
            },
            {"tool_calls": [{"index": index, "function": {"arguments": second}}]},
        ]
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": delta, "finish_reason": None} for delta in deltas
    ]
    choices.append({"index": 0, "delta": {}, "finish_reason": _chat_ending(say)})
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model}
    last = {**base, "choices": [], "usage": _chat_usage(say)}
    return [*({**base, "choices": [choice]} for choice in choices), last]


# How OpenAI says it, in responses.


def _responses(say: Say, model: str, *, status: str = "") -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    if say.thinking:
        summary = [{"type": "summary_text", "text": say.thinking}]
        output.append(
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": summary,
                "encrypted_content": say.signature,
            }
        )
    if say.text:
        content = [{"type": "output_text", "text": say.text, "annotations": []}]
        output.append(
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": content,
            }
        )
    output += [
        {
            "type": "function_call",
            "id": f"fc_{place}",
            "call_id": f"call_{place}",
            "name": tool,
            "arguments": _written(arguments),
            "status": "completed",
        }
        for place, (tool, arguments) in enumerate(say.calls)
    ]
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": model,
        "status": status or ("incomplete" if say.cut else "completed"),
        "incomplete_details": {"reason": "max_output_tokens"} if say.cut else None,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "output": output,
        "usage": {
            "input_tokens": say.input_tokens,
            "input_tokens_details": {"cached_tokens": say.cached_tokens, "cache_write_tokens": 0},
            "output_tokens": say.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": say.input_tokens + say.output_tokens,
        },
    }


def _responses_events(say: Say, model: str) -> list[dict[str, Any]]:
    done = _responses(say, model)
    begun = {**_responses(say, model, status="in_progress"), "output": [], "usage": None}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(done["output"]):
        opening = {**item, **_emptied(item)}
        events.append(
            {"type": "response.output_item.added", "output_index": index, "item": opening}
        )
        events += [
            {**event, "item_id": item["id"], "output_index": index} for event in _inside(item)
        ]
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": f"response.{done['status']}", "response": done})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _emptied(item: Mapping[str, Any]) -> dict[str, Any]:
    if item["type"] == "function_call":
        return {"arguments": "", "status": "in_progress"}
    if item["type"] == "message":
        return {"content": [], "status": "in_progress"}
    return {"summary": [], "encrypted_content": None}


def _inside(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    if item["type"] == "function_call":
        halves = _split(item["arguments"])
        return [
            {"type": "response.function_call_arguments.delta", "delta": half} for half in halves
        ]
    if item["type"] == "message":
        part = item["content"][0]
        events: list[dict[str, Any]] = [
            {"type": "response.content_part.added", "part": {**part, "text": ""}},
            *(
                {"type": "response.output_text.delta", "delta": half, "logprobs": []}
                for half in _split(part["text"])
            ),
        ]
        return [{**event, "content_index": 0} for event in events]
    text = item["summary"][0]["text"]
    parts: list[dict[str, Any]] = [
        {
            "type": "response.reasoning_summary_part.added",
            "part": {"type": "summary_text", "text": ""},
        },
        *(
            {"type": "response.reasoning_summary_text.delta", "delta": half}
            for half in _split(text)
        ),
    ]
    return [{**part, "summary_index": 0} for part in parts]


# How Google says it, for Gemini.


def _halves(say: Say) -> list[Say]:
    """The text in two pieces, then the calls."""
    first, second = _split(say.text)
    pieces = [Say(thinking=say.thinking)] if say.thinking else []
    pieces += [Say(text=half) for half in (first, second) if half]
    return [*pieces, Say(calls=say.calls, signature=say.signature, cut=say.cut)]


def _gemini(say: Say, piece: Say) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    if piece.thinking:
        parts.append({"text": piece.thinking, "thought": True})
    if piece.text:
        parts.append({"text": piece.text})
    for tool, arguments in piece.calls:
        call: dict[str, Any] = {"functionCall": {"name": tool, "args": arguments}}
        parts.append({**call, "thoughtSignature": "c2lnLTE="} if say.thinking else call)
    is_last = piece is say or not (piece.text or piece.thinking)
    ending = {"finishReason": "MAX_TOKENS" if say.cut else "STOP"} if is_last else {}
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, **ending}],
        "usageMetadata": {
            "promptTokenCount": say.input_tokens,
            "cachedContentTokenCount": say.cached_tokens,
            "candidatesTokenCount": say.output_tokens,
            "totalTokenCount": say.input_tokens + say.output_tokens,
        },
        "modelVersion": "scripted",
    }
