"""What a run used, what its sub-agents used, and what it has to show when no answer came."""

from collections.abc import Mapping
from typing import Any

import pytest

from prowess.core.chat import Call, Message, Observation, Reply, Usage
from prowess.execute.attempts import Attempts
from prowess.execute.ledger import Ledger
from prowess.execute.objectives import observed, read, share


def reply(text: str = "", model: str = "m", cost: float | None = 0.5) -> Reply:
    usage = Usage(input_tokens=100, output_tokens=10, cost=cost)
    return Reply(message=Message(role="assistant", text=text), usage=usage, model=model)


def kept(marks: str) -> Call:
    """A list of objectives, those with an x done."""
    items = [{"text": f"o{at}", "done": mark == "x"} for at, mark in enumerate(marks, 1)]
    return Call(id="c", tool="Objectives", input={"objectives": items})


def seen(*, ok: bool = True, **facts: Any) -> Observation:
    return Observation(call_id="c", text="no", ok=ok, facts=facts)


READ = Call(id="c", tool="Read", input={"file_path": "a"})


def test_requests_tokens_and_money_are_added_up_by_model() -> None:
    ledger = Ledger()
    for model in ("m", "m", "n"):
        ledger.add(reply(model=model))

    outcome = ledger.outcome("done", "a", "r", 3)

    assert (outcome.tokens, outcome.cost, outcome.iterations) == (330, 1.5, 3)
    assert outcome.details["models"]["m"] == {
        "requests": 2,
        "input_tokens": 200,
        "output_tokens": 20,
        "cost": 1.0,
    }


def test_one_price_that_nobody_knows_makes_the_sum_unknown() -> None:
    ledger = Ledger()
    for cost in (0.5, None, 0.5):
        ledger.add(reply(cost=cost))

    assert ledger.cost is None
    assert ledger.models["m"]["cost"] is None


def test_what_a_sub_agent_used_its_parent_used() -> None:
    child = Ledger()
    child.add(reply(model="small"))
    ledger = Ledger()
    ledger.add(reply())

    ledger.observe([READ], [seen(outcome=child.outcome("done", "", "", 1).as_json())])

    assert (ledger.tokens, ledger.cost) == (220, 1.0)
    assert ledger.models["small"]["requests"] == 1


def test_the_sum_counts_where_what_was_used_is_not_told_by_model() -> None:
    ledger = Ledger()

    ledger.observe(
        [READ, READ], [seen(outcome={"tokens": 70, "cost": 0.25, "details": {}}), seen()]
    )

    assert (ledger.tokens, ledger.cost, ledger.models) == (70, 0.25, {})


def test_without_objectives_the_report_counts_calls_and_tells_the_last_thought() -> None:
    ledger, attempts = Ledger(), Attempts(3)
    ledger.add(reply("I look."))
    ledger.add(reply("  "))
    ledger.observe([READ, READ], [seen(), seen(ok=False)])
    attempts.note(READ, seen(ok=False))

    assert ledger.report(attempts) == (
        "Completed 1 of 2 calls; no answer was given.\n\nLast thought: I look.\n\n"
        'What failed:\n- Read {"file_path": "a"} (1 of 3): no'
    )
    assert "objectives" not in ledger.outcome("partial", "", "", 1).details


def test_with_objectives_the_report_lists_them_and_only_the_newest_failures() -> None:
    ledger, attempts = Ledger(), Attempts(3)
    ledger.observe([kept("x-")], [seen()])
    for number in range(7):
        attempts.note(Call(id="c", tool="Read", input={"file_path": str(number)}), seen(ok=False))

    told = ledger.report(attempts)

    assert told.startswith("Completed 1 of 2 objectives.\n\n- [x] o1\n- [ ] o2\n\nWhat failed:")
    assert told.count("- Read") == 5
    assert '"1"' not in told
    assert '"2"' in told
    assert ledger.outcome("partial", "", "", 1).details["objectives"] == [
        {"text": "o1", "done": True},
        {"text": "o2", "done": False},
    ]


def test_a_list_that_cannot_be_read_leaves_the_one_before_it() -> None:
    ledger = Ledger()
    ledger.observe([kept("x")], [seen()])

    ledger.observe([Call(id="c", tool="Objectives", input={})], [seen(ok=False)])

    assert ledger.objectives == (("o1", True),)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"objectives": "a"},
        {"objectives": []},
        {"objectives": ["a"]},
        {"objectives": [{"text": 3}]},
        {"objectives": [{"text": "a"}, {"done": True}]},
    ],
)
def test_what_is_no_list_of_objectives_is_refused_with_how_to_write_one(
    given: Mapping[str, Any],
) -> None:
    told = observed(Call(id="c", tool="Objectives", input=given))

    assert read(given) is None
    assert not told.ok
    assert "a list of {text, done}" in told.text


def test_only_true_is_done_and_progress_is_their_share() -> None:
    listed = read({"objectives": [{"text": "a", "done": True}, {"text": "b", "done": "yes"}]})

    assert listed == (("a", True), ("b", False))
    assert share(listed) == 0.5
    assert share(()) is None
