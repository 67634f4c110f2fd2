"""The numbers are computed from the log and from nothing else."""

import json
from typing import Any

import pytest

from prowess.core import event
from prowess.core.event import Event, Recorded
from prowess.core.selection import Match, SkillSelection
from prowess.observe.recoveries import way_of
from prowess.observe.stats import Tally, Used, counters, stats


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


# Runs


def run(
    name: str, *events: tuple[str, dict[str, Any]], skill: str = "pdf", day: str = "2026-01-31"
) -> list[Recorded]:
    """The events of a run from its beginning on."""
    all_of_them = [("run.started", {"skill": skill}), *events]
    return [
        Recorded(
            event=Event(run=name, kind=kind, payload=payload),
            seq=n,
            position=n,
            at=f"{day}T10:00:00.000Z",
        )
        for n, (kind, payload) in enumerate(all_of_them, 1)
    ]


def ended(ending: str = "done", iterations: int = 1) -> tuple[str, dict[str, Any]]:
    return "run.finished", {"outcome": {"ending": ending, "iterations": iterations}}


def called(
    tool: str = "Read",
    *,
    ok: bool = True,
    healed: tuple[str, ...] = (),
    refused: bool = False,
    call_id: str = "c",
) -> tuple[str, dict[str, Any]]:
    return "call.finished", {
        "call_id": call_id,
        "tool": tool,
        "ok": ok,
        "refused": refused,
        "healed": list(healed),
    }


def recovered(how: str, tool: str = "Read", call_id: str = "r") -> tuple[str, dict[str, Any]]:
    return "call.recovered", {"call_id": call_id, "tool": tool, "how": how}


def used(model: str, read: int, written: int, cost: float | None) -> tuple[str, dict[str, Any]]:
    usage = {"input_tokens": read, "output_tokens": written, "cost": cost}
    return "model.replied", {"model": model, "usage": usage}


def test_a_log_without_runs_has_no_rates() -> None:
    numbers = stats(recorded(selected("one"), other("call.finished", ok=False))).all

    assert (numbers.runs, numbers.success_rate, numbers.recovery_rate) == (0, None, None)
    assert numbers.iterations is None


def test_success_is_counted_per_skill_over_runs_that_ended_and_were_not_cancelled() -> None:
    told = stats(
        [
            *run("a", ended("done", 4)),
            *run("b", ended("partial", 2)),
            *run("c", ended("cancelled", 0)),
            *run("d"),
            *run("e", ended("done", 3), skill="csv"),
        ]
    )

    assert told.skills["pdf"].runs == 4
    assert told.skills["pdf"].success_rate == 0.5
    assert told.skills["pdf"].iterations == 2
    assert told.skills["csv"].success_rate == 1
    assert told.all.success_rate == 2 / 3
    assert dict(told.all.endings) == {"done": 2, "partial": 1, "cancelled": 1}


def test_recovery_is_the_share_of_failing_calls_that_were_overcome() -> None:
    told = stats(
        run(
            "a",
            called(ok=False),
            called(ok=False),
            called(),
            recovered("another approach with Read"),
            called(healed=("read a.csv as latin-1",), call_id="h"),
            recovered("read a.csv as latin-1", call_id="h"),
            called("Bash", ok=False),
        )
    )

    assert (told.all.failing_calls, told.all.overcome_calls) == (4, 3)
    assert told.all.recovery_rate == 0.75


def test_a_refused_call_is_no_failure() -> None:
    assert stats(run("a", called(ok=False, refused=True))).all.failing_calls == 0


def test_what_one_run_overcame_overcomes_nothing_in_another() -> None:
    first, second = run("a", called(ok=False)), run("b", recovered("another try"))

    assert stats([*first, *second]).all.overcome_calls == 0


def test_a_helped_call_leaves_open_what_failed_before_it() -> None:
    told = stats(
        run(
            "a",
            called(ok=False),
            called(healed=("read a.csv as latin-1",), call_id="h"),
            recovered("read a.csv as latin-1", call_id="h"),
        )
    )

    assert (told.all.failing_calls, told.all.overcome_calls) == (2, 1)


def test_the_most_common_recoveries_come_first_with_their_share() -> None:
    told = stats(
        run(
            "a",
            called(healed=("read a.csv as latin-1",)),
            called(healed=("read b.csv as utf-16",)),
            called(healed=("there is no report.md; took reports.md",)),
            called("Bash", ok=False),
            recovered("another approach with Bash", tool="Bash"),
        )
    )

    assert told.all.recoveries == (
        {"how": "file encoding", "count": 2, "share": 0.5},
        {"how": "near-miss name", "count": 1, "share": 0.25},
        {"how": "another approach", "count": 1, "share": 0.25},
    )


def test_tokens_and_cost_are_counted_per_model_and_an_unknown_price_stays_unknown() -> None:
    told = stats(
        run("a", used("haiku", 10, 1, 0.25), used("haiku", 10, 1, 0.25), used("own", 5, 5, None))
    )

    assert told.models["haiku"] == Used(requests=2, input_tokens=20, output_tokens=2, cost=0.5)
    assert told.models["own"].cost is None
    assert (told.all.tokens, told.all.cost) == (32, None)


def looped(name: str, *events: tuple[str, dict[str, Any]]) -> list[Recorded]:
    begun, *rest = run(name, *events, skill="PLAN.md")
    begun.event.payload["run_kind"] = "loop"  # type: ignore[index]
    return [begun, *rest]


def joined(tokens: int, cost: float | None) -> tuple[str, dict[str, Any]]:
    usage = {"input_tokens": tokens, "output_tokens": 0, "cost": cost}
    return "agent.joined", {"child": "a.1", "end": {"usage": usage}}


def test_what_agents_of_a_loop_tell_is_counted_and_what_they_do_not_tell_is_unknown() -> None:
    forked = ("agent.forked", {"child": "a.1"})

    told = stats(looped("a", forked, joined(7, 0.5), ended()))
    assert (told.loops["PLAN.md"].tokens, told.loops["PLAN.md"].cost) == (7, 0.5)
    assert stats(looped("a", forked, joined(7, 0.0))).all.cost == 0.0
    assert stats(looped("a", forked, joined(0, 0.0))).all.cost is None
    assert stats(looped("a", forked)).loops["PLAN.md"].cost is None
    assert stats(looped("a")).all.cost == 0.0


def test_plans_of_the_same_name_are_told_apart_by_their_projects() -> None:
    def loops(*projects: str) -> list[str]:
        events = []
        for number, project in enumerate(projects):
            begun, *rest = looped(str(number), ended())
            begun.event.payload["project"] = project  # type: ignore[index]
            events += [begun, *rest]
        return list(stats(events).loops)

    assert loops("/a/blog", "/a/blog") == ["PLAN.md"]
    assert loops("/a/blog", "/a/shop") == ["PLAN.md in blog", "PLAN.md in shop"]
    assert loops("/a/x", "/b/x", "/b/y") == ["PLAN.md in /a/x", "PLAN.md in /b/x", "PLAN.md in y"]


def test_days_are_in_order_and_a_run_counts_on_the_day_it_began() -> None:
    later = run("b", ended("failed"), day="2026-02-01")
    told = stats([*later, *run("a", ended("done"))])

    assert list(told.days) == ["2026-01-31", "2026-02-01"]
    assert told.days["2026-01-31"].success_rate == 1
    assert told.days["2026-02-01"].success_rate == 0


def test_numbers_can_be_read_at_any_time_and_added_to() -> None:
    tally = Tally()
    for each in run("a", called(ok=False)):
        tally.add(each)
    before = tally.stats().all
    for each in run("b", ended()):
        tally.add(each)

    assert (before.runs, tally.stats().all.runs) == (1, 2)


def test_stats_can_be_shown_as_json() -> None:
    told = stats(run("a", called(healed=("made the folder x",)), used("m", 1, 1, 0.5), ended()))

    shown = json.loads(json.dumps(told.as_json()))

    assert shown["skills"]["pdf"]["endings"] == {"done": 1}
    assert shown["models"]["m"]["cost"] == 0.5


@pytest.mark.parametrize(
    ("how", "way"),
    [
        ("another try", "another try"),
        ("read a b.txt as windows-1252", "file encoding"),
        ("read limit as integer", "arguments as they were meant"),
        ("rg is not installed; used grep", "stand-in for a missing command"),
        ("tried again 2 times, as the trouble was passing", "waiting and trying again"),
        ("something new", "something new"),
    ],
)
def test_recoveries_are_counted_by_their_way_and_not_by_their_words(how: str, way: str) -> None:
    assert way_of(how) == way
