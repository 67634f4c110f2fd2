"""
One small story as each agent tells it: a command is run, something is said, the end comes.

Written by hand after the agents' own streams, with nothing in them that is not read.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Story:
    """`error` is what the agent says of itself in the end, instead of an end."""

    command: str = "pytest -q"
    output: str = "2 passed"
    code: int = 0
    said: str = "All tests pass."
    error: str = ""
    refused: bool = False


Told = Callable[[Story], list[Any]]


def codex(story: Story) -> list[Any]:
    item = {
        "id": "item_1",
        "type": "command_execution",
        "command": f"/bin/bash -lc '{story.command}'",
    }
    state = "declined" if story.refused else "failed" if story.code else "completed"
    ended = {**item, "aggregated_output": story.output, "exit_code": story.code, "status": state}
    message = {"id": "item_2", "type": "agent_message", "text": story.said}
    usage = {"input_tokens": 200, "cached_input_tokens": 50, "output_tokens": 40}
    end: list[Any] = [
        {"type": "item.completed", "item": message},
        {"type": "turn.completed", "usage": usage},
    ]
    if story.error:
        end = [
            {"type": "error", "message": story.error},
            {"type": "turn.failed", "error": {"message": story.error}},
        ]
    warning = {"id": "item_0", "type": "error", "message": "Model metadata not found: 401 guesses."}
    return [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": warning},
        {"type": "turn.started"},
        {"type": "item.started", "item": {**item, "status": "in_progress"}},
        {"type": "item.completed", "item": ended},
        *end,
    ]


def opencode(story: Story) -> list[Any]:
    state: dict[str, Any] = {"status": "completed", "input": {"command": story.command}}
    state |= {"output": story.output, "metadata": {"exit": story.code}}
    if story.refused:
        state = {**state, "status": "error", "error": "The user rejected permission to use this."}
    tokens = {"input": 75, "output": 15, "reasoning": 5, "cache": {"read": 25, "write": 0}}
    finish = {"reason": "tool-calls", "tokens": tokens, "cost": 0}
    end: list[Any] = [
        {"type": "step_start", "part": {}},
        {"type": "text", "part": {"text": story.said}},
        {"type": "step_finish", "part": {**finish, "reason": "stop"}},
    ]
    if story.error:
        error = {"name": "APIError", "data": {"message": story.error}}
        end = [{"type": "error", "error": error}]
    return [
        {"type": "step_start", "part": {}},
        {"type": "tool_use", "part": {"tool": "bash", "callID": "call_1", "state": state}},
        {"type": "step_finish", "part": finish},
        *end,
    ]


def claude(story: Story) -> list[Any]:
    used = {"input_tokens": 75, "cache_read_input_tokens": 25, "output_tokens": 20}
    call = {"type": "tool_use", "id": "call_1", "name": "Bash", "input": {"command": story.command}}
    denied = "Claude requested permissions to use Bash, but you haven't granted it yet."
    failed = bool(story.code) or story.refused
    seen = {"type": "tool_result", "tool_use_id": "call_1", "is_error": failed}
    seen["content"] = denied if story.refused else story.output
    total = {"input_tokens": 150, "cache_read_input_tokens": 50, "output_tokens": 40}
    result: dict[str, Any] = {"type": "result", "subtype": "success", "is_error": False}
    result |= {"result": story.said, "usage": total, "total_cost_usd": 0.25}
    if story.error:
        result |= {"is_error": True, "result": story.error}
    return [
        {"type": "system", "subtype": "init", "model": "claude-x"},
        _assistant("m1", [call], used),
        {"type": "user", "message": {"role": "user", "content": [seen]}},
        *([] if story.error else [_assistant("m2", [{"type": "text", "text": story.said}], used)]),
        result,
    ]


def qwen(story: Story) -> list[Any]:
    """Whatever goes wrong, it is a success."""
    used = {"input_tokens": 100, "cache_read_input_tokens": 25, "output_tokens": 20}
    words = {"command": story.command}
    call = {"type": "tool_use", "id": "call_1", "name": "run_shell_command", "input": words}
    seen = {"type": "tool_result", "tool_use_id": "call_1", "is_error": story.refused}
    seen["content"] = (
        "This was denied by the user: it was denied." if story.refused else story.output
    )
    total = {"input_tokens": 200, "cache_read_input_tokens": 50, "output_tokens": 40}
    said = f"[API Error: {story.error}]" if story.error else story.said
    nothing = {"input_tokens": 0, "output_tokens": 0}
    text = [{"type": "text", "text": said}]
    return [
        {"type": "system", "subtype": "init", "model": "qwen-x"},
        _assistant("m1", [call], used),
        {"type": "user", "message": {"role": "user", "content": [seen]}},
        _assistant("m2", text, nothing if story.error else used),
        {"type": "result", "subtype": "success", "is_error": False, "result": said, "usage": total},
    ]


def gemini(story: Story) -> list[Any]:
    seen: dict[str, Any] = {"type": "tool_result", "tool_id": "call_1", "status": "success"}
    seen["output"] = story.output
    if story.refused:
        seen = {**seen, "output": "", "status": "error", "error": {"message": "Denied by policy."}}
    stats = {"input_tokens": 200, "cached": 50, "output_tokens": 40}
    end: list[Any] = [
        {"type": "message", "role": "assistant", "content": story.said[:4], "delta": True},
        {"type": "message", "role": "assistant", "content": story.said[4:], "delta": True},
        {"type": "result", "status": "success", "stats": stats},
    ]
    if story.error:
        error = {"type": "unknown", "message": f"[API Error: {story.error}]"}
        end = [{"type": "result", "status": "error", "error": error, "stats": stats}]
    words = {"command": story.command}
    return [
        {"type": "init", "model": "gemini-x"},
        {"type": "message", "role": "user", "content": "usage limit reached, 401"},
        {
            "type": "tool_use",
            "tool_name": "run_shell_command",
            "tool_id": "call_1",
            "parameters": words,
        },
        seen,
        *end,
    ]


def _assistant(name: str, content: Sequence[Any], usage: Any) -> dict[str, Any]:
    message = {"id": name, "role": "assistant", "content": content, "usage": usage}
    return {"type": "assistant", "parent_tool_use_id": None, "message": message}


TOLD: dict[str, Told] = {
    "claude": claude,
    "codex": codex,
    "opencode": opencode,
    "gemini": gemini,
    "qwen": qwen,
}


def lines(agent: str, story: Story) -> list[bytes]:
    return [json.dumps(each).encode() for each in TOLD[agent](story)]
