"""
Runs as they are listed and shown: the view of the log, and what only the engine knows besides.

A run whose process died told nobody, so to the log it is still running; here it is `interrupted`.
One that waits in the queue is `queued`, and shown alone it says what it waits for.
"""

import os
from collections.abc import Sequence
from typing import Any

from prowess.cli.output import clean, note, print_table, say, say_wrapped, words
from prowess.core.ports import Log
from prowess.settings import Settings

Told = dict[str, Any]


def told_runs(settings: Settings, log: Log, runs: Sequence[str]) -> list[Told]:
    """Each run as JSON, in the same order."""
    from prowess.observe.views import run_view

    told = [run_view(log.run(run)).as_json() for run in runs]
    for each in told:
        each["project"] = project_of(log, each["id"])
    if under_way := [each for each in told if each["ended"] is None]:
        _stand(settings, under_way)
    return told


def _stand(settings: Settings, under_way: Sequence[Told]) -> None:
    """Say of runs on which nobody works why that is so."""
    from prowess.durable.standing import standing, why_waiting
    from prowess.engine.limits import read_limits

    stands = standing(settings.engine_place)
    for each in under_way:
        each["state"] = stands.get(each["id"].partition(".")[0], each["state"])
        if each["state"] == "queued" and len(under_way) == 1:
            limits = read_limits(settings.limits)
            each["waits"] = why_waiting(settings.engine_place, each["id"], limits)


def project_of(log: Log, run: str) -> str:
    """The folder that the run works in; empty for a run from before this was on record."""
    first = next(iter(log.run(run)), None)
    return str(first.event.payload.get("project", "")) if first else ""


def print_runs(runs: Sequence[Told]) -> None:
    """One line a run. The project is shown when they are not all of the same."""
    several = len({each["project"] for each in runs}) > 1
    print_table(
        ("RUN", "STATE", *(["PROJECT"] if several else []), "SKILL", "STARTED", "N", "LAST"),
        [
            (
                each["id"],
                each["state"],
                *([os.path.basename(each["project"])] if several else []),
                each["skill"],
                _at(each["started"]),
                str(each["iterations"]),
                _last(each),
            )
            for each in runs
        ],
    )
    for each in runs:
        if each["state"] == "interrupted":
            note(f"`prowess runs resume {each['id']}` goes on with what was interrupted.")
            return


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
            say_wrapped(f"{name.replace('_', ' ') + ':':<16}{line}", indent=16)
    if "\n" in report:
        say(f"\n{report}")


def _at(time: str) -> str:
    """Without the fraction of a second, which nobody reads."""
    whole, _, rest = time.partition(".")
    return f"{whole}Z" if rest else whole
