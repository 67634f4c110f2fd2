"""
Codex: the MCP server as a table of .codex/config.toml, in a marked block at its end.

It is `required`: otherwise Codex begins without a server that is slow to start, and says nothing.
"""

import tomllib
from typing import Any

from prowess.integrate import marked
from prowess.integrate.tool import ADD, NAME, SERVER, TAKE_OUT, Tool, by_hand, not_ours

FILE = ".codex/config.toml"
ENTRY = {**SERVER, "required": True, "startup_timeout_sec": 60}
SNIPPET = """[mcp_servers.prowess]
command = "prowess"
args = ["mcp"]
required = true
startup_timeout_sec = 60"""


def add(text: str | None) -> str:
    found = _entry(text, do=ADD) if text is not None else None
    if text is not None and found is not None:
        if found == ENTRY or not marked.has_block(text):
            return text
        text = remove(text)  # what an earlier version wrote
    after = marked.with_block(text, SNIPPET)
    try:
        tomllib.loads(after)
    except ValueError:  # no table can be added to one that is written in one line
        raise by_hand(f"{FILE} has mcp_servers in one line", SNIPPET) from None
    return after


def remove(text: str | None) -> str | None:
    if text is None or _entry(text, do=TAKE_OUT) is None:
        return text
    after = marked.without_block(text)
    if not _is_all_but_ours(after, text):
        raise not_ours(FILE, SNIPPET)
    return after


def _is_all_but_ours(after: str | None, before: str) -> bool:
    """Whether the file says all that it did, but for our entry: a mark may have been moved, or be a text."""
    try:
        left = tomllib.loads(after or "")
    except ValueError:
        return False
    wanted = tomllib.loads(before)
    del wanted["mcp_servers"][NAME]
    return {"mcp_servers": {}, **left} == wanted


def _entry(text: str, *, do: str) -> Any:
    """The entry that has our name, if it can be ours; None when there is none."""
    try:
        servers = tomllib.loads(text).get("mcp_servers", {})
    except (ValueError, RecursionError) as error:
        raise by_hand(f"{FILE} is not valid TOML: {error}", SNIPPET, do=do) from None
    found = servers.get(NAME) if isinstance(servers, dict) else None
    if found not in (None, SERVER, ENTRY):
        raise not_ours(FILE, SNIPPET)
    return found


CODEX = Tool(
    name="codex",
    file=FILE,
    add=add,
    remove=remove,
    then="trust this folder in Codex, which reads the settings of trusted projects only; /mcp lists the server",
)
