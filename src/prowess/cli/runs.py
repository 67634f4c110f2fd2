"""The commands about runs: list, show, events, resume, pause, cancel, fork, answer."""

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from prowess.cli.commands import Commands
from prowess.cli.options import Data, Json, JsonLines, Project
from prowess.cli.output import note, print_json, say
from prowess.cli.staying import ended_with, stay
from prowess.core.errors import ConflictError, ProwessError, UnknownRunError, UsageError
from prowess.core.near import did_you_mean
from prowess.core.ports import Standing
from prowess.core.run import Ending, Kind

if TYPE_CHECKING:
    from prowess.core.ports import Log
    from prowess.settings import Settings


def _complete_run(incomplete: str) -> list[str]:
    """For the shell: runs of the usual data folder. Whatever is wrong there, Tab says nothing."""
    try:
        _, log = _opened(".", None)
        return list(log.runs_beginning(incomplete))[:_PAGE]
    except (ProwessError, OSError):
        return []


Run = Annotated[
    str,
    typer.Argument(
        metavar="RUN", help="A run's id, or its beginning.", autocompletion=_complete_run
    ),
]
Shown = Annotated[
    Literal["summary", "full"], typer.Option("--visibility", help="How much to show.")
]
OneProject = Annotated[
    str | None,
    typer.Option("--project", metavar="DIR", help="Only runs of this project. Default: of all."),
]
State = Annotated[
    Literal[Ending, "running", "waiting", Standing] | None,
    typer.Option(
        "--state", metavar="STATE", help="Only runs that stand so: done, failed, interrupted …"
    ),
]
Skill = Annotated[
    str | None, typer.Option("--skill", metavar="NAME", help="Only runs of this skill.")
]
Sort = Annotated[
    Kind | None,
    typer.Option(
        "--kind", metavar="KIND", help="Only runs of this kind: skill, workflow, loop, agent."
    ),
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many of the newest.")]
_PAGE = 200  # runs looked through for a name that is near

runs = Commands(
    help="Look at runs, and go on with them.", invoke_without_command=True, no_args_is_help=False
)


def register(app: typer.Typer) -> None:
    app.add_typer(runs, name="runs", short_help="Look at runs, and go on with them.")


@runs.callback(epilog="Example: prowess runs resume 3f2a")
def _default(
    context: typer.Context,
    limit: Limit = 20,
    state: State = None,
    skill: Skill = None,
    kind: Sort = None,
    project: OneProject = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Look at runs, and go on with them. Without a command: the newest runs."""
    if context.invoked_subcommand is None:
        list_(
            limit=limit, state=state, skill=skill, kind=kind, project=project, data=data, json=json
        )


@runs.command("list", short_help="The newest runs.", epilog="Example: prowess runs list --limit 5")
def list_(
    limit: Limit = 20,
    state: State = None,
    skill: Skill = None,
    kind: Sort = None,
    project: OneProject = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """
    The newest runs, newest first: of every project that shares the data folder, or of one.

    A run whose process ended before it did is interrupted. A narrow terminal shows fewer columns.
    """
    from prowess.cli.listing import newest, print_runs

    asked = {"state": state, "skill": skill, "kind": kind}
    wanted = {name: value for name, value in asked.items() if value}
    settings, log = _opened(project or ".", data)
    place = {} if project is None else {"project": os.path.realpath(settings.project)}
    told = newest(settings, log, {**wanted, **place}, limit=limit)
    if json:
        print_json(told)
    elif told:
        print_runs(told)
    elif wanted or project is not None:
        note("No such runs. `prowess runs` lists the newest of all.")
    else:
        note(
            "No runs yet. `prowess run NAME` starts one; `prowess demo` shows some, and needs no key."
        )


@runs.command(epilog="Example: prowess runs show 3f2a")
def show(run: Run, project: Project = ".", data: Data = None, json: Json = False) -> None:
    """One run: how it stands, what it used, what it answered."""
    from prowess.cli.listing import print_run, told_runs

    settings, log = _opened(project, data)
    (told,) = told_runs(settings, log, [_whole(log, run)])
    print_json(told) if json else print_run(told)


@runs.command(epilog="Example: prowess runs events 3f2a --follow")
def events(
    run: Run,
    follow: Annotated[bool, typer.Option("--follow", help="Go on until the run ends.")] = False,
    after: Annotated[
        int, typer.Option("--after", metavar="N", min=0, help="Only those after this one.")
    ] = 0,
    visibility: Shown = "full",
    project: Project = ".",
    data: Data = None,
    json: JsonLines = False,
) -> None:
    """Everything that happened in a run, in order."""
    from prowess.cli.listing import told_runs
    from prowess.cli.live import Live
    from prowess.cli.watching import as_line

    settings, log = _opened(project, data)
    whole = _whole(log, run)

    async def show_all() -> None:
        from prowess.observe.follow import follow as following
        from prowess.observe.follow import follow_loop

        of_it = following if json else follow_loop
        # whose reader has seen enough
        with suppress(BrokenPipeError), Live(visibility, beside=False) as live:
            async for each in of_it(log, whole, after=after):
                print_json(as_line(each), line=True) if json else live.show(each)
                ends = each.event.kind in ("run.finished", "attempt.finished")
                if ends and each.event.run == whole:
                    return

    if follow:
        (told,) = told_runs(settings, log, [whole])
        if told["state"] == "interrupted":
            note(f"Nobody works on it now; `prowess runs resume {whole}` goes on with it.")
        elif waits := told.get("waits"):
            note(f"It waits {waits}.")
        stay(show_all())
        return
    live = Live(visibility, beside=False)
    for each in log.run(whole, after=after):
        print_json(as_line(each), line=True) if json else live.show(each)


@runs.command(
    short_help="Go on with a run whose process ended.",
    epilog="Example: prowess runs resume 3f2a",
)
def resume(
    run: Run,
    visibility: Shown = "summary",
    project: Project = ".",
    data: Data = None,
    json: JsonLines = False,
) -> None:
    """
    Go on with a run whose process ended; what was finished is not done again.

    When it waits for an answer and nobody is at the terminal, it stays as it is and the code is 4.
    """
    _work(run, visibility=visibility, project=project, data=data, json=json)


@runs.command(epilog="Example: prowess runs fork 3f2a --from 4")
def fork(
    run: Run,
    from_: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="PLACE",
            help="Where the ways part: the number of an iteration, or a step of a workflow.",
        ),
    ],
    visibility: Shown = "summary",
    project: Project = ".",
    data: Data = None,
    json: JsonLines = False,
) -> None:
    """
    Try again from a place in an old run, as a run of its own. What came before is not done again.

    The skill is as it was when the old run began. A loop is not forked: begin it again, and it goes on
    with the tasks that are not ticked.
    """
    _work(run, fork_at=from_, visibility=visibility, project=project, data=data, json=json)


@runs.command(epilog="Example: prowess runs cancel 3f2a")
def cancel(run: Run, project: Project = ".", data: Data = None, json: Json = False) -> None:
    """Stop a run for good. Of a loop it is told what it did, and what is where."""
    from prowess.cli.watching import told_end
    from prowess.loop.house import open_whole_house
    from prowess.settings import load_settings

    settings = load_settings(project=project, data=data)

    async def stop() -> tuple[str, str]:
        async with open_whole_house(settings) as house:
            whole = _undivided(house.log, run)
            await house.cancel(whole)
            return whole, told_end(house.log, whole).answer

    whole, report = stay(stop())
    told = f"cancelled {whole}" + (f"\n\n{report}" if report else "")
    print_json({"run": whole, "cancelled": True}) if json else say(told)


@runs.command(
    short_help="Stop a run where it is, to go on later.", epilog="Example: prowess runs pause 3f2a"
)
def pause(run: Run, project: Project = ".", data: Data = None, json: Json = False) -> None:
    """Stop a run where it is, wherever that is; `prowess runs resume` goes on with it."""
    from prowess.loop.house import open_whole_house
    from prowess.settings import load_settings

    settings = load_settings(project=project, data=data)

    async def stop() -> str:
        async with open_whole_house(settings) as house:
            whole = _undivided(house.log, run)
            await house.engine.pause(whole)
            return whole

    whole = stay(stop())
    print_json({"run": whole, "paused": True}) if json else say(f"paused {whole}")


@runs.command(
    short_help="Answer the question that a run waits with.",
    epilog='Example: prowess runs answer 3f2a "yes"',
)
def answer(
    run: Run,
    text: Annotated[str, typer.Argument(metavar="ANSWER", help="What you answer.")],
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Answer the question that a run waits with: in words, or by the number of an option."""
    import asyncio

    from prowess.cli.watching import meant
    from prowess.loop.house import open_whole_house
    from prowess.observe.views import run_view
    from prowess.settings import load_settings

    settings = load_settings(project=project, data=data)

    async def send() -> tuple[dict[str, Any], str]:
        async with open_whole_house(settings) as house:
            whole = _whole(house.log, run)
            question = run_view(house.log.run(whole)).question
            if question is None:
                raise UsageError(
                    f"the run {whole} asks nothing", hint="`prowess runs show` tells how it stands"
                )
            given = meant(text.strip(), question["options"], question["default"])
            if given is None:
                options = " or ".join(question["options"])
                raise UsageError(
                    f"{text!r} is no answer to: {question['prompt']}",
                    hint=f"answer {options}" if options else "answer something",
                )
            if not await house.engine.send_answer(whole, question["id"], given):
                raise ConflictError(
                    f"the run {whole} was answered already", hint="the first answer counts"
                )
            told = {"run": whole, "question": question["id"], "answer": given}
            return told, await house.engine.state(whole)

    told, state = asyncio.run(send())
    print_json(told) if json else say(f"answered {told['question']}: {told['answer']}")
    if state == "interrupted" and not json:
        note(f"`prowess runs resume {told['run']}` goes on with it.")


def _work(
    run: str,
    *,
    visibility: Literal["summary", "full"],
    project: str,
    data: str | None,
    json: bool,
    fork_at: str = "",
) -> None:
    """Open the house, bring the run to work in it, and watch it to its end."""
    from prowess.cli.flow import watch_flow
    from prowess.cli.watching import again, code_of, print_answer, resumable, watch
    from prowess.core.run import Outcome
    from prowess.engine.forking import fork
    from prowess.engine.workflows import KIND
    from prowess.loop.house import open_whole_house
    from prowess.loop.run import KIND as LOOP
    from prowess.observe.views import run_view
    from prowess.settings import load_settings

    settings = load_settings(project=project, data=data)

    async def work() -> tuple[str, Outcome, int]:
        async with open_whole_house(settings) as house:
            whole = _whole(house.log, run)
            view = run_view(house.log.run(whole))
            if fork_at:
                whole = await fork(house.log, house.engine, whole, at=fork_at)
            elif view.ended:
                raise ConflictError(
                    f"the run {whole} has ended: {view.state}", hint=again(house.log, whole)
                )
            else:
                await house.resume(whole)
            async with resumable(house, whole):
                if fork_at:
                    note(f"run {whole}")
                if view.kind == KIND:
                    outcome = await watch_flow(house, whole, json=json, leaves=True)
                else:
                    outcome = await watch(house, whole, visibility=visibility, json=json)
            if outcome.ending == "needs_attention":
                note(again(house.log, whole))
            return view.kind, outcome, code_of(house.log, whole, outcome)

    kind, outcome, code = stay(work())
    with ended_with(code):
        if not json and kind == LOOP:  # a report, however it ended
            say(outcome.answer)
        elif not json and kind != KIND:  # a workflow said it on the way
            print_answer(outcome)


def _opened(project: str, data: str | None) -> "tuple[Settings, Log]":
    from prowess.observe.opening import open_log
    from prowess.settings import load_settings

    settings = load_settings(project=project, data=data)
    return settings, open_log(settings.log_place)


def _undivided(log: "Log", beginning: str) -> str:
    """A run that can be stopped: none that is a part of another."""
    whole = _whole(log, beginning)
    root, part, _ = whole.partition(".")
    if part:
        raise UsageError(f"{whole} is a part of the run {root}", hint="name the whole run")
    return whole


def _whole(log: "Log", beginning: str) -> str:
    """The run whose id begins so, when there is just one; `3f2a.1` is a part of that which begins with 3f2a."""
    root, dot, part = beginning.partition(".")
    if dot and next(iter(log.run(whole := f"{_whole(log, root)}.{part}")), None):
        return whole
    found = log.runs_beginning(beginning)
    if beginning in found:
        return beginning
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(
            f"{len(found)} runs begin with {beginning!r}", hint=f"such as {', '.join(found[:3])}"
        )
    near = did_you_mean(beginning, log.runs(limit=_PAGE))
    raise UnknownRunError(f"there is no run {beginning}", hint=near or "`prowess runs` lists them")
