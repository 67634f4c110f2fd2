"""
The tools of MCP servers, as `mcp__server__tool`.

A server is the person's own choice and runs as they would run it, outside the sandbox; what a run
may call of it is decided by the permission gate like everything else. A server that goes away is
connected to again, but a call that it may have begun is made again only if its tool allows that.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from prowess.core.chat import Call, Observation
from prowess.core.errors import OutsideError
from prowess.tools.heal import persist
from prowess.tools.place import Place
from prowess.tools.remote_line import CONNECT, GoneError, Line, open_line
from prowess.tools.servers import Server
from prowess.tools.toolbox import Tool, failed, seen

if TYPE_CHECKING:
    import mcp_types

_LONGEST = 2_000  # characters of a description, which is read at every iteration
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST_NAME = 64  # what every provider takes


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """What the servers offer, and what is missing of it."""

    tools: tuple[Tool, ...]
    warnings: tuple[str, ...]


@asynccontextmanager
async def open_remote(servers: Sequence[Server], place: Place) -> AsyncIterator[Remote]:
    """All servers at once; each is left when the run is over."""
    connections = [Connection(server, place) for server in servers]
    try:
        offers = await asyncio.gather(*(_offer(each) for each in connections))
        yield Remote(
            tools=tuple(tool for offer in offers for tool in offer.tools),
            warnings=tuple(warning for offer in offers for warning in offer.warnings),
        )
    finally:
        await asyncio.gather(*(each.close() for each in connections))


class Connection:
    """The way to one server: a line that is opened when it is first used, and anew when it is dead."""

    def __init__(self, server: Server, place: Place) -> None:
        self.name = server.name
        self._server = server
        self._place = place
        self._line: Line | None = None
        self._turn = asyncio.Lock()  # one opens, the others wait for it

    async def tools(self) -> list["mcp_types.Tool"]:
        return await (await self._open()).tools()

    async def call(
        self, name: str, arguments: Mapping[str, Any], *, again: bool
    ) -> tuple["mcp_types.CallToolResult", tuple[str, ...]]:
        """What came of it and what was healed; `again`: made twice is as good as made once."""
        seconds = self._place.limits.seconds
        line = await self._open()
        try:
            return await line.call(name, arguments, seconds), ()
        except GoneError:
            if not (again and self._place.heals):
                raise
        line = await self._open()
        return await line.call(name, arguments, seconds), (f"connected to {self.name} again",)

    async def close(self) -> None:
        if self._line:
            await self._line.close()

    async def _open(self) -> Line:
        async with self._turn:
            if self._line is None:
                self._line = await open_line(self._server)
            elif self._line.dead:
                await self.close()
                self._line = await self._anew()
            return self._line

    async def _anew(self) -> Line:
        """A line to a server that was there a moment ago and may just be starting again."""
        line, _ = await persist(
            lambda: open_line(self._server),
            passes=lambda error: isinstance(error, OutsideError),
            sleep=self._place.sleep,
        )
        return line


async def _offer(connection: Connection) -> Remote:
    """The tools of one server; none, with a warning, when it cannot be reached."""
    name = connection.name
    try:
        async with asyncio.timeout(2 * CONNECT):
            listed = await connection.tools()
    except OutsideError as error:
        return Remote(tools=(), warnings=(str(error),))
    except Exception as error:  # noqa: BLE001 (a stranger's server may fail in any way)
        why = str(error) or type(error).__name__
        return Remote(tools=(), warnings=(f"the MCP server {name} cannot list its tools: {why}",))
    plain = [tool for tool in listed if _named(name, tool.name)]
    odd = [repr(tool.name)[:80] for tool in listed if not _named(name, tool.name)]
    refused = f"the MCP server {name} has tools whose names are not plain: {', '.join(odd)}"
    return Remote(
        tools=tuple(_tool(connection, tool) for tool in plain),
        warnings=(refused,) if odd else (),
    )


def _named(server: str, tool: str) -> str:
    """The name under which a model calls it; empty when it would not be a plain one."""
    name = f"mcp__{server}__{tool}"
    return name if _PLAIN.fullmatch(tool) and len(name) <= _LONGEST_NAME else ""


def _tool(connection: Connection, offered: "mcp_types.Tool") -> Tool:
    hints = offered.annotations
    reads_only = bool(hints and hints.read_only_hint)
    repeatable = reads_only or bool(hints and hints.idempotent_hint)
    told = (offered.description or offered.title or offered.name).strip()

    async def run(call: Call) -> Observation:
        try:
            result, healed = await connection.call(offered.name, call.input, again=repeatable)
        except GoneError as gone:
            return failed(f"{gone}. Whether it was made is not known: look before you repeat it.")
        text = "\n".join(part for block in result.content if (part := _text(block)))
        if not text and result.structured_content is not None:
            text = json.dumps(result.structured_content, ensure_ascii=False, indent=2)
        tell = failed if result.is_error else seen
        return tell(text or "(no output)", healed=healed, facts={"server": connection.name})

    return Tool(
        name=_named(connection.name, offered.name),
        kind="API",
        description=told if len(told) <= _LONGEST else f"{told[:_LONGEST]}…",
        parameters=offered.input_schema,
        run=run,
        reads_only=reads_only,
        repeatable=repeatable,
    )


def _text(block: Any) -> str:
    """A piece of a result in words; what is not text is named, not shown."""
    if block.type == "text":
        return str(block.text)
    if block.type == "resource":
        inner = block.resource
        return str(getattr(inner, "text", "")) or f"[resource {inner.uri}]"
    if block.type == "resource_link":
        return f"[resource {block.uri}]"
    return f"[{block.type}, {block.mime_type}, {len(block.data) * 3 // 4:,} bytes]"
