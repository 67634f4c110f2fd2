"""The commands about the whole board: dashboard, roles, name suggest; and how a command opens it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from prowess.cli.commands import Commands
from prowess.cli.options import Data, Json, Project
from prowess.cli.output import clean, counted, note, print_json, print_table, say, say_wrapped
from prowess.core.board import ROLES, TASK_STATUSES, Board

RoleOption = Annotated[str | None, typer.Option("--role", metavar="ROLE", help="Only this role.")]
By = Annotated[
    str, typer.Option("--session", metavar="NAME", help="The session that does it.")
]  # without it, a person does
Message = Annotated[
    str, typer.Option("--message", metavar="TEXT", help="What there is to say about it.")
]

name = Commands(
    help="Names for agents.",
    epilog="Example: prowess name suggest engineer",
    no_args_is_help=True,
)


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Show the board: who works, what is next, what waits.",
        epilog="Example: prowess dashboard --role engineer",
    )(dashboard)
    app.command(
        short_help="List the roles that tasks and sessions have.", epilog="Example: prowess roles"
    )(roles)
    app.add_typer(name, name="name", short_help="Suggest a free name for an agent.")


@contextmanager
def open_board(project: str, data: str | None) -> Iterator[Board]:
    """The board beside the log, which is opened first because it makes the place."""
    import os

    from prowess.board import opening
    from prowess.observe.opening import open_log
    from prowess.settings import load_settings

    settings = load_settings(project=project, data=data)

    def without_secrets(text: str) -> str:
        from prowess.permit.redact import known_secrets, redact

        personal = settings.privacy_personal_data == "remove"
        return redact(text, personal=personal, known=known_secrets(os.environ))

    open_log(settings.log_place).close()
    board = opening.open_board(settings.log_place, clean=without_secrets)
    try:
        yield board
    finally:
        board.close()


def dashboard(
    role: RoleOption = None, project: Project = ".", data: Data = None, json: Json = False
) -> None:
    """Show the board: how many tasks there are, who is at work, what is next, what waits for whom."""
    from prowess.board.overview import overview

    with open_board(project, data) as board:
        seen = overview(board, role=role)
    if json:
        print_json(seen.as_json())
        return
    numbers = ", ".join(f"{seen.counts[status]} {status}" for status in TASK_STATUSES)
    say_wrapped(f"{seen.role or 'Board'}: {numbers}", indent=2)
    _part(
        "At work",
        ("NAME", "ROLE", "TASKS", "ABOUT"),
        [
            (each.name, each.role, ", ".join(seen.held.get(each.name, ["-"])), each.task)
            for each in seen.sessions
        ],
    )
    _part(
        "Next", ("TASK", "ROLE", "TITLE"), [(each.id, each.role, each.title) for each in seen.next]
    )
    _part("Blocked", ("TASK", "WHY"), [(each.id, each.reason) for each in seen.blocked])
    _part(
        "Handoffs",
        ("HANDOFF", "FROM", "TO", "TASK", "WHAT"),
        [
            (str(each.number), each.sender or each.from_role, each.to_role, each.task, each.text)
            for each in seen.handoffs
        ],
    )
    if not any(seen.counts.values()):
        # The command has a line of its own, which fits a narrow terminal and can be copied whole.
        note(
            'No tasks yet. To put one on the board:\n  prowess task create --role engineer --title "What to do"'
        )


def _part(heading: str, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    if rows:
        say(f"\n{heading}")
        print_table(columns, rows)


def roles(json: Json = False) -> None:
    """List the roles that tasks and sessions have, with the prefix of their tasks' ids."""
    if json:
        print_json([role.as_json() for role in ROLES])
        return
    print_table(
        ("ROLE", "PREFIX", "WHAT IT DOES"),
        [(role.name, role.prefix, role.about) for role in ROLES],
        is_cut=False,
    )


@name.callback()
def _names() -> None:
    """Names for agents."""


@name.command(epilog="Example: prowess name suggest engineer --count 3")
def suggest(
    role: Annotated[str, typer.Argument(metavar="ROLE", help="The role of the agent.")],
    count: Annotated[
        int, typer.Option("--count", metavar="N", min=1, max=100, help="How many.")
    ] = 3,
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Suggest names that nobody at work has, the least used first."""
    from prowess.board.names import suggest as suggested

    with open_board(project, data) as board:
        found = suggested(board, role, count=count)
    if json:
        print_json([each.as_json() for each in found])
        return
    print_table(("NAME", "WHO IT WAS"), [(each.name, clean(each.about)) for each in found])
    note(f"{counted(len(found), 'name')}; take one: prowess session start NAME --role {role}")
