"""Codex: the MCP server as a table of .codex/config.toml, in a marked block at its end."""

import tomllib

from prowess.integrate import marked
from prowess.integrate.tool import NAME, SERVER, Tool, by_hand, not_ours

FILE = ".codex/config.toml"
SNIPPET = '[mcp_servers.prowess]\ncommand = "prowess"\nargs = ["mcp"]'


def add(text: str | None) -> str:
    if text is not None and _is_there(text):
        return text
    after = marked.with_block(text, SNIPPET)
    try:
        tomllib.loads(after)
    except ValueError:  # no table can be added to one that is written in one line
        raise by_hand(f"{FILE} has mcp_servers in one line", SNIPPET) from None
    return after


def remove(text: str | None) -> str | None:
    if text is None or not _is_there(text):
        return text
    if not marked.has_block(text):
        raise not_ours(FILE, SNIPPET)
    return marked.without_block(text)


def _is_there(text: str) -> bool:
    try:
        servers = tomllib.loads(text).get("mcp_servers", {})
    except (ValueError, RecursionError) as error:
        raise by_hand(f"{FILE} is not valid TOML: {error}", SNIPPET) from None
    found = servers.get(NAME) if isinstance(servers, dict) else None
    if found not in (None, SERVER):
        raise not_ours(FILE, SNIPPET)
    return found is not None


CODEX = Tool(
    name="codex",
    file=FILE,
    add=add,
    remove=remove,
    then="trust this folder in Codex, which reads the settings of trusted projects only; /mcp lists the server",
)
