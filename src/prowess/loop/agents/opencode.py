"""
OpenCode: `opencode run --format json`, the prompt on standard input, events of steps and parts.

Its settings come in one variable, which it ranks above the project's own file: there nobody can be
asked, and what is not allowed would be refused without a word.
"""

import json
import os
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from prowess.core.agent import AgentOrder
from prowess.core.chat import Usage
from prowess.loop.agents.base import Launch, Ways
from prowess.loop.agents.heard import Heard
from prowess.loop.agents.loose import count, money, table, text
from prowess.loop.agents.tools import our_call
from prowess.tools.servers import Server, read_servers

_PROVIDER = "prowess"
_OFFLINE = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
_REFUSED = ("rejected permission", "prevents you from using", "permission denied by")


_LINE = re.compile(r"^timestamp=(\S+) .*$", re.MULTILINE)
_LOGGED = re.compile(r'\blevel=ERROR\b.*\berror(?:\.\w+)*="((?:[^"\\]|\\.)*)"')


def last_words(told: str) -> str:
    """The errors of its log, each a line among many fields."""
    return "\n".join(_LOGGED.findall(told)) or told


def logged(told: str, since: float) -> str:
    """The errors of its log since a moment: it asks a provider that gives no more on and on."""
    lines = [line[0] for line in _LINE.finditer(told) if _moment(line[1]) >= since]
    errors = (error for line in lines for error in _LOGGED.findall(line))
    return "\n".join(dict.fromkeys(errors))


def _moment(told: str) -> float:
    try:
        return datetime.fromisoformat(told).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def launch(order: AgentOrder, place: str) -> Launch:
    model = order.model or ""
    if order.environment.get("OPENAI_BASE_URL"):
        model = f"{_PROVIDER}/{model.removeprefix(_PROVIDER + '/')}"
    homes = {
        f"XDG_{name}_HOME": os.path.join(place, name.lower())
        for name in ("DATA", "CONFIG", "CACHE", "STATE")
    }
    return Launch(
        words=(
            *("run", "--format", "json", "--dir", order.workspace),
            *("--print-logs", "--log-level", "ERROR"),  # on stderr: what it else tells nobody
            *(("-m", model) if model else ()),
        ),
        environment={
            **homes,
            **{f"OPENCODE_DISABLE_{name}": "1" for name in _OFFLINE},
            "OPENCODE_CONFIG_CONTENT": json.dumps(_settings(order, model)),
        },
        stdin=order.prompt,
    )


def _settings(order: AgentOrder, model: str) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "autoupdate": False,
        "share": "disabled",
        "permission": {"*": "allow"},
        "mcp": {server.name: _server(server) for server in read_servers(order.servers)},
    }
    if address := order.environment.get("OPENAI_BASE_URL"):
        settings["small_model"] = model
        settings["provider"] = {
            _PROVIDER: {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": address, "apiKey": "{env:OPENAI_API_KEY}"},
                "models": {model.removeprefix(f"{_PROVIDER}/"): {}},
            }
        }
    return settings


def _server(server: Server) -> dict[str, Any]:
    if server.url:
        return {"type": "remote", "url": server.url}
    return {"type": "local", "command": list(server.command), "environment": dict(server.env)}


def read(heard: Heard, said: Mapping[str, Any]) -> None:
    kind, part = said.get("type"), table(said.get("part"))
    if kind == "step_start":
        heard.iteration += 1
    elif kind == "text":
        heard.replied(text(part.get("text")))
    elif kind == "tool_use":
        _used(heard, part)
    elif kind == "step_finish":
        _stepped(heard, part)
    elif kind == "error":
        error = table(said.get("error"))
        told = table(error.get("data"))
        status = told.get("statusCode")
        message = text(told.get("message")) or text(error.get("name")) or text(error)
        heard.stumbled(message, status=status if isinstance(status, int) else None)


def _used(heard: Heard, part: Mapping[str, Any]) -> None:
    """A tool is told of when it has ended. A command that failed is `completed`, with its exit code."""
    state = table(part.get("state"))
    call_id, facts = text(part.get("callID")), table(state.get("metadata"))
    heard.called(our_call(call_id, text(part.get("tool")), table(state.get("input"))))
    error, code = text(state.get("error")), facts.get("exit")
    ok = state.get("status") == "completed" and code in (0, None)
    heard.observed(
        call_id,
        error or text(state.get("output")),
        ok=ok,
        refused=any(word in error for word in _REFUSED),
        facts={} if code is None else {"exit": code},
    )


def _stepped(heard: Heard, part: Mapping[str, Any]) -> None:
    tokens = table(part.get("tokens"))
    cache = table(tokens.get("cache"))
    read_again = count(cache.get("read"))
    usage = Usage(
        input_tokens=count(tokens.get("input")) + read_again + count(cache.get("write")),
        output_tokens=count(tokens.get("output")) + count(tokens.get("reasoning")),
        cached_tokens=read_again,
        cost=money(part.get("cost")),
    )
    heard.used(usage)
    heard.used_in_all(heard.usage)
    if part.get("reason") == "stop":
        heard.finished()


OPENCODE = Ways(
    name="opencode",
    program="opencode",
    launch=launch,
    read=read,
    variables=(
        *("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"),
        *("OPENROUTER_API_KEY", "GROQ_API_KEY"),
    ),
    reads_skills=True,
    last_words=last_words,
    logged=logged,
)
