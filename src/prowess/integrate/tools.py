"""
The coding tools we know, and how each learns of us: an MCP server in its settings, or, where it
speaks no MCP, the file it reads first.

An edit is a function of the file's text. What stands there already and is not ours is never
changed: it is refused, with the lines to paste by hand.
"""

import json
from collections.abc import Mapping
from typing import Any

from prowess.integrate import json_entry
from prowess.integrate.aider import AIDER
from prowess.integrate.codex import CODEX
from prowess.integrate.tool import ADD, NAME, SERVER, TAKE_OUT, Tool, by_hand, not_ours


def _json_tool(*, name: str, file: str, table: str, entry: Any, then: str) -> Tool:
    snippet = json.dumps({table: {NAME: entry}}, indent=2)

    def is_there(text: str, *, do: str) -> bool:
        try:
            found = json_entry.entry(text, table, NAME)
        except json_entry.UnreadableError as error:
            raise by_hand(f"{file} is not plain JSON: {error}", snippet, do=do) from None
        if found not in (None, entry):
            raise not_ours(file, snippet)
        return found is not None

    def add(text: str | None) -> str:
        if text is not None and is_there(text, do=ADD):
            return text
        return json_entry.with_entry(text, table, NAME, entry)

    def remove(text: str | None) -> str | None:
        if text is None or not is_there(text, do=TAKE_OUT):
            return text
        return json_entry.without_entry(text, table, NAME)

    return Tool(name=name, file=file, add=add, remove=remove, then=then)


OPENCODE = _json_tool(
    name="opencode",
    file="opencode.json",
    table="mcp",
    entry={"type": "local", "command": [NAME, "mcp"], "enabled": True},
    then="start OpenCode again; `opencode mcp list` shows the server",
)
CURSOR = _json_tool(
    name="cursor",
    file=".cursor/mcp.json",
    table="mcpServers",
    entry=SERVER,
    then="switch the server on in Cursor's settings, under MCP",
)
CLAUDE = _json_tool(
    name="claude",
    file=".mcp.json",
    table="mcpServers",
    entry=SERVER,
    then="start Claude Code again and approve the server; /mcp lists it",
)

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (OPENCODE, CURSOR, CLAUDE, CODEX, AIDER)}
