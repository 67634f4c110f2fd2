"""
Runs as they are listed and shown: the view of the log, and what only the engine knows besides.

A run whose process died told nobody, so to the log it is still running; here it is `interrupted`.
One that waits in the queue is `queued`, and shown alone it says what it waits for.
"""

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from prowess.cli.output import Table, clean, note, print_table, say, say_wrapped, words
from prowess.core.ports import Log
from prowess.settings import Settings

Told = dict[str, Any]
Columns = dict[str, list[str]]  # by their headings
_NAME, _SHORT_NAME = 16, 12  # characters of a name where there is little room, and less
_PAGE = 200  # runs looked through at once, for those that are asked for


def told_runs(settings: Settings, log: Log, runs: Sequence[str]) -> list[Told]:
    """Each run as JSON, in the same order."""
    from prowess.observe.views import run_view

    told = [run_view(log.run(run)).as_json() for run in runs]
    if under_way := [each for each in told if each["ended"] is None]:
        _stand(settings, under_way)
    return told


def newest(settings: Settings, log: Log, wanted: Told, *, limit: int) -> list[Told]:
    """The newest runs whose view says what is wanted."""
    size, before = (_PAGE if wanted else limit), None
    found: list[Told] = []
    while len(found) < limit and (page := log.runs(limit=size, before=before)):
        told = told_runs(settings, log, page)
        found += [each for each in told if wanted.items() <= each.items()]
        before = page[-1]
    return found[:limit]


def _stand(settings: Settings, under_way: Sequence[Told]) -> None:
    """Say of runs on which nobody works why that is so."""
    from prowess.durable.standing import standing, why_waiting
    from prowess.durable.takers import waits_for
    from prowess.engine.limits import limits_of

    stands = standing(settings.engine_place)
    for each in under_way:
        each["state"] = stands.get(each["id"].partition(".")[0], each["state"])
        if each["state"] == "queued" and len(under_way) == 1:
            limits = limits_of(settings)
            reason = why_waiting(settings.engine_place, each["id"], limits)
            each["waits"] = waits_for(settings.engine_place, each["id"], reason)


def print_runs(runs: Sequence[Told]) -> None:
    """One line a run. The project is shown when they are not all of the same."""
    columns = {
        "RUN": [each["id"] for each in runs],
        "STATE": [each["state"] for each in runs],
        "PROJECT": [os.path.basename(each["project"]) for each in runs],
        "SKILL": [each["skill"] for each in runs],
        "STARTED": [_at(each["started"]) for each in runs],
        "ITERATIONS": [str(each["iterations"]) for each in runs],
        "LAST": [_last(each) for each in runs],
    }
    if len({each["project"] for each in runs}) == 1:
        del columns["PROJECT"]
    ago = [_ago(each["started"]) for each in runs]
    print_table(*_table(columns), shorter=map(_table, _shorter({**columns, "STARTED": ago})))
    for each in runs:
        if (state := each["state"]) in ("interrupted", "paused"):
            note(f"`prowess runs resume {each['id']}` goes on with what was {state}.")
            return


def _table(columns: Columns) -> Table:
    return list(columns), zip(*columns.values(), strict=True)


def _shorter(columns: Columns) -> Iterator[Columns]:
    """For terminals that are ever narrower: what tells least goes first."""
    yield columns
    columns = _without(columns, "ITERATIONS")
    yield columns
    columns = _with_names(columns, _NAME)
    yield columns
    yield (columns := _without(columns, "STARTED"))
    if "PROJECT" in columns:  # they differ, and a plan or a skill may be called the same in each
        yield _with_names(columns, _SHORT_NAME)
        yield _without(columns, "PROJECT")


def _without(columns: Columns, name: str) -> Columns:
    return {each: cells for each, cells in columns.items() if each != name}


def _with_names(columns: Columns, most: int) -> Columns:
    """With those of projects and skills cut to so many characters."""
    return {
        name: [_cut(cell, most) for cell in cells] if name in {"PROJECT", "SKILL"} else cells
        for name, cells in columns.items()
    }


def _cut(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _last(told: Told) -> str:
    """What happened last; of a run that came to no good end, why."""
    return str((told["state"] != "done" and told["reason"]) or told["summary"])


def print_run(told: Told) -> None:
    """One run in words; what is empty is left out."""
    shown = {
        **told,
        "started": _at(told["started"]),
        "ended": _at(told["ended"] or ""),
        "question": told["question"] and [told["question"]["prompt"], told["question"]["options"]],
        "children": [f"{each['id']} {each['skill']} {each['ending']}" for each in told["children"]],
    }
    report = told["answer"].strip()
    if "\n" in report:  # a text of several lines is read as it was written, below the others
        shown["answer"] = ""
    for name, value in shown.items():
        if line := clean(words(value)):
            say_wrapped(line, head=f"{name.replace('_', ' ') + ':':<16}")
    if "\n" in report:
        say(f"\n{report}")


def _at(time: str) -> str:
    """Without the fraction of a second, which nobody reads."""
    whole, _, rest = time.partition(".")
    return f"{whole}Z" if rest else whole


def _ago(time: str) -> str:
    """How long it is since then, in the largest unit that says something."""
    minutes = int((datetime.now(UTC) - datetime.fromisoformat(time)).total_seconds()) // 60
    for unit, size in (("d", 24 * 60), ("h", 60)):
        if minutes >= size:
            return f"{minutes // size}{unit} ago"
    return f"{max(0, minutes)}m ago"
