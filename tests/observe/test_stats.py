"""The counters are computed from the log and from nothing else."""

from typing import Any

from prowess.core import event
from prowess.core.event import Event, Recorded
from prowess.core.selection import Match, SkillSelection
from prowess.observe.stats import counters


def recorded(*events: Event) -> list[Recorded]:
    return [Recorded(event=each, seq=n, position=n, at="") for n, each in enumerate(events, 1)]


def other(kind: str, **payload: Any) -> Event:
    return Event(run="r", kind=kind, payload=payload)


def selected(*names: str) -> Event:
    skills = tuple(Match(name=name, reason="why") for name in names)
    return event.skills_selected(
        SkillSelection(
            run_id="r", step_kind="review", task_label="t", skills=skills, strategy="match"
        )
    )


def test_an_empty_log_counts_nothing() -> None:
    assert counters([]) == {
        "skills_discovered_total": 0,
        "skills_selected_total": 0,
        "skills_load_failed_total": 0,
        "skills_truncated_total": 0,
    }


def test_each_kind_of_event_has_its_counter_over_all_runs() -> None:
    log = recorded(
        event.skills_discovered("a", locations=["/x"], names=["one", "two"]),
        event.skills_discovered("b", locations=["/x"], names=["one", "two", "three"]),
        selected("one", "two"),
        selected(),
        selected("three"),
        event.skills_load_failed("a", name="four", error="no header"),
        event.skills_truncated("a", name="one", max_chars=9),
        event.skills_truncated("b", name="one", max_chars=9),
    )

    assert counters(log) == {
        "skills_discovered_total": 5,
        "skills_selected_total": 3,
        "skills_load_failed_total": 1,
        "skills_truncated_total": 2,
    }


def test_events_of_another_version_are_passed_over() -> None:
    log = recorded(other("TASK_FINISHED", count=7), other("SKILLS_SELECTED"), selected("one"))

    assert counters(log)["skills_selected_total"] == 1
    assert counters(log)["skills_discovered_total"] == 0
