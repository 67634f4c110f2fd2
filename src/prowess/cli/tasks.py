"""The commands about tasks of the board: create, list, show, claim, update, done, report."""

from typing import Annotated

import typer

from prowess.cli.board import By, Message, RoleOption, open_board
from prowess.cli.commands import Commands
from prowess.cli.options import Data, Json, Project
from prowess.cli.output import counted, note, print_json, print_table, say
from prowess.core.board import TASK_STATUSES, BoardTask, role_named, task_status_named

Id = Annotated[str, typer.Argument(metavar="TASK", help="A task's id, such as ENG-H-0042.")]

task = Commands(
    help="Tasks on the board: somebody makes one, a session claims it, and it ends with what was found.",
    epilog="Example: prowess task list --role engineer",
    no_args_is_help=True,
)


def register(app: typer.Typer) -> None:
    app.add_typer(task, name="task", short_help="Make, claim and finish tasks on the board.")


@task.command(
    epilog='Example: prowess task create --role engineer --priority high --title "Fix it"'
)
def create(
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="What is to be done, on one line.")
    ],
    role: Annotated[
        str | None,
        typer.Option("--role", metavar="ROLE", help="Whose it is. Default: the parent's."),
    ] = None,
    priority: Annotated[
        str | None,
        typer.Option(
            "--priority",
            metavar="PRIORITY",
            help="critical, high, medium or low. Default: the parent's, else medium.",
        ),
    ] = None,
    parent: Annotated[
        str | None, typer.Option("--parent", metavar="TASK", help="The task it is a part of.")
    ] = None,
    description: Annotated[
        str,
        typer.Option("--description", metavar="TEXT", help="All that whoever does it must know."),
    ] = "",
    session: By = "",
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Put a task on the board."""
    from prowess.board import tasks

    with open_board(project, data) as board:
        made = tasks.create(
            board,
            title=title,
            role=role,
            priority=priority,
            parent=parent,
            description=description,
            by=session,
        )
    _told(made, json=json)


@task.command("list", epilog="Example: prowess task list --role engineer --status open")
def list_(
    role: RoleOption = None,
    status: Annotated[
        str | None, typer.Option("--status", metavar="STATUS", help="Only this status.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="NAME", help="Only what this session has.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Finished ones as well.")] = False,
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """The unfinished tasks, by priority, role and number."""
    from prowess.board.telling import found_tasks

    with open_board(project, data) as board:
        found = found_tasks(board, role=role, status=status, session=session, ended=all_)
    if json:
        print_json([each.as_json() for each in found])
        return
    if not found:
        note('No such tasks. Make one: prowess task create --role engineer --title "Fix it"')
        return
    print_table(
        ("TASK", "STATUS", "SESSION", "PARENT", "TITLE"),
        [(each.id, each.status, each.session, each.parent, each.title) for each in found],
    )


@task.command(
    short_help="One task, with all that belongs to it.",
    epilog="Example: prowess task show ENG-H-0042",
)
def show(id: Id, project: Project = ".", data: Data = None, json: Json = False) -> None:
    """One task, with its subtasks, its handoffs and all that was said about it."""
    from prowess.board.telling import whole_task

    with open_board(project, data) as board:
        found = whole_task(board, id)
    if json:
        print_json(found)
        return
    for name, value in found.items():
        if value and isinstance(value, str):
            say(f"{name + ':':<14}{value}")
    for each in found["subtasks"]:
        say(f"{'subtask:':<14}{each['id']} ({each['status']}) {each['title']}")
    for each in found["handoffs"]:
        say(f"{'handoff:':<14}{each['id']} ({each['status']}) to {each['to_role']}")
    say("")
    print_table(
        ("AT", "BY", "STATUS", "MESSAGE"),
        [
            tuple(each[name] for name in ("at", "by", "status", "text"))
            for each in found["messages"]
        ],
    )


@task.command(epilog="Example: prowess task claim ENG-H-0042 --session Ptah")
def claim(
    id: Id,
    session: Annotated[
        str, typer.Option("--session", metavar="NAME", help="The session that takes it.")
    ],
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Take an open task; nobody else can have it then."""
    from prowess.board import tasks

    with open_board(project, data) as board:
        taken = tasks.claim(board, id, session=session)
    _told(taken, json=json)


@task.command(
    epilog='Example: prowess task update ENG-H-0042 --status blocked --message "No access yet"'
)
def update(
    id: Id,
    status: Annotated[
        str | None,
        typer.Option(
            "--status", metavar="STATUS", help=f"{', '.join(TASK_STATUSES)}; completed means done."
        ),
    ] = None,
    message: Message = "",
    session: By = "",
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Change a task's status, say something about it, or both. Blocked and failed need a message."""
    from prowess.board import tasks

    wanted = task_status_named(status) if status else None
    with open_board(project, data) as board:
        changed = tasks.update(board, id, status=wanted, message=message, by=session)
    _told(changed, json=json)


@task.command(epilog='Example: prowess task done ENG-H-0042 --message "make test: 212 passed"')
def done(
    id: Id,
    message: Message = "",
    session: By = "",
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Finish a task that is in progress and has no unfinished subtasks."""
    from prowess.board import tasks

    with open_board(project, data) as board:
        ended = tasks.update(board, id, status="done", message=message, by=session)
    _told(ended, json=json)


@task.command(
    short_help="A report in Markdown, by role and status.",
    epilog="Example: prowess task report --days 14 > tasks.md",
)
def report(
    days: Annotated[
        int,
        typer.Option(
            "--days", metavar="N", min=1, max=36500, help="How far back finished tasks count."
        ),
    ] = 7,
    role: RoleOption = None,
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """A Markdown report: tasks by role and status, what is under way, blocked and finished."""
    from prowess.board import overview

    with open_board(project, data) as board:
        found = board.tasks(role=role_named(role).name if role else None)
    told = overview.report(found, days=days)
    if json:
        print_json(told.as_json())
    else:
        say(overview.markdown(told))
        note(f"{counted(len(found), 'task')} in all")


def _told(changed: BoardTask, *, json: bool) -> None:
    if json:
        print_json(changed.as_json())
        return
    by = f" ({changed.session})" if changed.session else ""
    say(f"{changed.id}  {changed.status}{by}  {changed.title}")
