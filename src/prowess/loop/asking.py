"""
Asking an agent, within what the loop may use: one attempt, from its prompt to its end.

A usage limit of the agent's provider is waited out, and is no attempt. A budget that is used up is
no attempt either: the agent is not asked, or is stopped at work, or is not waited for. An agent that
cannot begin at all is asked once, and then no more.
"""

import asyncio
import time
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from prowess.core.agent import AgentEnd, AgentOrder, end_from_json
from prowess.core.chat import Usage
from prowess.core.errors import OutsideError, ProwessError
from prowess.core.event import Event
from prowess.core.ports import Json
from prowess.core.task import Plan, Task
from prowess.engine.choosing import TaskPrompt, task_prompt
from prowess.loop import marks
from prowess.loop.beginning import NoStartError, must_have_begun
from prowess.loop.behind import leftovers
from prowess.loop.behind.before import Before, before_from_json, look
from prowess.loop.behind.plan_back import put_back_as, tell_put_back
from prowess.loop.between import CameBetweenError, followed, tell_at
from prowess.loop.budget import SpentError, Used, summed, used_before
from prowess.loop.crew import Crew
from prowess.loop.limited import Limited
from prowess.loop.phase.phases import Phase
from prowess.loop.telling.attempt import finished, started, worded


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """
    `changed`: the tree is not as it was. `tampered` says what was done to the plan and undone, `left`
    what was done to the branch.
    """

    end: AgentEnd
    changed: bool
    tampered: list[str]
    left: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """
    One attempt at a task, on this branch and on top of `base`; `attempt` is its number, `aside` the
    branch for a history that is not.
    """

    crew: Crew
    plan: Plan
    task: Task
    workspace: str
    branch: str
    base: str
    aside: str
    used: Used
    attempt: int

    async def ask(self, phase: Phase, rules: str, agent: str, *, feedback: str) -> Answered:
        """
        `SpentError` when a budget does not allow it, `NoStartError` when the agent cannot begin,
        `NoMoreError` when its provider gives no more and no waiting helps.
        """
        prompt, before, picture = await self._prompt(phase, feedback)
        limited, reviews = Limited(), phase.type != "execute"
        untold = self.attempt > 1 and not reviews
        while True:
            with self.used.place() as place:
                await self._look_at_budget(0.0, place=place)
                if untold:
                    self._tell("loop.same_task", f"Attempt {self.attempt}: {self.task.label}")
                    untold = False
                end, seen = await self._work(
                    prompt, rules, agent, before, picture=picture, reviews=reviews
                )
                if "broken" in seen:
                    raise OutsideError(seen["broken"], hint=seen["hint"])
            if end.trouble != "usage_limit":
                self._must_have_begun(agent, end, changed=seen["changed"])
                return Answered(
                    end=end,
                    changed=seen["changed"],
                    tampered=seen["tampered"],
                    left=seen.get("left", []),
                )
            limited.met(agent, end, changed=seen["changed"])
            before, picture = await self._wait(end, limited) or before, ""

    async def _work(
        self,
        prompt: TaskPrompt,
        rules: str,
        agent: str,
        before: Before,
        *,
        picture: str,
        reviews: bool,
    ) -> tuple[AgentEnd, dict[str, Any]]:
        """How the agent ended, and what was seen then; it is told and counted."""
        child = self.crew.next_run()
        if reviews:
            self.used.reviewing.add(child)
        self.crew.tell(
            "agent.forked",
            f"{agent} {'reviews' if reviews else 'works on'}: {self.task.label}",
            child=child,
            skill=agent,
            task=self.task.label,
            attempt=self.attempt,
            review=reviews,
        )

        async def work() -> Json:
            self.crew.at_work[child] = before
            try:
                return await self._attempt(prompt, rules, agent, child, before, picture=picture)
            finally:
                del self.crew.at_work[child]

        try:
            seen = await self.crew.step(f"agent {agent}", work)
        except CameBetweenError:
            await self._cut_off(agent, child, before)
            raise
        end = end_from_json(seen["end"])
        self._tell_ended(agent, child, end, seen)
        self._count(child, end)
        return end, seen

    async def _cut_off(self, agent: str, child: str, before: Before) -> None:
        """An attempt that will not be gone on with: what it has used counts, and the plan is as before it."""

        async def end() -> Json:
            await leftovers.end_leftovers(child)
            await self._as_before(before, child)
            _, earlier = await self._earlier(child)
            ended = AgentEnd(agent=agent, trouble="crash", told="it was cut off", usage=earlier)
            self.crew.world.appender(child)(finished(agent, child, ended))
            return ended.as_json()

        ended = end_from_json(await self.crew.step("cut off", end))
        self._tell_joined(agent, child, ended)
        self._count(child, ended)

    async def _earlier(self, child: str) -> tuple[bool, Usage]:
        """Whether this attempt was begun before a kill, and what it had told of its use by then."""
        log = self.crew.world.log
        events = await log.aside(lambda: [each.event for each in log.run(child)])
        return bool(events), used_before(events)

    def _must_have_begun(self, agent: str, end: AgentEnd, *, changed: bool) -> None:
        try:
            must_have_begun(self.crew, agent, end, changed=changed, place=self.workspace)
        except NoStartError:
            self.used.give_back()
            raise

    async def _prompt(self, phase: Phase, feedback: str) -> tuple[TaskPrompt, Before, str]:
        """
        The prompt, and what the agent could change, and git's name for the tree, before it can. Facts
        about its skills are kept with the step and told after it, so that a replay tells them under the
        same numbers.
        """
        facts: list[Event] = []
        make = partial(
            task_prompt,
            self.crew.plan_name,
            self.plan,
            self.task,
            "implementation" if phase.type == "execute" else "review",
            self.crew.world.settings,
            record=facts.append,
            feedback=feedback,
            phase=phase.name,
            run=self.crew.run,
        )

        async def build() -> Json:
            made = await self.crew.world.log.aside(make)
            told = [[each.kind, dict(each.payload)] for each in facts]
            picture = await self.crew.repository(self.workspace).picture()
            seen = {"picture": picture, **(await self._look()).as_json()}
            return {"prompt": asdict(made), "told": told, **seen}

        built = await self.crew.step("prompt", build)
        for kind, payload in built.get("told", ()):  # one of an older version has told them
            self.crew.record(Event(run=self.crew.run, kind=kind, payload=payload))
        return TaskPrompt(**built["prompt"]), before_from_json(built), built.get("picture", "")

    async def _look(self) -> Before:
        """Where others are at work by now, it is what was there before they were."""
        at_work = next(iter(self.crew.at_work.values()), None)
        repository = self.crew.repository(self.workspace)
        return at_work or await look(self.crew.request.plan, repository, self.branch)

    async def _attempt(
        self,
        prompt: TaskPrompt,
        rules: str,
        agent: str,
        child: str,
        before: Before,
        *,
        picture: str,
    ) -> Json:
        """`picture` is of the tree before the attempt first began, which may have been cut off since."""
        request, repository = self.crew.request, self.crew.repository(self.workspace)
        begun, earlier = await self._earlier(child)
        if begun:  # it counts, whatever comes of it now
            self.used.under_way[child] = earlier
        left = self.used.left(request, self.crew.now())
        wall = request.wall if left is None else min(left, request.wall)
        order = AgentOrder(
            run=child,
            prompt=prompt.text + rules,
            workspace=self.workspace,
            model=request.model,
            wall=wall,
            idle=request.idle or None,
            environment={**self.crew.passed_on(agent), leftovers.NAME: child},
            skills=prompt.skills,
            enough=lambda usage: self.used.enough(child, summed(usage, earlier), request),
        )
        await leftovers.end_leftovers(child)
        await self.crew.must_be_on(self.workspace, self.branch)
        before = await self._as_before(before, child)
        picture = picture or await repository.picture()
        record = self.crew.world.appender(child)
        record(started(self.crew, self.task, agent, child, attempt=self.attempt))
        self.crew.trodden.add(self.workspace)
        self.used.under_way[child] = earlier if begun else Usage()
        try:
            async with self._followed():
                end = await self.crew.open_agent(agent).work(order, record=record)
        except ProwessError:  # it was not started
            if not begun:
                del self.used.under_way[child]
            raise
        except asyncio.CancelledError:
            # Who stops the loop here may begin another, which believes what the plan says.
            with suppress(OutsideError, OSError):
                await self._as_before(before, child)
            raise
        if end.trouble == "timeout" and wall < request.wall:
            told = f"the budget of {request.seconds:g} seconds is used up"
            end = replace(end, trouble="budget", told=told)
        end = replace(end, usage=summed(end.usage, earlier))
        record(finished(agent, child, end))
        seen: dict[str, Any] = {"end": end.as_json(), "unticked": [], "tampered": []}
        try:
            # The plan first: whatever is wrong with the tree, the next loop believes what the plan says.
            unticked, put_back = before.put_plan_back(
                request.plan, self.crew.plan_aside(f"{child}.md")
            )
            seen |= {
                "unticked": unticked,
                "tampered": put_back.told,
                "copy": self.crew.named(put_back.copy),
                "added": before.added_to(request.plan),
            }
            # The tree is read with what HEAD names, and an agent can leave it naming nothing.
            seen["left"] = await self.crew.back_to(
                self.workspace, self.branch, self.base, self.aside
            )
            if self._is_at_home:
                tell_at(self.crew, await repository.head())
            changed = await repository.picture() != picture
            refs = await before.put_refs_back(repository, self.crew.run)
            return seen | {"changed": changed, "refs": refs}
        except (OutsideError, OSError) as error:  # what the agent has used counts all the same
            hint = error.hint if isinstance(error, OutsideError) else "look what lies there"
            return seen | {"changed": True, "broken": str(error), "hint": hint}

    @property
    def _is_at_home(self) -> bool:
        """It works in the person's own tree, on a branch that a person moves too."""
        return self.workspace == self.crew.request.workspace

    def _followed(self) -> AbstractAsyncContextManager[None]:
        return followed(self.crew, self.branch, shared=self._is_at_home)

    async def _as_before(self, before: Before, child: str) -> Before:
        """
        Put back what an agent did in the same attempt until it was cut off, and tell it: nobody knows
        whether it was the agent, so it is not held against the attempt.
        """
        plan, aside = self.crew.request.plan, self.crew.plan_aside(f"{child}.md")
        if before.plan is None:
            return replace(before, plan=marks.content(plan))
        unticked, put_back = before.put_plan_back(plan, aside)
        copy = self.crew.named(put_back.copy)
        if told := [*(f"{label!r} was ticked" for label in unticked), *put_back.told]:
            told_whole = put_back_as("; ".join(told), copy)
            self.crew.warn(told_whole, put_back=put_back.told, copy=copy)
        repository = self.crew.repository(self.workspace)
        for lost in await before.put_refs_back(repository, self.crew.run):
            self.crew.warn(lost)
        return before

    def _tell_ended(self, agent: str, child: str, end: AgentEnd, seen: dict[str, Any]) -> None:
        for label in seen["unticked"]:
            self._tell("loop.unticked", f"Only the loop ticks: {label}", ticked=label)
        tell_put_back(self._tell, seen["tampered"], seen.get("copy", ""))
        self.crew.tell_added(seen.get("added", ()))
        for lost in seen.get("refs", ()):
            self._tell("run.warned", lost)
        self.crew.tell_left(
            seen.get("left", ()), self.aside, task=self.task.label, attempt=self.attempt
        )
        self._tell_joined(agent, child, end)

    def _tell_joined(self, agent: str, child: str, end: AgentEnd) -> None:
        self.crew.tell(
            "agent.joined",
            worded(agent, end),
            child=child,
            skill=agent,
            task=self.task.label,
            end={name: value for name, value in end.as_json().items() if name != "answer"},
        )

    def _tell(self, kind: str, summary: str, **facts: Any) -> None:
        self.crew.tell(kind, summary, task=self.task.label, attempt=self.attempt, **facts)

    def _count(self, child: str, end: AgentEnd) -> None:
        priced = not self.used.unpriced
        self.used.add(child, end)
        if self.crew.request.dollars and priced and self.used.unpriced:
            told = f"Nobody tells what {end.agent} costs; the budget of dollars counts what is told"
            self.crew.tell("run.warned", told)

    async def _look_at_budget(self, pause: float, *, place: int | None = None) -> float:
        """
        When a pause of so many seconds ends. A look is a step, for those who work beside this task use
        the same budget meanwhile; and a pause that was begun before a kill ends when it would have.
        """

        async def look() -> Json:
            request, now = self.crew.request, self.crew.now()
            left = self.used.left(request, now)
            if left is not None and pause > left:
                return f"the budget of {request.seconds:g} seconds ends before the usage limit does"
            spent = self.used.spent(request, now, place=place)
            return {"until": time.time() + pause} if pause and not spent else spent

        seen = await self.crew.step("budget", look)
        if isinstance(seen, str) and seen:
            raise SpentError(seen)
        until: float = (
            seen["until"] if seen else time.time() + pause
        )  # an older version kept no end
        return until

    async def _wait(self, end: AgentEnd, limited: Limited) -> Before | None:
        """
        Wait for the end of a usage limit, unless the time that is left ends before it. What a person
        changed meanwhile stays; None where an older version waited, and did not look.
        """
        until = await self._look_at_budget(limited.pause(end))
        told = f"Paused until the usage limit resets: {end.told}"
        self.crew.tell("loop.paused", told, until=end.resets_at or "", task=self.task.label)

        async def sleep() -> Json:
            await asyncio.sleep(until - time.time())
            return (await self._look()).as_json()

        seen = await self.crew.step("pause", sleep)
        return before_from_json(seen) if seen else None
