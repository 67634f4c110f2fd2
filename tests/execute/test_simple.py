"""Simple mode: one plan, its calls once, one answer."""

from collections.abc import Mapping
from typing import Any

from prowess.core.errors import ModelError
from prowess.execute.simple import run_simple
from prowess.model.scripted import call, calls, final, malformed
from running import Running

ECHO = {"Read": lambda given: f"text of {given['file_path']}"}


def test_the_calls_of_the_plan_are_made_once_and_the_second_reply_is_the_answer() -> None:
    plan = calls(("Read", {"file_path": "a"}), ("Read", {"file_path": "b"}))
    run = Running([plan, final("both read")], ECHO)

    outcome = run(run_simple)

    assert outcome.answer == "both read"
    assert len(run.made) == 2
    assert [message.text for message in run.asked[1][-3:]] == ["text of a", "text of b", "LAST"]


def test_nothing_is_tried_again() -> None:
    def fails(given: Mapping[str, Any]) -> str:
        raise OSError("no such file")

    run = Running([call("Read", file_path="a"), call("Read", file_path="b")], {"Read": fails})

    outcome = run(run_simple)

    assert outcome.ending == "partial"
    assert len(run.made) == 1


def test_an_answer_at_once_is_an_answer() -> None:
    outcome = Running([final("42")])(run_simple)

    assert (outcome.ending, outcome.iterations) == ("done", 1)


def test_what_cannot_be_followed_fails() -> None:
    odd, lost = Running([malformed("{", "no JSON")]), Running([ModelError("gone")])

    followed, asked = odd(run_simple), lost(run_simple)

    assert (followed.ending, followed.reason) == ("failed", "malformed reply: no JSON")
    assert followed.answer == "Last thought: {"
    assert (asked.ending, asked.reason, asked.answer) == ("failed", "gone", "")
    assert lost.payloads("model.failed")[0]["trouble"] == "gone"
