"""
The box of one run: the standard tools, and those of the MCP servers that the person has set up.

A server that cannot be used is no reason not to run: the box is without its tools and says so.
"""

import os
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
    wanted, warnings = read_servers(servers), _about_home(place.workspace)
    if not wanted:
        yield Toolbox(standard_tools(place), place, warnings=warnings)
        return
    from prowess.tools.remote import open_remote

    async with open_remote(wanted, place) as remote:
        tools = [*standard_tools(place), *remote.tools]
        yield Toolbox(tools, place, warnings=(*warnings, *remote.warnings))


def _about_home(workspace: str) -> list[str]:
    home, folder = os.path.realpath(os.path.expanduser("~")), os.path.realpath(workspace)
    if os.path.commonpath([home, folder]) != folder or home == "/":
        return []
    warning = (
        f"the workspace {folder} is or holds your home folder: no command runs there in a sandbox, "
        "and what is written there other programs may obey; work in a folder of its own"
    )
    return [warning]
