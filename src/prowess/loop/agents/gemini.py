"""
Gemini CLI: `gemini --output-format stream-json`, the prompt on standard input.

A message comes in pieces, which are put together. A failed command is told as a success; what its
exit code was stands in the file that Gemini keeps of its conversation.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

from prowess.core.agent import AgentOrder
from prowess.core.chat import Usage
from prowess.loop.agents.base import Launch, Ways, mcp_file
from prowess.loop.agents.heard import Heard
from prowess.loop.agents.loose import count, table, text
from prowess.loop.agents.tools import our_call

_REFUSED = ("denied by policy", "user denied", "cancelled by user", "requires confirmation")


def launch(order: AgentOrder, place: str) -> Launch:
    given = order.environment
    settings: dict[str, Any] = {
        **mcp_file(order.servers, address="httpUrl"),
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    by_key = bool(given.get("GEMINI_API_KEY") or given.get("GOOGLE_GEMINI_BASE_URL"))
    if by_key:
        settings["security"] = {"auth": {"selectedType": "gemini-api-key"}}
    return Launch(
        words=(
            *("--approval-mode", "yolo", "--output-format", "stream-json", "--skip-trust"),
            *(("-m", order.model) if order.model else ()),
        ),
        environment={
            "GEMINI_CLI_HOME": os.path.join(place, "gemini"),
            "GEMINI_CLI_NO_RELAUNCH": "true",
            **({"GEMINI_API_KEY": "none"} if by_key else {}),
        },
        stdin=order.prompt,
        files={"gemini/.gemini/settings.json": json.dumps(settings)},
    )


def read(heard: Heard, said: Mapping[str, Any]) -> None:
    kind = said.get("type")
    if kind == "init":
        heard.model = text(said.get("model")) or heard.model
    elif kind == "message" and said.get("role") == "assistant":
        heard.begun += text(said.get("content"))
    elif kind == "tool_use":
        heard.message_over()
        name, given = text(said.get("tool_name")), table(said.get("parameters"))
        heard.called(our_call(text(said.get("tool_id")), name, given))
    elif kind == "tool_result":
        error = text(table(said.get("error")).get("message"))
        ok = said.get("status") == "success"
        refused = not ok and any(word in error.lower() for word in _REFUSED)
        seen = text(said.get("output")) or error
        heard.observed(text(said.get("tool_id")), seen, ok=ok, refused=refused)
    elif kind == "error":
        heard.message_over()
        tell = heard.warned if said.get("severity") == "warning" else heard.stumbled
        tell(text(said.get("message")))
    elif kind == "result":
        heard.message_over()
        _ended(heard, said)


def _ended(heard: Heard, said: Mapping[str, Any]) -> None:
    stats = table(said.get("stats"))
    heard.used_in_all(
        Usage(
            input_tokens=count(stats.get("input_tokens")),
            output_tokens=count(stats.get("output_tokens")),
            cached_tokens=count(stats.get("cached")),
        )
    )
    if said.get("status") == "success":
        heard.finished()
    else:
        heard.stumbled(text(table(said.get("error")).get("message")))


GEMINI = Ways(
    name="gemini",
    program="gemini",
    launch=launch,
    read=read,
    kept="gemini/.gemini/tmp/*/chats/*.jsonl",
    variables=("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
)
