"""
Two ways to do the same tasks, side by side: figures of each, computed from the events of their runs.

The same events always give the same figures, so whoever has the log can make the table again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prowess.check.compare.hygiene import Hygiene, hygiene
from prowess.core.event import Event
from prowess.core.evidence import Criterion, Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """
    One run of one task in one way. `cited` are items of evidence it gave, `confirmed` those that hold;
    `verdicts` are those of the check, in the order of the task's criteria. `unanswered` says why the model
    gave no answer, where it gave none: such a run measures nothing.
    """

    task: str
    way: str
    number: int
    run: str
    success: bool
    cited: int
    confirmed: int
    tokens: int
    cost: float | None
    iterations: int
    hygiene: Hygiene
    verdicts: tuple[str, ...] = ()
    unanswered: str = ""

    def as_json(self) -> dict[str, Any]:
        told = {name: getattr(self, name) for name in self.__slots__ if name != "hygiene"}
        return {**told, "verdicts": list(self.verdicts), "hygiene": self.hygiene.as_json()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the table: a value for each way, None where there is nothing to divide by."""

    name: str
    unit: str
    values: tuple[float | None, ...]
    more_is_better: bool = False


def judged(report: Report, *, proposing: bool) -> dict[str, Any]:
    """
    What a check says of a trial, for the log.

    Who was to do the task succeeds when it passed; who was only to propose evidence, when every
    criterion was decided, one way or the other, and it gave evidence for each that was confirmed.
    """
    asked = [each for each in report.criteria if not each.added]
    items = [item for each in asked for item in each.evidence if not item.own]
    given = [item for item in items if item.evidence.location or item.state == "confirmed"]
    decided = bool(asked) and all(map(_is_decided_by_it, asked))
    return {
        "success": decided if proposing else report.passed,
        "outcome": report.outcome,
        "cited": len(given),
        "confirmed": sum(item.state == "confirmed" for item in given),
        "verdicts": [each.verdict for each in asked],
    }


def _is_decided_by_it(criterion: Criterion) -> bool:
    """What our own sight settles without anybody's evidence is nobody's success."""
    given = any(not item.own and item.state == "confirmed" for item in criterion.evidence)
    return given and criterion.verdict != "INCONCLUSIVE"


def trial(checked: Mapping[str, Any], events: Sequence[Event]) -> Trial:
    """`checked` is the fact that the check left in the log, `events` are those of the run."""
    replies = [event.payload for event in events if event.kind == "model.replied"]
    usages = [reply.get("usage", {}) for reply in replies]
    costs = [usage.get("cost") for usage in usages]
    return Trial(
        task=checked["task"],
        way=checked["way"],
        number=checked["number"],
        run=checked["run"],
        success=checked["success"],
        cited=checked["cited"],
        confirmed=checked["confirmed"],
        tokens=sum(each.get("input_tokens", 0) + each.get("output_tokens", 0) for each in usages),
        cost=None if None in costs else sum(costs),
        iterations=len(replies),
        hygiene=hygiene(events),
        verdicts=tuple(checked.get("verdicts", ())),  # a log of before has none
        unanswered=_unanswered(events),
    )


def _unanswered(events: Sequence[Event]) -> str:
    """Why the last request to the model came to nothing, where the run ended with that."""
    kinds = ("model.replied", "model.failed", "run.finished")
    last = [each for each in events if each.kind in kinds][-2:]
    if [each.kind for each in last] != ["model.failed", "run.finished"]:
        return ""
    return str(last[0].payload.get("trouble") or "it did not say why")


def figures(trials: Sequence[Trial], ways: Sequence[str]) -> list[Figure]:
    """The table, of what can be compared: each run has its like in every other way."""
    alike = paired(trials, ways)
    sides = [[each for each in alike if each.way == way] for way in ways]

    def line(name: str, unit: str, read: Any, *, more_is_better: bool = False) -> Figure:
        values = tuple(read(side) if side else None for side in sides)
        return Figure(name=name, unit=unit, values=values, more_is_better=more_is_better)

    def mean(read: Any) -> Any:
        return lambda side: sum(map(read, side)) / len(side)

    return [
        line("success", "share of runs", mean(lambda t: t.success), more_is_better=True),
        _won(alike, ways),
        line(
            "evidence quality",
            "share of cited evidence that is confirmed",
            lambda side: _share(sum(t.confirmed for t in side), sum(t.cited for t in side)),
            more_is_better=True,
        ),
        line("command errors", "a run", mean(lambda t: t.hygiene.failed_commands)),
        line("shell-first searches", "a run", mean(lambda t: t.hygiene.shell_first_searches)),
        line("duplicate searches", "a run", mean(lambda t: t.hygiene.duplicate_searches)),
        line(
            "searches per read",
            "",
            lambda side: _share(
                sum(t.hygiene.searches for t in side), sum(t.hygiene.reads for t in side)
            ),
        ),
        line("claims without evidence", "a run", mean(lambda t: t.hygiene.claims_without_evidence)),
        line("iterations", "a run", mean(lambda t: t.iterations)),
        line("tokens", "a run", mean(lambda t: t.tokens)),
        line("cost", "US dollars a run", _cost),
    ]


def paired(trials: Sequence[Trial], ways: Sequence[str]) -> list[Trial]:
    """Those that had an answer, and whose task had one in every way the same time it was done."""
    answered = [each for each in trials if not each.unanswered]
    there: dict[tuple[str, int], set[str]] = {}
    for each in answered:
        there.setdefault((each.task, each.number), set()).add(each.way)
    return [each for each in answered if there[each.task, each.number].issuperset(ways)]


def _won(trials: Sequence[Trial], ways: Sequence[str]) -> Figure:
    """In how many tasks each way succeeded more often than any other: a mean alone hides who won what."""
    tasks = sorted({each.task for each in trials})
    best = [_best(task, trials, ways) for task in tasks]
    same = sum(way is None for way in best)
    values = tuple(float(sum(each == way for each in best)) if tasks else None for way in ways)
    return Figure(
        name="tasks won",
        unit=f"tasks, by success; {same} of {len(tasks)} the same",
        values=values,
        more_is_better=True,
    )


def _best(task: str, trials: Sequence[Trial], ways: Sequence[str]) -> str | None:
    """The way that did this task best; None where it has an equal."""
    good = {way: sum(t.success for t in trials if (t.task, t.way) == (task, way)) for way in ways}
    most = max(good.values())
    best = [way for way in ways if good[way] == most]
    return best[0] if len(best) == 1 else None


def _cost(side: Sequence[Trial]) -> float | None:
    costs = [each.cost for each in side]
    known = [cost for cost in costs if cost is not None]
    return sum(known) / len(known) if len(known) == len(costs) else None


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
