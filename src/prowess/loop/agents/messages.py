"""
The stream of Claude Code, which Qwen Code speaks too: messages with their blocks, and a result.

One message may come in several lines, a block each, with what it used in all of them; it is counted
once. Lines of sub-agents that work at the same time alternate. Messages of the agent itself look like the model's, save that nothing was used for them.
"""

from collections.abc import Mapping
from typing import Any

from prowess.core.chat import Call, Usage
from prowess.loop.agents.heard import Heard
from prowess.loop.agents.loose import rows, table, text
from prowess.loop.agents.tools import our_call

_REFUSED = (
    "requested permissions",
    "haven't granted",
    "permission to use",
    "was denied",
    "doesn't want to",
)


def read_message(heard: Heard, said: Mapping[str, Any], usage: Usage) -> None:
    """A message of the model or, for its calls, of a sub-agent, whose words are not the answer."""
    message, answer = table(said.get("message")), heard.answer
    heard.used_by(text(message.get("id")), usage)
    blocks = rows(message.get("content"))
    words = [text(block.get("text")) for block in blocks if block.get("type") == "text"]
    calls = [_call(block) for block in blocks if block.get("type") == "tool_use"]
    if words or calls:
        heard.replied("\n".join(words), calls=tuple(calls))
    if said.get("parent_tool_use_id"):
        heard.answer = answer
    for call in calls:
        heard.called(call)


def _call(block: Mapping[str, Any]) -> Call:
    return our_call(text(block.get("id")), text(block.get("name")), table(block.get("input")))


def read_results(heard: Heard, said: Mapping[str, Any]) -> None:
    """What came of calls. Of a command the stream tells no exit code."""
    for block in rows(table(said.get("message")).get("content")):
        if block.get("type") != "tool_result":
            continue
        seen, ok = _seen(block.get("content")), block.get("is_error") is not True
        refused = not ok and any(word in seen for word in _REFUSED)
        heard.observed(text(block.get("tool_use_id")), seen, ok=ok, refused=refused)


def _seen(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(text(part.get("text")) for part in rows(content) if part.get("text"))
    return text(content)


def read_result(heard: Heard, said: Mapping[str, Any], usage: Usage) -> None:
    """The end. That it is a success says only that nothing kept the agent from telling it."""
    heard.used_in_all(usage)
    for denial in rows(said.get("permission_denials")):
        tool = our_call("", text(denial.get("tool_name")), {}).tool
        if not any(refusal.startswith(f"{tool}:") for refusal in heard.refusals):
            heard.refusals.append(f"{tool}: refused")
    result = text(said.get("result")) or text(table(said.get("error")).get("message"))
    if said.get("is_error") is True or said.get("subtype") != "success":
        status = said.get("api_error_status")
        told = result or text(said.get("subtype"))
        heard.stumbled(told, status=status if isinstance(status, int) else None)
        return
    if result:
        heard.answer = result
    heard.finished()
