"""
One task's way through its phases, until a phase is terminal.

An agent works, code judges. What an agent says of its own work is kept for the record and decides
nothing: the mark that the plan gets is R only where a check proved the task or a review that code
could follow approved it.
"""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from prowess.check.claims import said_claims
from prowess.check.feedback import feedback as feedback_of
from prowess.check.report import write_artifacts
from prowess.core.agent import AgentEnd
from prowess.core.evidence import Report, Spec, report_from_json, spec_of
from prowess.core.ports import Json
from prowess.core.process import Order
from prowess.core.task import Mark, Plan, Task
from prowess.engine.checking import Asked, check_events, checker_of
from prowess.loop.asking import Answered, Asking
from prowess.loop.budget import SpentError, Used
from prowess.loop.crew import Crew
from prowess.loop.guarding import no_link
from prowess.loop.phases import Phase, Phases
from prowess.loop.request import ARTIFACTS
from prowess.loop.review import read_review
from prowess.loop.templates import template

MOST_PHASES = 100  # of one task; phases that lead in circles end here
_SHOWN = 4_000  # characters of a script's output that the next attempt reads


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How one task ended. `cut` says which budget ended it before its phases did, where one did."""

    mark: Mark
    reason: str
    attempts: int
    report: Report | None = None
    cut: str = ""

    @property
    def already(self) -> bool:
        """It is proven, and nothing was changed for it."""
        return self.mark == "R" and bool(
            self.report and self.report.base and not self.report.scope.files
        )


@dataclass(slots=True, kw_only=True)
class Journey:
    """
    `workspace` is where this task is worked on. A task that is taken up again has its `attempts`
    behind it, and `feedback` about the last of them.
    """

    crew: Crew
    phases: Phases
    plan: Plan
    task: Task
    workspace: str
    used: Used
    attempts: int = 0
    feedback: str = ""
    base: str = ""
    branch: str = ""
    answer: str = ""
    tampered: list[str] = field(default_factory=list)
    report: Report | None = None
    status: dict[str, Any] = field(default_factory=dict)

    async def run(self) -> Done:
        repository = self.crew.repository(self.workspace)
        self.base = await self.crew.step("base", repository.head)
        self.branch = await self.crew.step("branch", repository.branch)
        self.status = {
            "attempt": self.attempts,
            "max_attempts": self.crew.request.max_attempts,
            "trouble": "none",
            "check": "none",
            "review": "none",
            "script": "none",
        }
        try:
            return await self._through()
        except SpentError as spent:
            return self._cut_short(str(spent))

    async def _through(self) -> Done:
        phase = self.phases.phases[self.phases.start]
        for _ in range(MOST_PHASES):
            if phase.type == "terminal":
                return self._done(phase)
            self.crew.tell(
                "loop.phase",
                f"{phase.name}: {self.task.label}",
                phase=phase.name,
                attempt=self.status["attempt"],
                task=self.task.label,
            )
            await self._do(phase)
            phase = self.phases.after(phase, self.status)
        return self._done(Phase(name="circle", type="terminal", mark="~"))

    def _done(self, phase: Phase) -> Done:
        proven = self.status["check"] == "passed" or self.status["review"] == "approved"
        # Marks tell the truth, whatever a file of phases says.
        mark: Mark = phase.mark if phase.mark != "R" or proven else "x"
        told = {"R": "proven", "x": "implemented, not proven", "~": "blocked"}
        reason = self.feedback if mark == "~" else told[mark]
        done = Done(mark=mark, reason=reason, attempts=self.status["attempt"], report=self.report)
        return replace(done, reason="already so") if done.already else done

    def _cut_short(self, spent: str) -> Done:
        """What only a review is missing of is implemented; anything else is still to do."""
        whole = self.status["trouble"] == "none" and self.status["check"] in ("passed", "unproven")
        return Done(
            mark="x" if whole else " ",
            reason=f"{spent}, before {'it was reviewed' if whole else 'it was done'}",
            attempts=self.status["attempt"],
            report=self.report,
            cut=spent,
        )

    async def _do(self, phase: Phase) -> None:
        if phase.type == "execute":
            await self._implement()
        elif phase.type == "script":
            await self._script(phase.command)
        elif phase.does == "review":
            await self._review()
        else:
            await self._check()

    async def _implement(self) -> None:
        self.status["attempt"] += 1
        if self.status["attempt"] > 1:
            self._tell("same_task", f"Attempt {self.status['attempt']}: {self.task.label}")
        rules = template("evidence.md").replace("{id}", self._spec.id)
        answered = await self._ask("implementation", rules, self.crew.request.agent)
        end = answered.end
        if not answered.changed:
            self._tell("no_progress", f"The attempt changed nothing: {self.task.label}")
        self._tell_malformed(end)
        self.answer = end.answer
        self.status |= {"trouble": end.trouble, "check": "none", "review": "none"}
        self.feedback = "" if end.trouble == "none" else f"The agent stopped: {end.told}"

    def _tell(self, kind: str, summary: str, **facts: Any) -> None:
        attempt = self.status["attempt"]
        self.crew.tell(f"loop.{kind}", summary, task=self.task.label, attempt=attempt, **facts)

    def _tell_malformed(self, end: AgentEnd) -> None:
        """Watchers hear of an agent that says it is done in a form that nobody can read."""
        why = end.told if end.trouble == "malformed" else ""
        for ignored in said_claims(end.answer)[1] if '"criteria"' in end.answer else ():
            why = why or f"{ignored.what}: {ignored.why}"
        if why:
            self._tell("malformed_completion", f"It says it is done, unreadably: {why}", why=why)

    async def _ask(self, step: Any, rules: str, agent: str) -> Answered:
        asking = Asking(
            crew=self.crew,
            plan=self.plan,
            task=self.task,
            workspace=self.workspace,
            used=self.used,
            attempt=self.status["attempt"],
        )
        answered = await asking.ask(step, rules, agent, feedback=self.feedback)
        self.tampered = answered.tampered
        return answered

    async def _check(self) -> None:
        report = await self._judged(self._asked(self._spec))
        self.status["check"] = report.outcome
        if self.tampered:
            self.status["check"] = "failed"
            self.feedback = (
                f"The plan is not the implementer's to change: {'; '.join(self.tampered)}"
            )
        elif not report.passed:
            self.feedback = feedback_of(report)
        elif not _seen_by_us(report):
            # What only its implementer says shows it, somebody else has to look at.
            self.status["check"] = "unproven"

    def _asked(self, spec: Spec) -> Asked:
        claims, ignored = said_claims(self.answer)
        return Asked(
            spec=spec,
            workspace=self.workspace,
            base=self.base,
            validation=self.plan.validation,
            claims=tuple(claims),
            ignored=tuple(ignored),
            own=self.crew.own,
            may_be_so=True,
        )

    async def _judged(self, asked: Asked) -> Report:
        async def judge() -> Json:
            repository = self.crew.repository(self.workspace)
            await repository.back_to(self.branch)
            before = await repository.picture()
            report = await checker_of(self.crew.world).check(asked)
            # What is kept is what was checked, not what the checks or a program left behind made of it.
            aside = f"prowess/{self.crew.run}/left-{self._spec.id}-{self.status['attempt']}"
            left = await repository.restore(before, aside)
            attempt = f"{self._spec.id}-{self.status['attempt']}"
            folder = os.path.join(self.crew.request.workspace, ARTIFACTS, "check", attempt)
            write_artifacts(report, no_link(folder), claims=asked.claims, phase="check")
            return {"report": report.as_json(), "left": left, "aside": aside}

        judged = await self.crew.step("check", judge)
        self.report = report_from_json(judged["report"])
        if judged["left"]:
            self._tell(
                "left_behind",
                f"Not kept with the task, but in {judged['aside']}: {', '.join(judged['left'][:5])}",
                files=judged["left"],
                branch=judged["aside"],
            )
        for event in check_events(self.report, run=self.crew.run):
            told = {**event.payload, "task": self.task.label}
            self.crew.record(replace(event, payload=told))
        return self.report

    async def recheck(self, base: str) -> str:
        """Check what was merged on top of `base`; what is wrong with it, or an empty text."""
        self.base, self.branch = base, ""  # a merge is on no branch yet
        report = await self._judged(self._asked(self._spec))
        return feedback_of(report) if report.outcome == "failed" else ""

    async def _review(self) -> None:
        """Somebody else looks; what an approval cites is looked at by code."""
        reviewer = self.crew.request.reviewer or self.crew.request.agent
        answered = await self._ask("review", template("review-verdict.md"), reviewer)
        review = read_review(answered.end.answer)
        self.status["review"] = review.said
        if review.said == "none":
            self._tell(
                "malformed_completion", f"No verdict: {review.feedback}", why=review.feedback
            )
        if review.said != "approved":
            self.feedback = review.feedback
            return
        criterion = f"The task is done: {self.task.label}"
        spec = Spec(
            id=self._spec.id, title=self.task.label, criteria=(criterion,), files=self._spec.files
        )
        asked = self._asked(spec)
        claims = (review.claim(criterion),)
        report = await self._judged(Asked(**{**_fields(asked), "claims": claims}))
        if not report.passed:
            self.status["review"] = "none"
            self.feedback = "the review approves by what code does not find:\n" + feedback_of(
                report
            )

    async def _script(self, command: str) -> None:
        async def run() -> Json:
            world = self.crew.world
            order = Order(
                argv=("bash", "-c", command),
                cwd=self.workspace,
                writable=(self.workspace,),
                network=world.settings.sandbox_network,
                limits=world.limits,
            )
            ended = await world.sandbox.run(order)
            return {"code": ended.code, "text": (ended.out + ended.err).decode(errors="replace")}

        ended = await self.crew.step("script", run)
        self.status["script"] = "failed" if ended["code"] else "passed"
        self.crew.tell("loop.script", f"{command}: {self.status['script']}", command=command)
        if ended["code"]:
            self.feedback = f"`{command}` failed:\n{ended['text'][-_SHOWN:]}"

    @property
    def _spec(self) -> Spec:
        return spec_of(self.task)


def _seen_by_us(report: Report) -> bool:
    """Whether every criterion was met in our own sight, and not only by what somebody cites."""
    return all(
        any(each.own and each.state == "confirmed" for each in criterion.evidence)
        for criterion in report.criteria
    )


def _fields(asked: Asked) -> Mapping[str, Any]:
    return {name: getattr(asked, name) for name in Asked.__slots__}


def done_as_json(done: Done) -> dict[str, Any]:
    report = None if done.report is None else done.report.as_json()
    return {**asdict(done), "report": report}
