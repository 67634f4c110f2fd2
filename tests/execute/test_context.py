"""How full the window is, counted by the provider or guessed, and what is dropped to make room."""

from prowess.core.chat import Call, Message, Reply, Usage
from prowess.execute.context import Context
from running import NOTES


def said(text: str = "", **usage: int) -> Reply:
    return Reply(message=Message(role="assistant", text=text), usage=Usage(**usage))


def output(text: str) -> Message:
    return Message(role="tool", text=text)


def task(text: str) -> Message:
    return Message(role="user", text=text)


NEWEST = [task("n")] * 4  # never dropped, whatever they hold


def test_the_providers_count_holds_and_what_comes_after_it_is_guessed() -> None:
    context = Context(window=1_000)
    messages = [task("x" * 4_000)]
    context.measure(messages, said("y" * 40, input_tokens=100, output_tokens=7))
    assert context.tokens == 107

    messages += [Message(role="assistant", text="y" * 40), output("z" * 40)]
    context.make_room(messages, NOTES)

    assert context.tokens == 107 + 11


def test_a_provider_that_does_not_count_what_it_said_is_helped_out() -> None:
    context = Context(window=1_000)

    context.measure([task("x")], said("y" * 40, input_tokens=100))

    assert context.tokens == 111


def test_without_a_count_four_characters_are_a_token_and_calls_count_too() -> None:
    context = Context(window=1_000)
    made = Message(role="assistant", calls=(Call(id="c", tool="Read", input={"a": "b"}),), text="")

    context.measure([task("x" * 400), made], said("y" * 40))

    assert context.tokens == (100 + 1) + (len("Read{'a': 'b'}") // 4 + 1) + (10 + 1)


def test_what_was_counted_is_not_counted_again() -> None:
    context = Context(window=1_000)
    messages = [task("x" * 400)]
    context.measure(messages, said("y" * 40))
    before = context.tokens
    messages.append(Message(role="assistant", text="y" * 40))

    context.make_room(messages, NOTES)

    assert context.tokens == before


def test_nothing_is_dropped_while_the_window_is_not_nearly_full() -> None:
    messages = [output("x" * 3_396), *NEWEST]  # 850 tokens with the others' one each, of 1,000

    freed = Context(window=1_005).make_room(messages, NOTES)

    assert freed == (0, 0)
    assert messages[0].text == "x" * 3_396


def test_the_oldest_output_goes_first_and_no_more_than_is_wanted() -> None:
    messages = [output("x" * 2_000), output("y" * 2_000), output("z" * 2_000), *NEWEST]
    context = Context(window=1_000)

    shortened, freed = context.make_room(messages, NOTES)

    assert shortened == 3
    assert messages[0].text == "[2000 characters dropped]"
    assert freed == 3 * (2_000 - len("[2000 characters dropped]"))
    assert context.tokens < 500


def test_room_is_made_until_half_of_the_window_is_free_and_then_no_further() -> None:
    messages = [*(output(letter * 1_000) for letter in "abcd"), *NEWEST]

    shortened, _ = Context(window=1_100).make_room(messages, NOTES)

    assert shortened == 2
    assert messages[2].text == "c" * 1_000


def test_by_half_room_is_made_in_a_window_that_seemed_large_enough() -> None:
    messages = [output("x" * 1_000), output("y" * 1_000), *NEWEST]

    shortened, _ = Context(window=100_000).make_room(messages, NOTES, by_half=True)

    assert shortened == 2


def test_instructions_short_outputs_and_the_newest_exchange_stay() -> None:
    old = [task("t" * 9_000), output("s" * 400)]
    newest = [output("n" * 9_000)] * 4
    messages = [*old, *newest]

    assert Context(window=1_000).make_room(messages, NOTES) == (0, 0)
    assert messages == [*old, *newest]


def test_no_result_goes_that_the_model_has_not_seen_however_many_came_at_once() -> None:
    asked = Message(role="assistant", text="reading")
    old, new = output("o" * 4_000), [output(letter * 400 * 5) for letter in "abcdefgh"]
    messages = [task("t"), asked, old, asked, *new]

    shortened, _ = Context(window=4_000).make_room(messages, NOTES)

    assert shortened == 1
    assert messages[4:] == new


def test_what_a_provider_will_not_have_goes_from_the_newest_exchange_too() -> None:
    asked = Message(role="assistant", text="reading")
    new = [output(letter * 20_000) for letter in "abcdefgh"]
    messages = [task("t"), asked, *new]

    shortened, _ = Context(window=32_000).make_room(messages, NOTES, by_half=True)

    assert shortened == 5
    assert messages[7:] == new[5:]
