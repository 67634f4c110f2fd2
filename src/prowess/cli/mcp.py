"""The command that serves skills to an agent over its pipes."""

import typer

from prowess.cli.options import Data, Dirs, Project
from prowess.cli.output import note
from prowess.cli.staying import stay


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Serve skills to an agent over MCP (stdio).",
        epilog='Example, in .mcp.json: {"mcpServers": {"prowess": {"command": "prowess", "args": ["mcp"]}}}',
    )(mcp)


def mcp(project: Project = ".", data: Data = None, dirs: Dirs = None) -> None:
    """
    Serve skills, runs and the board over MCP on stdin and stdout, until the client hangs up.

    Agents start it themselves; `prowess integrate` tells them to. Over HTTP: `prowess serve`, at /mcp.
    """
    import logging
    import signal
    import sys

    from prowess.serve.mcp import serve_stdio
    from prowess.serve.mcp_premises import open_premises
    from prowess.settings import load_settings

    # A thread waits for the client's next line and cannot be woken. Runs survive a kill, so Ctrl-C may be one.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    logging.basicConfig(level=logging.WARNING, format="prowess: %(message)s")
    settings = load_settings(project=project, data=data, dirs=tuple(dirs or ()))
    if sys.stdin.isatty():
        note(
            "Waiting for an agent on stdin; `prowess integrate TOOL` sets one up. Ctrl-C ends this."
        )

    async def serve() -> None:
        async with open_premises(settings) as premises:
            await serve_stdio(premises)

    stay(serve())
