"""The commands about sessions: start, list, end."""

from typing import Annotated

import typer

from prowess.cli.board import open_board
from prowess.cli.commands import Commands
from prowess.cli.options import Data, Json, Project
from prowess.cli.output import note, print_json, print_table, say

Name = Annotated[str, typer.Argument(metavar="NAME", help="The agent's name.")]

session = Commands(
    help="Agents at work: each comes under a free name, takes tasks, and leaves with a summary.",
    epilog="Example: prowess session start Ptah --role architect",
    no_args_is_help=True,
)


def register(app: typer.Typer) -> None:
    app.add_typer(session, name="session", short_help="Come to work on the board, and leave.")


@session.command(epilog='Example: prowess session start Ptah --role architect --task "Plan it"')
def start(
    name: Name,
    role: Annotated[str, typer.Option("--role", metavar="ROLE", help="What the agent works as.")],
    task: Annotated[
        str,
        typer.Option(
            "--task", metavar="TEXT", help="What it is about, in words or as a task's id."
        ),
    ] = "",
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Come to work under a name that is free."""
    from prowess.board.sessions import start as started
    from prowess.board.telling import session_as_json

    with open_board(project, data) as board:
        made = session_as_json(started(board, name, role=role, task=task))
    if json:
        print_json(made)
        return
    say(f"{made['id']}  {made['name']} is at work as {made['role']}")
    if made["about"]:
        note(f"{made['name']}: {made['about']}")


@session.command("list", epilog="Example: prowess session list --all")
def list_(
    all_: Annotated[bool, typer.Option("--all", help="Those that have left as well.")] = False,
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Who is at work, the longest there first."""
    from prowess.board.telling import session_as_json

    with open_board(project, data) as board:
        found = board.sessions(ended=all_)
    if json:
        print_json([session_as_json(each) for each in found])
        return
    if not found:
        note("Nobody is at work. Come to work: prowess session start NAME --role ROLE")
        return
    print_table(
        ("SESSION", "NAME", "ROLE", "STARTED", "ENDED", "ABOUT"),
        [
            (str(each.number), each.name, each.role, each.started, each.ended, each.task)
            for each in found
        ],
    )


@session.command(
    short_help="Leave; its tasks go back to the board.",
    epilog='Example: prowess session end Ptah --summary "The plan stands"',
)
def end(
    name: Name,
    summary: Annotated[str, typer.Option("--summary", metavar="TEXT", help="What was done.")] = "",
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Leave; tasks that are still in the session's hands go back to the board."""
    from prowess.board.sessions import end as ended
    from prowess.board.telling import ended_as_json

    with open_board(project, data) as board:
        gone, left = ended(board, name, summary=summary)
    if json:
        print_json(ended_as_json(gone, left))
        return
    say(f"{gone.number}  {gone.name} has left")
    for each in left:
        note(f"back on the board: {each.id} ({each.status}) {each.title}")
