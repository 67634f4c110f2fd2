"""
Qwen Code: Claude Code's stream with a friendlier face than the facts.

An HTTP error comes as a message and a successful result, and a failed command as a result that is no
error. The first is known by what was used for it, which is nothing, or by the model's not having said
it; the second stands in the file that Qwen keeps of its conversation.
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
from prowess.loop.agents.messages import read_message, read_result, read_results

_ERROR = "[API Error"


def launch(order: AgentOrder, place: str) -> Launch:
    given = order.environment
    openai = bool(given.get("OPENAI_API_KEY") or given.get("OPENAI_BASE_URL"))
    return Launch(
        words=(
            *("--yolo", "--output-format", "stream-json", "--chat-recording", "true"),
            *("--mcp-config", os.path.join(place, "mcp.json")),
            *(("--auth-type", "openai") if openai else ()),
            *(("-m", order.model) if order.model else ()),
        ),
        environment={
            "QWEN_HOME": os.path.join(place, "qwen"),
            "QWEN_CODE_NO_RELAUNCH": "true",
            **({"OPENAI_API_KEY": "none"} if openai else {}),
        },
        stdin=order.prompt,
        files={
            "mcp.json": json.dumps(mcp_file(order.servers, address="httpUrl")),
            "qwen/settings.json": json.dumps(
                {
                    "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
                    "privacy": {"usageStatisticsEnabled": False},
                }
            ),
        },
    )


def read(heard: Heard, said: Mapping[str, Any]) -> None:
    kind = said.get("type")
    if kind == "system":
        heard.model = text(said.get("model")) or heard.model
    elif kind == "assistant":
        read_message(heard, said, _usage(table(table(said.get("message")).get("usage"))))
    elif kind == "user":
        read_results(heard, said)
    elif kind == "result":
        result = text(said.get("result"))
        own = heard.by_model and heard.answer.lstrip().startswith(_ERROR)
        if result.startswith(_ERROR) and not own:
            said = {**said, "is_error": True}
        read_result(heard, said, _usage(table(said.get("usage"))))


def _usage(usage: Mapping[str, Any]) -> Usage:
    return Usage(
        input_tokens=count(usage.get("input_tokens")),
        output_tokens=count(usage.get("output_tokens")),
        cached_tokens=count(usage.get("cache_read_input_tokens")),
    )


QWEN = Ways(
    name="qwen",
    program="qwen",
    launch=launch,
    read=read,
    kept="qwen/projects/*/chats/*.jsonl",
    variables=("OPENAI_API_KEY", "OPENAI_BASE_URL", "DASHSCOPE_API_KEY"),
)
