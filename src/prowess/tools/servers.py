"""The MCP servers of the settings, read into plain values; what is wrong is said before anything starts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from prowess.core.errors import SettingsError

# No `__`, which parts a server from its tools in `mcp__server__tool`.
_NAME = re.compile(r"[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*")
_EXAMPLE = 'use command = ["program", "argument"] or url = "https://…"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Either a `command` that is started and spoken to over its pipes, or a `url`."""

    name: str
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    url: str = ""


def read_servers(table: Mapping[str, Any]) -> list[Server]:
    """The servers in the order they are written."""
    return [_server(name, entry) for name, entry in table.items()]


def _server(name: str, entry: Any) -> Server:
    where = f"mcp_servers.{name}"
    if not _NAME.fullmatch(name):
        raise SettingsError(
            f"{where}: not a name for a server",
            hint="use letters, digits and hyphens, and single underscores within",
        )
    if not isinstance(entry, Mapping):
        raise SettingsError(f"{where} is not a table", hint=_EXAMPLE)
    if unknown := sorted(set(entry) - {"command", "env", "url"}):
        raise SettingsError(f"{where}: there is no setting {unknown[0]!r}", hint=_EXAMPLE)
    if ("command" in entry) == ("url" in entry):
        both = "both a command and a url" if "url" in entry else "neither a command nor a url"
        raise SettingsError(f"{where} has {both}", hint=_EXAMPLE)
    if "url" in entry:
        return Server(name=name, url=_url(where, entry))
    return Server(name=name, command=_command(where, entry["command"]), env=_env(where, entry))


def _command(where: str, command: Any) -> tuple[str, ...]:
    if not isinstance(command, list | tuple) or not command or not all(map(_is_text, command)):
        raise SettingsError(
            f"{where}.command is not a list of words",
            hint='use a list, such as ["npx", "-y", "some-server"]',
        )
    return tuple(command)


def _env(where: str, entry: Mapping[str, Any]) -> Mapping[str, str]:
    env = entry.get("env", {})
    if not isinstance(env, Mapping) or not all(map(_is_text, (*env, *env.values()))):
        raise SettingsError(
            f"{where}.env is not a table of text", hint='use env = { NAME = "value" }'
        )
    return dict(env)


def _url(where: str, entry: Mapping[str, Any]) -> str:
    url = entry["url"]
    if "env" in entry:
        raise SettingsError(f"{where}.env has no use with a url", hint="leave it out")
    try:
        parts = urlsplit(url) if isinstance(url, str) else None
    except ValueError:
        parts = None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(f"{where}.url is not an address", hint='use url = "https://host/mcp"')
    return str(url)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value
