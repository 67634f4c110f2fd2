"""The command that serves everything to programs, agents and browsers."""

from typing import Annotated

import typer

from prowess.cli.desk import Desk
from prowess.cli.options import Data, Dirs, Json, Project
from prowess.cli.output import note, print_json
from prowess.cli.staying import stay
from prowess.core.errors import OutsideError
from prowess.core.extras import in_brackets


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Serve REST, live events, MCP and the dashboard.",
        epilog="Example: prowess serve --port 7700",
    )(serve)


def serve(
    port: Annotated[
        int | None,
        typer.Option(
            "--port", metavar="PORT", min=0, max=65_535, help="Default: 7700. 0: any free."
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            "--host", metavar="HOST", help="Default: 127.0.0.1. A wider one needs serve.tokens."
        ),
    ] = None,
    project: Project = ".",
    data: Data = None,
    dirs: Dirs = None,
    json: Json = False,
) -> None:
    """
    Serve REST, live events, MCP and the dashboard until Ctrl-C; unfinished runs go on.

    Without serve.tokens only this machine may ask, and in a browser only our own pages.
    """
    from dataclasses import replace

    settings = Desk(project=project, data=data, dirs=dirs).settings
    settings = replace(
        settings,
        serve_port=settings.serve_port if port is None else port,
        serve_host=host or settings.serve_host,
    )
    try:
        from prowess.serve.listening import listen
    except ModuleNotFoundError as error:
        raise OutsideError(
            f"the server needs {error.name}",
            hint=f"install Prowess again with its extra serve, {in_brackets('serve')}",
        ) from error

    def ready(address: str) -> None:
        if json:
            print_json({"address": address})
        else:
            note(f"Prowess is at {address} (Ctrl-C stops it)")

    stay(listen(settings, ready=ready))
