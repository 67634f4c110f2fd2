"""Our messages become the library's and come back, once each."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic_ai.messages import (
    FinishReason,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.usage import RequestUsage

from prowess.core.chat import Call, Message, ToolCard, message_as_json, message_from_json
from prowess.model.failures import explained
from prowess.model.names import Named
from prowess.model.wire import Conversation, parameters, reply_from

SONNET = Named(provider="anthropic", model="claude-sonnet-5-5")
SYSTEM = Message(role="system", text="Be brief.")
TASK = Message(role="user", text="go")
ASKED = Message(
    role="assistant",
    text="I look.",
    calls=(Call(id="c1", tool="Read", input={"path": "a"}), Call(id="c2", tool="Glob", input={})),
)
SEEN = (
    Message(role="tool", text="rows", answers="c1"),
    Message(role="tool", text="no", answers="c2", ok=False),
)


def signed() -> ModelResponse:
    thinking = ThinkingPart(content="hm", signature="sig", provider_name="anthropic")
    call = ToolCallPart(tool_name="Read", args='{"path": "a"}', tool_call_id="c1")
    return ModelResponse(
        parts=[thinking, TextPart(content="I look."), call],
        provider_name="anthropic",
        finish_reason="tool_call",
        usage=RequestUsage(input_tokens=100, output_tokens=10),
    )


def test_all_that_is_said_between_two_replies_is_one_request() -> None:
    nudge = Message(role="system", text="Two iterations are left.")
    request, response, observed = Conversation("anthropic").converted(
        [SYSTEM, TASK, ASKED, *SEEN, nudge]
    )

    assert isinstance(request, ModelRequest)
    assert isinstance(response, ModelResponse)
    assert isinstance(observed, ModelRequest)
    assert [part.content for part in request.parts if isinstance(part, UserPromptPart)] == ["go"]
    first, second, last = observed.parts
    assert isinstance(first, ToolReturnPart)
    assert isinstance(second, ToolReturnPart)
    assert (first.tool_name, first.content, first.outcome) == ("Read", "rows", "success")
    assert (second.tool_name, second.tool_call_id, second.outcome) == ("Glob", "c2", "failed")
    assert isinstance(last, UserPromptPart)
    assert last.content == "Two iterations are left."


def test_what_a_tool_or_a_person_said_is_sent_in_whole_characters() -> None:
    """A file's name may be any bytes, and a tool tells it."""
    messages = [
        Message(role="user", text="\udcff?"),
        Message(role="assistant", text="", calls=(Call(id="1", tool="Glob", input={}),)),
        Message(role="tool", text="\udcff.csv", answers="1"),
    ]

    sent = Conversation("openai").converted(messages)

    assert str(contents(sent)).count("\ufffd") == 2


def test_a_request_that_cannot_be_written_is_not_tried_again_and_not_the_servers_fault() -> None:
    error = explained(UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"), SONNET)

    assert not error.transient
    assert "cannot be written" in str(error)
    assert "server" not in error.hint


def test_instructions_and_tools_are_parameters_of_the_request() -> None:
    card = ToolCard(name="Read", description="Reads.", parameters={"type": "object"})

    made = parameters([SYSTEM, replace(SYSTEM, text="Be kind."), TASK], [card])

    assert [part.content for part in made.instruction_parts or []] == ["Be brief.\n\nBe kind."]
    assert [(tool.name, tool.description) for tool in made.function_tools] == [("Read", "Reads.")]


def test_what_a_provider_wants_back_survives_being_stored() -> None:
    message = message_from_json(message_as_json(reply_from(signed(), SONNET).message))

    (again,) = Conversation("anthropic").converted([message])

    assert again.parts == signed().parts


def test_another_provider_is_sent_the_words_and_the_calls_only() -> None:
    message = reply_from(signed(), SONNET).message

    (again,) = Conversation("openai").converted([message])

    assert [type(part) for part in again.parts] == [TextPart, ToolCallPart]


def test_a_plain_reply_keeps_nothing_twice() -> None:
    plain = ModelResponse(parts=[TextPart(content="done")], finish_reason="stop")

    assert reply_from(plain, SONNET).message == Message(role="assistant", text="done")


def test_a_message_is_converted_once_however_long_the_conversation() -> None:
    conversation = Conversation("anthropic")
    messages = [SYSTEM, TASK]
    before: list[Any] = []
    for _ in range(50):
        converted = conversation.converted(messages)
        assert all(old is new for old, new in zip(before, converted, strict=False))
        assert len(converted) == len(before) + (2 if before else 1)
        before = converted
        messages = [*messages, ASKED, *SEEN]


@pytest.mark.parametrize(
    "changed",
    [
        [SYSTEM, TASK, ASKED, replace(SEEN[0], text="(shortened)"), SEEN[1], ASKED, *SEEN],
        [SYSTEM, TASK, ASKED, *SEEN, replace(TASK, text="and?")],
        [SYSTEM, TASK],
        [SYSTEM, replace(TASK, text="other")],
        [TASK, ASKED],
    ],
    ids=["compacted", "grown", "shortened", "another", "without instructions"],
)
def test_a_changed_conversation_is_converted_as_if_it_were_new(changed: list[Message]) -> None:
    used = Conversation("anthropic")
    used.converted([SYSTEM, TASK, ASKED, *SEEN])
    new = Conversation("anthropic")

    assert contents(used.converted(changed)) == contents(new.converted(changed))


def contents(messages: list[Any]) -> list[list[tuple[str, Any]]]:
    return [
        [(part.part_kind, getattr(part, "content", "")) for part in message.parts]
        for message in messages
    ]


def test_an_assistant_that_said_nothing_is_sent_as_something() -> None:
    (message,) = Conversation("anthropic").converted([Message(role="assistant", text="")])

    assert message.parts[0] == TextPart(content="(an empty reply)")


def test_a_reply_without_counted_tokens_has_no_price() -> None:
    uncounted = ModelResponse(parts=[TextPart(content="done")], finish_reason="stop")

    assert reply_from(uncounted, SONNET).usage.cost is None
    assert reply_from(signed(), SONNET).usage.cost


def test_what_was_written_to_the_cache_is_paid_for() -> None:
    writing = replace(signed(), usage=RequestUsage(input_tokens=100, cache_write_tokens=90))
    reading = replace(signed(), usage=RequestUsage(input_tokens=100, cache_read_tokens=90))
    neither = replace(signed(), usage=RequestUsage(input_tokens=100))

    costs = [reply_from(each, SONNET).usage.cost or 0 for each in (reading, neither, writing)]

    assert 0 < costs[0] < costs[1] < costs[2]


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("length", "length"),
        ("content_filter", "content filter"),
        ("error", "error of the provider"),
    ],
)
def test_a_reply_that_was_cut_off_is_no_answer(ending: FinishReason, told: str) -> None:
    cut = ModelResponse(parts=[TextPart(content="The total is")], finish_reason=ending)

    reply = reply_from(cut, SONNET)

    assert told in reply.malformed
    assert reply.message.text == "The total is"


@pytest.mark.parametrize("levels", [65, 260, 3000])
@pytest.mark.parametrize("written", [True, False])
def test_arguments_nested_too_deep_to_be_sent_back_are_a_malformed_reply(
    levels: int, *, written: bool
) -> None:
    deep: list[Any] = []
    for _ in range(levels):
        deep = [deep]
    text = '{"path": ' + "[" * levels + "]" * levels + "}"
    part = ToolCallPart(tool_name="Read", args=text if written else {"path": deep})

    reply = reply_from(ModelResponse(parts=[part]), SONNET)

    assert reply.malformed == (
        "the arguments of Read are nested deeper than 64 levels: write them flatter"
    )
    assert not reply.message.calls
    assert reply.message.text.startswith("Read(")


def test_arguments_that_are_nested_as_people_nest_them_are_taken() -> None:
    levels = 63
    text = '{"path": ' + "[" * levels + "]" * levels + "}"

    reply = reply_from(ModelResponse(parts=[ToolCallPart(tool_name="Read", args=text)]), SONNET)

    assert reply.message.calls
    assert not reply.malformed


@pytest.mark.parametrize(("calls", "followed"), [(1_000, True), (1_001, False)])
def test_a_reply_with_more_calls_than_can_be_answered_is_malformed(
    calls: int, *, followed: bool
) -> None:
    parts = [ToolCallPart(tool_name="Read", args="{}") for _ in range(calls)]

    reply = reply_from(ModelResponse(parts=parts), SONNET)

    assert bool(reply.message.calls) == followed
    assert ("calls at once" in reply.malformed) != followed
