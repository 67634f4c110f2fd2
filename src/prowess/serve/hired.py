"""
A coding agent at work for a session, as a run of its own.

Its work is one step that is never done twice: when the server dies in the middle, the run needs
somebody's attention. What it did is told under a run below this one. Its own word that it is done
ends the run; whether the work is good is for others to check.
"""

from collections.abc import Mapping
from typing import Any

from prowess.core.agent import AgentEnd, AgentOrder, end_from_json
from prowess.core.event import Event
from prowess.core.ports import Json, Steps
from prowess.core.run import Outcome
from prowess.engine.ending import to_its_end
from prowess.engine.world import World
from prowess.loop.agents.known import PROGRAMS, open_program, passed_on

KIND = "agent"
AGENTS = tuple(PROGRAMS)


async def run_hired(steps: Steps, request: Mapping[str, Any], *, world: World) -> Json:
    """The body of such a run; `request` has `agent`, `skill`, `prompt`, `workspace`, `model` and `skills`."""
    run, agent = steps.run_id, request["agent"]
    record, child = world.recorder(run), f"{run}.1"

    def tell(kind: str, summary: str, **facts: Any) -> None:
        payload = {"summary": summary, "visibility": "SUMMARY", **facts}
        record(Event(run=run, kind=kind, payload=payload))

    async def work() -> Json:
        order = AgentOrder(
            run=child,
            prompt=request["prompt"],
            workspace=request["workspace"],
            model=request["model"],
            environment=passed_on(agent, world.environment),
            skills=request["skills"],
        )
        end = await open_program(agent).work(order, record=world.appender(child))
        return end.as_json()

    async def journey() -> Outcome:
        end = end_from_json(await steps.do(f"agent {agent}", work, repeatable=False))
        outcome = _outcome(end)
        tell("agent.joined", f"{agent}: {outcome.ending}", child=child, skill=agent)
        return outcome

    asked = {"skill": request["skill"], "arguments": request["prompt"], "parent": "", "progress": 0}
    tell("run.started", f"Run {agent}", run_kind=KIND, model=request["model"] or "", **asked)
    tell("agent.forked", f"{agent} is at work", child=child, skill=agent)
    outcome = await to_its_end(journey(), run=run, record=record)
    return outcome.as_json()


def _outcome(end: AgentEnd) -> Outcome:
    well = end.said_done and end.trouble == "none"
    usage = end.usage
    return Outcome(
        ending="done" if well else "failed",
        answer=end.answer,
        reason="the agent says that it is done" if well else end.told or end.trouble,
        iterations=end.iterations,
        tokens=usage.input_tokens + usage.output_tokens,
        cost=usage.cost,
    )
