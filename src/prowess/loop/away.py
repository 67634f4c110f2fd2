"""
The time in which nobody works on a loop: from its last word until it is taken up again. It counts for
no budget of time, however long it is; what was worked before a kill does.
"""

from datetime import datetime

from prowess.core.event import Event
from prowess.core.ports import Log
from prowess.engine.pen import ASIDE

KIND = "loop.taken_up"


def away(log: Log, run: str, *, now: float, seen: float = 0.0) -> tuple[float, float]:
    """
    Seconds in which nobody worked on the run: those that were told, and those since its last word, or
    since an agent was `seen` at work.
    """
    told, last = 0.0, ""
    at_work: set[str] = set()
    for each in log.run(run):
        facts, last = each.event.payload, each.at
        if each.event.kind == KIND:
            told += facts["away"]
        elif each.event.kind == "agent.forked":
            at_work.add(facts["child"])
        elif each.event.kind == "agent.joined":
            at_work.discard(facts["child"])
    words = [last, *(each.at for child in at_work for each in log.run(child))]
    moments = [datetime.fromisoformat(at).timestamp() for at in words if at]
    return told, max(0.0, now - max(*moments, seen)) if moments else 0.0


def taken_up(run: str, seconds: float) -> Event:
    """A fact of this life of the loop, which a replay in the next one does not tell again."""
    summary = f"Taken up again: the {seconds:,.0f} s before are no time of work"
    payload = {"summary": summary, "visibility": "SUMMARY", "away": seconds, ASIDE: True}
    return Event(run=run, kind=KIND, payload=payload)
