"""Commands about tasks: match, plan."""

import json as json_
import os
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from prowess.cli.desk import Desk
from prowess.cli.options import Data, Dirs, Json, Project
from prowess.cli.output import clean, counted, note, print_json, print_table, say
from prowess.core.errors import UsageError
from prowess.core.selection import StepKind

STEPS: tuple[StepKind, ...] = ("implementation", "review")
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
        str | None, typer.Argument(metavar="TASK", help="What is to be done, in your own words.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", metavar="N", min=1, help="At most so many. Default: what the step may have."
        ),
    ] = None,
    step: Annotated[
        str, typer.Option("--step", metavar="STEP", help="implementation or review.")
    ] = "implementation",
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each word contributed.")
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
    """Say which skills fit a task, and why. A task that nothing fits gets none."""
    from prowess import engine

    kind = step_kind(step)
    if (task is None) == (batch is None):
        raise UsageError(
            "one task, or --batch FILE, is needed", hint='prowess match "what is to be done"'
        )
    desk = Desk(project=project, data=data, dirs=dirs)
    asking = engine.ask(desk.catalog, desk.settings)
    if batch is not None:
        for each, query in _queries(batch):
            found = asking.match(query, limit=limit or 5, abstain=not no_threshold)
            row = {
                "id": each,
                "strategy": "match" if found else "none",
                "skills": [_row(m) for m in found],
            }
            print(json_.dumps(row, ensure_ascii=False))
        return
    selection = asking.select(
        task or "", kind, limit=limit, abstain=not no_threshold, record=desk.record
    )
    parts = asking.explained(task or "", [m.name for m in selection.skills]) if explain else {}
    if json:
        print_json({**selection.as_json(), **({"explained": parts} if explain else {})})
        return
    if not selection.skills:
        note(
            "No skill has a word in common with this task."
            if no_threshold
            else "No skill fits this task. `--no-threshold` shows the nearest ones."
        )
    else:
        rows = [
            (m.name, "" if m.score is None else f"{m.score:.2f}", m.reason)
            for m in selection.skills
        ]
        print_table(("SKILL", "SCORE", "WHY"), rows)
    for name, told in parts.items():
        say(f"\n{clean(name)}: " + ", ".join(f"{word} {score:.3f}" for word, score in told.items()))
    for error in selection.errors:
        note(clean(error))


def step_kind(step: str) -> StepKind:
    for known in STEPS:
        if step == known:
            return known
    raise UsageError(f"--step {step}: there is no such step", hint=f"use {' or '.join(STEPS)}")


def _row(found: Any) -> dict[str, Any]:
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
                except (ValueError, KeyError, TypeError):
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
    from prowess.select.plan import read_plan

    try:
        with open(file, "rb") as opened:
            found = read_plan(opened.read())
    except UsageError as error:
        raise UsageError(f"{file}: {error}", hint=error.hint) from None
    except OSError as error:
        raise UsageError(
            f"{file} cannot be read: {error.strerror}", hint="name a plan that exists"
        ) from None
    following = found.next()
    if json:
        print_json(
            {
                "tasks": [task.as_json() for task in found.tasks],
                "next": following.as_json() if following else None,
                "validation": list(found.validation),
            }
        )
        return
    rows = [
        (str(task.line), "ignored" if task.ignored else MARKS[task.mark], task.section, task.label)
        for task in found.tasks
    ]
    if rows:
        print_table(("LINE", "STATE", "SECTION", "TASK"), rows)
    for task, names in found.waiting().items():
        note(f"line {task.line} waits for: {', '.join(clean(name) for name in names)}")
    for task, name in found.unknown():
        note(f"line {task.line}: after names {clean(name)!r}, and there is no such task")
    if following:
        note(f"Next, on line {following.line}: {clean(following.label)}")
    else:
        left = sum(task.mark == " " and not task.ignored for task in found.tasks)
        note(
            f"{counted(left, 'task')} to do, and all of them wait."
            if left
            else f"No task to do in {os.path.basename(file)}."
        )
