"""
The check of one task, put together: git says what changed, the sandbox runs what has to be seen,
and the check stage judges.

The changed files are listed before anything runs. Commands run on grounds of their own: what they see is
what git would keep, and what they leave is gone.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from prowess.check.already import is_cited, is_so
from prowess.check.claims import unread
from prowess.check.judges.touched import TOUCHES, spoiled, touches
from prowess.check.judging import Judge, overall, sorted_claims
from prowess.check.kept.weakened import ALLOWED, ALTERED
from prowess.check.probes import Probe
from prowess.check.running.commands import Runner
from prowess.check.tree.beside import HIDDEN
from prowess.check.tree.changes import git_folder
from prowess.check.tree.ground import Ground
from prowess.core.event import Event
from prowess.core.evidence import (
    CheckOutcome,
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
from prowess.engine.grounds import Grounds, Land
from prowess.engine.work import Asked, Work, find_work
from prowess.engine.world import World, open_sandbox_for
from prowess.permit.redact import known_secrets, redact
from prowess.settings import Settings

UNPROVEN = (
    "the task has neither acceptance criteria nor validation commands, so nothing can be proven"
)
IDLE = "all that was seen is so without the work as well, so it shows nothing of the task"
_MOST_TOLD = 3  # of what was changed that judges others
UNTOUCHED = "Something was done since the base commit"
SPOILING = (
    "Added by Prowess, not in the plan: tests and settings that judge other tasks stay as they were"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checker:
    """
    `isolated`: the sandbox holds, so that commands from a claim may be run. `clean` takes out secrets.
    `room` is a folder of ours for copies of the work.
    """

    sandbox: Sandbox
    isolated: bool
    limits: Limits = Limits()
    network: bool = False
    clean: Callable[[Any], Any] = lambda value: value
    room: str | None = None

    async def check(
        self, asked: Asked, *, tell: Callable[[Criterion], None] = lambda criterion: None
    ) -> Report:
        """Judge one task; `tell` hears of each criterion when its verdict is known."""
        spec = asked.spec
        work = await find_work(asked, self.sandbox)
        claims, ignored = sorted_claims(spec.criteria, asked.claims)
        async with _in_thread(ExitStack()) as stack:
            land = self._land(work, asked)
            grounds = Grounds(land=land, stack=stack, make=partial(self._runner, work))
            judge = Judge(
                folder=work.tree.folder,
                run=grounds.run,
                run_claimed=grounds.run_claimed if self.isolated else None,
                validation=asked.validation,
                find_test=work.defining,
                doubt=partial(_doubt, work, grounds, asked.validation),
                remark=lambda: _unseen(grounds),
                unread=unread(asked.ignored),
                tell=tell,
            )
            criteria = await judge.criteria(spec.criteria, claims)
            idle = await _shows_nothing(grounds, criteria, judge.confirmed)
            asked.told.update({(asked.tree, ran.command): ran.tests for ran in grounds.ran})
        if others := spoiled(work.touched, asked.others):
            criteria.append(_spoiling(others))
        if work.untouched and not (asked.may_be_so and is_so(criteria)):
            criteria.append(_untouched(work.base))
        report = _report(
            spec,
            criteria,
            work,
            idle=idle,
            ignored=(*asked.ignored, *ignored),
            notes=_notes(work, grounds),
        )
        return report_from_json(self.clean(report.as_json()))

    def _land(self, work: Work, asked: Asked) -> Land:
        own = tuple(each for each in asked.own if each.endswith("/"))
        return Land(
            tree=work.tree,
            files=frozenset(path for path in work.files if not path.startswith(own)),
            own=own,
            home=asked.home,
            lay=asked.lay,
            instead=work.instead,
            known=bool(work.base),
            room=self.room,
            base=work.base,
            changed=tuple(dict.fromkeys(each.path for each in work.changes if not each.submodule)),
            before=work.before,
            heedless=work.heedless,
            told=asked.told,
        )

    def _runner(self, work: Work, ground: Ground) -> Runner:
        return Runner(
            sandbox=self.sandbox,
            ground=ground,
            readable=work.tree.records,
            network=self.network,
            limits=self.limits,
        )


async def _doubt(
    work: Work,
    grounds: Grounds,
    validation: Sequence[str],
    probe: Probe,
    tests: bool,  # noqa: FBT001
) -> str:
    """
    Why what a command tells does not count, or an empty text. Of judges that were touched and can be put
    back, looking once more without what was done to them decides.
    """
    command = probe.target
    if not tests and command not in validation:
        return await _configured(work, grounds, probe)
    ran = grounds.done(command)
    found = [each for each in work.touched if each.spoils(ran, tests=tests)]
    if any(each.path not in work.instead for each in found):
        return touches(found)
    if grounds.missed:
        return grounds.missed
    # What the commands before it built, a validation command may need.
    first = validation[: validation.index(command)] if command in validation else ()
    why = await grounds.again(probe, first=first) or await grounds.silenced(command, first=first)
    if why:
        return "; ".join(filter(None, (touches(found), why)))
    judges = [each.path for each in found]
    return "" if await grounds.holds_without(judges, probe, first=first) else touches(found)


async def _configured(work: Work, grounds: Grounds, probe: Probe) -> str:
    """The same of a criterion's own command that runs no tests: only settings and recipes judge it."""
    found = [each for each in work.touched if each.configures(probe.target)]
    if await grounds.holds_without([each.path for each in found], probe, first=()):
        return ""
    return touches(found)


def _unseen(grounds: Grounds) -> str:
    hidden = grounds.hidden
    return f"{HIDDEN}: {', '.join(hidden[:3])}" if hidden else ""


async def _shows_nothing(
    grounds: Grounds, criteria: Sequence[Criterion], confirmed: Sequence[Probe]
) -> bool:
    """
    Whether all that speaks for the task was so without the work as well. What files show of each
    criterion, or tests that it names, may have been so before.
    """
    if is_so(criteria) or any(each.verdict != "PASS" for each in criteria):
        return False
    return bool(confirmed) and await grounds.show_nothing(confirmed)


def _notes(work: Work, grounds: Grounds) -> tuple[str, ...]:
    """What the change did to its judges, the commands to the work, and what they were not shown."""
    notes = [
        f"{ALTERED if each.weakens else TOUCHES}: {each.what}"
        for each in work.touched
        if not each.unless
    ]
    notes += [f"{ALLOWED}: {each}" for each in work.allowed[:_MOST_TOLD]]
    notes += [
        f"`{ran.command}` changed {', '.join(ran.changed[:5])}"
        for ran in grounds.ran
        if ran.changed
    ]
    return (*notes, *filter(None, (grounds.missed, _unseen(grounds))))


@asynccontextmanager
async def _in_thread(stack: ExitStack) -> AsyncIterator[ExitStack]:
    """A copy of the work may be large, and takes its time to go."""
    try:
        yield stack
    finally:
        await asyncio.shield(asyncio.to_thread(stack.close))


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
        room=os.path.join(os.path.realpath(settings.data), "grounds"),
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
    told = []
    for each, facts in zip(report.criteria, report.for_log()["criteria"], strict=True):
        cited = is_cited(each)
        summary = f"{each.verdict}{', as cited' if cited else ''}: {each.text}"
        told.append(_event(run, "check.criterion", summary, {**facts, "cited": cited}))
    return [*told, _event(run, "check.finished", _summary(report), {"report": report.for_log()})]


def _event(run: str, kind: str, summary: str, facts: Mapping[str, Any]) -> Event:
    return Event(run=run, kind=kind, payload={"summary": summary, "visibility": "SUMMARY", **facts})


def _summary(report: Report) -> str:
    cited = sum(map(is_cited, report.criteria))
    proven = sum(each.verdict == "PASS" for each in report.criteria) - cited
    more = f", {cited} as cited" if cited else ""
    return f"Check {report.outcome}: {proven} of {len(report.criteria)} criteria proven{more}"


def _report(
    spec: Spec,
    criteria: Sequence[Criterion],
    work: Work,
    *,
    idle: bool,
    ignored: Sequence[Ignored],
    notes: tuple[str, ...],
) -> Report:
    why = UNPROVEN if not any(map(_is_asked, criteria)) else IDLE if idle else ""
    verdict = "INCONCLUSIVE" if idle else overall(criteria, work.scope)
    reasons = [f"{each.text}: {each.reason}" for each in criteria if each.verdict != "PASS"]
    reasons += [f"{each.path} was changed and {each.why}" for each in work.scope.violations]
    reasons += [work.scope.failure] if work.scope.failure else []
    return Report(
        task=spec.id,
        title=spec.title,
        outcome=_outcome(verdict, work.scope, nothing=bool(why), done=not work.untouched),
        verdict=verdict,
        criteria=tuple(criteria),
        scope=work.scope,
        base=work.base,
        reasons=(why, *reasons) if why else tuple(reasons),
        ignored=tuple(ignored),
        notes=notes,
    )


def _outcome(verdict: Ruling, found: Scope, *, nothing: bool, done: bool) -> CheckOutcome:
    """A task that names nothing to look at is unproven, unless nothing was done either."""
    if nothing and done and found.verdict == "PASS":
        return "unproven"
    return "passed" if verdict == "PASS" else "failed"


def _is_asked(criterion: Criterion) -> bool:
    """Whether the task or its plan names it, and it is none that we added."""
    return not criterion.added or any(each.own for each in criterion.evidence)


def _spoiling(judges: Sequence[str]) -> Criterion:
    """What a later task will be proven by is not for this one to change on the way."""
    more = f"; and {len(judges) - _MOST_TOLD} more" if len(judges) > _MOST_TOLD else ""
    seen = f"this change alters them: {'; '.join(judges[:_MOST_TOLD])}{more}"
    evidence = Evidence(type="file_inspection", description=SPOILING)
    return Criterion(
        text=SPOILING,
        verdict="FAIL",
        reason=f"{seen}. Put it back; or, if this task needs it, name the file in its `files:`",
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
