"""The command that checks whether a task is really done."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from prowess.cli.desk import Desk
from prowess.cli.options import Data, Dirs, Json, Project
from prowess.cli.output import clean, counted, note, print_json, print_table, say
from prowess.cli.staying import stay
from prowess.core.errors import UsageError
from prowess.core.evidence import Criterion, Report, Spec, spec_of
from prowess.core.near import did_you_mean
from prowess.core.task import Plan, Task, key_of, names_of
from prowess.core.text import shortened

if TYPE_CHECKING:
    from prowess.engine.proposing import Proposed
    from prowess.engine.work import Asked

PLAN = "PLAN.md"
OUT = ".prowess"
_NAMED, _NAME = 12, 60  # tasks that are offered, and characters of each
_TASK_FILES = (".json", ".yaml", ".yml")


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Check whether a task is really done, and say why.",
        epilog='Example: prowess check "Reject durations without a unit" --plan PLAN.md --base main',
    )(check)


def check(
    task: Annotated[
        str | None,
        typer.Argument(
            metavar="[TASK]",
            help="A task of the plan by its line or its text, or a JSON or YAML file with one."
            " Default: the last one marked [x], else the next.",
        ),
    ] = None,
    plan: Annotated[
        str | None, typer.Option("--plan", metavar="FILE", help=f"The plan. Default: {PLAN}.")
    ] = None,
    id_: Annotated[
        str | None,
        typer.Option("--id", metavar="ID", help="Which task of a file that holds several."),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--base",
            metavar="COMMIT",
            help="Where the work began. Default: where this branch left the main one, or HEAD.",
        ),
    ] = None,
    evidence: Annotated[
        str | None,
        typer.Option(
            "--evidence", metavar="FILE", help="Evidence that somebody proposes, as JSON."
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="MODEL", help="Let an agent with this model propose evidence."
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="DIR", help=f"For the artifacts. Default: {OUT}/check/TASK."),
    ] = None,
    project: Project = ".",
    data: Data = None,
    dirs: Dirs = None,
    json: Json = False,
) -> None:
    """
    Check whether a task is really done, in the work tree as it is now.

    Each criterion is looked at: cited lines are opened, commands run again, tests counted. Changed
    files are held against those that the task allows. What cannot be confirmed is no pass.
    """
    from prowess.engine.checking import check_events, root_of
    from prowess.engine.house import new_run
    from prowess.engine.work import Asked

    desk = Desk(project=project, data=data, dirs=dirs)
    root = root_of(desk.settings.project)
    chosen = _choose(task, plan, id_, root=desk.settings.project)
    folder = os.path.abspath(out) if out else os.path.join(root, OUT, "check", chosen.spec.id)
    asked = Asked(
        spec=chosen.spec,
        workspace=root,
        base=base,
        validation=chosen.validation,
        own=_own(root, chosen.plan, folder),
    )
    report, proposed = stay(_checked(desk, asked, evidence=evidence, model=model))
    names = _write(report, proposed, folder, root, more_tasks=chosen.more)
    for event in check_events(report, run=new_run()):
        desk.record(event)
    if json:
        print_json({**report.as_json(), "out": folder, "artifacts": names})
    else:
        _show(report, folder)
    if not report.passed:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """`more`: other tasks are left that are not proven."""

    spec: Spec
    validation: tuple[str, ...] = ()
    plan: str | None = None
    more: bool = True


def _choose(task: str | None, plan: str | None, id_: str | None, *, root: str) -> _Chosen:
    if task and task.endswith(_TASK_FILES) and os.path.isfile(task):
        return _from_file(task, id_)
    path = plan or os.path.join(root, PLAN)
    found = _read_plan(path)
    one = _in_plan(found, task)
    left = [
        each for each in found.tasks if each != one and not each.ignored and each.mark not in "R?"
    ]
    return _Chosen(spec=spec_of(one), validation=found.validation, plan=path, more=bool(left))


def _from_file(path: str, id_: str | None) -> _Chosen:
    from prowess.check.task_file import read_tasks, ready

    specs = read_tasks(read_text(path), name=path)
    under_way = [spec for spec in specs if spec.status == "in_progress"]
    named = [spec for spec in specs if spec.id == id_] if id_ else [*under_way, *ready(specs)]
    if not named:
        known = ", ".join(spec.id for spec in specs)
        raise UsageError(f"{path}: no task to check", hint=f"name one with --id: {known}")
    left = [spec for spec in specs if spec is not named[0] and spec.status != "passed"]
    return _Chosen(spec=named[0], more=bool(left))


def _read_plan(path: str) -> Plan:
    from prowess.engine import read_plan_file

    found = read_plan_file(path)
    if found is None:
        raise UsageError(f"{path} holds no task", hint="`prowess plan` shows what is read from it")
    return found


def _in_plan(plan: Plan, task: str | None) -> Task:
    """By its line or by its text, whole or a part that only one task has."""
    tasks = [each for each in plan.tasks if not each.ignored]
    if task is None:
        done = [each for each in tasks if each.mark == "x"]
        found = done[-1] if done else plan.next()
        if found is None:
            raise UsageError("the plan has no task to check", hint="name one by its line or text")
        return found
    if task.isdecimal():
        near = [each for each in tasks if each.line == int(task)]
    else:
        near = [each for each in tasks if key_of(task) in names_of(each)] or [
            each for each in tasks if key_of(task) in key_of(each.label)
        ]
    if len(near) != 1:
        none = "no task of the plan fits"
        if task.endswith(_TASK_FILES):
            none = f"there is no file {task}, and {none}"
        what = f"{counted(len(near), 'task')} of the plan fit" if near else none
        meant = "" if near else did_you_mean(task, (each.label for each in tasks))
        hint = f"{meant} Or name" if meant else "name"
        raise UsageError(
            f"{what} {task!r}", hint=f"{hint} one by its line: {_named(near or tasks)}"
        )
    return near[0]


def _named(tasks: Sequence[Task]) -> str:
    told = [f"{each.line} ({shortened(each.label, _NAME)})" for each in tasks[:_NAMED]]
    more = [f"and {len(tasks) - _NAMED} more"] if len(tasks) > _NAMED else []
    return ", ".join([*told, *more])


def _own(root: str, plan: str | None, folder: str) -> tuple[str, ...]:
    """What in the work tree is ours or the plan's, and not the worker's."""
    paths = [os.path.relpath(os.path.realpath(folder), root) + "/", f"{OUT}/"]
    if plan:
        paths.append(os.path.relpath(os.path.realpath(plan), root))
    return tuple(path for path in paths if not path.startswith(("../", "./")))


async def _checked(
    desk: Desk, asked: "Asked", *, evidence: str | None, model: str | None
) -> "tuple[Report, Proposed | None]":
    from dataclasses import replace

    from prowess.engine.checking import open_checker

    proposed = await _proposed(desk, asked, evidence=evidence, model=model)
    if proposed:
        asked = replace(asked, claims=proposed.claims, ignored=proposed.ignored)
    return await open_checker(desk.settings).check(asked), proposed


async def _proposed(
    desk: Desk, asked: "Asked", *, evidence: str | None, model: str | None
) -> "Proposed | None":
    from prowess.check.claims import read_claims
    from prowess.check.layered import Layered
    from prowess.engine.proposing import Proposed, propose_evidence

    if evidence and model:
        raise UsageError("--evidence and --model together", hint="let one of them propose")
    if evidence:
        claims = read_claims(read_text(evidence), name=evidence)
        return Proposed(run="", layered=Layered(on=False), claims=tuple(claims))
    if model is None:
        return None
    proposed = await propose_evidence(
        asked,
        desk.settings,
        use_layered=desk.settings.check_use_layered_skills,
        record=desk.record,
        model=model,
    )
    note(f"Evidence was proposed in run {proposed.run}: {counted(len(proposed.claims), 'claim')}.")
    if not proposed.layered.on:
        note(f"Without layered skills ({proposed.layered.reason}).")
    return proposed


def read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8", hint="save it as UTF-8") from None
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", hint="name a file that exists"
        ) from None


def _write(
    report: Report, proposed: "Proposed | None", folder: str, root: str, *, more_tasks: bool
) -> Sequence[str]:
    from prowess.check.report import write_artifacts

    ours = os.path.join(root, OUT)
    if folder.startswith(ours + os.sep) and not os.path.exists(ours):
        os.mkdir(ours)
        with open(os.path.join(ours, ".gitignore"), "w", encoding="ascii") as file:
            file.write("*\n")
    return write_artifacts(
        report,
        folder,
        claims=proposed.claims if proposed else (),
        claimed_outcome=proposed.outcome if proposed else None,
        more_tasks=more_tasks,
    )


def _show(report: Report, folder: str) -> None:
    rows = [(each.verdict, each.text, _why(each)) for each in report.criteria]
    rows += [("FAIL", each.path, each.why) for each in report.scope.violations]
    if report.scope.failure:
        rows.append(("FAIL", "changed files", report.scope.failure))
    if rows:
        print_table(("VERDICT", "CRITERION", "WHY"), rows)
    for each in report.ignored:
        note(f"Ignored: {clean(each.what)} ({clean(each.why)})")
    for line in report.notes:
        note(f"Note: {clean(line)}")
    from prowess.check.already import is_cited

    cited = sum(map(is_cited, report.criteria))
    proven = sum(each.verdict == "PASS" for each in report.criteria) - cited
    files = counted(len(report.scope.files), "changed file")
    outside = len(report.scope.violations)
    told = f"{proven} of {len(report.criteria)} proven{f', {cited} as cited' if cited else ''}, {files}"
    told += f", {outside} of them outside `files:`" if outside else ""
    say(f"{_ending(report)}: {clean(report.title)} ({told})")
    if report.outcome == "unproven":
        note(report.reasons[0])
    note(f"Artifacts: {folder}")


def _ending(report: Report) -> str:
    """Where nothing was seen to be wrong, nothing failed: it is only not proven."""
    open_ = report.outcome == "failed" and report.verdict == "INCONCLUSIVE"
    return "not proven" if open_ else report.outcome


def _why(criterion: Criterion) -> str:
    from prowess.engine.checking import UNTOUCHED

    why = criterion.reason or _seen(criterion)
    if criterion.text == UNTOUCHED:
        return f"{why}; if the work is committed, name the commit before it (--base HEAD~1)"
    return why


def _seen(criterion: Criterion) -> str:
    """What carried a pass; what somebody cites is told with its place."""
    found = next((each for each in criterion.evidence if each.state == "confirmed"), None)
    if found is None:
        return ""
    place = "" if found.own else found.evidence.location
    return f"{place}: {found.seen}" if place else found.seen
