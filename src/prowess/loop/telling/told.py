"""
What a loop told of while it went on, and its report names once more: with each, where it lies.

It is read from the log, for some of it was told in the middle of a step that was cut off.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from prowess.core.event import Recorded


@dataclass(frozen=True, slots=True)
class Told:
    """
    `put_back` says what was done to the plan and undone, by the copy that holds the plan as it was found.
    `left` are the files that were not kept with a task, by the task and then by their branch.
    """

    put_back: dict[str, list[str]] = field(default_factory=dict)
    left: dict[str, dict[str, list[str]]] = field(default_factory=dict)


def told_in(events: Iterable[Recorded]) -> Told:
    """What the log of a loop tells of this."""
    told = Told()
    for each in events:
        fact = each.event.payload
        if each.event.kind == "loop.left_behind":
            branches = told.left.setdefault(fact["task"], {})
            branches.setdefault(fact["branch"], []).extend(fact["files"])
        elif fact.get("copy"):
            done = fact["put_back"] if "put_back" in fact else [fact["what"]]
            told.put_back.setdefault(fact["copy"], []).extend(done)
    return told
