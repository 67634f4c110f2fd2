"""
Numbers computed from the log: nothing is counted anywhere else.

Events are counted one by one as they come, so that whoever follows the log has the numbers at any
time without reading it again.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from prowess.core import event
from prowess.core.event import Recorded
from prowess.observe.recoveries import way_of
from prowess.observe.views import used_by

_DAY = 10  # characters of a time that are its day


def counters(events: Iterable[Recorded]) -> dict[str, int]:
    """How many skills were found, chosen, not loaded and cut, over all runs."""
    total = dict.fromkeys(
        (
            "skills_discovered_total",
            "skills_selected_total",
            "skills_load_failed_total",
            "skills_truncated_total",
        ),
        0,
    )
    for each in events:
        payload = each.event.payload
        if each.event.kind == event.SKILLS_DISCOVERED:
            total["skills_discovered_total"] += payload.get("count", 0)
        elif each.event.kind == event.SKILLS_SELECTED:
            total["skills_selected_total"] += len(payload.get("skills", ()))
        elif each.event.kind == event.SKILLS_LOAD_FAILED:
            total["skills_load_failed_total"] += 1
        elif each.event.kind == event.SKILLS_TRUNCATED:
            total["skills_truncated_total"] += 1
    return total


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """
    Of a skill, of a day, or of all. A rate is None while there is nothing to divide by.

    `success_rate`: runs that ended `done`, of those that ended and that nobody cancelled.
    `recovery_rate`: calls that failed, or would have without help, and were overcome in their run,
    of all such calls; a refused call is no failure. `recoveries`: the ways, most common first, with
    their shares.
    """

    runs: int
    endings: Mapping[str, int]
    success_rate: float | None
    failing_calls: int
    overcome_calls: int
    recovery_rate: float | None
    iterations: float | None  # of an ended run, on average
    recoveries: tuple[Mapping[str, Any], ...]
    tokens: int
    cost: float | None  # None when a price is not known


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """Of one model."""

    requests: int
    input_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """
    `days` are those on which runs began, by `2026-01-31`, in order; `loops` are by plan, with its project
    where several have a plan of this name.
    """

    all: Numbers
    skills: Mapping[str, Numbers]
    loops: Mapping[str, Numbers]
    models: Mapping[str, Used]
    days: Mapping[str, Numbers]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def stats(events: Iterable[Recorded]) -> Stats:
    """The numbers of all runs from the events of the whole log, in order."""
    tally = Tally()
    for each in events:
        tally.add(each)
    return tally.stats()


class Tally:
    """The numbers so far. Each event is added once, in the order of the log."""

    def __init__(self) -> None:
        self._all = _Sum()
        self._skills: dict[str, _Sum] = defaultdict(_Sum)
        self._loops: dict[tuple[str, str], _Sum] = defaultdict(_Sum)  # by plan and project
        self._days: dict[str, _Sum] = defaultdict(_Sum)
        self._models: dict[str, Used] = {}
        self._under_way: dict[str, _Run] = {}

    def add(self, each: Recorded) -> None:
        run, payload = self._under_way.get(each.event.run), each.event.payload
        if each.event.kind == "run.started" and run is None:
            is_loop = payload.get("run_kind") == "loop"
            name, day = payload.get("skill", ""), each.at[:_DAY]
            named = self._loops[name, payload.get("project", "")] if is_loop else self._skills[name]
            run = _Run(sums=(self._all, named, self._days[day]), is_loop=is_loop)
            self._under_way[each.event.run] = run
            run.add(runs=1)
        elif run is None:
            return
        match each.event.kind:
            case "model.replied":
                self._use(payload.get("model", ""), payload.get("usage", {}), run)
            case "call.finished":
                run.observe(payload)
            case "call.recovered":
                run.recover(payload)
            case "agent.forked" if run.is_loop:
                run.begin(f"{each.event.run} {payload.get('child', '')}")
            case "agent.joined" if run.is_loop:
                run.join(f"{each.event.run} {payload.get('child', '')}", payload)
            case "run.finished":
                run.end(payload.get("outcome", {}))
                del self._under_way[each.event.run]

    def _use(self, model: str, usage: Mapping[str, Any], run: "_Run") -> None:
        read, written = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
        cost = usage.get("cost")
        run.spend(read + written, cost)
        so_far = self._models.get(
            model, Used(requests=0, input_tokens=0, output_tokens=0, cost=0.0)
        )
        self._models[model] = Used(
            requests=so_far.requests + 1,
            input_tokens=so_far.input_tokens + read,
            output_tokens=so_far.output_tokens + written,
            cost=_plus(so_far.cost, cost),
        )

    def stats(self) -> Stats:
        return Stats(
            all=self._all.numbers(),
            skills={skill: total.numbers() for skill, total in sorted(self._skills.items())},
            loops={name: self._loops[key].numbers() for name, key in _told_apart(self._loops)},
            models=dict(sorted(self._models.items())),
            days={day: total.numbers() for day, total in sorted(self._days.items())},
        )


@dataclass
class _Sum:
    runs: int = 0
    failing: int = 0
    overcome: int = 0
    iterations: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    untold: set[str] = field(
        default_factory=set
    )  # agents of loops at work, which tell at their end
    endings: Counter[str] = field(default_factory=Counter)
    ways: Counter[str] = field(default_factory=Counter)

    def numbers(self) -> Numbers:
        ended = self.endings.total()
        recovered = self.ways.total()
        return Numbers(
            runs=self.runs,
            endings=dict(self.endings),
            success_rate=_share(self.endings["done"], ended - self.endings["cancelled"]),
            failing_calls=self.failing,
            overcome_calls=self.overcome,
            recovery_rate=_share(self.overcome, self.failing),
            iterations=_share(self.iterations, ended),
            recoveries=tuple(
                {"how": way, "count": count, "share": _share(count, recovered)}
                for way, count in self.ways.most_common()
            ),
            tokens=self.tokens,
            cost=None if self.untold else self.cost,
        )


@dataclass
class _Run:
    """
    A run under way: where it counts, how many failed calls of each tool nothing has overcome yet,
    and the calls that succeeded with help.
    """

    sums: tuple[_Sum, ...]
    is_loop: bool = False
    failed: Counter[str] = field(default_factory=Counter)
    helped: set[str] = field(default_factory=set)

    def add(self, **counts: int) -> None:
        for each in self.sums:
            for name, count in counts.items():
                setattr(each, name, getattr(each, name) + count)

    def spend(self, tokens: int, cost: float | None) -> None:
        self.add(tokens=tokens)
        for each in self.sums:
            each.cost = _plus(each.cost, cost)

    def begin(self, child: str) -> None:
        """Of what an agent of a loop uses, this run hears at its end."""
        for each in self.sums:
            each.untold.add(child)

    def join(self, child: str, payload: Mapping[str, Any]) -> None:
        for each in self.sums:
            each.untold.discard(child)
        self.spend(*used_by(payload))

    def observe(self, payload: Mapping[str, Any]) -> None:
        if payload.get("refused"):
            return
        if not payload.get("ok"):
            self.failed[payload.get("tool", "")] += 1
            self.add(failing=1)
        elif healed := payload.get("healed"):
            self.helped.add(payload.get("call_id", ""))
            self.add(failing=1, overcome=1)
            self._count(way_of(how) for how in healed)

    def recover(self, payload: Mapping[str, Any]) -> None:
        if payload.get("call_id", "") in self.helped:
            return  # counted when it finished; what failed before it is still open
        if overcome := self.failed.pop(payload.get("tool", ""), 0):
            self.add(overcome=overcome)
            self._count([way_of(payload.get("how", "another try"))])

    def end(self, outcome: Mapping[str, Any]) -> None:
        self.add(iterations=outcome.get("iterations", 0))
        for each in self.sums:
            each.endings[outcome.get("ending", "failed")] += 1

    def _count(self, ways: Iterable[str]) -> None:
        ways = list(ways)
        for each in self.sums:
            each.ways.update(ways)


def _told_apart(loops: Iterable[tuple[str, str]]) -> list[tuple[str, tuple[str, str]]]:
    """The name of each plan: alone, with the folder of its project, or with all of its path."""
    loops = sorted(loops)
    forms: tuple[Callable[[str, str], str], ...] = (
        lambda plan, project: plan,
        lambda plan, project: f"{plan} in {os.path.basename(project)}",
        lambda plan, project: f"{plan} in {project}",
    )
    names = [Counter(form(*key) for key in loops) for form in forms]
    return [
        (
            next(
                (
                    form(*key)
                    for form, all_ in zip(forms, names, strict=True)
                    if all_[form(*key)] == 1
                ),
                forms[-1](*key),
            ),
            key,
        )
        for key in loops
    ]


def _plus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
