"""A run's view is what its events say, whichever version wrote them."""

import json
from typing import Any

import pytest

from prowess.core.event import Event, Recorded
from prowess.model.scripted import call, final
from prowess.observe.views import Child, RunView, run_view
from running import Running

ASKED = {"id": "q1", "prompt": "Which?", "options": ["a", "b"], "default": None}


def told(*events: tuple[str, dict[str, Any]]) -> list[Recorded]:
    """A run's events, one a second."""
    return [
        Recorded(
            event=Event(run="r1", kind=kind, payload=payload),
            seq=n,
            position=10 * n,
            at=f"2026-01-31T10:00:{n:02}.000Z",
        )
        for n, (kind, payload) in enumerate(events, 1)
    ]


def started(**more: Any) -> tuple[str, dict[str, Any]]:
    asked = {"run_kind": "skill", "skill": "pdf", "arguments": "a.pdf", "parent": "", "progress": 0}
    return "run.started", {**asked, "summary": "Run pdf", **more}


def replied(iteration: int, *, cost: float | None = 0.5) -> tuple[str, dict[str, Any]]:
    usage = {"input_tokens": 100, "output_tokens": 10, "cached_tokens": 0, "cost": cost}
    return "model.replied", {
        "iteration": iteration,
        "usage": usage,
        "model": "sonnet",
        "summary": f"Thought {iteration}",
        "progress": 10 * iteration,
    }


def finished(ending: str = "done", **more: Any) -> tuple[str, dict[str, Any]]:
    outcome = {"ending": ending, "answer": "", "reason": "", "iterations": 0, "tokens": 0}
    return "run.finished", {"summary": "The end", "outcome": {**outcome, "cost": 0.0, **more}}


def view(*events: tuple[str, dict[str, Any]]) -> RunView:
    return run_view(told(*events))


def test_a_run_that_has_just_begun_is_running_and_tells_what_was_asked() -> None:
    seen = view(started(model="haiku", max_iterations=15))

    assert (seen.id, seen.kind, seen.skill, seen.arguments) == ("r1", "skill", "pdf", "a.pdf")
    assert (seen.state, seen.progress, seen.iterations) == ("running", 0, 0)
    assert (seen.model, seen.max_iterations, seen.ended) == ("haiku", 15, None)
    assert seen.started == "2026-01-31T10:00:01.000Z"
    assert seen.summary == "Run pdf"


def test_iterations_tokens_and_cost_add_up_as_it_goes() -> None:
    seen = view(started(model="haiku"), replied(1), replied(2))

    assert (seen.iterations, seen.tokens, seen.cost, seen.progress) == (2, 220, 1.0, 20)
    assert seen.model == "sonnet"
    assert seen.summary == "Thought 2"


def looped(
    child: str, *, tokens: int = 0, cost: float | None = None
) -> list[tuple[str, dict[str, Any]]]:
    usage = {"input_tokens": tokens, "output_tokens": 0, "cached_tokens": 0, "cost": cost}
    return [
        ("agent.forked", {"child": child, "skill": "x"}),
        ("agent.joined", {"child": child, "skill": "x", "end": {"usage": usage}}),
    ]


def test_what_no_agent_of_a_loop_told_the_price_of_is_unknown() -> None:
    loop = ("run.started", {"run_kind": "loop", "skill": "PLAN.md"})
    attempt = ("attempt.started", {"run_kind": "attempt", "skill": "command"})
    nothing = ("model.replied", {"usage": {"input_tokens": 0, "output_tokens": 0, "cost": 0.0}})
    forked, joined = looped("r1.1", cost=0.0)  # as older versions told it
    ended = ("attempt.finished", {"outcome": {"ending": "done", "tokens": 0, "cost": 0.0}})

    assert view(loop).cost == 0.0  # nobody was asked
    assert view(loop, forked).cost is None
    assert view(loop, forked, joined).cost is None
    assert view(attempt, nothing).cost is None
    assert view(attempt, nothing, ended).cost is None


def test_what_agents_of_a_loop_told_is_counted_while_it_works_and_free_is_free() -> None:
    loop = ("run.started", {"run_kind": "loop", "skill": "PLAN.md"})
    paid, free = looped("r1.1", tokens=7, cost=0.5), looped("r1.2", tokens=3, cost=0.0)

    seen = view(loop, *paid, *free)

    assert (seen.tokens, seen.cost) == (10, 0.5)
    assert view(loop, *free).cost == 0.0
    assert view(started()).cost == 0.0


def test_a_price_that_nobody_knows_makes_the_cost_unknown() -> None:
    assert view(started(), replied(1), replied(2, cost=None)).cost is None


@pytest.mark.parametrize("ending", ["done", "partial", "failed", "cancelled", "needs_attention"])
def test_the_end_of_a_run_is_its_state(ending: str) -> None:
    seen = view(started(), finished(ending, answer="42", reason="answered"))

    assert seen.state == ending
    assert (seen.answer, seen.reason) == ("42", "answered")
    assert seen.ended == "2026-01-31T10:00:02.000Z"


@pytest.mark.parametrize(
    ("kind", "ending", "last"),
    [
        ("loop", "partial", "2 of 6 tasks are blocked"),
        ("loop", "done", "2 of 6 tasks are blocked"),
        ("skill", "failed", "2 of 6 tasks are blocked"),
        ("skill", "done", "PLAN.md"),
    ],
)
def test_what_a_run_says_last_is_why_it_ended_where_its_answer_would_not_tell(
    kind: str, ending: str, last: str
) -> None:
    report, reason = "# PLAN.md\n\n2 of 6 tasks are blocked.\n", "2 of 6 tasks are blocked"
    _, payload = finished(ending, answer=report, reason=reason)

    seen = view(started(run_kind=kind), ("run.finished", {**payload, "summary": "# PLAN.md"}))

    assert seen.summary == last
    assert seen.answer == report


@pytest.mark.parametrize(
    ("said", "last"),
    [
        ("**For users**", "For users"),
        ("**a** and **b**", "**a** and **b**"),
        ("#1 wins", "#1 wins"),
    ],
)
def test_a_heading_that_a_run_ends_with_is_told_by_its_words(said: str, last: str) -> None:
    _, payload = finished(answer=said)

    assert view(started(), ("run.finished", {**payload, "summary": said})).summary == last


def test_a_question_makes_a_run_wait_until_it_is_answered() -> None:
    asked = ("question.asked", {**ASKED, "summary": "Question: Which?"})
    waiting = view(started(), asked)
    going_on = view(started(), asked, ("question.answered", {"id": "q1", "answer": "a"}))

    assert (waiting.state, waiting.question) == ("waiting", ASKED)
    assert (going_on.state, going_on.question) == ("running", None)


def test_the_oldest_open_question_is_shown_first() -> None:
    second = {**ASKED, "id": "q2"}
    events = (started(), ("question.asked", ASKED), ("question.asked", second))
    both = view(*events)
    one = view(*events, ("question.answered", {"id": "q1"}))

    assert (both.question or {})["id"] == "q1"
    assert (one.question or {})["id"] == "q2"


def test_a_run_that_ended_waits_for_nobody() -> None:
    seen = view(started(), ("question.asked", ASKED), finished("cancelled"))

    assert (seen.state, seen.question) == ("cancelled", None)


def test_sub_agents_are_listed_with_how_they_ended_and_what_they_used_counts() -> None:
    joined = {"child": "r1.1", "skill": "x", "outcome": {"ending": "done", "tokens": 7, "cost": 2}}
    seen = view(
        started(),
        replied(1),
        ("agent.forked", {"child": "r1.1", "skill": "x"}),
        ("agent.joined", joined),
        ("agent.forked", {"child": "r1.2", "skill": "y"}),
    )

    assert seen.children == (
        Child(id="r1.1", skill="x", ending="done"),
        Child(id="r1.2", skill="y"),
    )
    assert (seen.tokens, seen.cost) == (117, 2.5)


def attempt(child: str, *, trouble: str = "none", **usage: Any) -> tuple[str, dict[str, Any]]:
    used = {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0, "cost": None, **usage}
    return "agent.joined", {
        "child": child,
        "skill": "x",
        "end": {"trouble": trouble, "usage": used},
    }


def test_a_loop_tells_what_its_attempts_used_so_far_and_how_they_ended() -> None:
    seen = view(
        started(run_kind="loop"),
        attempt("r1.1", trouble="timeout", input_tokens=90, output_tokens=10, cost=0.25),
        attempt("r1.2", input_tokens=50, cost=0.5),
    )

    assert [(child.id, child.ending) for child in seen.children] == [
        ("r1.1", "failed"),
        ("r1.2", "done"),
    ]
    assert (seen.tokens, seen.cost) == (150, 0.75)


def test_what_an_attempt_costs_that_nobody_tells_stays_unknown() -> None:
    for usage in ({"input_tokens": 5}, {}, {"cost": 0.0}):
        seen = view(started(run_kind="loop"), attempt("r1.1", **usage))

        assert seen.cost is None


def test_an_attempt_that_a_usage_limit_kept_from_beginning_costs_nothing() -> None:
    limited = attempt("r1.1", trouble="usage_limit")

    seen = view(started(run_kind="loop"), limited, attempt("r1.2", output_tokens=5, cost=0.5))

    assert (seen.tokens, seen.cost) == (5, 0.5)


def test_a_loop_that_ended_has_the_figures_that_it_tells() -> None:
    one = attempt("r1.1", input_tokens=50, cost=0.5)

    seen = view(started(run_kind="loop"), one, finished(tokens=70, cost=0.7))

    assert (seen.tokens, seen.cost) == (70, 0.7)


def test_a_run_that_broke_and_cannot_say_what_it_used_still_shows_it() -> None:
    seen = view(started(), replied(1), replied(2), finished("needs_attention"))

    assert (seen.tokens, seen.cost, seen.iterations) == (220, 1.0, 2)


def test_what_the_end_says_was_used_counts_when_it_is_more() -> None:
    seen = view(started(), replied(1), finished(tokens=500, cost=9.0, iterations=4))

    assert (seen.tokens, seen.cost, seen.iterations) == (500, 9.0, 4)


def test_kinds_and_fields_that_nobody_knows_change_nothing() -> None:
    strange = {"progress": "far", "iteration": [1], "summary": {"a": 1}, "id": 3}
    plain = view(started(), replied(1), finished())
    seen = view(started(future={"a": 1}), replied(1), finished(), ("newer.kind", strange))

    assert (seen.state, seen.progress, seen.iterations, seen.summary) == (
        plain.state,
        plain.progress,
        plain.iterations,
        plain.summary,
    )
    assert seen.events == 4


def test_a_view_can_be_shown_as_json() -> None:
    seen = view(
        started(), ("agent.forked", {"child": "r1.1", "skill": "x"}), ("question.asked", ASKED)
    )

    shown = json.loads(json.dumps(seen.as_json()))

    assert shown["id"] == "r1"
    assert shown["state"] == "waiting"
    assert shown["children"] == [{"id": "r1.1", "skill": "x", "ending": ""}]
    assert shown["question"] == ASKED


def test_no_events_are_no_run() -> None:
    with pytest.raises(ValueError, match="one event"):
        run_view([])


def test_the_events_of_a_real_run_make_a_view() -> None:
    run = Running(script=[call("Read", path="a"), final("done")], tools={"Read": lambda _: "text"})
    outcome = run()
    events = [(event.kind, dict(event.payload)) for event in run.events]

    seen = view(started(), *events, ("run.finished", {"outcome": outcome.as_json()}))

    assert (seen.state, seen.answer, seen.iterations) == ("done", "done", 2)
    assert seen.model == "scripted"
