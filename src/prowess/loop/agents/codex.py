"""
Codex: `codex exec --json`, the prompt on standard input, events of items and turns.

Everything is set by options on its command line, so that it works with no file of the person's. Its
own sandbox is kept; it needs a home that is not in the temporary folder, or its commands do not start.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

from prowess.core.agent import AgentOrder
from prowess.core.chat import Usage
from prowess.loop.agents.base import Launch, Ways
from prowess.loop.agents.heard import Heard
from prowess.loop.agents.loose import count, rows, table, text
from prowess.loop.agents.tools import our_call, unwrapped
from prowess.tools.servers import Server, read_servers

STARTS = 60  # seconds that a server has to answer
_PROVIDER = "prowess"
_REFUSED = ("requires approval", "rejected by user", "user cancelled", "blocked by policy")


def launch(order: AgentOrder, place: str) -> Launch:
    given = order.environment
    settings = {
        "approval_policy": "never",
        "check_for_update_on_startup": False,
        "analytics.enabled": False,
        **_provider(given),
    }
    servers = read_servers(order.servers)
    settings |= {f"mcp_servers.{server.name}": _server(server) for server in servers}
    words = ["exec", "--json", "--ephemeral", "--skip-git-repo-check", "--ignore-user-config"]
    words += ["-s", "workspace-write", "-C", order.workspace]
    words += ["-m", order.model] if order.model else []
    for name, value in settings.items():
        words += ["-c", f"{name}={_toml(value)}"]
    environment = {"CODEX_HOME": os.path.join(place, "codex")}
    for server in servers:
        environment |= server.env
    if key := given.get("OPENAI_API_KEY"):
        environment["CODEX_API_KEY"] = key
    return Launch(
        words=(*words, "-"),
        environment=environment,
        stdin=order.prompt,
        files={"codex/.keep": ""},
    )


def _provider(given: Mapping[str, str]) -> dict[str, Any]:
    """The address that the order names, if it names one."""
    address = given.get("OPENAI_BASE_URL")
    if not address:
        return {}
    provider = {
        "name": _PROVIDER,
        "base_url": address,
        "wire_api": "responses",
        "requires_openai_auth": False,
        **({"env_key": "OPENAI_API_KEY"} if given.get("OPENAI_API_KEY") else {}),
    }
    return {"model_provider": _PROVIDER, f"model_providers.{_PROVIDER}": provider}


def _server(server: Server) -> dict[str, Any]:
    """
    Its variables go by their names: values on a command line are for everyone to see. Without
    `required` it would begin its work without a server that is slow or broken, and tell nobody.
    """
    ways = {
        "required": True,
        "startup_timeout_sec": STARTS,
        "default_tools_approval_mode": "approve",
    }
    if server.url:
        return {"url": server.url, **ways}
    command, *words = server.command
    return {"command": command, "args": words, "env_vars": list(server.env), **ways}


def _toml(value: Any) -> str:
    """Tables inline; text and lists are written in TOML as they are in JSON."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} = {_toml(each)}" for name, each in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def read(heard: Heard, said: Mapping[str, Any]) -> None:
    kind, item = said.get("type"), table(said.get("item"))
    if kind == "item.started":
        _begun(heard, item)
    elif kind == "item.completed":
        _completed(heard, item)
    elif kind == "turn.completed":
        heard.used_in_all(_usage(table(said.get("usage"))))  # of the whole thread
        heard.finished()
    elif kind == "turn.failed":
        heard.stumbled(text(table(said.get("error")).get("message")))
    elif kind == "error":
        heard.stumbled(text(said.get("message")))


def _begun(heard: Heard, item: Mapping[str, Any]) -> None:
    kind, call_id = item.get("type"), text(item.get("id"))
    if kind == "command_execution":
        command = unwrapped(text(item.get("command")))
        heard.called(our_call(call_id, "command_execution", {"command": command}))
    elif kind == "mcp_tool_call":
        tool = f"mcp__{text(item.get('server'))}__{text(item.get('tool'))}"
        heard.called(our_call(call_id, tool, table(item.get("arguments"))))
    elif kind == "file_change":
        changes = rows(item.get("changes"))
        paths = [text(change.get("path")) for change in changes]
        heard.called(our_call(call_id, "file_change", {"file_path": ", ".join(paths)}))
    elif kind == "web_search":
        heard.called(our_call(call_id, "web_search", {"pattern": text(item.get("query"))}))


def _completed(heard: Heard, item: Mapping[str, Any]) -> None:
    kind, call_id = item.get("type"), text(item.get("id"))
    if kind == "agent_message":
        heard.iteration += 1
        heard.replied(text(item.get("text")))
    elif kind in ("reasoning", "todo_list"):
        heard.replies = True
    elif kind == "error":
        heard.warned(text(item.get("message")))  # a turn that fails says so itself
    elif kind in ("command_execution", "mcp_tool_call", "file_change", "web_search"):
        if not heard.is_open(call_id):
            _begun(heard, item)
        seen = _seen(item)
        code = item.get("exit_code")
        ok = item.get("status") not in ("failed", "declined") and code in (0, None)
        refused = not ok and (
            item.get("status") == "declined" or any(word in seen for word in _REFUSED)
        )
        facts = {} if code is None else {"exit": code}
        heard.observed(call_id, seen, ok=ok, refused=refused, facts=facts)


def _seen(item: Mapping[str, Any]) -> str:
    if error := table(item.get("error")):
        return text(error.get("message"))
    if result := table(item.get("result")):
        parts = [text(part.get("text")) for part in rows(result.get("content"))]
        return "\n".join(parts)
    return text(item.get("aggregated_output"))


def _usage(usage: Mapping[str, Any]) -> Usage:
    return Usage(
        input_tokens=count(usage.get("input_tokens")),
        output_tokens=count(usage.get("output_tokens")),
        cached_tokens=count(usage.get("cached_input_tokens")),
    )


CODEX = Ways(
    name="codex",
    program="codex",
    launch=launch,
    read=read,
    variables=("OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY"),
    reads_skills=True,
)
