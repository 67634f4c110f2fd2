"""
Whether an agent began its work at all, or could not, whatever the task.

One that cannot is asked once, and then no more: the next attempt, and the next task, would come to
the same. One that was seen to work can begin, and what ends it then is an attempt's own trouble;
but where its model gives no reply twice in a row, that is no task's fault either.
"""

from prowess.core.agent import AgentEnd
from prowess.loop.crew import Crew
from prowess.loop.done import CutError

AT_ONCE = 30.0  # seconds within which a program that ends without a word has not begun
NO_PROGRAM = (126, 127)  # what a shell ends with when it could not start what it was to
MOST = 2  # times in a row that no reply came to an agent that was seen to work


class NoStartError(CutError):
    """The agent cannot begin, whatever the task; the text says why, and what to do."""

    told = "no agent could begin, so it is not"
    outside = True


def must_have_begun(crew: Crew, agent: str, end: AgentEnd, *, changed: bool, place: str) -> None:
    if changed or not (end.trouble == "auth" or never_began(end)):
        crew.begun[agent] = 0
        return
    if agent in crew.begun and (end.reached or end.trouble == "auth"):
        return
    if agent in crew.begun:
        crew.begun[agent] += 1
        if crew.begun[agent] < MOST:
            return
    if end.trouble == "auth":
        told, mend = "is not let in", "log in with it, or set its key"
    elif not end.reached and end.spoke:
        told, mend = "gets no reply from its model", "look after its provider"
    else:
        told, mend = "cannot begin", "mend its command, or the program"
    code = f"exit code {end.code}, " if end.code and "exit code" not in end.why else ""
    raise NoStartError(
        f"the agent {agent} {told}: {end.why} ({code}in {place}); {mend}, and begin again"
    )


def never_began(end: AgentEnd) -> bool:
    """It came to nothing before anything was heard of it, or of its model; built-in has no code."""
    at_once = end.seconds < AT_ONCE or end.code is None or end.code in NO_PROGRAM
    silent = not end.spoke and at_once
    return end.trouble == "crash" and not end.killed_by and (silent or not end.reached)
