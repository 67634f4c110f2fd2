"""The commands about handoffs: create, list, accept, complete, cancel."""

from typing import Annotated

import typer

from prowess.cli.board import By, Message, RoleOption, open_board
from prowess.cli.commands import Commands
from prowess.cli.options import Data, Json, Project
from prowess.cli.output import note, print_json, print_table, say
from prowess.core.board import Handoff

Number = Annotated[int, typer.Argument(metavar="HANDOFF", min=1, help="The handoff's number.")]

handoff = Commands(
    help="Work passed from one role to another, with what is done and what is left.",
    epilog="Example: prowess handoff list --role tester",
    no_args_is_help=True,
)


def register(app: typer.Typer) -> None:
    app.add_typer(handoff, name="handoff", short_help="Pass work from one role to another.")


@handoff.command(
    epilog='Example: prowess handoff create --from Ptah --to tester --text "Built; try bad input"'
)
def create(
    from_: Annotated[
        str, typer.Option("--from", metavar="NAME", help="A session at work, or a role.")
    ],
    to: Annotated[str, typer.Option("--to", metavar="ROLE", help="The role that goes on.")],
    text: Annotated[
        str, typer.Option("--text", metavar="TEXT", help="What is done, and what is left.")
    ],
    task: Annotated[str, typer.Option("--task", metavar="TASK", help="The task it is about.")] = "",
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Write down what another role should go on with."""
    from prowess.board import handoffs

    with open_board(project, data) as board:
        made = handoffs.create(board, sender=from_, to_role=to, text=text, task=task)
    _told(made, json=json)


@handoff.command("list", epilog="Example: prowess handoff list --role tester")
def list_(
    role: RoleOption = None,
    status: Annotated[
        str | None, typer.Option("--status", metavar="STATUS", help="Only this status.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Ended ones as well.")] = False,
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """The handoffs that are pending or accepted, the oldest first."""
    from prowess.board.telling import found_handoffs

    with open_board(project, data) as board:
        found = found_handoffs(board, role=role, status=status, ended=all_)
    if json:
        print_json([each.as_json() for each in found])
        return
    if not found:
        note("No such handoffs.")
        return
    print_table(
        ("HANDOFF", "STATUS", "FROM", "TO", "ACCEPTED BY", "TASK", "WHAT"),
        [
            (
                str(each.number),
                each.status,
                each.sender or each.from_role,
                each.to_role,
                each.receiver,
                each.task,
                each.text,
            )
            for each in found
        ],
    )


@handoff.command(epilog="Example: prowess handoff accept 7 --session Anansi")
def accept(
    number: Number,
    session: Annotated[
        str, typer.Option("--session", metavar="NAME", help="The session that goes on with it.")
    ],
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Take a handoff that is pending for the session's role."""
    from prowess.board import handoffs

    with open_board(project, data) as board:
        taken = handoffs.accept(board, number, session=session)
    _told(taken, json=json)
    if taken.task and not json:
        note(f"if its task is free: prowess task claim {taken.task} --session {taken.receiver}")


@handoff.command(epilog='Example: prowess handoff complete 7 --message "All cases pass"')
def complete(
    number: Number,
    message: Message = "",
    session: By = "",
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Finish a handoff that was accepted."""
    from prowess.board import handoffs

    with open_board(project, data) as board:
        ended = handoffs.complete(board, number, message=message, by=session)
    _told(ended, json=json)


@handoff.command(epilog='Example: prowess handoff cancel 7 --message "No longer needed"')
def cancel(
    number: Number,
    message: Message = "",
    session: By = "",
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Take back a handoff that is not completed."""
    from prowess.board import handoffs

    with open_board(project, data) as board:
        ended = handoffs.cancel(board, number, message=message, by=session)
    _told(ended, json=json)


def _told(changed: Handoff, *, json: bool) -> None:
    if json:
        print_json(changed.as_json())
        return
    by = f" by {changed.receiver}" if changed.receiver else ""
    say(f"{changed.number}  {changed.status}{by}  for {changed.to_role}")
