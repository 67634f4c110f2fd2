"""An attempt told as a run of its own, for who looks at it alone: how it begins, and how it ends."""

from prowess.core.agent import AgentEnd
from prowess.core.event import Event
from prowess.core.run import Outcome
from prowess.core.task import Task
from prowess.loop.crew import Crew


def started(crew: Crew, task: Task, agent: str, child: str, *, attempt: int) -> Event:
    payload = {
        "summary": f"Attempt {attempt}: {task.label}",
        "visibility": "SUMMARY",
        "run_kind": "attempt",
        "skill": agent,
        "arguments": task.label,
        "parent": crew.run,
        "project": crew.request.workspace,
        "model": crew.request.model or "",
    }
    return Event(run=child, kind="attempt.started", payload=payload)


def finished(agent: str, child: str, end: AgentEnd) -> Event:
    """How the attempt ended, in the form that every end of a run has; it says nothing of the task."""
    well = end.trouble == "none"
    outcome = Outcome(
        ending="done" if well else "failed",
        answer=end.answer,
        reason="the agent says that it is done" if well else end.told or end.why,
        iterations=end.iterations,
        tokens=end.usage.input_tokens + end.usage.output_tokens,
        cost=end.usage.cost,
    )
    payload = {
        "summary": worded(agent, end),
        "visibility": "SUMMARY",
        "outcome": outcome.as_json(),
    }
    return Event(run=child, kind="attempt.finished", payload=payload)


def worded(agent: str, end: AgentEnd) -> str:
    why = f": {end.why}" if end.why else ""
    return f"{agent}: ended" if end.trouble == "none" else f"{agent}: {end.trouble}{why}"
