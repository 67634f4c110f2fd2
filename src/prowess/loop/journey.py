"""
One task's way through its phases, until a phase is terminal.

An agent works, code judges. What an agent says of its own work is kept for the record and decides
nothing: the mark that the plan gets is R only where a check proved the task or a review that code
could follow approved it.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from prowess.check.already import seen_by_us
from prowess.check.claims import said_claims, unread
from prowess.check.feedback import feedback as feedback_of
from prowess.check.report import write_artifacts
from prowess.core.agent import AgentEnd
from prowess.core.evidence import Report, Spec, report_from_json, spec_of
from prowess.core.ports import Json
from prowess.core.task import Mark, Plan, Task
from prowess.engine.checking import check_events, checker_of
from prowess.engine.work import Asked
from prowess.loop import marks
from prowess.loop.asking import Answered, Asking
from prowess.loop.beforehand.lacking import must_not_lack
from prowess.loop.beginning import NoStartError
from prowess.loop.behind.guarding import added, no_link
from prowess.loop.behind.plan_back import restore_plan, tell_put_back
from prowess.loop.budget import SpentError, Used
from prowess.loop.crew import Crew
from prowess.loop.done import CutError, Done, cut_short, last_words, spoilt_by
from prowess.loop.git.unkept import told_unkept, unkept
from prowess.loop.limited import NoMoreError
from prowess.loop.phase.phases import BLOCKED, Phase, Phases
from prowess.loop.phase.ways import astray
from prowess.loop.request import ARTIFACTS
from prowess.loop.review import Review, read_review
from prowess.loop.templates import template

_SHOWN = 4_000  # characters of a script's output that the next attempt reads


@dataclass(slots=True, kw_only=True)
class Journey:
    """
    `workspace` is where this task is worked on; `others` are commands that prove other tasks. A task
    that is taken up again has its `attempts` behind it, and `feedback` about the last of them. `checked`
    is git's name for the tree that was checked last, empty when an agent or a script changed it since;
    `undone` says which script did. `spoilt` tells of attempts that failed for a changed plan. `stood` is how files stood before the first attempt that a check
    would take for changes; `unkept` are files that were checked last and that no commit would hold.
    """

    crew: Crew
    phases: Phases
    plan: Plan
    task: Task
    workspace: str
    used: Used
    others: tuple[str, ...] = ()
    attempts: int = 0
    feedback: str = ""
    base: str = ""
    branch: str = ""
    answer: str = ""
    trouble: str = ""
    review: str = ""
    tampered: list[str] = field(default_factory=list)
    spoilt: list[str] = field(default_factory=list)
    checked: str = ""
    undone: str = ""
    stood: dict[str, str] = field(default_factory=dict)
    unkept: list[str] = field(default_factory=list)
    report: Report | None = None
    status: dict[str, Any] = field(default_factory=dict)

    async def run(self) -> Done:
        if not self.status:
            await self._begin()
        self.crew.judges.at(self.base)
        self.status = {
            "attempt": self.attempts,
            "max_attempts": self.crew.request.max_attempts,
            **dict.fromkeys(("trouble", "check", "review", "script"), "none"),
        }
        try:
            return await self._through()
        except CutError as cut:
            return cut_short(cut, self.status, self.report)

    async def _begin(self) -> None:
        repository = self.crew.repository(self.workspace)
        self.base = await self.crew.step("base", repository.head)
        self.branch = await self.crew.step("branch", repository.branch)
        stood = partial(self.crew.standing, self.workspace, self.base)
        self._stands(await self.crew.step("stood", stood))

    def goes_on_from(self, head: str) -> None:
        """On top of a person's commits: the attempt is made again, and what it did lies in the tree."""
        self.base, self.attempts = head, max(0, self.status["attempt"] - 1)
        self.answer = self.trouble = self.review = self.checked = self.undone = ""
        self.tampered, self.unkept, self.report = [], [], None

    def _stands(self, told: Json) -> None:
        """How the place is before anybody works there."""
        if not isinstance(told.get("ignored"), list):  # an older version told no more than `stood`
            told = {"stood": told, "ignored": []}
        self.stood = told["stood"]
        self.crew.theirs.begin(told["ignored"])

    async def _through(self) -> Done:
        phase = self.phases.phases[self.phases.start]
        walked: list[str] = []
        while phase.type != "terminal":
            if why := astray(walked, phase, self.status):
                return self._done(BLOCKED, astray=why)
            walked.append(phase.name)
            self.crew.tell(
                "loop.phase",
                f"{phase.name}: {self.task.label}",
                phase=phase.name,
                attempt=self.status["attempt"],
                task=self.task.label,
            )
            await self._do(phase)
            phase = self.phases.after(phase, self.status)
        return self._done(phase)

    def _done(self, phase: Phase, *, astray: str = "") -> Done:
        if phase.mark == "~" and self.status["trouble"] == "budget":
            # It was stopped before it could do more, and that says nothing against the task.
            raise SpentError(self.trouble.removeprefix("budget: "))
        # Marks tell the truth, whatever a file of phases says: of the tree that was checked, and no other.
        proven = bool(self.checked) and self.status["check"] == "passed"
        mark: Mark = phase.mark if phase.mark != "R" or proven or self._is_approved() else "x"
        reviewer = self._reviewer if mark == "R" and not proven else ""
        reviewed = f"reviewed by {reviewer}" if reviewer else "proven"
        told = {"R": reviewed, "x": f"implemented, not proven{self.undone}", "~": "blocked"}
        done = Done(
            mark=mark,
            reason=astray or self.feedback if mark == "~" else told[mark],
            astray=astray,
            attempts=self.status["attempt"],
            report=self.report,
            trouble=self.trouble,
            review=self.review,
            reviewer=reviewer,
            said=last_words(self.answer),
            spoilt=tuple(self.spoilt),
        )
        return replace(done, reason="already so") if done.already else done

    def _is_approved(self) -> bool:
        """By another agent; what one says of its own work proves nothing, whatever it cites."""
        another = self._reviewer != self.crew.request.agent
        return another and bool(self.checked) and self.status["review"] == "approved"

    async def _do(self, phase: Phase) -> None:
        if phase.type == "execute":
            await self._implement(phase)
        elif phase.type == "script":
            await self._script(phase.command)
        elif phase.does == "review":
            await self._review(phase)
        else:
            await self._check()

    async def _implement(self, phase: Phase) -> None:
        self.status["attempt"] += 1
        rules = template("evidence.md").replace("{id}", self._spec.id)
        try:
            answered = await self._ask(phase, rules, self.crew.request.agent)
        except (SpentError, NoMoreError, NoStartError):  # nobody worked, so it is no attempt
            self.status["attempt"] -= 1
            raise
        end, self.tampered = answered.end, answered.tampered
        if not answered.changed:
            self._tell("loop.no_progress", f"The attempt changed nothing: {self.task.label}")
        self._tell_malformed(end)
        self.answer, self.review = end.answer, ""
        self.status |= {"trouble": end.trouble, "check": "none", "review": "none"}
        self.checked = self.undone = ""
        self.trouble = "" if end.trouble == "none" else f"{end.trouble}: {end.why}"
        self.feedback = f"The agent stopped: {end.told or end.why}" if self.trouble else ""

    def _tell(self, kind: str, summary: str, **facts: Any) -> None:
        attempt = self.status["attempt"]
        self.crew.tell(kind, summary, task=self.task.label, attempt=attempt, **facts)

    def _tell_malformed(self, end: AgentEnd) -> None:
        """Watchers hear of an agent that says it is done in a form that nobody can read."""
        if end.trouble == "malformed":
            told = f"What it says cannot be read: {end.told}"
            self._tell("loop.malformed_completion", told, why=end.told)
        elif why := unread(said_claims(end.answer)[1]):
            self._tell("loop.malformed_completion", f"Its evidence cannot be read: {why}", why=why)

    async def _ask(self, phase: Phase, rules: str, agent: str) -> Answered:
        asking = Asking(
            crew=self.crew,
            plan=self.plan,
            task=self.task,
            workspace=self.workspace,
            branch=self.branch,
            base=self.base,
            aside=self._aside,
            used=self.used,
            attempt=self.status["attempt"],
        )
        return await asking.ask(phase, rules, agent, feedback=self.feedback)

    async def _check(self) -> None:
        report = await self._judged(self._asked(self._spec))
        self.status["check"] = report.outcome
        if self.tampered:
            self.status["check"] = "failed"
            self.spoilt += [spoilt_by(self.status["attempt"], self.tampered)]
            self.feedback = (
                f"The plan is not the implementer's to change: {'; '.join(self.tampered)}"
            )
        elif not report.passed:
            must_not_lack(report)
            self._is_wrong(feedback_of(report))
        elif self.unkept:
            self.status["check"] = "failed"
            self._is_wrong(told_unkept(self.unkept))
        elif not seen_by_us(report.criteria):
            # What only its implementer says shows it, somebody else has to look at.
            self.status["check"] = "unproven"

    def _asked(self, spec: Spec) -> Asked:
        claims, ignored = said_claims(self.answer)
        return self.crew.asked(
            spec,
            workspace=self.workspace,
            base=self.base,
            validation=self.plan.validation,
            claims=tuple(claims),
            ignored=tuple(ignored),
            others=self.others,
            stood=self.stood,
        )

    async def _judged(self, asked: Asked) -> Report:
        async def judge() -> Json:
            repository = self.crew.repository(self.workspace)
            left = await self._back()
            before, plan = await repository.picture(), marks.content(self.crew.request.plan)
            report = await checker_of(self.crew.world).check(replace(asked, tree=before))
            # What is kept is what was checked, not what the checks or a program left behind made of it.
            left += await repository.restore(before, self._aside)
            put_back = self._plan_back(plan, "check")
            person = self.crew.judges.commit
            lost = await unkept(repository, before, self.base, report, person=person)
            attempt = f"{self._spec.id}-{self.status['attempt']}"
            folder = os.path.join(self.crew.request.workspace, ARTIFACTS, "check", attempt)
            write_artifacts(report, no_link(folder), claims=asked.claims, phase="check")
            told = {"left": left, "picture": before, "unkept": lost, **put_back}
            return {"report": report.as_json(), **told}

        judged = await self.crew.step("check", judge)
        self.report = report_from_json(judged["report"])
        self.checked, self.undone = judged.get("picture", ""), ""
        self.unkept = judged.get("unkept", [])
        self._tell_left(judged["left"])
        self._tell_plan(judged)
        self.crew.tell_missed(self.report.notes)
        for event in check_events(self.report, run=self.crew.run):
            told = {**event.payload, "task": self.task.label, "allowed": list(self.task.files)}
            self.crew.record(replace(event, payload=told))
        return self.report

    @property
    def _aside(self) -> str:
        """The branch that holds what is not kept with the task."""
        return f"prowess/{self.crew.run}/left-{self._spec.id}-{self.status['attempt']}"

    def _tell_left(self, left: Sequence[str]) -> None:
        attempt = self.status["attempt"]
        self.crew.tell_left(left, self._aside, task=self.task.label, attempt=attempt)

    def _plan_back(self, before: bytes, phase: str) -> Json:
        """What a command did to the tasks of the plan: only the loop ticks, and it is put back."""
        name = f"{self.crew.run}-{self._spec.id}-{self.status['attempt']}-{phase}.md"
        plan, aside = self.crew.request.plan, self.crew.plan_aside(name)
        put_back = restore_plan(plan, before, aside)
        came = added(before, marks.content(plan))
        return {"plan": put_back.told, "copy": self.crew.named(put_back.copy), "added": came}

    def _tell_plan(self, seen: Json) -> None:
        tell_put_back(self._tell, seen.get("plan", ()), seen.get("copy", ""))
        self.crew.tell_added(seen.get("added", ()))

    async def recheck(self, base: str) -> str:
        """Check what was merged on top of `base`; what is wrong with it, or an empty text."""
        self.base, self.branch = base, ""  # a merge is on no branch yet
        stood = partial(self.crew.standing_tracked, self.workspace)
        self.stood = await self.crew.step("stood", stood)
        report = await self._judged(self._asked(self._spec))
        if report.outcome == "failed":
            return feedback_of(report)
        return told_unkept(self.unkept) if self.unkept else ""

    async def _review(self, phase: Phase) -> None:
        """Somebody else looks, and only looks; what an approval cites is looked at by code."""
        repository = self.crew.repository(self.workspace)
        given = await self.crew.step("picture", repository.picture)
        answered = await self._ask(phase, template("review-verdict.md"), self._reviewer)
        changed = answered.left + await self._put_back(given)
        review = read_review(answered.end.answer)
        if review.said == "none":
            self._tell(
                "loop.malformed_completion", f"No verdict: {review.feedback}", why=review.feedback
            )
        if review.said == "approved":
            meddled = [*self.tampered, *answered.tampered, *(f"{each} changed" for each in changed)]
            review = await self._confirmed(review, meddled)
        self.status["review"] = review.said
        self.review = review.told(self._reviewer, implementer=self.crew.request.agent)
        if review.said != "approved":
            self.feedback = review.feedback

    async def _back(self) -> list[str]:
        return await self.crew.back_to(self.workspace, self.branch, self.base, self._aside)

    async def _put_back(self, given: str) -> list[str]:
        """The tree as the reviewer was given it; what was changed in it since."""

        async def restore() -> Json:
            repository = self.crew.repository(self.workspace)
            left = await self._back()
            return left + await repository.restore(given, self._aside)

        changed: list[str] = await self.crew.step("put back", restore)
        self._tell_left(changed)
        return changed

    async def _confirmed(self, review: Review, meddled: Sequence[str]) -> Review:
        """The approval, if the reviewer only looked and code finds all that it says to be so."""
        if meddled:
            told = f"a review that changes something is none: {'; '.join(meddled[:5])}"
            return Review(said="none", feedback=told)
        # The approval is of the task as it was told, so what it asks for has to hold still.
        criteria = (*self._spec.criteria, f"The task is done: {self.task.label}")
        asked = replace(
            self._asked(replace(self._spec, criteria=criteria)),
            claims=tuple(map(review.claim, criteria)),
            ignored=(),
        )
        report = await self._judged(asked)
        if report.passed and not self.unkept:
            return review
        wrong = feedback_of(report) if not report.passed else told_unkept(self.unkept)
        told = f"the review approves by what code does not find:\n{wrong}"
        return Review(said="none", feedback=told)

    async def _script(self, command: str) -> None:
        async def run() -> Json:
            repository = self.crew.repository(self.workspace)
            before = self.checked or await repository.picture()
            plan = marks.content(self.crew.request.plan)
            ran = await self.crew.runner(self.workspace)(command)
            changed = await repository.picture() != before
            told = {"changed": changed, **self._plan_back(plan, "script")}
            return {"code": ran.code, "text": ran.output[-_SHOWN:], **told}

        ended = await self.crew.step("script", run)
        self._tell_plan(ended)
        if "changed" not in ended:  # an older version did not look
            self.checked = ""
        elif ended["changed"]:
            self._is_unchecked(command)
        self.status["script"] = "failed" if ended["code"] else "passed"
        self.crew.tell("loop.script", f"{command}: {self.status['script']}", command=command)
        if ended["code"]:
            self._is_wrong(f"`{command}` failed:\n{ended['text']}")

    def _is_unchecked(self, command: str) -> None:
        """What a check or a review found is of another tree than the one that lies there now."""
        if self.checked:
            self.undone = f": `{command}` changed what was checked"
            self.crew.tell("run.warned", f"{self.task.label}{self.undone}")
        self.checked, self.report = "", None
        self.status |= {"check": "none", "review": "none"}

    def _is_wrong(self, what: str) -> None:
        """What the next attempt has to know: why the agent stopped, if it did, then what is wrong."""
        stopped = f"The agent of this attempt stopped ({self.trouble})." if self.trouble else ""
        self.feedback = f"{stopped}\n\n{what}".lstrip()

    @property
    def _reviewer(self) -> str:
        return self.crew.request.reviewer or self.crew.request.agent

    @property
    def _spec(self) -> Spec:
        return spec_of(self.task)
