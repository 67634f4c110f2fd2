"""
What a loop came to that nobody works on any more, told from its log: it was paused, or given up since.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from prowess.core.agent import end_from_json
from prowess.core.chat import Usage
from prowess.core.errors import ProwessError
from prowess.core.event import Recorded
from prowess.core.evidence import report_from_json
from prowess.core.ports import Log
from prowess.core.run import Ending, Outcome
from prowess.core.task import Task
from prowess.engine.world import World
from prowess.loop import marks
from prowess.loop.budget import Used, used_before
from prowess.loop.done import Done
from prowess.loop.git.repository import Repository
from prowess.loop.telling.lying import lying, reason_with
from prowess.loop.telling.report import Entry, report
from prowess.loop.telling.story import outcome_with
from prowess.loop.telling.told import told_in

_REVIEWED = "reviewed by "  # how the reason of what a review approved begins


async def broken_off(world: World, run: str, *, ending: Ending, reason: str) -> Outcome:
    """Its outcome with a report: what was done, what was under way and where that lies, what it cost."""
    log = world.log
    events = await log.aside(lambda: list(log.run(run)))
    begun = next(each.event.payload for each in events if each.event.kind == "run.started")
    place, name = begun["project"], begun["skill"]
    used = await log.aside(lambda: _used(log, events))
    left = await lying(Repository(folder=place), world.settings.data, run)
    left = replace(left, needed=ending == "partial")  # it is only paused
    lies = f"{reason}; what was done of it lies in its work tree"
    entries = [
        *_recorded(events),
        *_under_way(events, lies if left.trees else reason_with(reason, place)),
    ]
    plan = None
    with suppress(ProwessError):
        plan = marks.read(os.path.join(place, name))
    answer = report(name, entries, used, reason=reason, plan=plan, told=told_in(events), left=left)
    return outcome_with(answer, entries, used, ending=ending, reason=reason)


def _used(log: Log, events: Iterable[Recorded]) -> Used:
    """What agents used, those too that were cut off."""
    used = Used()
    for each in events:
        told = each.event.payload
        if each.event.kind == "agent.forked":
            used.under_way[told["child"]] = Usage()
            used.reviewing |= {told["child"]} if told.get("review") else set()
        elif each.event.kind == "agent.joined":
            used.add(told["child"], end_from_json({**told["end"], "answer": ""}))
    for child in used.under_way:
        used.under_way[child] = used_before(told.event for told in log.run(child))
    used.cut_off()
    return used


def _recorded(events: Iterable[Recorded]) -> list[Entry]:
    """The tasks that have their mark."""
    entries: list[Entry] = []
    checked: dict[str, Mapping[str, Any]] = {}
    for each in events:
        told = each.event.payload
        if each.event.kind == "check.finished":
            checked[told["task"]] = told["report"]
        elif each.event.kind == "loop.recorded":
            label, reason = told["task"], told["reason"]
            reviewer = reason.removeprefix(_REVIEWED) if reason.startswith(_REVIEWED) else ""
            done = Done(
                mark=told["mark"],
                reason=reason,
                attempts=told["attempts"],
                report=report_from_json(checked[label]) if label in checked else None,
                reviewer=reviewer if told["mark"] == "R" else "",
            )
            task = Task(label=label, line=told["line"], mark=told["mark"])
            entries.append(
                Entry(task=task, done=done, branch=told["branch"], commit=told["commit"])
            )
    return entries


def _under_way(events: Sequence[Recorded], reason: str) -> list[Entry]:
    """The tasks that an agent was at work on, and that have no mark."""
    lines: dict[str, int] = {}
    attempts: dict[str, int] = {}
    reviews: set[str] = set()
    for each in events:
        told = each.event.payload
        if each.event.kind == "loop.task":
            lines[told["task"]] = told["line"]
        elif each.event.kind == "agent.forked":
            attempts[told["task"]] = told["attempt"]
            reviews |= {told["child"]} if told.get("review") else set()
        elif each.event.kind == "agent.joined":
            of_no_attempt = told["end"]["trouble"] == "usage_limit" and told["child"] not in reviews
            attempts[told["task"]] -= of_no_attempt
        elif each.event.kind == "loop.recorded":
            attempts.pop(told["task"], None)
    return [
        Entry(
            task=Task(label=label, line=lines[label], mark=" "),
            done=Done(mark=" ", reason=reason, attempts=count, cut=reason),
        )
        for label, count in attempts.items()
    ]
