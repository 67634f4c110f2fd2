"""The command about the event log."""

from typing import Annotated

import typer

from prowess.cli.options import Data, Json, Project
from prowess.cli.output import clean, note, print_json, print_table, words
from prowess.settings import load_settings


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Show what happened.", epilog="Example: prowess log --kind SKILLS_LOAD_FAILED"
    )(log)


def log(
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="At most so many of the newest.")
    ] = 20,
    last: Annotated[  # what --limit was called before
        int | None, typer.Option("--last", metavar="N", min=1, hidden=True)
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="Only events of this kind.")
    ] = None,
    counters: Annotated[
        bool,
        typer.Option(
            "--counters", help="Show how many skills were found, chosen, not loaded and cut."
        ),
    ] = False,
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Show what happened: the newest events of the log, oldest first."""
    from prowess.core.place import shown
    from prowess.observe.opening import is_there, open_log
    from prowess.observe.stats import counters as count

    place = load_settings(project=project, data=data).log_place
    events = []
    if is_there(place):
        opened = open_log(place)
        events = list(opened.tail(kind=kind) if counters else opened.last(last or limit, kind=kind))
        opened.close()
    if counters:
        told = count(events)
        print_json(told) if json else print_table(
            ("COUNTER", "TOTAL"), [(k, str(v)) for k, v in told.items()]
        )
        return
    if json:
        print_json([each.as_json() for each in events])
        return
    if not events:
        note(
            f"No events{f' of the kind {kind}' if kind else ''} in {shown(place)}. `prowess list` records what it finds."
        )
        return
    print_table(
        ("AT", "KIND", "RUN", "WHAT"),
        [
            (each.at, each.event.kind, each.event.run[:8], clean(_told(dict(each.event.payload))))
            for each in events
        ],
    )


def _told(payload: dict[str, object]) -> str:
    """Its line for people, where it has one; else its facts side by side."""
    if isinstance(summary := payload.get("summary"), str) and summary:
        return summary
    return words(
        {
            key: len(value) if isinstance(value, list) and key == "names" else value
            for key, value in payload.items()
            if key != "run_id"
        }
    )
