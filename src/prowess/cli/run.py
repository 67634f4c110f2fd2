"""The command that runs a skill to its end."""

import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from prowess.cli.desk import Desk
from prowess.cli.options import Data, Dirs, JsonLines, Name, Project
from prowess.cli.output import note
from prowess.cli.staying import ended_with, stay
from prowess.core.errors import UsageError
from prowess.core.run import Outcome

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from prowess.cli.live import Visibility
    from prowess.engine.house import House
    from prowess.engine.request import RunRequest


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Run a skill to its end.",
        epilog='Example: prowess run csv-report "sales.csv by region" --visibility full',
    )(run)


def run(
    name: Name,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[ARGUMENTS]…", help="What the skill is to do.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="haiku, sonnet, opus, provider:name; demo plays a script that the skill brings.",
        ),
    ] = None,
    visibility: Annotated[
        Literal["summary", "full"],
        typer.Option("--visibility", help="How much to show while it runs."),
    ] = "summary",
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow", metavar="RULE", help="Grant a tool for this run, such as 'Bash(git:*)'."
        ),
    ] = None,
    ask: Annotated[
        bool, typer.Option("--ask", help="Ask me about calls that nothing grants.")
    ] = False,
    max_iterations: Annotated[
        int | None,
        typer.Option(
            "--max-iterations", metavar="N", min=1, max=1000, help="At most so many iterations."
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Answer an input of a workflow."),
    ] = None,
    answers: Annotated[
        str | None,
        typer.Option("--answers", metavar="FILE", help="Answers to a workflow, YAML or JSON."),
    ] = None,
    from_: Annotated[
        str, typer.Option("--from", metavar="STEP", help="Begin a workflow at this step.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what a workflow would do, and do nothing.")
    ] = False,
    renderer: Annotated[
        str,
        typer.Option(
            "--renderer",
            metavar="NAME",
            help="How a workflow is shown: terminal, markdown, aider, json.",
        ),
    ] = "auto",
    queue: Annotated[
        bool, typer.Option("--queue", help="Let a worker or a server do it, and watch.")
    ] = False,
    priority: Annotated[
        int,
        typer.Option(
            "--priority", metavar="N", min=-100, max=100, help="In the queue: the higher first."
        ),
    ] = 0,
    open_: Annotated[
        bool, typer.Option("--open", help="Show HTML files that the run made in a browser.")
    ] = False,
    project: Project = ".",
    data: Data = None,
    dirs: Dirs = None,
    json: JsonLines = False,
) -> None:
    """
    Run a skill to its end: it thinks, acts and looks until the task is done or the budget is.

    The answer goes to stdout, progress to stderr. Ctrl-C stops it; `prowess runs resume` goes on.
    """
    import getpass
    import sys
    import time
    from datetime import UTC, datetime

    from prowess.cli.watching import print_answer
    from prowess.engine.finding import pick
    from prowess.engine.request import RunRequest

    desk = Desk(project=project, data=data, dirs=dirs)
    desk.tell_misspelt()
    started = time.time()
    common: dict[str, Any] = {
        "skill": name,
        "arguments": _as_typed(arguments or []),
        "workspace": os.path.realpath(desk.settings.project),
        "model": model,
        "allow": tuple(allow or ()),
        "ask": ask,
        "user": getpass.getuser(),
        "date": datetime.now(UTC).astimezone().date().isoformat(),
    }
    is_flow = pick(desk.catalog, name).format == "workflow"
    if is_flow:
        from prowess.cli.flow import given_values, run_flow, show_plan
        from prowess.engine.workflows import WorkflowRequest

        if queue:
            raise UsageError(
                f"{name} is a workflow, which asks whoever runs it",
                hint="run it without --queue, or ask a server for it over MCP",
            )

        given = given_values(answers, set_ or ())
        flow = WorkflowRequest(**common, given=given, from_step=from_, answers=True)
        if dry_run:
            show_plan(desk, flow, json=json)
            return
        outcome, code = stay(run_flow(desk, flow, renderer=renderer, json=json))
    else:
        request = RunRequest(
            **common, answers=not json and sys.stdin.isatty(), max_iterations=max_iterations
        )
        working = _queue(desk, request, priority, json=json) if queue else _start(desk, request)
        outcome, code = stay(_watched(working, visibility=visibility, json=json))
    with ended_with(code):
        if not json and not is_flow:  # a workflow said it on the way
            print_answer(outcome)
        if open_:
            _open_pages(desk.settings.project, since=started)


def _as_typed(words: list[str]) -> str:
    """One argument is the text itself; several are quoted so that each stays one."""
    import shlex

    return words[0] if len(words) == 1 else shlex.join(words)


@asynccontextmanager
async def _start(desk: Desk, request: "RunRequest") -> "AsyncIterator[tuple[House, str]]":
    """The run, at work in this process."""
    from prowess.cli.watching import resumable
    from prowess.loop.house import open_whole_house

    async with open_whole_house(desk.settings) as house:
        house.check(request)
        run = await house.start(request)
        async with resumable(house, run):
            yield house, run


@asynccontextmanager
async def _queue(
    desk: Desk, request: "RunRequest", priority: int, *, json: bool
) -> "AsyncIterator[tuple[House, str]]":
    """The run, at work in another process; it stays in the queue or goes on when nobody watches."""
    import asyncio

    from prowess.cli.watching import until_begun
    from prowess.engine.limits import limits_of
    from prowess.engine.queueing import Queueing
    from prowess.loop.house import open_whole_house

    queueing = Queueing(everything=True, limits=limits_of(desk.settings))
    async with open_whole_house(desk.settings, queueing=queueing) as house:
        house.check(request)
        run = await house.start(request, priority=priority)
        cancel, follow = f"`prowess runs cancel {run}`", f"`prowess runs events {run} --follow`"
        says = f"It stays in the queue: {cancel} takes it out, {follow} shows it when it begins."
        try:
            await until_begun(house, run, json=json)
            says = f"It goes on without you: {follow} shows how far it is, {cancel} stops it."
            yield house, run
        except asyncio.CancelledError:
            note(says)
            raise


async def _watched(
    working: "AbstractAsyncContextManager[tuple[House, str]]",
    *,
    visibility: "Visibility",
    json: bool,
) -> tuple[Outcome, int]:
    """How the run ended, and the exit code of that."""
    from prowess.cli.watching import code_of, watch

    async with working as (house, run):
        outcome = await watch(house, run, visibility=visibility, json=json)
        return outcome, code_of(house.log, run, outcome)


def _open_pages(folder: str, *, since: float) -> None:
    """HTML files of the workspace that are newer than the run."""
    import webbrowser

    for path, _, names in os.walk(folder):
        for name in names:
            page = os.path.join(path, name)
            if name.endswith((".html", ".htm")) and os.stat(page).st_mtime >= since:
                note(f"opening {page}")
                webbrowser.open(f"file://{page}")
