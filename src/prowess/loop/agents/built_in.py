"""
Our own executor as an agent: the same loop that runs skills, given a task instead.

It works inside the sandbox and under the permissions of the settings. The whole attempt is one thing
to whoever ordered it, so its steps are simply done; an attempt that was cut short is made again.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from prowess.core.agent import AgentEnd, AgentOrder, Trouble
from prowess.core.chat import Usage
from prowess.core.errors import ProwessError, StoreError
from prowess.core.event import Event
from prowess.core.execution import Execution
from prowess.core.ports import Json, Record
from prowess.core.run import Outcome
from prowess.core.skill import Skill
from prowess.engine.gating import gate_of
from prowess.engine.kit import means_of
from prowess.engine.opening import Opened, first_messages, platform_of
from prowess.engine.people import People
from prowess.engine.request import RunRequest
from prowess.engine.world import World
from prowess.execute.agent import run_agent
from prowess.execute.means import Budget
from prowess.loop.agents.limits import reset_time, sort

NAME = "built-in"
_FOLDER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "task")
_TASK = Skill(
    name="task",
    description="Carry out one task of a plan.",
    format="skill.md",
    location="builtin",
    path=_FOLDER,
    files=("SKILL.md",),
    header={},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltIn:
    """The agent that is always there; it needs nothing but a model."""

    world: World
    name: str = NAME

    async def work(self, order: AgentOrder, *, record: Record) -> AgentEnd:
        heard, began = _Counting(record, order.enough), time.monotonic()
        outcome, trouble, enough = None, "", ""
        try:
            async with asyncio.timeout(order.wall):
                outcome = await self._run(order, heard)
        except TimeoutError:
            trouble = f"stopped after {order.wall:g} s"
        except _EnoughError as stop:
            enough = str(stop)
        except StoreError:
            raise
        except ProwessError as error:
            outcome = Outcome(ending="failed", answer="", reason=_worded(error))
        end = _end(heard, outcome, trouble, seconds=time.monotonic() - began)
        return replace(end, trouble="budget", told=enough) if enough else end

    async def _run(self, order: AgentOrder, record: Record) -> Outcome:
        opened = self._opened(order)
        request = RunRequest(
            skill=_TASK.name,
            arguments=order.prompt,
            workspace=_real(order.workspace),
            model=order.model,
        )
        people = People(run=order.run, steps=_Steps(order.run), record=record, present=False)
        gate = gate_of(opened, request, self.world, run=order.run)
        messages = first_messages(opened, opened.instructions, request, agent=None)
        async with means_of(opened, request, people, world=self.world, gate=gate) as means:
            return await run_agent(messages, means=means, budget=self._budget(order))

    def _opened(self, order: AgentOrder) -> Opened:
        from prowess.discover.agent_skill import instructions
        from prowess.discover.resources import instructions_text
        from prowess.model.names import choose

        platform = self.world.settings.model_default or None
        return Opened(
            skill=_TASK,
            instructions=instructions(instructions_text(_TASK)),
            resources=(),
            execution=Execution(),
            model=choose(call=order.model, skill=None, platform=platform),
            platform=platform_of(self.world),
        )

    def _budget(self, order: AgentOrder) -> Budget:
        settings = self.world.settings
        seconds = settings.run_timeout_per_iteration
        return Budget(
            iterations=settings.run_max_iterations,
            attempts=settings.run_max_retries_per_tool,
            seconds=min(seconds, order.idle) if order.idle else seconds,
        )


@dataclass(slots=True)
class _Steps:
    """Steps of an attempt that is itself a step, and so are simply done."""

    run_id: str

    async def do(
        self, name: str, work: Callable[[], Awaitable[Json]], *, repeatable: bool = True
    ) -> Json:
        return await work()

    async def answer(self, question_id: str, *, seconds: float | None = None) -> str | None:
        return None


@dataclass(slots=True)
class _Counting:
    """Records events and adds up what they tell, until somebody says that it is enough."""

    record: Record
    enough: Callable[[Usage], str]
    usage: Usage = Usage(cost=0.0)
    refusals: list[str] = field(default_factory=list)
    spoke: bool = False

    def __call__(self, event: Event) -> None:
        self.record(event)
        told = event.payload
        if event.kind == "model.replied":
            used, self.spoke = told["usage"], True
            before, more = self.usage.cost, used["cost"]
            self.usage = Usage(
                input_tokens=self.usage.input_tokens + used["input_tokens"],
                output_tokens=self.usage.output_tokens + used["output_tokens"],
                cached_tokens=self.usage.cached_tokens + used["cached_tokens"],
                cost=None if before is None or more is None else before + more,
            )
            if why := self.enough(self.usage):
                raise _EnoughError(why)
        elif event.kind == "call.finished" and told["refused"]:
            self.refusals.append(f"{told['tool']}: {told['text']}")


class _EnoughError(Exception):
    """The run has used as much as it may."""


def _end(heard: _Counting, outcome: Outcome | None, late: str, *, seconds: float) -> AgentEnd:
    """`late` says that the time was up, and then there is no outcome."""
    failed = outcome.reason if outcome and outcome.ending == "failed" else ""
    trouble: Trouble = "timeout" if late else sort(failed) if failed else "none"
    reset = None
    if trouble == "usage_limit":
        reset = reset_time(failed, now=datetime.now().astimezone())
    return AgentEnd(
        agent=NAME,
        answer=outcome.answer if outcome else "",
        said_done=bool(outcome and outcome.ok),
        killed_by="timeout" if late else "",
        trouble=trouble,
        told=late or failed,
        resets_at=reset.isoformat() if reset else None,
        usage=heard.usage,
        iterations=outcome.iterations if outcome else 0,
        refusals=tuple(heard.refusals),
        seconds=round(seconds, 3),
        spoke=heard.spoke,
        reached=heard.spoke,
    )


def _real(folder: str) -> str:
    return os.path.realpath(folder)


def _worded(error: ProwessError) -> str:
    return f"{error} ({error.hint})" if error.hint else str(error)
