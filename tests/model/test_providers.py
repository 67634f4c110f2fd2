"""Each provider's real library, talking its real protocol to a scripted server."""

import asyncio
import json
from itertools import pairwise
from typing import Any

import pytest

from model.conftest import MODELS, START, Converse
from model.formats import Say
from model.server import Fault
from prowess.core.errors import ContextTooLongError, ModelError
from prowess.model.names import Named, Provider
from prowess.model.providers import open_model
from prowess.model.wire import LONGEST

SIGNED = ("anthropic", "openai-responses", "google")


def test_text_arrives_as_it_is_written_and_whole_at_the_end(talk: Converse) -> None:
    done = talk(Say(text="Twelve rows in all."))

    assert done.reply.message.text == "Twelve rows in all."
    assert "".join(done.heard) == "Twelve rows in all."
    assert len(done.heard) > 1
    assert not done.reply.malformed


def test_parallel_calls_are_read_with_the_thought_beside_them(talk: Converse) -> None:
    done = talk(Say(text="I look.", calls=[("Read", {"path": "a"}), ("Read", {"path": "ü b"})]))

    message = done.reply.message
    assert message.text == "I look."
    assert [(call.tool, call.input) for call in message.calls] == [
        ("Read", {"path": "a"}),
        ("Read", {"path": "ü b"}),
    ]
    assert len({call.id for call in message.calls}) == 2


def test_calls_and_observations_go_back_with_the_next_request(talk: Converse) -> None:
    done = talk(Say(calls=[("Read", {"path": "a"}), ("Read", {"path": "b"})]), Say(text="done"))

    sent = json.dumps(done.requests[1].body)
    for call in done.replies[0].message.calls:
        assert sent.count(call.id) >= 2  # the call, and its answer
        assert f"seen {dict(call.input)}" in sent
    assert "Be brief." in sent
    assert done.reply.message.text == "done"


@pytest.mark.parametrize("provider", ["anthropic"], indirect=True)
def test_a_failed_observation_is_marked_where_the_protocol_has_a_mark(talk: Converse) -> None:
    done = talk(Say(calls=[("Read", {"path": "a"})]), Say(text="done"))

    (result,) = done.requests[1].body["messages"][-1]["content"]
    assert result["is_error"] is True


def test_signed_thinking_is_sent_back_word_for_word(talk: Converse, provider: Provider) -> None:
    thinking = Say(thinking="hidden thought", text="I look.", calls=[("Read", {"path": "a"})])
    done = talk(thinking, Say(text="done"))

    kept = done.replies[0].message.kept
    assert bool(kept) == (provider in SIGNED)
    if provider in SIGNED:
        assert json.loads(json.dumps(kept)) == kept  # it will be stored as JSON
        sent = json.dumps(done.requests[1].body)
        assert "hidden thought" in sent
        assert "sig-1" in sent or "c2lnLTE=" in sent


def test_thinking_stands_in_for_a_thought_that_was_not_said(
    talk: Converse, provider: Provider
) -> None:
    done = talk(Say(thinking="I think I look.", calls=[("Read", {"path": "a"})]))

    assert done.reply.message.text == ("I think I look." if provider in SIGNED else "")
    assert done.heard == []


def test_the_beginning_of_a_request_is_the_one_before_to_the_byte(
    talk: Converse, provider: Provider
) -> None:
    steps = [
        Say(text=f"step {n}", thinking="t", calls=[("Read", {"path": f"f{n}"})]) for n in range(3)
    ]
    done = talk(*steps, Say(text="done"))

    field = {"openai-responses": "input", "google": "contents"}.get(provider, "messages")
    bodies = [request.body for request in done.requests]
    for before, after in pairwise(bodies):
        told = [json.dumps(message) for message in before.pop(field)]
        again = [json.dumps(message) for message in after[field]]
        assert again[: len(told)] == told
        assert json.dumps(before) == json.dumps(_without(after, field))


def _without(body: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != field}


@pytest.mark.parametrize("provider", ["anthropic"], indirect=True)
def test_anthropics_cache_is_asked_for_tools_instructions_and_the_conversation(
    talk: Converse,
) -> None:
    body = talk(Say(text="done")).requests[0].body

    assert body["system"][-1]["cache_control"]
    assert body["tools"][-1]["cache_control"]
    assert body["cache_control"]


def test_usage_and_cost_are_told_with_what_the_cache_saved(
    talk: Converse, provider: Provider
) -> None:
    done = talk(
        Say(text="a", input_tokens=1_000, output_tokens=50),
        Say(text="b", input_tokens=1_000, output_tokens=50, cached_tokens=900),
    )

    plain, cached = (reply.usage for reply in done.replies)
    assert (plain.input_tokens, plain.output_tokens, plain.cached_tokens) == (1_000, 50, 0)
    assert (cached.input_tokens, cached.cached_tokens) == (1_000, 900)
    if provider == "ollama":
        assert plain.cost is None
    else:
        assert plain.cost is not None
        assert cached.cost is not None
        assert 0 < cached.cost < plain.cost
    assert done.reply.model.startswith(f"{provider}:")


def test_requests_are_streamed_and_carry_the_key(talk: Converse, provider: Provider) -> None:
    request = talk(Say(text="done")).requests[0]

    assert "streamGenerateContent" in request.path or request.body["stream"] is True
    assert "key-of-the-test" in "".join(request.headers.values())


# Google's arguments are JSON by the protocol; anything else there is no answer at all.
@pytest.mark.parametrize("provider", [name for name in MODELS if name != "google"], indirect=True)
@pytest.mark.parametrize("arguments", ['{"path": ', "[1]", '{"n": NaN}', "nonsense"])
def test_arguments_that_are_no_json_object_make_a_malformed_reply(
    talk: Converse, arguments: str
) -> None:
    done = talk(Say(calls=[("Read", {"path": "a"}), ("Read", arguments)]), Say(text="sorry"))

    first = done.replies[0]
    assert "the arguments of Read are not a JSON object" in first.malformed
    assert first.message.calls == ()
    assert "Read(" in first.message.text
    assert done.reply.message.text == "sorry"  # and the conversation can go on


def test_half_a_surrogate_pair_does_not_end_the_conversation(talk: Converse) -> None:
    said = Say(
        text="a \ud800 b",
        thinking="\udc00",
        calls=[("Read", {"path": "\ud800 x", "\ud801": ["y"]})],
    )

    done = talk(said, Say(text="done"))

    message = done.replies[0].message
    assert message.text == "a \ufffd b"
    assert [call.input for call in message.calls] == [{"path": "\ufffd x", "\ufffd": ["y"]}]
    assert "\ufffd" in "".join(done.heard)
    assert done.reply.message.text == "done"


def test_a_character_that_came_in_two_halves_is_that_character(talk: Converse) -> None:
    assert talk(Say(text="\ud83d\ude00")).reply.message.text == "\U0001f600"


def test_an_empty_reply_is_malformed_and_can_be_sent_back(talk: Converse) -> None:
    done = talk(Say(), Say(text="sorry"))

    assert "empty" in done.replies[0].malformed
    assert done.replies[0].message.text
    assert done.reply.message.text == "sorry"


def test_a_reply_that_was_cut_off_is_malformed(talk: Converse) -> None:
    assert "cut off" in talk(Say(text="half of an ans", cut=True)).reply.malformed


@pytest.mark.parametrize(
    "turn", [Say(text="x" * 10 * LONGEST), Fault(trouble="endless")], ids=["10 MB", "endless"]
)
def test_a_reply_that_is_far_too_long_is_stopped(talk: Converse, turn: Say | Fault) -> None:
    done = talk(turn)

    assert "was stopped after" in done.reply.malformed
    assert len(done.reply.message.text) < 10_000


def failure(talk: Converse, fault: Fault, **options: float) -> ModelError:
    with pytest.raises(ModelError) as caught:
        talk(fault, **options)
    return caught.value


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_final_and_its_variable_is_named(talk: Converse, status: int) -> None:
    error = failure(talk, Fault(status=status))

    assert not error.transient
    assert "THE_KEY" in error.hint
    assert "key-of-the-test" not in f"{error} {error.hint}"


def test_an_unknown_model_is_final_with_a_hint(talk: Converse) -> None:
    error = failure(talk, Fault(status=404))

    assert not error.transient
    assert "name of the model" in error.hint


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_a_busy_or_broken_server_may_be_tried_again(talk: Converse, status: int) -> None:
    error = failure(talk, Fault(status=status, headers={"retry-after": "7"}))

    assert error.transient
    assert error.retry_after == 7.0
    assert f"({status}): scripted {status}" in str(error)


def test_a_request_is_tried_once(talk: Converse) -> None:
    with pytest.raises(ModelError):
        talk(Fault(status=500), Say(text="a second try"), asks=1)


@pytest.mark.parametrize("trouble", ["hang-up", "early-end", "garbage"])
def test_an_answer_that_is_none_may_be_tried_again(talk: Converse, trouble: Any) -> None:
    assert failure(talk, Fault(trouble=trouble)).transient


def test_silence_in_the_middle_is_noticed(talk: Converse) -> None:
    error = failure(talk, Fault(trouble="hang"), silence=0.3)

    assert error.transient
    assert "in time" in str(error)


def test_a_request_has_an_end_even_if_the_server_keeps_talking(talk: Converse) -> None:
    error = failure(talk, Fault(trouble="hang"), silence=60.0, seconds=0.3)

    assert error.transient


@pytest.mark.parametrize(
    "told",
    [
        "prompt is too long: 210000 tokens > 200000 maximum",
        "This model's maximum context length is 128000 tokens",
        "the request exceeds the available context size",
    ],
)
def test_a_conversation_that_is_too_long_has_an_error_of_its_own(talk: Converse, told: str) -> None:
    body = {"error": {"type": "invalid_request_error", "message": told, "code": 400}}

    error = failure(talk, Fault(status=400, body=body))

    assert isinstance(error, ContextTooLongError)
    assert not error.transient


def test_a_request_that_is_too_large_is_a_conversation_that_is_too_long(talk: Converse) -> None:
    assert isinstance(failure(talk, Fault(status=413)), ContextTooLongError)


def test_an_empty_account_is_final_with_a_hint(talk: Converse) -> None:
    error = failure(talk, Fault(status=402))

    assert not error.transient
    assert "top it up" in error.hint


def test_another_refusal_is_final_and_quoted(talk: Converse) -> None:
    body = {"error": {"type": "invalid_request_error", "message": "no\nblue " * 200, "code": 400}}

    error = failure(talk, Fault(status=400, body=body))

    assert not error.transient
    assert "no blue no blue" in str(error)
    assert len(str(error)) < 500


def test_a_server_that_is_not_there_is_named(provider: Provider) -> None:
    async def ask() -> None:
        address = "http://127.0.0.1:9/v1"
        model = open_model(Named(provider=provider, model=MODELS[provider], base_url=address))
        try:
            await model.reply(START, [])
        finally:
            await model.close()

    with pytest.raises(ModelError) as caught:
        asyncio.run(ask())
    assert caught.value.transient
    assert "127.0.0.1:9" in caught.value.hint
    assert str(caught.value)[-1] not in ".…"  # what we say goes on after what the library said


@pytest.mark.parametrize("provider", ["openai", "ollama"], indirect=True)
def test_a_model_that_cannot_call_tools_uses_the_json_form(talk: Converse) -> None:
    body = {"error": {"message": "qwen3 does not support tools", "type": "api_error", "code": 400}}
    step = '{"thought": "look", "action": "Read", "action_input": {"path": "a"}}'
    end = '{"is_final": true, "final_answer": "done"}'

    done = talk(Fault(status=400, body=body), Say(text=step), Say(text=end), asks=2)

    assert done.replies[0].message.calls[0].input == {"path": "a"}
    assert done.reply.message.text == "done"
    assert [("tools" in request.body) for request in done.requests] == [True, False, False]
    assert "Observation of a failure, from Read" in json.dumps(done.requests[2].body)
