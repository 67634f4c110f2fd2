"""What a run tells: every wait, every call before it is made, one line for people, and how far it is."""

from dataclasses import replace
from typing import Any

import pytest

from prowess.core.chat import Call, Message, Observation, Reply
from prowess.core.event import Event
from prowess.execute.agent import run_agent
from prowess.execute.means import Budget, Means
from prowess.execute.simple import run_simple
from prowess.execute.story import Story
from prowess.model.scripted import call, final, malformed
from running import Running

ECHO = {"Read": lambda given: f"text of {given['file_path']}"}


def story(iterations: int = 10) -> tuple[Story, list[Event]]:
    events: list[Event] = []
    return Story(events.append, run="run", iterations=iterations), events


def a_call(tool: str = "Read", **given: Any) -> Call:
    return Call(id="c", tool=tool, input=given)


def reply(text: str = "") -> Reply:
    return Reply(message=Message(role="assistant", text=text))


def test_a_call_is_told_before_it_is_made_with_its_kind_and_input() -> None:
    run = Running([call("Read", file_path="a"), final("done")], ECHO)
    run.means = {"kinds": {"Read": "FILE"}}

    run()

    (started,) = run.payloads("call.started")
    assert run.kinds().index("call.started") < run.kinds().index("call.finished")
    assert (started["tool"], started["tool_kind"]) == ("Read", "FILE")
    assert started["input"] == {"file_path": "a"}
    assert (started["summary"], started["visibility"]) == ("Read a", "FULL")


def test_a_tool_that_nobody_named_a_kind_for_is_an_api() -> None:
    run = Running([call("Read", file_path="a"), final("done")], ECHO)

    run()

    assert run.payloads("call.finished")[0]["tool_kind"] == "API"


def test_every_wait_for_the_model_is_told_to_people() -> None:
    tells, events = story()

    tells.waited(3, ["busy\nfor long", "busy again"])

    assert [event.payload["summary"] for event in events] == ["busy", "busy again"]
    assert {event.kind for event in events} == {"model.waited"}
    assert events[0].payload["why"] == "busy\nfor long"
    assert events[0].payload["visibility"] == "SUMMARY"


def test_the_model_is_told_that_it_took_too_long() -> None:
    run = Running([final("done")], budget=Budget(iterations=3, seconds=0.05), slow=(30.0,))

    run()

    assert run.asked[1][-1].text == "MALFORMED: no answer within the iteration's 0.05 s"


def test_without_objectives_progress_follows_the_iterations() -> None:
    tells, events = story(iterations=4)

    for iteration in (1, 2, 4):
        tells.replied(iteration, reply(), context_tokens=1)

    assert [event.payload["progress"] for event in events] == [0, 25, 75]


def test_progress_is_never_all_before_the_end_and_never_less_than_it_was() -> None:
    tells, events = story()

    for share in (1.0, 0.2, None):
        tells.progress(share)
        tells.replied(1, reply(), context_tokens=1)

    assert [event.payload["progress"] for event in events] == [99, 99, 99]


@pytest.mark.parametrize(
    ("seen", "summary"),
    [
        (Observation(call_id="c", text=""), "Read a"),
        (Observation(call_id="c", text="", ok=False), "Read a: failed"),
        (Observation(call_id="c", text="", ok=False, refused=True), "Read a: refused"),
    ],
)
def test_how_a_call_went_is_in_its_line(seen: Observation, summary: str) -> None:
    tells, events = story()

    tells.observed(1, a_call(file_path="a"), seen, "FILE", 0.12345)

    assert events[0].payload["summary"] == summary
    assert events[0].payload["seconds"] == 0.123
    assert events[0].payload["visibility"] == "SUMMARY"


def test_keeping_the_list_of_objectives_is_shown_to_those_who_see_all() -> None:
    tells, events = story()

    tells.observed(1, a_call("Objectives"), Observation(call_id="c", text=""), "API", 0.0)

    assert events[0].payload["visibility"] == "FULL"


def test_a_reply_is_summed_up_by_its_first_line_or_by_what_is_wrong_with_it() -> None:
    tells, events = story()
    for said in (reply("I look.\nAnd look."), malformed("?", "not JSON"), reply()):
        tells.replied(1, said, context_tokens=1)

    assert [event.payload["summary"] for event in events] == ["I look.", "not JSON", "Working"]


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"command": "ls", "description": "List files"}, "Bash List files"),
        ({"pattern": "x", "path": " "}, "Bash x"),
        ({"other": "x"}, "Bash"),
        ({"command": "first\nsecond"}, "Bash first"),
    ],
)
def test_a_call_is_one_line_with_what_says_most(given: dict[str, str], line: str) -> None:
    tells, events = story()

    tells.called(1, a_call("Bash", **given), "SHELL")

    assert events[0].payload["summary"] == line


def test_what_may_not_be_kept_is_taken_out_before_a_line_is_cut() -> None:
    events: list[Event] = []
    tells = Story(
        events.append,
        run="run",
        iterations=3,
        clean=lambda text: text.replace("two words", "[secret]").replace("two\nlines", "[secret]"),
    )

    tells.called(1, a_call("Bash", command="so " * 25 + "two words and more"), "SHELL")
    tells.replied(1, reply("two\nlines"), context_tokens=1)
    tells.stumbled(1, "so " * 25 + "two words and more")

    assert "two" not in str([event.payload["summary"] for event in events])


@pytest.mark.parametrize("how", [run_agent, run_simple])
def test_a_run_tells_each_wait_for_its_model_before_the_reply(how: Any) -> None:
    async def think(messages: Any, cards: Any, on_wait: Any) -> Reply:
        on_wait("busy for 2 s")
        return final("done")

    def patient(messages: Any, *, means: Means, budget: Budget) -> Any:
        return how(messages, means=replace(means, think=think), budget=budget)

    run = Running([])
    run(patient)

    assert run.kinds() == ["model.waited", "model.replied"]
    assert run.payloads("model.waited")[0]["why"] == "busy for 2 s"


def test_a_sub_agent_is_told_how_many_iterations_are_left_and_other_calls_are_made_as_ever() -> (
    None
):
    asked: list[tuple[str, int]] = []

    async def delegate(made: Call, left: int) -> Observation | None:
        asked.append((made.tool, left))
        return Observation(call_id=made.id, text="joined") if made.tool == "Skill" else None

    run = Running(
        [call("Skill", name="deep"), call("Read", file_path="a"), final("done")],
        ECHO,
        budget=Budget(iterations=5),
        means={"delegate": delegate},
    )
    run()

    assert asked == [("Skill", 4), ("Read", 3)]
    assert [made.tool for made in run.made] == ["Read"]
    assert run.asked[1][-1].text == "joined"
