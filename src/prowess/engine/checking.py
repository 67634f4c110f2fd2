"""
The check of one task, put together: git says what changed, the sandbox runs what has to be seen,
and the check stage judges.

The changed files are listed before anything runs, because tests and builds leave files behind that
are not the worker's.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from prowess.check.already import is_so
from prowess.check.changes import Tree, git_folder, open_tree
from prowess.check.commands import Runner
from prowess.check.ignoring import personal_rules
from prowess.check.judges import (
    TOUCHES,
    Touched,
    doubt,
    judging_scripts,
    spoiled,
    to_read,
    touched,
)
from prowess.check.judging import Judge, overall, sorted_claims
from prowess.check.known_tests import is_test
from prowess.check.scope import scope
from prowess.core.errors import OutsideError, RefusedError
from prowess.core.event import Event
from prowess.core.evidence import (
    Change,
    CheckOutcome,
    Claim,
    Criterion,
    Evidence,
    Ignored,
    Looked,
    Report,
    Ruling,
    Scope,
    Spec,
    report_from_json,
)
from prowess.core.ports import Sandbox
from prowess.core.process import Limits
from prowess.core.workspace import read_in
from prowess.engine.world import World, open_sandbox_for
from prowess.permit.redact import known_secrets, redact
from prowess.settings import Settings

UNPROVEN = (
    "the task has neither acceptance criteria nor validation commands, so nothing can be proven"
)
UNTOUCHED = "Something was done since the base commit"
SPOILING = "What other tasks will be proven by is as it was"
_UNREAD = "\0"  # no text that any format could be read from
_READ_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """
    One task to be checked. `base` is the commit the work began at, None for the usual one. `own`
    are paths that the caller itself writes (the plan, the artifacts); a folder ends in a slash. `others`
    are commands that prove other tasks of the same plan.
    `may_be_so`: where nothing was changed, the task may have been done before, by another one.
    `stood` is how files stood before the work began that differed from the base by then; `rules` are
    those by which git ignored files besides `.gitignore`, None for the person's own as they are now.
    """

    spec: Spec
    workspace: str
    base: str | None = None
    validation: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    own: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    may_be_so: bool = False
    stood: Mapping[str, str] = field(default_factory=dict)
    rules: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checker:
    """`isolated`: the sandbox holds, so that commands from a claim may be run. `clean` takes out secrets."""

    sandbox: Sandbox
    isolated: bool
    limits: Limits = Limits()
    network: bool = False
    clean: Callable[[Any], Any] = lambda value: value

    async def check(
        self, asked: Asked, *, tell: Callable[[Criterion], None] = lambda criterion: None
    ) -> Report:
        """Judge one task; `tell` hears of each criterion when its verdict is known."""
        spec = asked.spec
        work = await self._work(asked)
        runner = self._runner(work)
        judge = Judge(
            folder=work.tree.folder,
            run=runner,
            run_claimed=runner if self.isolated else None,
            validation=asked.validation,
            find_test=lambda name: _defining(work, name),
            doubt=lambda command, tests: doubt(work.touched, runner.done(command), tests=tests),
            tell=tell,
        )
        claims, ignored = sorted_claims(spec.criteria, asked.claims)
        criteria = await judge.criteria(spec.criteria, claims)
        if others := spoiled(work.touched, asked.others):
            criteria.append(_spoiling(others))
        if work.untouched and not (asked.may_be_so and is_so(criteria)):
            criteria.append(_untouched(work.base))
        report = _report(
            spec,
            criteria,
            work,
            ignored=(*asked.ignored, *ignored),
            notes=await self._notes(work, runner, asked),
        )
        return report_from_json(self.clean(report.as_json()))

    async def _work(self, asked: Asked) -> "_Work":
        rules = personal_rules() if asked.rules is None else asked.rules
        tree = open_tree(asked.workspace, self.sandbox, rules=rules, stood=asked.stood)
        try:
            base = await tree.base(asked.base)
            changes, files = await tree.read(base)
        except OutsideError as error:
            # Without `files:` nothing is restricted, and a folder without git can still be checked.
            failure = str(error) if asked.spec.files or asked.base else ""
            return _Work(tree=tree, scope=Scope(failure=failure))
        changes = [each for each in changes if not _is_own(each.path, asked.own)]
        scoped = scope(asked.spec.files or ("**",), changes)
        before, touched_then = await _touched(tree, base, changes, asked.spec, scoped)
        return _Work(
            tree=tree,
            base=base,
            before=before,
            changes=tuple(changes),
            touched=(
                *touched_then,
                *judging_scripts(asked.validation, changes, asked.spec.files),
            ),
            files=files,
            scope=scoped,
        )

    def _runner(self, work: "_Work") -> Runner:
        return Runner(
            sandbox=self.sandbox,
            folder=work.tree.folder,
            readable=work.tree.records,
            watched=work.files,
            network=self.network,
            limits=self.limits,
        )

    async def _notes(self, work: "_Work", runner: Runner, asked: Asked) -> tuple[str, ...]:
        """What the change did to its judges, and the commands to the tree besides showing something."""
        notes = [f"{TOUCHES}: {each.what}" for each in work.touched if not each.unless]
        notes += [
            f"`{ran.command}` changed {', '.join(ran.changed[:5])}"
            for ran in runner.ran
            if ran.changed
        ]
        if runner.ran and work.base:
            known = {each.path for each in work.changes}
            left = [
                each.path
                for each in await work.tree.changes(work.base)
                if each.path not in known and not _is_own(each.path, asked.own)
            ]
            if left:
                notes.append(f"the commands left behind {', '.join(left[:5])}")
        return tuple(notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """
    What was done, as git sees it; `base` is empty where git sees nothing. `before` is what changed files
    said at the base.
    """

    tree: Tree
    scope: Scope
    base: str = ""
    before: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    touched: tuple[Touched, ...] = ()
    files: frozenset[str] = frozenset()

    @property
    def untouched(self) -> bool:
        return bool(self.base) and not self.changes


async def _touched(
    tree: Tree, base: str, changes: Sequence[Change], spec: Spec, scoped: Scope
) -> tuple[dict[str, str], list[Touched]]:
    """What the changed files said at the base, and what of it judges the work."""
    paths = to_read(changes)
    try:
        before = await tree.texts_at(base, paths)
    except OutsideError as error:
        return {}, [Touched(what=str(error))]
    return before, touched(before, _texts_now(tree, paths), spec=spec, found=scoped)


def _texts_now(tree: Tree, paths: Sequence[str]) -> dict[str, str]:
    """What those say that are there, also where that cannot be read."""
    there = [path for path in paths if os.path.lexists(os.path.join(tree.folder, path))]
    return {path: _text(tree, path, unread=_UNREAD) for path in there}


def checker_of(world: World) -> Checker:
    """The checker of a process that has a world."""
    return _checker(world.settings, world.sandbox, world.environment, isolated=world.isolated)


def open_checker(settings: Settings, environment: Mapping[str, str] = os.environ) -> Checker:
    """A checker for a process that does nothing else."""
    sandbox, isolated = open_sandbox_for(settings)
    return _checker(settings, sandbox, environment, isolated=isolated)


def _checker(
    settings: Settings, sandbox: Sandbox, environment: Mapping[str, str], *, isolated: bool
) -> Checker:
    known = known_secrets(environment)
    personal = settings.privacy_personal_data == "remove"
    return Checker(
        sandbox=sandbox,
        isolated=isolated,
        limits=Limits(
            seconds=settings.sandbox_seconds,
            cpu_seconds=max(1, round(settings.sandbox_seconds)) * (os.cpu_count() or 1),
            memory_bytes=settings.sandbox_memory_mb * 1024**2,
            processes=settings.sandbox_processes,
            file_bytes=settings.sandbox_file_mb * 1024**2,
        ),
        network=settings.sandbox_network,
        clean=lambda value: redact(value, personal=personal, known=known),
    )


def root_of(folder: str) -> str:
    """The root of the repository that `folder` lies in, or the folder itself."""
    here = real = os.path.realpath(folder)
    while git_folder(here) is None:
        above = os.path.dirname(here)
        if above == here:
            return real
        here = above
    return here


def check_events(report: Report, *, run: str) -> list[Event]:
    """A check as facts for the log: one a criterion, then the end."""
    told = [
        _event(run, "check.criterion", f"{each.verdict}: {each.text}", criterion)
        for each, criterion in zip(report.criteria, report.as_json()["criteria"], strict=True)
    ]
    return [*told, _event(run, "check.finished", _summary(report), {"report": report.as_json()})]


def _event(run: str, kind: str, summary: str, facts: Mapping[str, Any]) -> Event:
    return Event(run=run, kind=kind, payload={"summary": summary, "visibility": "SUMMARY", **facts})


def _summary(report: Report) -> str:
    passed = sum(each.verdict == "PASS" for each in report.criteria)
    return f"Check {report.outcome}: {passed} of {len(report.criteria)} criteria proven"


def _report(
    spec: Spec,
    criteria: Sequence[Criterion],
    work: _Work,
    *,
    ignored: Sequence[Ignored],
    notes: tuple[str, ...],
) -> Report:
    verdict = overall(criteria, work.scope)
    reasons = [f"{each.text}: {each.reason}" for each in criteria if each.verdict != "PASS"]
    reasons += [f"{each.path} was changed and {each.why}" for each in work.scope.violations]
    reasons += [work.scope.failure] if work.scope.failure else []
    nothing = not any(not each.added or _is_validation(each) for each in criteria)
    return Report(
        task=spec.id,
        title=spec.title,
        outcome=_outcome(verdict, work.scope, nothing=nothing, done=not work.untouched),
        verdict=verdict,
        criteria=tuple(criteria),
        scope=work.scope,
        base=work.base,
        reasons=(UNPROVEN, *reasons) if nothing else tuple(reasons),
        ignored=tuple(ignored),
        notes=notes,
    )


def _outcome(verdict: Ruling, found: Scope, *, nothing: bool, done: bool) -> CheckOutcome:
    """A task that names nothing to look at is unproven, unless nothing was done either."""
    if nothing and done and found.verdict == "PASS":
        return "unproven"
    return "passed" if verdict == "PASS" else "failed"


def _is_validation(criterion: Criterion) -> bool:
    return any(each.own for each in criterion.evidence)


def _spoiling(judges: Sequence[str]) -> Criterion:
    """What a later task will be proven by is not for this one to change on the way."""
    seen = f"the change touches {'; '.join(judges[:3])}"
    evidence = Evidence(type="file_inspection", description=SPOILING)
    return Criterion(
        text=SPOILING,
        verdict="FAIL",
        reason=f"{seen}: put it back, or have the task name the file in `files:`",
        evidence=(Looked(evidence=evidence, state="refuted", seen=seen),),
        added=True,
    )


def _untouched(base: str) -> Criterion:
    """Whoever says that work is done and changed nothing has shown nothing, whatever else is true."""
    seen = f"no file differs from {base[:12]}"
    evidence = Evidence(
        type="command_output",
        description=UNTOUCHED,
        location=f"git diff --stat {base[:12]}",
    )
    return Criterion(
        text=UNTOUCHED,
        verdict="INCONCLUSIVE",
        reason=seen,
        evidence=(Looked(evidence=evidence, state="unconfirmed", seen=seen),),
        added=True,
    )


def _is_own(path: str, own: Sequence[str]) -> bool:
    return any(path.startswith(each) if each.endswith("/") else path == each for each in own)


def _defining(work: _Work, test: str) -> list[str]:
    """Every file of the work that defines a test of this name, or did at the base."""
    wanted = f"def {test}("
    return [
        path
        for path in sorted(work.files)
        if path.endswith(".py")
        and is_test(path)
        and (wanted in _text(work.tree, path) or wanted in work.before.get(path, ""))
    ]


def _text(tree: Tree, path: str, *, unread: str = "") -> str:
    """What a file of the work says; `unread` where it is gone or cannot be read as one."""
    try:
        return read_in(tree.folder, path, limit=_READ_BYTES).decode(errors="replace")
    except (RefusedError, OSError):
        return unread
