"""The command that works through a plan."""

import math
import os
import shlex
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from prowess.cli.desk import Desk
from prowess.cli.options import Data, Dirs, JsonLines, Project
from prowess.cli.output import note, say
from prowess.cli.staying import ended_with, stay
from prowess.core.errors import CancelledRunError, ChangesError, UsageError
from prowess.core.run import Outcome, outcome_from_json

if TYPE_CHECKING:
    from prowess.cli.live import Visibility
    from prowess.core.ports import Log
    from prowess.loop.request import LoopRequest

_NAME = "name a Markdown file with `- [ ] tasks`"


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Work through a plan, task by task, with proof.",
        epilog="Example: prowess loop PLAN.md --agent codex --max-cost 5",
    )(loop)


def loop(
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="A Markdown plan.")],
    agent: Annotated[
        str,
        typer.Option(
            "--agent",
            metavar="AGENT",
            help="built-in, claude, codex, opencode, gemini, qwen, aider, or command.",
        ),
    ] = "built-in",
    command: Annotated[
        str,
        typer.Option(
            "--command",
            metavar="COMMAND",
            help="What the agent `command` runs; the prompt is on stdin.",
        ),
    ] = "",
    reviewer: Annotated[
        str,
        typer.Option(
            "--reviewer", metavar="AGENT", help="Another agent for reviews. Default: the same."
        ),
    ] = "",
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="MODEL", help="The model, as the agent names it."),
    ] = None,
    phases: Annotated[
        str, typer.Option("--phases", metavar="FILE", help="Phases other than the usual ones.")
    ] = "",
    parallel: Annotated[
        int,
        typer.Option(
            "--parallel",
            metavar="N",
            min=1,
            max=64,
            help="Tasks at the same time, each in a git worktree of its own.",
        ),
    ] = 1,
    max_attempts: Annotated[
        int,
        typer.Option(
            "--max-attempts", metavar="N", min=1, max=100, help="How often one task is tried."
        ),
    ] = 3,
    attempts: Annotated[
        int,
        typer.Option(
            "--attempts",
            metavar="N",
            min=0,
            help="Attempts at all tasks together before the loop ends; 0: no limit.",
        ),
    ] = 0,
    max_time: Annotated[
        str,
        typer.Option(
            "--max-time", metavar="TIME", help="How long the whole loop may take, such as 90m."
        ),
    ] = "",
    max_tokens: Annotated[
        int,
        typer.Option(
            "--max-tokens",
            metavar="N",
            min=0,
            help="Tokens that all agents together may use; 0: no limit.",
        ),
    ] = 0,
    max_cost: Annotated[
        float,
        typer.Option(
            "--max-cost", metavar="DOLLARS", min=0, help="US dollars it may cost; 0: no limit."
        ),
    ] = 0.0,
    wall: Annotated[
        str,
        typer.Option("--wall", metavar="TIME", help="How long one attempt of an agent may take."),
    ] = "1h",
    idle: Annotated[
        str,
        typer.Option(
            "--idle", metavar="TIME", help="An agent that says nothing for so long is stopped."
        ),
    ] = "15m",
    visibility: Annotated[
        Literal["summary", "full"], typer.Option("--visibility", help="How much to show.")
    ] = "summary",
    project: Project = ".",
    data: Data = None,
    dirs: Dirs = None,
    json: JsonLines = False,
) -> None:
    """
    Work through a plan: an agent implements each task, code checks it, the plan is ticked.

    A task is marked [R] when it is proven or reviewed, [x] when it is implemented and nothing could prove it, [~]
    when it is blocked. Neither an exit code nor an agent's words count. The report goes to stdout.
    """
    from prowess.loop.phase.phases import DEFAULT, read_phases
    from prowess.loop.request import LoopRequest

    desk = Desk(project=project, data=data, dirs=dirs)
    _must_be_file(plan)
    request = LoopRequest(
        plan=os.path.realpath(plan),
        workspace=_workspace(desk.settings.project, os.path.realpath(plan)),
        agent=agent,
        command=_words(command, {agent, reviewer}),
        reviewer=reviewer,
        model=model,
        phases=read_phases(phases or DEFAULT),
        parallel=parallel,
        max_attempts=max_attempts,
        wall=_seconds(wall, "--wall"),
        idle=_seconds(idle, "--idle"),
        attempts=attempts,
        seconds=_seconds(max_time, "--max-time") if max_time else 0.0,
        tokens=max_tokens,
        dollars=_dollars(max_cost),
    )
    outcome = stay(_loop(desk, request, visibility=visibility, json=json))
    with ended_with(0 if outcome.ok else 3 if outcome.details.get("outside") else 1):
        if not json and outcome.answer:
            say(outcome.answer)


def _must_be_file(plan: str) -> None:
    if os.path.isdir(plan):
        raise UsageError(f"{plan}: that is a folder", hint="name the plan in it")
    if os.path.exists(plan) and not os.path.isfile(plan):
        raise UsageError(f"{plan} is no plain file", hint=_NAME)
    if not os.path.isfile(plan):
        raise UsageError(
            f"there is no plan {plan}",
            hint=_near(plan) or _NAME,
        )


def _workspace(project: str, plan: str) -> str:
    """The root of the repository that both lie in; else the project, of which it is told what is wrong."""
    from prowess.check.tree.changes import git_folder
    from prowess.engine.checking import root_of

    here, root = root_of(project), root_of(os.path.dirname(plan))
    if root == here:
        return root
    if git_folder(root) is not None and git_folder(here) is None:
        raise UsageError(
            f"{here} is not a git repository, and the plan lies in one: {root}",
            hint=f"`--project {shlex.quote(root)}`, or begin there",
        )
    return os.path.realpath(project)


def _near(plan: str) -> str:
    """The file beside it that was meant, as it would be named here."""
    from prowess.core.near import did_you_mean

    folder = os.path.dirname(plan)
    try:
        beside = [entry.name for entry in os.scandir(folder or ".") if entry.is_file()]
    except OSError:
        return ""
    return did_you_mean(plan, (os.path.join(folder, name) for name in beside), most=1)


def _words(command: str, agents: set[str]) -> tuple[str, ...]:
    if command and "command" not in agents:
        raise UsageError(
            "--command belongs to the agent `command`, and another one is to work",
            hint="add `--agent command`, or leave --command out",
        )
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        open_ = "a quote is not closed" if "quotation" in str(error) else "it ends with a backslash"
        raise UsageError(
            f"--command: {open_}: {command}", hint="quote the whole once, and its words in it"
        ) from None


def _seconds(text: str, option: str) -> float:
    from prowess.core.execution import seconds

    try:
        return seconds(text)
    except ValueError as error:
        raise UsageError(f"{option} {text}", hint=f"use {error}") from None


def _dollars(given: float) -> float:
    """`nan` is more than nothing and less than nothing, and `inf` is no limit."""
    if not math.isfinite(given):
        raise UsageError(f"--max-cost {given}", hint="use an amount such as 5 or 0.50; 0: no limit")
    return given


async def _loop(
    desk: Desk, request: "LoopRequest", *, visibility: "Visibility", json: bool
) -> Outcome:
    from prowess.cli.watching import resumable, watch
    from prowess.engine import find_roots
    from prowess.engine.house import new_run
    from prowess.loop.agents.known import open_program
    from prowess.loop.beforehand.lacking import must_have_programs
    from prowess.loop.beforehand.place import check_place
    from prowess.loop.crew import check_agents
    from prowess.loop.house import open_whole_house
    from prowess.loop.interrupted import perhaps_left_by
    from prowess.loop.marks import slips
    from prowess.loop.run import KIND

    find_roots(desk.settings)  # a folder of skills that is not there
    for name in {request.agent, request.reviewer or request.agent} - {"built-in"}:
        # a wrong name, before what is wrong with the place
        open_program(name, command=request.command, home=request.workspace)
    left = _refuse_interrupted(desk, request)
    try:
        await check_place(request)
    except ChangesError as error:
        raise perhaps_left_by(left, error) from error
    for line, what in slips(request.plan):
        note(f"{request.plan}:{line}: {what}")
    async with open_whole_house(desk.settings) as house:
        check_agents(request, house.world)
        await must_have_programs(request, house.world.sandbox)
        run = new_run()
        await house.engine.start(KIND, run, request.as_json())
        async with resumable(house, run):
            note(f"run {run}")
            try:
                return await watch(house, run, visibility=visibility, json=json)
            except CancelledRunError:
                return _cancelled(house.log, run)


def _refuse_interrupted(desk: Desk, request: "LoopRequest") -> list[str]:
    """The loops in this work tree that were interrupted or paused; one over this plan is refused."""
    from prowess.durable.standing import standing
    from prowess.engine.log import open_log_of
    from prowess.loop.interrupted import left_in, refuse_interrupted

    if left := standing(desk.settings.engine_place):
        log = open_log_of(desk.settings)
        refuse_interrupted(request, log, left)
        return left_in(request, log, left)
    return []


def _cancelled(log: "Log", run: str) -> Outcome:
    """What a loop that somebody cancelled told of itself before it ended."""
    told = [each.event.payload for each in log.run(run) if each.event.kind == "run.finished"]
    if not told:
        raise CancelledRunError(f"the run {run} was cancelled")
    return outcome_from_json(told[-1]["outcome"])
