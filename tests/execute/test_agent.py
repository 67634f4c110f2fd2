"""Think, act, look, repeat: what a run does, told by the conversation and the events it leaves."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from prowess.core.chat import Call, Message, Observation, Reply, Usage
from prowess.core.errors import ContextTooLongError, ModelError
from prowess.core.verdict import Verdict
from prowess.execute.means import Budget
from prowess.model.scripted import Turn, call, calls, final, malformed
from running import KilledError, Remembering, Running


def fails(given: Mapping[str, Any]) -> str:
    raise OSError("no such file")


ECHO = {"Read": lambda given: f"text of {given['file_path']}"}


def test_a_run_ends_with_the_answer_and_its_reason() -> None:
    run = Running([call("Read", file_path="a"), final("It says a.")], ECHO)

    outcome = run()

    assert (outcome.ending, outcome.answer, outcome.reason) == ("done", "It says a.", "answered")
    assert outcome.iterations == 2


def test_the_model_reads_what_its_call_brought() -> None:
    run = Running([call("Read", thought="look", file_path="a"), final("done")], ECHO)

    run()

    assert [message.role for message in run.asked[1]] == ["system", "user", "assistant", "tool"]
    assert run.asked[1][-1].text == "text of a"
    assert run.asked[1][-1].answers == run.asked[1][-2].calls[0].id


def test_the_conversation_only_grows_so_that_prompt_caches_hold() -> None:
    script = [*(call("Read", file_path=str(n)) for n in range(5)), final("done")]
    run = Running(script, ECHO)

    run()

    for before, after in zip(run.asked, run.asked[1:], strict=False):
        assert after[: len(before)] == before


def test_a_run_makes_no_more_iterations_than_its_budget() -> None:
    run = Running(lambda said: call("Read", file_path=str(len(said))), ECHO)

    outcome = run()

    assert outcome.ending == "partial"
    assert outcome.iterations == len(run.asked) == 15


def test_an_answer_on_the_last_iteration_counts() -> None:
    script = [*(call("Read", file_path=str(n)) for n in range(14)), final("just in time")]

    assert Running(script, ECHO)().answer == "just in time"


def test_before_the_last_iteration_the_model_is_told_that_it_is_the_last() -> None:
    run = Running(lambda said: call("Read", file_path=str(len(said))), ECHO, Budget(iterations=3))

    run()

    assert [message.text for message in run.asked[2]].count("LAST") == 1
    assert "LAST" not in [message.text for message in run.asked[1]]


def test_a_partial_result_counts_the_objectives() -> None:
    listed = [{"text": "load", "done": True}, {"text": "report", "done": False}]
    run = Running(lambda said: call("Objectives", objectives=listed), {}, Budget(iterations=2))

    outcome = run()

    assert outcome.answer.startswith("Completed 1 of 2 objectives.")
    assert "- [ ] report" in outcome.answer
    assert not run.made


def test_a_malformed_reply_costs_an_iteration_and_is_told_to_the_model() -> None:
    run = Running([malformed("{", "no JSON"), final("done")])

    outcome = run()

    assert outcome.iterations == 2
    assert run.asked[1][-1].text == "MALFORMED: no JSON"


def test_the_fourth_identical_failing_call_is_refused_before_it_runs() -> None:
    run = Running([*[call("Read", file_path="x")] * 4, final("gave up")], {"Read": fails})

    outcome = run()

    assert len(run.made) == 3
    assert outcome.answer == "gave up"
    assert run.payloads("call.finished")[-1]["refused"]
    assert "failed 3 times" in run.asked[-1][-1].text


def test_the_same_failing_call_many_times_in_one_reply_is_made_once() -> None:
    reply = calls(*[("Read", {"file_path": "x"})] * 8, ("Read", {"file_path": "y"}))
    run = Running(
        [*[reply] * 4, final("gave up")],
        {"Read": fails},
        means={"reads_only": frozenset({"Read"})},
    )

    run()

    assert [each.input["file_path"] for each in run.made] == ["x", "y"] * 3
    told = run.payloads("call.finished")
    assert [each["call_id"] for each in told[:9]] == [f"call_1_{n}" for n in range(1, 10)]
    assert all("no such file" in each["text"] for each in told[:9])
    assert [each["refused"] for each in told] == [False] * 27 + [True] * 9


def test_other_arguments_are_another_approach() -> None:
    script = [call("Read", file_path=name) for name in "abcd"]
    run = Running([*script, final("done")], {"Read": fails})

    run()

    assert len(run.made) == 4


def test_failed_approaches_are_told_to_the_model() -> None:
    run = Running(
        [call("Read", file_path="a"), call("Read", file_path="b"), final("done")], {"Read": fails}
    )

    run()

    told = run.asked[-1][-1].text
    assert "FAILED BEFORE:" in told
    assert '"a"' in told
    assert '"b"' in told


def test_what_failed_before_is_told_with_the_last_failure_of_an_iteration_only() -> None:
    tools = {"Read": fails, "Glob": lambda given: "found"}
    reads = [("Read", {"file_path": name}) for name in "abc"]
    run = Running([calls(*reads, ("Glob", {"pattern": "*"})), final("done")], tools)

    run()

    first, second, third, found = (message.text for message in run.asked[1][-4:])
    assert (first, second, found) == ("no such file", "no such file", "found")
    assert third.startswith("no such file\n\nFAILED BEFORE:")


@pytest.mark.parametrize("at_once", [True, False])
def test_of_very_many_calls_in_one_reply_the_first_are_made_and_each_is_answered(
    *, at_once: bool
) -> None:
    reply = calls(*(("Read", {"file_path": str(n)}) for n in range(100)))
    run = Running([reply, final("done")], {"Read": lambda given: "text"})
    run.means = {"reads_only": frozenset({"Read"} if at_once else ())}

    run()

    answered = [message for message in run.asked[1] if message.role == "tool"]
    assert [each.input["file_path"] for each in run.made] == [str(n) for n in range(64)]
    assert [each.answers for each in answered] == [f"call_1_{n}" for n in range(1, 101)]
    assert {each.text for each in answered[:64]} == {"text"}
    assert all(each.text.startswith("not run: too many calls at once") for each in answered[64:])
    assert [each["refused"] for each in run.payloads("call.finished")] == [False] * 64 + [True] * 36


def test_a_call_that_succeeds_after_one_that_failed_is_a_recovery() -> None:
    tools = {
        "Read": lambda given: fails(given) if given["file_path"] == "a" else "text",
    }
    run = Running([call("Read", file_path="a"), call("Read", file_path="b"), final("done")], tools)

    run()

    assert [each["how"] for each in run.payloads("call.recovered")] == [
        "another approach with Read"
    ]


def test_a_refused_call_is_told_to_the_model_and_the_run_goes_on() -> None:
    def gate(asked: Call) -> Verdict:
        return Verdict(allowed=asked.tool != "Bash", reason="Bash is not allowed; use Read")

    run = Running(
        [call("Bash", command="rm x"), call("Read", file_path="a"), final("done")], ECHO, gate=gate
    )

    outcome = run()

    assert [made.tool for made in run.made] == ["Read"]
    assert run.asked[1][-1].text == "Bash is not allowed; use Read"
    assert outcome.ok


def test_a_call_that_failed_too_often_is_known_by_its_other_names() -> None:
    script = [call(name, command="x") for name in ("Bash", "shell", "Bash", "sh")]
    run = Running(
        [*script, final("done")],
        dict.fromkeys(("Bash", "shell", "sh"), fails),
        means={"meant": lambda asked: replace(asked, tool="Bash")},
    )

    run()

    assert [made.tool for made in run.made] == ["Bash", "shell", "Bash"]
    assert [told["refused"] for told in run.payloads("call.finished")] == [False] * 3 + [True]


def test_what_a_person_may_allow_is_asked_for() -> None:
    async def grant(asked: Call, reason: str) -> bool:
        return bool(asked.input["command"] == "good")

    run = Running(
        [call("Bash", command="good"), call("Bash", command="bad"), final("done")],
        {"Bash": lambda given: "ran"},
        gate=lambda asked: Verdict(allowed=False, reason="no rule", askable=True),
        means={"grant": grant},
    )

    run()

    assert [made.input["command"] for made in run.made] == ["good"]


def test_calls_that_only_read_are_made_at_once_and_told_in_order() -> None:
    at_work, most = 0, 0

    async def slow(asked: Call) -> Observation:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(0.01 if asked.input["file_path"] == "a" else 0)
        at_work -= 1
        return Observation(call_id=asked.id, text=f"text of {asked.input['file_path']}")

    reply = calls(("Read", {"file_path": "a"}), ("Read", {"file_path": "b"}))
    run = Running([reply, final("done")], ECHO, means={"reads_only": frozenset({"Read"})}, act=slow)

    run()

    assert most == 2
    assert [each.text for each in run.asked[1][-2:]] == ["text of a", "text of b"]
    assert [each["call_id"] for each in run.payloads("call.finished")] == ["call_1_1", "call_1_2"]


def test_calls_that_write_are_made_one_after_the_other() -> None:
    order: list[str] = []
    tools = {
        "Write": lambda given: order.append(given["file_path"]) or "written",  # type: ignore[func-returns-value]
    }
    reply = calls(("Write", {"file_path": "a"}), ("Write", {"file_path": "b"}))

    Running([reply, final("done")], tools)()

    assert order == ["a", "b"]


def test_a_tool_that_takes_longer_than_the_iteration_is_stopped_and_the_model_told() -> None:
    async def sleeps(asked: Call) -> Observation:
        await asyncio.sleep(30)
        return Observation(call_id=asked.id, text="awake")

    script = [call("Bash", command="sleep"), final("done")]
    run = Running(script, budget=Budget(seconds=0.05), act=sleeps)

    outcome = run()

    assert outcome.ok
    assert "0.05 s were used up" in run.asked[1][-1].text


def test_a_model_that_takes_longer_than_the_iteration_costs_an_iteration() -> None:
    run = Running([final("done")], budget=Budget(iterations=3, seconds=0.05), slow=(30.0,))

    outcome = run()

    assert outcome.ok
    assert outcome.iterations == 2
    assert run.kinds()[0] == "model.failed"


def test_a_model_that_cannot_be_asked_ends_the_run_with_what_there_is() -> None:
    error = ModelError("401: the key is wrong", hint="set ANTHROPIC_API_KEY")
    run = Running([call("Read", file_path="a"), error], ECHO)

    outcome = run()

    assert outcome.ending == "failed"
    assert outcome.reason == "401: the key is wrong (set ANTHROPIC_API_KEY)"
    assert outcome.answer.startswith("Completed 1 of 1 calls")


def test_a_conversation_that_is_too_long_is_shortened_and_tried_again() -> None:
    script: list[Turn] = [
        *(call("Read", file_path=str(n)) for n in range(6)),
        ContextTooLongError("too long"),
        final("done"),
    ]
    run = Running(script, {"Read": lambda given: "x" * 5_000})

    outcome = run()

    assert outcome.answer == "done"
    assert outcome.iterations == 7
    shortened = [message for message in run.asked[-1] if "characters dropped" in message.text]
    assert shortened
    assert run.asked[-1][0].text == "SKILL"
    assert run.payloads("context.compacted")


def test_old_output_goes_when_the_window_fills_and_the_instructions_stay() -> None:
    script = [*(call("Read", file_path=str(n)) for n in range(12)), final("done")]
    run = Running(
        script, {"Read": lambda given: given["file_path"] * 4_000}, means={"window": 10_000}
    )

    outcome = run()

    assert outcome.ok
    assert run.asked[-1][0].text == "SKILL"
    assert run.asked[-1][1].text == "task"
    assert run.asked[-1][-1].text.startswith("11")
    assert sum(len(message.text) for message in run.asked[-1]) < 4 * 10_000


def test_a_first_answer_is_checked_once_when_the_skill_asks_for_it() -> None:
    run = Running([final("first"), final("second")], budget=Budget(confirm=True))

    outcome = run()

    assert outcome.answer == "second"
    assert run.asked[1][-1].text == "CONFIRM"


def test_tokens_and_money_are_counted_by_model() -> None:
    def reply(text: str, cost: float | None) -> Reply:
        usage = Usage(input_tokens=100, output_tokens=10, cost=cost)
        return Reply(message=Message(role="assistant", text=text), usage=usage, model="m")

    known = Running([reply("done", 0.5)])()
    unknown = Running([reply("done", None)])()

    assert (known.tokens, known.cost) == (110, 0.5)
    assert known.details["models"]["m"]["requests"] == 1
    assert unknown.cost is None


def test_every_iteration_tells_the_size_of_its_context() -> None:
    run = Running([call("Read", file_path="a"), final("done")], ECHO)

    run()

    sizes = [each["context_tokens"] for each in run.payloads("model.replied")]
    assert sizes[0] > 0
    assert sizes[1] > sizes[0]


def test_progress_never_goes_back_and_follows_the_objectives() -> None:
    def listed(*done: int) -> Reply:
        return call("Objectives", objectives=[{"text": "o", "done": each == 1} for each in done])

    run = Running([listed(1, 0), call("Read", file_path="a"), final("done")], ECHO)

    run()

    progress = [event.payload["progress"] for event in run.events]
    assert progress == sorted(progress)
    assert progress[-1] == 50


@pytest.mark.parametrize("dies_after", range(7))
def test_a_killed_run_goes_on_and_repeats_nothing_that_was_finished(dies_after: int) -> None:
    script = [*(call("Write", file_path=str(n)) for n in range(3)), final("done")]
    tools = {"Write": lambda given: "written"}
    whole = Running(script, tools)
    whole()
    steps = Remembering(dies_after=dies_after)
    killed = Running(script, tools, steps=steps)
    with pytest.raises(KilledError):
        killed()
    resumed = Running(script, tools, steps=Remembering(kept=steps.kept))

    outcome = resumed()

    assert outcome.answer == "done"
    written = [made.input["file_path"] for made in [*killed.made, *resumed.made]]
    assert written == ["0", "1", "2"]
    assert [event.kind for event in resumed.events] == whole.kinds()
    assert [_timeless(each.payload) for each in resumed.events] == [
        _timeless(each.payload) for each in whole.events
    ]


def _timeless(payload: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in payload.items() if name != "seconds"}
