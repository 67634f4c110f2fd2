"""The command that shows what a skill is worth: the same tasks with it and without it."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from prowess.cli.desk import Desk
from prowess.cli.options import Data, Dirs, Json, Project
from prowess.cli.output import counted, note, print_json, print_table, say
from prowess.cli.staying import stay
from prowess.core.errors import OutsideError, UsageError

if TYPE_CHECKING:
    from prowess.check.compare.comparison import Figure
    from prowess.engine.comparing import Compared


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Do the same tasks with and without a skill, and compare.",
        epilog="Example: prowess compare --tasks tasks.yaml --skill code-quality --model sonnet",
    )(compare)


def compare(
    tasks: Annotated[
        str | None, typer.Option("--tasks", metavar="FILE", help="Tasks as JSON or YAML.")
    ] = None,
    skill: Annotated[
        str | None, typer.Option("--skill", metavar="NAME", help="With and without this skill.")
    ] = None,
    layered: Annotated[
        bool,
        typer.Option("--layered", help="Layered skills against the plain prompt, for the check."),
    ] = False,
    model: Annotated[
        str | None, typer.Option("--model", metavar="MODEL", help="As for `prowess run`.")
    ] = None,
    runs: Annotated[
        int,
        typer.Option(
            "--runs", metavar="N", min=1, max=100, help="How often each task is done each way."
        ),
    ] = 1,
    from_log: Annotated[
        str | None,
        typer.Option("--from-log", metavar="ID", help="Show an earlier comparison again."),
    ] = None,
    svg: Annotated[
        str | None, typer.Option("--svg", metavar="FILE", help="Write the plot as a picture.")
    ] = None,
    project: Project = ".",
    data: Data = None,
    dirs: Dirs = None,
    json: Json = False,
) -> None:
    """
    Do the same tasks in two ways and compare: success, evidence, command errors, hygiene, tokens.

    Each run works in a clone of the project as last committed. All figures are computed from the
    log, and `--from-log` computes them again.
    """
    from prowess.check.compare.comparison import figures

    desk = Desk(project=project, data=data, dirs=dirs)
    if from_log:
        found = _from_log(desk, from_log)
    else:
        found = _run(desk, tasks, skill=skill, layered=layered, model=model, runs=runs)
    _must_be_answered(found)
    lines = figures(found.trials, found.versus.ways)
    if svg:
        _write(svg, lines, found)
    if json:
        print_json(_as_json(found, lines))
    else:
        _show(found, lines)
    if found.unfinished:
        raise typer.Exit(1)


def _run(
    desk: Desk, tasks: str | None, *, skill: str | None, layered: bool, model: str | None, runs: int
) -> "Compared":
    from prowess.check.task_file import read_tasks
    from prowess.cli.check import read_text
    from prowess.engine.comparing import Versus, compare

    if tasks is None:
        raise UsageError("tasks are needed", hint="name a file with --tasks, or --from-log ID")
    if (skill is None) == (not layered):
        raise UsageError("one thing to compare is needed", hint="use --skill NAME or --layered")
    specs = read_tasks(read_text(tasks), name=tasks)
    return stay(
        compare(specs, Versus(skill=skill), desk.settings, model=model, runs=runs, tell=note)
    )


def _from_log(desk: Desk, key: str) -> "Compared":
    from prowess.engine.comparing import compared_in
    from prowess.observe.opening import open_log

    log = open_log(desk.settings.log_place)
    try:
        return compared_in(log, key)
    finally:
        log.close()


def _must_be_answered(found: "Compared") -> None:
    """Where no task was answered in both ways because the model was not there, nothing is compared."""
    from prowess.check.compare.comparison import paired

    if _unanswered(found) and not paired(found.trials, found.versus.ways):
        raise OutsideError(
            f"{_unanswered(found)}: nothing was compared",
            hint="see that the model can be reached, then compare again",
        )


def _unanswered(found: "Compared") -> str:
    """How many runs are left out, and why the first of them was; empty where none is."""
    out = [each.unanswered for each in found.trials if each.unanswered]
    runs = counted(len(found.trials), "run")
    return f"{len(out)} of {runs} had no answer from the model ({out[0]})" if out else ""


def _as_json(found: "Compared", lines: "list[Figure]") -> dict[str, object]:
    ways = found.versus.ways
    return {
        "id": found.id,
        "skill": found.versus.skill,
        "ways": list(ways),
        "tasks": list(found.tasks),
        "figures": {line.name: dict(zip(ways, line.values, strict=True)) for line in lines},
        "planned": found.planned,
        "unfinished": bool(found.unfinished),
        "left_out": sum(bool(each.unanswered) for each in found.trials),
        "trials": [each.as_json() for each in found.trials],
    }


def _show(found: "Compared", lines: "list[Figure]") -> None:
    from prowess.check.compare.plot import bars, shown

    ways = found.versus.ways
    rows = [(line.name, *map(shown, line.values), line.unit) for line in lines]
    print_table(("FIGURE", *(way.upper() for way in ways), "PER"), rows)
    if sys.stdout.isatty():  # a program reads rows, and nothing else
        say(f"\n{bars(lines, ways)}")
    if out := _unanswered(found):
        note(f"{out}; they are not in the figures.")
    if lonely := _lonely(found):
        note(f"{counted(lonely, 'run')} left out too: the same was not answered in the other way.")
    made = found.unfinished or counted(len(found.trials), "run")
    note(
        f"{found.versus.title}: {counted(len(found.tasks), 'task')}, {made}."
        f" `prowess compare --from-log {found.id}` shows this again."
    )


def _lonely(found: "Compared") -> int:
    """How many runs had an answer and have nothing to be compared with."""
    from prowess.check.compare.comparison import paired

    answered = sum(not each.unanswered for each in found.trials)
    return answered - len(paired(found.trials, found.versus.ways))


def _write(path: str, lines: "list[Figure]", found: "Compared") -> None:
    from prowess.check.compare.plot import svg

    title = f"{found.versus.title}, {counted(len(found.tasks), 'task')}"
    title += f", {found.unfinished}" if found.unfinished else ""
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(svg(lines, found.versus.ways, title=title))
    except OSError as error:
        raise OutsideError(
            f"{path} cannot be written: {error.strerror}", hint="choose another --svg"
        ) from None
