"""A scripted model says what its script says, and says it again the same way."""

import asyncio
from collections.abc import Sequence

import pytest

from prowess.core.chat import Message, Reply
from prowess.core.errors import ModelError
from prowess.core.ports import Model
from prowess.model.scripted import Scripted, Turn, call, calls, final, malformed

TASK = Message(role="user", text="count the rows")


def ask(model: Model, *messages: Message) -> Reply:
    return asyncio.run(model.reply((TASK, *messages), ()))


def test_the_turns_come_in_order_and_the_calls_get_ids_by_their_place() -> None:
    model = Scripted([calls(("Read", {"path": "a"}), ("Read", {"path": "b"})), final("two")])

    first = ask(model).message
    second = ask(model, first, Message(role="tool", text="1", answers=first.calls[0].id)).message

    assert [(each.id, each.input["path"]) for each in first.calls] == [
        ("call_1_1", "a"),
        ("call_1_2", "b"),
    ]
    assert (second.text, second.calls) == ("two", ())
    assert model.requests == 2


def test_a_new_model_with_the_same_script_goes_on_where_the_conversation_is() -> None:
    script = [call("Read", path="a"), final("done")]
    first = ask(Scripted(script)).message

    resumed = ask(Scripted(script), first)

    assert resumed.message.text == "done"


def test_another_conversation_begins_the_script_anew() -> None:
    model = Scripted([call("Read", path="a"), final("done")])
    first = ask(model).message
    ask(model, first)

    other = asyncio.run(model.reply([Message(role="user", text="another task")], ()))

    assert other.message.calls[0].id == "call_1_1"


def test_an_error_of_the_script_is_raised_once_and_the_next_try_goes_on() -> None:
    model = Scripted([ModelError("busy", transient=True), final("done")])

    with pytest.raises(ModelError, match="busy"):
        ask(model)
    assert ask(model).message.text == "done"


def test_a_script_may_be_a_function_of_the_conversation() -> None:
    def echo(messages: Sequence[Message]) -> Turn:
        return final(messages[-1].text.upper())

    assert ask(Scripted(echo)).message.text == "COUNT THE ROWS"


def test_a_malformed_turn_says_what_is_wrong() -> None:
    reply = ask(Scripted([malformed("{oops", "not JSON")]))

    assert (reply.message.text, reply.malformed) == ("{oops", "not JSON")


def test_a_script_that_is_over_fails_rather_than_repeats() -> None:
    done = Message(role="assistant", text="done")

    with pytest.raises(ModelError, match="ended after 1 turns") as caught:
        ask(Scripted([final("done")]), done)
    assert not caught.value.transient


def test_a_scripted_reply_is_free_and_carries_the_name_of_its_model() -> None:
    reply = ask(Scripted([final("done")], name="stub"))

    assert (reply.usage.cost, reply.model) == (0.0, "stub")
