"""
A line to one MCP server: opened, used for calls, and never left open.

A task of its own holds each line, because the SDK wants a connection to be closed by the task that
opened it, while calls come from many. A line that is dead stays dead; its owner opens another.
"""

import asyncio
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TextIO

from prowess.core.errors import OutsideError
from prowess.tools.servers import Server

if TYPE_CHECKING:
    import mcp_types
    from mcp import Client

Waiting = asyncio.Future[Any]

CONNECT = 30.0  # seconds for a server to start and to greet
MOST_TOOLS = 500  # of one server
_LAST_WORDS = 2_000  # characters of what a server said before it failed


class GoneError(OutsideError):
    """The line broke while a call was under way: it may have been made all the same."""


class Line:
    """Made by `open_line`. `dead` is known at once over HTTP, and over pipes with the next call."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._over = asyncio.Event()
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._holder = asyncio.create_task(self._hold())
        self._broken = False

    @property
    def dead(self) -> bool:
        return self._broken or self._holder.done()

    async def greeted(self) -> bool:
        """Wait until the server has answered, or will not; what kept it from that is an error."""
        await _first(self._ready, self._holder, seconds=CONNECT)
        return self._ready.done() and bool(self._ready.result())

    async def tools(self) -> list["mcp_types.Tool"]:
        """Everything that the server lists, page by page."""
        found: list[mcp_types.Tool] = []
        cursor = None
        while len(found) < MOST_TOOLS:
            page = await self._ready.result().list_tools(cursor=cursor)
            found += page.tools
            cursor = page.next_cursor
            if not cursor:
                break
        return found[:MOST_TOOLS]

    async def call(
        self, name: str, arguments: Mapping[str, Any], seconds: float
    ) -> "mcp_types.CallToolResult":
        """`GoneError` when the server has left, `OutsideError` when it will not do it."""
        made = asyncio.ensure_future(self._ready.result().call_tool(name, dict(arguments)))
        try:
            # Over HTTP a server that drops dead ends the holder, and nobody else wakes the call.
            await _first(made, self._holder, seconds=seconds)
            if made.done() and not _closed(error := made.exception()):
                if error:
                    raise OutsideError(f"{self.server.name} refused: {error}")
                return made.result()
            if not made.done() and not self.dead:
                raise OutsideError(
                    f"{self.server.name} did not answer within {seconds:g} s",
                    hint="It may still be at it; ask for less at once.",
                )
        finally:
            await _stop(made)
        self._broken = True
        raise GoneError(f"{self.server.name} went away during the call")

    async def close(self) -> None:
        """Leave the server in good order, or stop trying to reach it."""
        self._over.set()
        if self._ready.done():
            await asyncio.wait([self._holder])
        else:
            await _stop(self._holder)

    async def _hold(self) -> None:
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
            try:
                async with _client(self.server, said) as client:
                    self._ready.set_result(client)
                    await self._over.wait()
            except Exception as error:  # noqa: BLE001 (whoever waits for it is told)
                if not self._ready.done():
                    self._ready.set_exception(_absent(self.server, _cause(error, said)))


async def open_line(server: Server) -> Line:
    """A line that the server has answered on, or `OutsideError`."""
    line = Line(server)
    try:
        if await line.greeted():
            return line
    except BaseException:
        await line.close()
        raise
    await line.close()
    raise _absent(server, f"it did not answer within {CONNECT:g} s")


def _absent(server: Server, why: str) -> OutsideError:
    return OutsideError(f"the MCP server {server.name} is not there: {why}")


def _client(server: Server, said: TextIO) -> "Client":
    """A client that is not connected yet; `said` gets what a started server writes to stderr."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    if server.url:
        return Client(server.url)
    program, *arguments = server.command
    start = StdioServerParameters(command=program, args=arguments, env=dict(server.env))
    return Client(stdio_client(start, errlog=said))


def _closed(error: BaseException | None) -> bool:
    from mcp.shared.exceptions import MCPError
    from mcp_types import CONNECTION_CLOSED

    return isinstance(error, MCPError) and error.code == CONNECTION_CLOSED


async def _first(one: Waiting, other: Waiting, *, seconds: float) -> None:
    """Wait for either to end, but no longer than this."""
    await asyncio.wait([one, other], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)


async def _stop(task: Waiting) -> None:
    """Cancel what has not ended, and see it end; how does not matter."""
    task.cancel()
    await asyncio.wait([task])


def _cause(error: BaseException, said: TextIO) -> str:
    """The innermost reason in one line, and the last that the server itself said."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    said.seek(0)
    lines = [line.strip() for line in said.read()[-_LAST_WORDS:].splitlines() if line.strip()]
    why = str(error).strip() or type(error).__name__
    return f"{why} (it said: {lines[-1]})" if lines else why
