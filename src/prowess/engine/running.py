"""
The journey of one run, in order: open the skill, run its commands, think and act, tell the end.

Everything here is replayed when a run goes on after a crash, so it may depend on nothing but the
request and what the steps returned.
"""

from collections.abc import Mapping
from typing import Any

from prowess.core.errors import ProwessError
from prowess.core.ports import Gate, Json, Steps
from prowess.core.run import Outcome
from prowess.engine.ending import Spent, to_its_end
from prowess.engine.gating import gate_of
from prowess.engine.kit import means_of
from prowess.engine.opening import (
    Opened,
    first_messages,
    injected,
    opened_from_json,
    read_skill,
    values_of,
)
from prowess.engine.people import People
from prowess.engine.request import RunRequest, request_from_json
from prowess.engine.world import World
from prowess.execute.agent import run_agent
from prowess.execute.means import Budget
from prowess.execute.simple import run_simple

KIND = "skill"


async def run_skill(steps: Steps, request: Mapping[str, Any], *, world: World) -> Json:
    """The body of a run, as the durable engine knows it."""
    outcome = await run_request(request_from_json(request), steps=steps, world=world)
    return outcome.as_json()


async def run_request(
    request: RunRequest,
    *,
    steps: Steps,
    world: World,
    run: str = "",
    above: People | None = None,
    most_iterations: int | None = None,
    spent: Spent | None = None,
) -> Outcome:
    """
    One run to its end; a sub-agent is one too, in its parent's steps and under its own name. `spent`
    is for who wants to know what it used although it was broken off.
    """
    run = run or steps.run_id
    spent = spent or Spent()
    record = spent.noting(world.recorder(run))
    people = People(run=run, steps=steps, record=record, present=request.answers, above=above)
    journey = _journey(request, people, world=world, most_iterations=most_iterations)
    return await to_its_end(journey, run=run, record=record, spent=spent, inside=request.parent)


async def _journey(
    request: RunRequest, people: People, *, world: World, most_iterations: int | None
) -> Outcome:
    async def read() -> Json:
        return read_skill(request, world)

    try:
        opened = opened_from_json(await people.steps.do("open", read))
    except ProwessError:
        people.tell("run.started", f"Run {request.skill}", **_asked(request))
        raise
    budget = _budget(opened, request, most_iterations)
    people.tell(
        "run.started",
        f"Run {request.skill}",
        **_asked(request),
        model=opened.model or "",
        max_iterations=budget.iterations,
    )
    gate = gate_of(opened, request, world, run=people.run)
    instructions = await _instructions(opened, request, people, world, gate)
    agent = (opened.execution.agent or "general-purpose") if opened.execution.fork else None
    messages = first_messages(opened, instructions, request, agent=agent)
    async with means_of(opened, request, people, world=world, gate=gate) as means:
        execute = run_simple if opened.execution.mode == "simple" else run_agent
        return await execute(messages, means=means, budget=budget)


async def _instructions(
    opened: Opened, request: RunRequest, people: People, world: World, gate: Gate
) -> str:
    """The skill's text with its commands run and its variables filled; each command is on record."""
    values = values_of(opened, request, people.run)

    async def inject() -> Json:
        return await injected(opened, request, values, world=world, gate=gate)

    filled = await people.steps.do("inject", inject)
    for audit in filled["audit"]:
        done = "ran" if audit["ok"] else "failed" if audit["allowed"] else "refused"
        people.tell("command.injected", f"{audit['command']}: {done}", **audit)
    for warning in filled["warnings"]:
        people.tell("run.warned", warning)
    text: str = filled["instructions"]
    return text


def _budget(opened: Opened, request: RunRequest, most: int | None) -> Budget:
    """Call over skill over platform; a sub-agent has no more than its parent can spare."""
    wanted, platform = opened.execution, opened.platform
    iterations = request.max_iterations or wanted.max_iterations or platform.max_iterations
    retries = wanted.max_retries_per_tool
    return Budget(
        iterations=min(iterations, most) if most else iterations,
        attempts=platform.max_retries if retries is None else retries,
        seconds=wanted.timeout_per_iteration or platform.seconds,
        confirm=not wanted.early_termination,
    )


def _asked(request: RunRequest) -> dict[str, Any]:
    return {
        "run_kind": KIND,
        "skill": request.skill,
        "arguments": request.arguments,
        "project": request.workspace,
        "parent": request.parent,
        "progress": 0,
    }
