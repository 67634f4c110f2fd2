"""The commands that keep data safe: backup, restore, migrate."""

import os
from collections.abc import Mapping
from typing import Annotated

import typer

from prowess.cli.options import Data, Json, Project
from prowess.cli.output import counted, note, print_json, print_table, say
from prowess.core.errors import UsageError
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
    app.command(
        short_help="Carry everything over to PostgreSQL.",
        epilog="Example: prowess migrate --to postgresql://prowess@db.example/prowess",
    )(migrate)


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

    settings = _in_files(project, data)
    if os.path.lexists(file):  # a name that was chosen wrongly, as with `new`, and no answer of no
        raise UsageError(
            f"{file} is there already, and a backup replaces nothing", hint="name another file"
        )
    made = back_up(settings.data, file, databases=_databases(settings), rebuilt=_rebuilt(settings))
    if json:
        print_json({"file": file, **made.as_json()})
        return
    say(
        f"{file}: {_told(made.rows)}, {counted(len(made.files), 'file')}, {os.path.getsize(file):,} bytes"
    )
    for name, why in made.left_out.items():
        note(f"left out, {why}: {name}")


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

    settings = _in_files(project, data)
    done = bring_back(
        file,
        settings.data,
        databases=_databases(settings),
        engine=settings.engine_file,
        replace=replace,
    )
    if json:
        print_json({"data": settings.data, "aside": done.aside, **done.manifest.as_json()})
        return
    say(f"{settings.data}: {_told(done.manifest.rows)}, as of {done.manifest.made}")
    if done.aside:
        note(f"what was there lies in {done.aside}")


def migrate(
    to: Annotated[
        str, typer.Option("--to", metavar="URL", help="postgresql://… of an empty database.")
    ],
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """
    Carry the log, the board and all runs over to PostgreSQL, unfinished ones too, and compare.

    It is one transaction: either everything is there and is the same, row by row, or nothing. End
    `prowess serve` and every run first. The files are left as they are.
    """
    import os
    from dataclasses import asdict

    from prowess.core.place import is_database, shown
    from prowess.keep.migrate import carry_over

    if not is_database(to):
        raise UsageError(
            f"--to {shown(to)} is no address of a database",
            hint="write postgresql://user@host:5432/database; PGPASSWORD or ~/.pgpass has the password",
        )
    settings = load_settings(project=project, data=data)
    files = [path for path in _databases(settings) if os.path.exists(path)]
    if not files:
        raise UsageError(
            f"there is no history in {settings.data}", hint="name the data folder with --data"
        )
    _make_tables(settings.log_file)
    _make_tables(to)
    _make_engine_tables(to)
    carried = carry_over(files, to)
    if json:
        print_json(
            {"to": shown(to), "tables": {name: asdict(each) for name, each in carried.items()}}
        )
        return
    print_table(
        ("TABLE", "ROWS", "SUM ON BOTH SIDES"),
        [(name, f"{each.rows:,}", each.sha256) for name, each in carried.items() if each.rows],
    )
    note("Set database_url to this database; the files stay as they are, as one more backup.")


def _make_tables(place: str) -> None:
    """The newest tables of the log and the board, in a file as well as in a database."""
    from prowess.board.opening import open_board
    from prowess.observe.opening import open_log

    open_log(place).close()
    open_board(place, clean=str).close()


def _make_engine_tables(url: str) -> None:
    import asyncio

    from prowess.durable.opening import open_engine

    async def make() -> None:
        async with open_engine(url, {}):
            pass

    asyncio.run(make())


def _in_files(project: str, data: str | None) -> Settings:
    settings = load_settings(project=project, data=data)
    if settings.database_url:
        raise UsageError(
            "the log, the board and the runs are in PostgreSQL (database_url)",
            hint=f"back it up with pg_dump, and the files in {settings.data} beside it",
        )
    return settings


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
