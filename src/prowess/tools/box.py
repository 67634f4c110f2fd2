"""
The box of one run: the standard tools, and those of the MCP servers that the person has set up.

A server that cannot be used is no reason not to run: the box is without its tools and says so.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from prowess.tools.place import Place
from prowess.tools.servers import read_servers
from prowess.tools.standard import standard_tools
from prowess.tools.toolbox import Toolbox


@asynccontextmanager
async def open_box(place: Place, servers: Mapping[str, Any]) -> AsyncIterator[Toolbox]:
    """`servers` is the table `mcp_servers` of the settings; `SettingsError` when it is wrong."""
    wanted = read_servers(servers)
    if not wanted:
        yield Toolbox(standard_tools(place), place)
        return
    from prowess.tools.remote import open_remote

    async with open_remote(wanted, place) as remote:
        tools = [*standard_tools(place), *remote.tools]
        yield Toolbox(tools, place, warnings=remote.warnings)
