"""The options that every command takes, said once."""

from typing import Annotated

import typer

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON value on stdout and nothing else there.")
]
JsonLines = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print a line of JSON on stdout for each event, the end last, and nothing else there.",
    ),
]
Dirs = Annotated[
    list[str] | None,
    typer.Option(
        "--dir",
        metavar="DIR",
        help="Search this folder instead of the usual ones; may be repeated.",
    ),
]
Project = Annotated[
    str,
    typer.Option(
        "--project",
        metavar="DIR",
        help="The project's folder, whose settings and skills hold. Default: here.",
        show_default=False,
    ),
]
Data = Annotated[
    str | None,
    typer.Option(
        "--data", metavar="DIR", help="Where runs, log, board and index are. Also PROWESS_DATA."
    ),
]


def complete_name(context: typer.Context, incomplete: str) -> list[str]:
    """Names of skills for the shell, from the same folders that the command would search."""
    from prowess.core.errors import ProwessError
    from prowess.discover.catalog import open_catalog
    from prowess.engine import find_roots
    from prowess.settings import load_settings

    typed = context.params
    try:
        settings = load_settings(
            project=typed.get("project") or ".",
            data=typed.get("data"),
            dirs=tuple(typed.get("dirs") or ()),
        )
        catalog = open_catalog(find_roots(settings), index_folder=settings.index_folder)
    except ProwessError:
        return []
    return [name for name in catalog.skills if name.startswith(incomplete)]


Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A skill's name.", autocompletion=complete_name)
]
Names = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME…",
        help="Names of skills, between blanks or commas.",
        autocompletion=complete_name,
    ),
]
