"""
Whether phases lead anywhere: from the start to each of them, and from each of them to an end.

What can be seen in a file is told when it is read. What it then does all the same ends here.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prowess.loop.phase.phases import Phase

MOST = 100  # phases of one task; those that lead in circles end here


def never_reached(phases: "Mapping[str, Phase]", start: str) -> list[str]:
    """Names of phases to which no way leads from the start."""
    reached, ahead = {start}, [start]
    while ahead:
        for each in _next(phases, ahead.pop()) - reached:
            reached.add(each)
            ahead.append(each)
    return [name for name in phases if name not in reached]


def never_ending(phases: "Mapping[str, Phase]") -> list[str]:
    """Names of phases from which no way leads to a terminal one; one that leads to nowhere is told elsewhere."""
    ending: set[str] = {name for name, each in phases.items() if each.type == "terminal"}
    while more := {
        name
        for name in phases.keys() - ending
        if _next(phases, name) & ending or not _all_there(phases, name)
    }:
        ending |= more
    return [name for name in phases if name not in ending]


def astray(walked: "Sequence[str]", phase: "Phase", status: Mapping[str, Any]) -> str:
    """Why a task that was in these phases does not get into this one; empty when it does."""
    most = status["max_attempts"]
    if phase.type == "execute" and status["attempt"] >= most:
        made = "the one attempt was" if most == 1 else f"all {most} attempts were"
        return f"{made} made, and the phases lead to {phase.name} again"
    if len(walked) >= MOST:
        return f"the phases led in circles: {_circle(walked)}"
    return ""


def _circle(walked: Sequence[str]) -> str:
    """The way that was taken again and again, and how often, in words."""
    for length in range(1, len(walked) // 2 + 1):
        way = walked[-length:]
        times = 1
        while walked[-length * (times + 1) : -length * times] == way:
            times += 1
        if times > 1:
            return f"{' → '.join(_from(way, walked))}, {times} times"
    return f"{len(walked)} phases and no end"


def _from(way: Sequence[str], walked: Sequence[str]) -> list[str]:
    """Beginning with the phase that was met first."""
    first = min(range(len(way)), key=lambda place: walked.index(way[place]))
    return [*way[first:], *way[:first]]


def _next(phases: "Mapping[str, Phase]", name: str) -> set[str]:
    return {each.to for each in phases[name].transitions} & phases.keys()


def _all_there(phases: "Mapping[str, Phase]", name: str) -> bool:
    listed: Collection[str] = [each.to for each in phases[name].transitions]
    return bool(listed) and all(each in phases for each in listed)
