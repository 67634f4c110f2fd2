"""
Claude Code: `claude -p --output-format stream-json`, the prompt on standard input.

What it may do is named tool by tool, because it will not go without asking altogether when it is
root. What it was refused stands in its result.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from prowess.core.agent import AgentOrder
from prowess.core.chat import Usage
from prowess.loop.agents.base import Launch, Ways, mcp_file
from prowess.loop.agents.heard import Heard
from prowess.loop.agents.loose import count, money, table, text
from prowess.loop.agents.messages import read_message, read_result, read_results

_TOOLS = "Bash Edit Glob Grep MultiEdit NotebookEdit Read Skill Task TodoWrite Write".split()


def launch(order: AgentOrder, place: str) -> Launch:
    granted = [*_TOOLS, *(f"mcp__{name}" for name in order.servers)]
    servers = os.path.join(place, "mcp.json")
    return Launch(
        words=(
            *("-p", "--verbose", "--output-format", "stream-json"),
            *("--permission-mode", "acceptEdits", "--allowedTools", ",".join(granted)),
            *("--strict-mcp-config", "--mcp-config", servers),
            *(("--model", order.model) if order.model else ()),
        ),
        environment={
            "CLAUDE_CONFIG_DIR": os.path.join(place, "claude"),
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
        stdin=order.prompt,
        files={"mcp.json": json.dumps(mcp_file(order.servers))},
    )


def read(heard: Heard, said: Mapping[str, Any]) -> None:
    kind = said.get("type")
    if kind == "system" and said.get("subtype") == "api_retry":
        status = said.get("error_status")
        heard.stumbled(text(said.get("error")), status=status if isinstance(status, int) else None)
    elif kind == "system":
        heard.model = text(said.get("model")) or heard.model
    elif kind == "assistant":
        read_message(heard, said, _usage(table(table(said.get("message")).get("usage"))))
    elif kind == "user":
        read_results(heard, said)
    elif kind == "result":
        usage = _usage(table(said.get("usage")))
        read_result(heard, said, replace(usage, cost=money(said.get("total_cost_usd"))))
    elif kind == "rate_limit_event":
        limit = table(said.get("rate_limit_info"))
        if limit.get("status") == "rejected":
            heard.stumbled(f"usage limit reached|{count(limit.get('resetsAt'))}")


def _usage(usage: Mapping[str, Any]) -> Usage:
    """Anthropic counts what came from its cache, and what went into it, beside the input."""
    cached = count(usage.get("cache_read_input_tokens"))
    written = count(usage.get("cache_creation_input_tokens"))
    return Usage(
        input_tokens=count(usage.get("input_tokens")) + cached + written,
        output_tokens=count(usage.get("output_tokens")),
        cached_tokens=cached,
    )


CLAUDE = Ways(
    name="claude",
    program="claude",
    launch=launch,
    read=read,
    variables=(
        *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"),
        "CLAUDE_CODE_OAUTH_TOKEN",
    ),
)
