"""Commands about tasks: match, plan."""

import json as json_
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prowess.cli.desk import Desk
from prowess.cli.options import Data, Dirs, Json, Project
from prowess.cli.output import clean, counted, note, print_json, print_table, say, say_wrapped
from prowess.core.errors import UsageError
from prowess.core.selection import Match, SkillSelection, StepKind

if TYPE_CHECKING:
    from prowess.core.task import Plan

STEPS: tuple[StepKind, ...] = ("implementation", "review")
IN_A_BATCH = 5  # skills for a task, where neither --limit nor --step says how many
NEAREST = 2  # skills told where none was chosen
MARKS = {
    " ": "to do",
    "~": "blocked",
    "x": "done, awaiting review",
    "R": "reviewed",
    "?": "by hand",
}


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Say which skills fit a task, and why.",
        epilog='Example: prowess match "fill in a PDF form"',
    )(match)
    app.command(
        short_help="Show the tasks of a plan, and the next one.",
        epilog="Example: prowess plan PLAN.md",
    )(plan)


def match(
    task: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TASK]…", help="What is to be done, in your own words."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", metavar="N", min=1, help="At most so many. Default: what the step may have."
        ),
    ] = None,
    step: Annotated[
        str | None,
        typer.Option(
            "--step", metavar="STEP", help="implementation or review. Default: implementation."
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each word gave to the score.")
    ] = False,
    no_threshold: Annotated[
        bool, typer.Option("--no-threshold", help="Rank without abstaining.")
    ] = False,
    batch: Annotated[
        str | None,
        typer.Option(
            "--batch",
            metavar="FILE",
            help='Lines of {"id", "query"}; answers as JSON lines. - is standard input.',
        ),
    ] = None,
    dirs: Dirs = None,
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """
    Say which skills fit a task, and why. A task that nothing fits gets none, which is an answer too:
    the exit code is 0.
    """
    from prowess import engine

    kind = step_kind(step or STEPS[0])
    text = " ".join(task or ()).strip()
    if bool(text) == (batch is not None):
        raise UsageError(
            "one task, or --batch FILE, is needed", hint='prowess match "what is to be done"'
        )
    desk = Desk(project=project, data=data, dirs=dirs)
    asking = engine.ask(desk.catalog, desk.settings)
    if batch is not None:
        most = limit or (None if step else IN_A_BATCH)
        for each, query in _queries(batch):
            found = asking.select(
                query, kind, limit=most, abstain=not no_threshold, record=lambda _: None
            )
            print(json_.dumps({"id": each, **_answer(found, explain)}, ensure_ascii=False))
        return
    selection = asking.select(text, kind, limit=limit, abstain=not no_threshold, record=desk.record)
    doubtful = [] if selection.skills or no_threshold else asking.nearest(text, limit=NEAREST)
    if json:
        told = {**selection.as_json(), **_explained(selection, explain)}
        print_json({**told, "nearest": [_row(m) for m in doubtful]} if doubtful else told)
        return
    if selection.skills:
        rows = [(m.name, shown_score(m), m.reason) for m in selection.skills]
        print_table(("SKILL", "SCORE", "WHY"), rows, is_cut=False)
    else:
        note(_nothing(doubtful))
    for match in selection.skills if explain else ():
        if match.parts:
            given = ", ".join(f"{what} {score:.4f}" for what, score in match.parts)
            say("")
            say_wrapped(f"{clean(match.name)}: {given}; together {match.score:.4f}", indent=2)
    for error in selection.errors:
        note(clean(error))


def _answer(selection: SkillSelection, explain: bool) -> dict[str, Any]:
    """One line of a batch, without what is the same on every line."""
    told = {**selection.as_json(), **_explained(selection, explain)}
    return {key: told[key] for key in ("strategy", "skills", "errors", "explained") if key in told}


def _explained(selection: SkillSelection, explain: bool) -> dict[str, Any]:
    return {"explained": {m.name: dict(m.parts) for m in selection.skills}} if explain else {}


def shown_score(found: Match) -> str:
    """Cut and not rounded, so that what is below a threshold also looks so."""
    return "" if found.score is None else f"{found.score:.4f}"[:-2]


def _nothing(doubtful: Sequence[Match]) -> str:
    """That nothing was chosen, and what to do about it."""
    from prowess.select.hints import find_hints
    from prowess.select.rank import THRESHOLD

    if not doubtful:
        return "No skill fits this task: none has a word in common with it."
    near = ", ".join(f"{clean(m.name)} ({shown_score(m)})" for m in doubtful)
    if (doubtful[0].score or 0.0) >= THRESHOLD:  # the settings leave room for none
        return (
            f"No skill may be chosen here: the settings say 0. `--limit 1` does. Nearest: {near}."
        )
    hinted = find_hints(f"@{doubtful[0].name}")
    ways = ["say a word more", *(f"name the skill (@{name})" for name in hinted)]
    return (
        f"No skill fits this task well enough. Nearest: {near}; {THRESHOLD:.2f} is needed. "
        f"To get it, {' or '.join(ways)}; `--no-threshold` ranks all the same."
    )


def step_kind(step: str) -> StepKind:
    for known in STEPS:
        if step == known:
            return known
    raise UsageError(f"--step {step}: there is no such step", hint=f"use {' or '.join(STEPS)}")


def _row(found: Match) -> dict[str, Any]:
    return {"name": found.name, "path": found.path, "score": found.score, "reason": found.reason}


def _queries(path: str) -> Iterator[tuple[Any, str]]:
    try:
        with open(path, encoding="utf-8") if path != "-" else sys.stdin as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    row = json_.loads(line)
                    query = row["query"] + ""  # a text, and nothing else
                    yield row["id"], query
                except (ValueError, KeyError, TypeError, RecursionError):
                    raise UsageError(
                        f"{path}:{number}: not a query",
                        hint='write lines such as {"id": "1", "query": "…"}',
                    ) from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8", hint="save it as UTF-8") from None
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", hint="name a file that exists"
        ) from error


def plan(
    file: Annotated[str, typer.Argument(metavar="PLAN", help="A Markdown task list.")],
    json: Json = False,
) -> None:
    """Show the tasks of a plan, the next one, and what is blocked."""
    from prowess.cli.plan_shown import problems_of, seen_in
    from prowess.select.plan import read_plan
    from prowess.select.plan_file import plan_bytes

    data = plan_bytes(file)
    try:
        found = read_plan(data)
    except UsageError as error:
        raise UsageError(f"{file}: {error}", hint=error.hint) from None
    following = found.next()
    problems, seen = problems_of(found, file), seen_in(found)
    if json:
        print_json(
            {
                "tasks": [task.as_json() for task in found.tasks],
                "next": following.as_json() if following else None,
                "validation": list(found.validation),
                "problems": [{"line": line, "what": what} for line, what in problems],
                "seen": [each.as_json() for each in seen],
            }
        )
        return
    rows = [
        (str(task.line), "ignored" if task.ignored else MARKS[task.mark], task.section, task.label)
        for task in found.tasks
    ]
    if rows:
        print_table(("LINE", "STATE", "SECTION", "TASK"), rows)
    for each in seen:
        note(f"line {each.line}, {each.how}: {clean(each.criterion)}")
    for task, names in found.waiting().items():
        note(f"line {task.line} waits for: {', '.join(clean(name) for name in names)}")
    for line, what in problems:
        note(f"line {line}: {clean(what)}")
    if people := found.for_people():
        note(f"{people}.")
    if not following and (blocked := found.about_blocked()):
        note(f"{blocked[:1].upper()}{blocked[1:]}.")
    note(_what_next(found, os.path.basename(file)))


def _what_next(plan: "Plan", name: str) -> str:
    if plan.lost() or plan.circle():
        return "A loop refuses this plan until that is mended."
    if following := plan.next():
        return f"Next, on line {following.line}: {clean(following.label)}"
    if left := sum(task.mark == " " and not task.ignored for task in plan.tasks):
        return f"{counted(left, 'task')} to do, and all of them wait."
    if plan.tasks:
        return f"No task to do in {name}."
    return f"{name} holds no task: write them as `- [ ] text`."
