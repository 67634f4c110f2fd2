"""
Asking an agent, within what the loop may use: one attempt, from its prompt to its end.

A usage limit of the agent's provider is waited out, and is no attempt. A budget that is used up is
no attempt either: the agent is not asked, or is stopped at work, or is not waited for.
"""

import asyncio
import os
import time
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from prowess.core.agent import AgentEnd, AgentOrder, end_from_json
from prowess.core.ports import Json
from prowess.core.task import Plan, Task
from prowess.engine.choosing import TaskPrompt, task_prompt
from prowess.loop import leftovers, marks
from prowess.loop.budget import SpentError, Used, summed, used_before
from prowess.loop.crew import Crew
from prowess.loop.guarding import restore_plan
from prowess.loop.request import ARTIFACTS

_PAUSE = 300.0  # seconds to wait for a usage limit when nobody says how long it lasts


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """`changed`: the tree is not as it was. `tampered` says what was done to the plan and undone."""

    end: AgentEnd
    changed: bool
    tampered: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """One attempt at a task; `attempt` is its number."""

    crew: Crew
    plan: Plan
    task: Task
    workspace: str
    used: Used
    attempt: int

    async def ask(self, step: Any, rules: str, agent: str, *, feedback: str) -> Answered:
        """`SpentError` when a budget does not allow it."""
        prompt, before = await self._prompt(step, feedback)
        while True:
            await self._look_at_budget(0.0)
            child = self.crew.next_run()
            self.crew.tell(
                "agent.forked",
                f"{agent} works on: {self.task.label}",
                child=child,
                skill=agent,
                attempt=self.attempt,
            )

            async def work(child: str = child) -> Json:
                return await self._attempt(prompt, rules, agent, child, before)

            seen = await self.crew.step(f"agent {agent}", work)
            end = end_from_json(seen["end"])
            self._tell_ended(agent, child, end, seen)
            self._count(child, end)
            if end.trouble != "usage_limit":
                return Answered(end=end, changed=seen["changed"], tampered=seen["tampered"])
            await self._wait(end)

    async def _prompt(self, step: Any, feedback: str) -> tuple[TaskPrompt, list[Any]]:
        """The prompt, and the marks of the plan before the agent can set any."""

        async def build() -> Json:
            made = task_prompt(
                self.crew.plan_name,
                self.plan,
                self.task,
                step,
                self.crew.world.settings,
                record=self.crew.world.log.append,
                feedback=feedback,
            )
            return {"prompt": asdict(made), "marks": marks.now(self.crew.request.plan)}

        built = await self.crew.step("prompt", build)
        return TaskPrompt(**built["prompt"]), built["marks"]

    async def _attempt(
        self, prompt: TaskPrompt, rules: str, agent: str, child: str, before: list[Any]
    ) -> Json:
        request, repository = self.crew.request, self.crew.repository(self.workspace)
        earlier = used_before(each.event for each in self.crew.world.log.run(child))
        left = self.used.left(request, time.time())
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
        picture, plan = await repository.picture(), marks.content(request.plan)
        end = await self.crew.open_agent(agent).work(order, record=self.crew.world.appender(child))
        if end.trouble == "timeout" and wall < request.wall:
            told = f"the budget of {request.seconds:g} seconds is used up"
            end = replace(end, trouble="budget", told=told)
        end = replace(end, usage=summed(end.usage, earlier))
        aside = os.path.join(request.workspace, ARTIFACTS, "plans", f"{child}.md")
        return {
            "end": end.as_json(),
            "changed": await repository.picture() != picture,
            "unticked": marks.undo_ticks(request.plan, before),
            "tampered": restore_plan(request.plan, plan, aside),
        }

    def _tell_ended(self, agent: str, child: str, end: AgentEnd, seen: dict[str, Any]) -> None:
        for label in seen["unticked"]:
            self._tell("loop.unticked", f"Only the loop ticks: {label}", ticked=label)
        for what in seen["tampered"]:
            self._tell("loop.plan_restored", f"The plan was put back: {what}", what=what)
        self.crew.tell(
            "agent.joined",
            f"{agent}: {end.trouble if end.trouble != 'none' else 'ended'}",
            child=child,
            skill=agent,
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

    async def _look_at_budget(self, pause: float) -> None:
        """A look is a step, for those who work beside this task use the same budget meanwhile."""

        async def look() -> Json:
            request, now = self.crew.request, time.time()
            left = self.used.left(request, now)
            if left is not None and pause > left:
                return f"the budget of {request.seconds:g} seconds ends before the usage limit does"
            return self.used.spent(request, now)

        if spent := await self.crew.step("budget", look):
            raise SpentError(spent)

    async def _wait(self, end: AgentEnd) -> None:
        """Wait for the end of a usage limit, unless the time that is left ends before it."""
        until = end.resets_at or ""

        def pause() -> float:
            if not until:
                return _PAUSE
            left = datetime.fromisoformat(until) - datetime.now(UTC)
            return max(0.0, left.total_seconds())

        await self._look_at_budget(pause())
        self.crew.tell(
            "loop.paused", f"Paused until the usage limit resets: {end.told}", until=until
        )

        async def sleep() -> Json:
            await asyncio.sleep(pause())

        await self.crew.step("pause", sleep)
