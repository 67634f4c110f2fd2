"""
What has happened in a loop so far, and what it comes to when the loop ends, however it does.
"""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from prowess.core.errors import OutsideError, ProwessError
from prowess.core.run import Ending, Outcome
from prowess.core.task import Plan, Task
from prowess.loop import marks, waves
from prowess.loop.budget import Used
from prowess.loop.choosing import name_of, not_its_own
from prowess.loop.crew import Crew
from prowess.loop.done import Done
from prowess.loop.journey import Journey
from prowess.loop.phase.phases import Phases
from prowess.loop.telling.lying import lying, reason_with
from prowess.loop.telling.report import Entry, report
from prowess.loop.telling.told import Told, told_in


@dataclass(slots=True, kw_only=True)
class Story:
    """
    What has happened so far. `again` are tasks that go on, and how their last wave left them; `at_work`
    are those that have begun and have no end yet; `earlier` are the branches with what was not taken in
    of them before; `planned` are the tasks of the plan as they were told last; `cut` says what cut
    a task short, a budget or, from `outside`, its agent's provider.
    """

    crew: Crew
    phases: Phases
    used: Used = field(default_factory=Used)
    entries: list[Entry] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)
    again: dict[str, tuple[Task, waves.Ended]] = field(default_factory=dict)
    at_work: dict[str, Journey] = field(default_factory=dict)
    earlier: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    commands: tuple[str, ...] = ()
    planned: list[str] = field(default_factory=list)
    cut: str = ""
    outside: bool = False
    numbers: int = 0

    def journey(self, plan: Plan, task: Task, workspace: str) -> Journey:
        _, ended = self.again.pop(name_of(task), (None, None))
        before = ended.done if ended else None
        made = self.at_work[name_of(task)] = Journey(
            crew=self.crew,
            phases=self.phases,
            plan=plan,
            task=task,
            workspace=workspace,
            used=self.used,
            others=not_its_own(self.commands, task, plan),
            attempts=before.attempts if before else 0,
            feedback=before.reason if before else "",
            spoilt=list(before.spoilt) if before else [],
        )
        return made

    def next_number(self) -> int:
        self.numbers += 1
        return self.numbers


async def outcome_of(story: Story, ended: Ending, reason: str, *, outside: bool = False) -> Outcome:
    crew, used = story.crew, story.used
    used.cut_off()
    plan = None
    with suppress(ProwessError):  # it may be what ended the loop
        plan = marks.read(crew.request.plan)
    entries = [*story.entries, *_under_way(story, reason)]
    home = crew.repository(crew.request.workspace)
    left = await lying(home, crew.world.settings.data, crew.run)
    told = await _told(crew)
    answer = report(crew.plan_name, entries, used, reason=reason, plan=plan, told=told, left=left)
    return outcome_with(answer, entries, used, ending=ended, reason=reason, outside=outside)


def outcome_with(
    answer: str,
    entries: Sequence[Entry],
    used: Used,
    *,
    ending: Ending,
    reason: str,
    outside: bool = False,
) -> Outcome:
    """The outcome of a loop that has this report."""
    return Outcome(
        ending=ending,
        answer=answer,
        reason=reason,
        iterations=used.attempts,
        tokens=used.tokens,
        cost=None if used.unpriced else used.dollars,
        details={
            "tasks": [entry.as_json() for entry in entries],
            **({"outside": True} if outside else {}),
        },
    )


async def _told(crew: Crew) -> Told:
    log = crew.world.log
    with suppress(OutsideError):  # it may be what ended the loop
        return await log.aside(lambda: told_in(log.run(crew.run)))
    return Told()


def _under_way(story: Story, reason: str) -> list[Entry]:
    """
    Tasks without an end when the loop had one: what was done of those that were to be tried again is
    in their branches, and of those that were at work it lies where they were.
    """
    left = [
        Entry(
            task=journey.task,
            done=_left_there(journey, reason),
            earlier=tuple(story.earlier[name]),
        )
        for name, journey in story.at_work.items()
    ]
    return left + [
        Entry(
            task=task,
            done=replace(ended.done, mark=" ", cut=reason),
            branch=ended.branch,
            earlier=tuple(each for each in story.earlier[name] if each != ended.branch),
        )
        for name, (task, ended) in story.again.items()
    ]


def _left_there(journey: Journey, reason: str) -> Done:
    return Done(
        mark=" ",
        reason=reason_with(reason, journey.workspace),
        attempts=journey.status.get("attempt", journey.attempts),
        cut=reason,
    )
