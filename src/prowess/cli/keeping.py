"""The commands that keep data safe: backup, restore."""

from collections.abc import Mapping
from typing import Annotated

import typer

from prowess.cli.options import Data, Json, Project
from prowess.cli.output import counted, note, print_json, say
from prowess.settings import Settings, load_settings


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Write everything that matters into one file, while runs go on.",
        epilog="Example: prowess backup monday.zip",
    )(backup)
    app.command(
        short_help="Bring a backup back; nothing that is there is lost.",
        epilog="Example: prowess restore monday.zip --data ~/elsewhere",
    )(restore)


def backup(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file that is not there yet.")],
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """
    Write the log, the board, unfinished runs and kept outputs into one file, while runs go on.

    It holds what runs remember word for word, so only you can read it. It is read back before the
    command ends; a damaged database is refused, and older backups are left alone.
    """
    from prowess.keep.backup import back_up

    settings = load_settings(project=project, data=data)
    made = back_up(settings.data, file, databases=_databases(settings), rebuilt=_rebuilt(settings))
    if json:
        print_json({"file": file, **made.as_json()})
        return
    say(f"{file}: {_told(made.rows)}, {counted(len(made.files), 'file')}, {made.size:,} bytes")
    for name in made.left_out:
        note(f"left out, it is no plain file: {name}")


def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="What `prowess backup` wrote.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Move aside what is in the data folder.")
    ] = False,
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """
    Bring a backup back into an empty data folder, or with --replace into one that is in use no more.

    Every sum is checked before anything is put in place. Runs that were under way go on with
    `prowess runs resume`.
    """
    from prowess.keep.restore import restore as bring_back

    settings = load_settings(project=project, data=data)
    done = bring_back(file, settings.data, databases=_databases(settings), replace=replace)
    if json:
        print_json({"data": settings.data, "aside": done.aside, **done.manifest.as_json()})
        return
    say(f"{settings.data}: {_told(done.manifest.rows)}, as of {done.manifest.made}")
    if done.aside:
        note(f"what was there lies in {done.aside}")


def _databases(settings: Settings) -> list[str]:
    return [settings.log_file, settings.engine_file]


def _rebuilt(settings: Settings) -> list[str]:
    return [settings.index_folder, settings.skills_sync_dir]


def _told(rows: Mapping[str, Mapping[str, int]]) -> str:
    tables = {name: count for each in rows.values() for name, count in each.items()}
    return ", ".join(
        counted(tables.get(table, 0), word)
        for table, word in (
            ("event", "event"),
            ("board_task", "task"),
            ("workflow_status", "run"),
        )
    )
