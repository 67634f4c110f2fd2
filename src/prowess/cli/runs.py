"""The commands about runs: list, show, events, resume, cancel, fork, answer."""

from typing import Annotated, Any, Literal

import typer

from prowess.cli.options import Data, Json, Project
from prowess.cli.output import clean, note, print_json, print_table, say
from prowess.core.errors import UnknownRunError, UsageError

Run = Annotated[str, typer.Argument(metavar="RUN", help="A run's id, or its beginning.")]
Shown = Annotated[
    Literal["summary", "full"], typer.Option("--visibility", help="How much to show.")
]

runs = typer.Typer(
    help="Look at runs, and go on with them.", invoke_without_command=True, no_args_is_help=False
)


def register(app: typer.Typer) -> None:
    app.add_typer(runs, name="runs", short_help="Look at runs, and go on with them.")


@runs.callback(epilog="Example: prowess runs resume 3f2a")
def _default(
    context: typer.Context, project: Project = ".", data: Data = None, json: Json = False
) -> None:
    """Look at runs, and go on with them. Without a command: the newest runs."""
    if context.invoked_subcommand is None:
        list_(project=project, data=data, json=json)


@runs.command("list", epilog="Example: prowess runs list --limit 5")
def list_(
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many of the newest.")] = 20,
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """The newest runs, newest first."""
    log = _log(project, data)
    views = [_view(log, run) for run in log.runs(limit=limit)]
    if json:
        print_json([view.as_json() for view in views])
        return
    if not views:
        note("No runs yet. `prowess run NAME` starts one; with --model demo it needs no key.")
        return
    print_table(
        ("RUN", "STATE", "SKILL", "STARTED", "ITERATIONS", "LAST"),
        [
            (
                view.id,
                view.state,
                view.skill,
                view.started,
                str(view.iterations),
                clean(view.summary),
            )
            for view in views
        ],
    )


@runs.command(epilog="Example: prowess runs show 3f2a")
def show(run: Run, project: Project = ".", data: Data = None, json: Json = False) -> None:
    """One run: how it stands, what it used, what it answered."""
    log = _log(project, data)
    view = _view(log, _whole(log, run))
    if json:
        print_json(view.as_json())
        return
    for name, value in view.as_json().items():
        if value not in (None, "", [], {}):
            say(f"{name + ':':<14}{value}")


@runs.command(epilog="Example: prowess runs events 3f2a --follow")
def events(
    run: Run,
    follow: Annotated[bool, typer.Option("--follow", help="Go on until the run ends.")] = False,
    after: Annotated[int, typer.Option("--after", min=0, help="Only those after this one.")] = 0,
    visibility: Shown = "full",
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Everything that happened in a run, in order."""
    import asyncio

    from prowess.cli.live import Live
    from prowess.cli.watching import as_line

    log = _log(project, data)
    whole = _whole(log, run)

    async def show_all() -> None:
        from prowess.observe.follow import follow as following

        with Live(visibility) as live:
            async for each in following(log, whole, after=after):
                print_json(as_line(each), line=True) if json else live.show(each)
                if each.event.kind == "run.finished":
                    return

    if follow:
        asyncio.run(show_all())
        return
    live = Live(visibility)
    for each in log.run(whole, after=after):
        print_json(as_line(each), line=True) if json else live.show(each)


@runs.command(epilog="Example: prowess runs resume 3f2a")
def resume(
    run: Run,
    visibility: Shown = "summary",
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Go on with a run whose process ended; what was finished is not done again."""
    _work(run, "resume", visibility=visibility, project=project, data=data, json=json)


@runs.command(epilog="Example: prowess runs fork 3f2a --from 4")
def fork(
    run: Run,
    from_: Annotated[
        int, typer.Option("--from", metavar="ITERATION", min=1, help="Where the ways part.")
    ],
    visibility: Shown = "summary",
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Try again from an iteration of an old run, as a run of its own."""
    _work(
        run, "fork", visibility=visibility, project=project, data=data, json=json, iteration=from_
    )


@runs.command(epilog="Example: prowess runs cancel 3f2a")
def cancel(run: Run, project: Project = ".", data: Data = None, json: Json = False) -> None:
    """Stop a run for good."""
    import asyncio

    from prowess.loop.house import open_whole_house
    from prowess.settings import load_settings

    settings = load_settings(project=project, data=data)

    async def stop() -> str:
        async with open_whole_house(settings) as house:
            whole = _whole(house.log, run)
            await house.cancel(whole)
            return whole

    whole = asyncio.run(stop())
    print_json({"run": whole, "cancelled": True}) if json else say(f"cancelled {whole}")


@runs.command(epilog='Example: prowess runs answer 3f2a "yes"')
def answer(
    run: Run,
    text: Annotated[str, typer.Argument(metavar="ANSWER", help="What you answer.")],
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Answer the question that a run waits with."""
    import asyncio

    from prowess.loop.house import open_whole_house
    from prowess.settings import load_settings

    settings = load_settings(project=project, data=data)

    async def send() -> dict[str, Any]:
        async with open_whole_house(settings) as house:
            whole = _whole(house.log, run)
            question = _view(house.log, whole).question
            if question is None:
                raise UsageError(
                    f"the run {whole} asks nothing", hint="`prowess runs show` tells how it stands"
                )
            await house.engine.send_answer(whole, question["id"], text)
            return {"run": whole, "question": question["id"], "answer": text}

    told = asyncio.run(send())
    print_json(told) if json else say(f"answered {told['question']}")


def _work(
    run: str,
    how: Literal["resume", "fork"],
    *,
    visibility: Literal["summary", "full"],
    project: str,
    data: str | None,
    json: bool,
    iteration: int = 1,
) -> None:
    """Open the house, bring the run to work in it, and watch it to its end."""
    import asyncio
    import gc

    from prowess.cli.run import end
    from prowess.cli.watching import resumable, watch
    from prowess.core.run import Outcome
    from prowess.loop.house import open_whole_house
    from prowess.settings import load_settings

    gc.enable()
    settings = load_settings(project=project, data=data)

    async def work() -> Outcome:
        async with open_whole_house(settings) as house:
            whole = _whole(house.log, run)
            if how == "fork":
                whole = await house.fork(whole, iteration=iteration)
                note(f"run {whole}")
            else:
                await house.engine.resume(whole)
            with resumable(whole):
                return await watch(house, whole, visibility=visibility, json=json)

    end(asyncio.run(work()), json=json)


def _log(project: str, data: str | None) -> Any:
    from prowess.observe.log import SqliteLog
    from prowess.settings import load_settings

    return SqliteLog(load_settings(project=project, data=data).log_file)


def _view(log: Any, run: str) -> Any:
    from prowess.observe.views import run_view

    return run_view(log.run(run))


def _whole(log: Any, beginning: str) -> str:
    """The run whose id begins so, when there is just one."""
    found: list[str] = log.runs_beginning(beginning)
    if beginning in found:
        return beginning
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(
            f"{len(found)} runs begin with {beginning!r}", hint=f"such as {', '.join(found[:3])}"
        )
    raise UnknownRunError(f"there is no run {beginning}", hint="`prowess runs` lists them")
