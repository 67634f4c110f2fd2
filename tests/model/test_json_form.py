"""Models without tools use them all the same, in JSON."""

import asyncio
import json
from collections.abc import Sequence

import pytest

from prowess.core.chat import Call, Message, Reply, ToolCard
from prowess.model.json_form import JsonForm
from prowess.model.json_reply import Action, Final, WrongFormError, read_step
from prowess.model.scripted import Scripted, Turn, final, malformed

READ = ToolCard(
    name="Read",
    description="Reads a file.",
    parameters={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
EDIT = ToolCard(name="Edit", description="Edits.", parameters={"required": ["path", "old", "new"]})
TOOLS = {card.name: card.parameters for card in (READ, EDIT)}
STEP = '{"thought": "look", "action": "Read", "action_input": {"path": "a.csv"}}'


class Listener:
    """A text-only model that says one thing and remembers what it was told."""

    def __init__(self, *said: str) -> None:
        self.told: list[Sequence[Message]] = []
        self._said = list(said)
        self.model = JsonForm(Scripted(self._next, name="small", window=4096))

    def _next(self, messages: Sequence[Message]) -> Turn:
        self.told.append(messages)
        return final(self._said[len(self.told) - 1])

    def reply(self, *messages: Message) -> Reply:
        return asyncio.run(self.model.reply(messages, [READ, EDIT]))


def test_the_form_and_the_tools_follow_the_instructions() -> None:
    listener = Listener(STEP)
    listener.reply(Message(role="system", text="Be brief."), Message(role="user", text="go"))

    system = listener.told[0][0]
    assert system.role == "system"
    assert system.text.startswith("Be brief.\n\n# How to act")
    assert "## Read\n\nReads a file." in system.text
    assert json.dumps(READ.parameters) in system.text


def test_a_conversation_without_instructions_gets_the_form_first() -> None:
    listener = Listener(STEP)
    listener.reply(Message(role="user", text="go"))

    assert [message.role for message in listener.told[0]] == ["system", "user"]
    assert listener.told[0][0].text.startswith("# How to act")


def test_half_a_surrogate_pair_is_replaced_in_what_is_read() -> None:
    step = '{"thought": "\\ud800", "action": "Read", "action_input": {"path": "\\udfff.csv"}}'

    assert read_step(step, TOOLS) == Action(
        tool="Read", input={"path": "\ufffd.csv"}, thought="\ufffd"
    )


def test_an_action_becomes_a_call_with_its_thought() -> None:
    message = Listener(STEP).reply(Message(role="user", text="go")).message

    assert message.text == "look"
    assert message.calls == (Call(id="call_1", tool="Read", input={"path": "a.csv"}),)


def test_a_final_answer_is_the_text_alone() -> None:
    said = '{"thought": "done", "is_final": true, "final_answer": "12 rows"}'
    message = Listener(said).reply(Message(role="user", text="go")).message

    assert (message.text, message.calls) == ("12 rows", ())


def test_what_is_wrong_is_told_and_what_was_written_is_kept() -> None:
    reply = Listener("I would read the file.").reply(Message(role="user", text="go"))

    assert "no JSON object" in reply.malformed
    assert "action_input" in reply.malformed
    assert reply.message.text == "I would read the file."


@pytest.mark.parametrize("levels", [65, 260, 3000])
@pytest.mark.parametrize(
    "form",
    [
        '{"action": "Edit", "action_input": {"path": %s}}',
        '{"action": "Edit", "action_input": "{\\"path\\": %s}"}',
        '{"final_answer": %s}',
    ],
)
def test_what_is_nested_too_deep_to_be_sent_back_is_told_to_the_model(
    form: str, levels: int
) -> None:
    reply = Listener(form % ("[" * levels + "]" * levels)).reply(Message(role="user", text="go"))

    assert "nested deeper than 64 levels" in reply.malformed
    assert not reply.message.calls


def test_a_reply_that_was_malformed_below_stays_so() -> None:
    below = Scripted([malformed(STEP, "cut off")])
    reply = asyncio.run(JsonForm(below).reply([Message(role="user", text="go")], [READ]))

    assert (reply.malformed, reply.message.calls) == ("cut off", ())


def test_calls_and_observations_are_told_as_text() -> None:
    listener = Listener(STEP, STEP)
    task = Message(role="user", text="go")
    first = listener.reply(task).message
    seen = Message(role="tool", text="no such file", ok=False, answers=first.calls[0].id)

    second = listener.reply(task, first, seen).message

    told = listener.told[1]
    assert json.loads(told[2].text)["action_input"] == {"path": "a.csv"}
    assert told[3] == Message(
        role="user", text="Observation of a failure, from Read:\nno such file"
    )
    assert second.calls[0].id == "call_2"


def test_what_was_told_once_is_handed_on_as_the_same_value() -> None:
    listener = Listener(STEP, STEP)
    start = (Message(role="system", text="Be brief."), Message(role="user", text="go"))
    first = listener.reply(*start).message
    listener.reply(*start, first, Message(role="tool", text="x", answers=first.calls[0].id))

    before, after = listener.told
    assert all(old is new for old, new in zip(before, after, strict=False))


def test_a_changed_conversation_is_told_anew_from_where_it_changed() -> None:
    listener = Listener(STEP, STEP)
    listener.reply(Message(role="user", text="go"), Message(role="user", text="left"))
    listener.reply(Message(role="user", text="go"), Message(role="user", text="right"))

    assert [message.text for message in listener.told[1][1:]] == ["go", "right"]


def test_other_tools_are_described_anew() -> None:
    listener = Listener(STEP, STEP)
    task = Message(role="user", text="go")
    listener.reply(task)
    asyncio.run(listener.model.reply([task], [EDIT]))

    assert "## Read" in listener.told[0][0].text
    assert "## Read" not in listener.told[1][0].text
    assert "## Edit" in listener.told[1][0].text


def test_the_wrapper_has_the_name_and_window_of_its_model() -> None:
    model = Listener().model

    assert (model.name, model.window, model.native_tools) == ("small", 4096, False)


@pytest.mark.parametrize(
    "written",
    [
        STEP,
        f"Sure! Here it is:\n```json\n{STEP}\n```\nLet me know.",
        "{'thought': 'look', 'action': 'Read', 'action_input': {'path': 'a.csv'},}",
        '{"thought": "look", "action": "Read", "action_input": {"path": "a.csv",},}',
        '{"thought": "look", "action": "Read", "action_input": "a.csv"}',
        '{"thought": "look", "action": "Read", "action_input": "{\\"path\\": \\"a.csv\\"}"}',
        '{"thought": "look", "action": " Read ", "action_input": {"path": "a.csv"}, "is_final": false}',
        "{'thought': 'look', 'action': 'Read', 'action_input': {'path': 'a.csv'}, 'is_final': False}",
        f"<think>maybe {{}} or {{'action': 'Edit'}}</think>\n{STEP}",
        f"{STEP}\nObservation: 12 rows\n" + '{"is_final": true, "final_answer": "12 rows"}',
        f'In the set {{a, b}} there is {{"note": 1}}. {STEP}',
    ],
)
def test_the_same_step_is_read_however_it_is_written(written: str) -> None:
    step = read_step(written, TOOLS)

    assert step == Action(tool="Read", input={"path": "a.csv"}, thought="look")


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        (r'{"action": "Edit", "action_input": {"old": "\d+", "new": "tab\t"}}', {"old": r"\d+", "new": "tab\t"}),
        ("{'action': 'Edit', 'action_input': {'old': 'say \"hi\"', 'new': 'it\\'s'}}", {"old": 'say "hi"', "new": "it's"}),
        ('{"action": "Edit", "action_input": {"old": "it\'s True, None",}}', {"old": "it's True, None"}),
        ('{"action": "Edit", "action_input": {"old": "two\nlines"}}', {"old": "two\nlines"}),
        ('{"action": "Edit"}', {}),
    ],
)  # fmt: skip
def test_repairs_change_the_writing_and_not_the_words(
    written: str, arguments: dict[str, str]
) -> None:
    step = read_step(written, TOOLS)

    assert isinstance(step, Action)
    assert step.input == arguments


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ('{"final_answer": "yes"}', "yes"),
        ('{"is_final": "true", "answer": "yes"}', "yes"),
        ('{"action": "Final Answer", "action_input": "yes"}', "yes"),
        ('{"is_final": true, "final_answer": {"rows": 12}}', '{"rows": 12}'),
    ],
)
def test_an_end_is_an_end_however_it_is_said(written: str, answer: str) -> None:
    assert read_step(written, TOOLS) == Final(answer=answer)


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        ("", "no JSON object"),
        ("{{{{", "no JSON object"),
        ('{"thought": "hm"}', "no action and no final_answer"),
        ('{"action": 7}', "no action"),
        ('{"is_final": true}', "final_answer is missing"),
        ('{"action": "Edit", "action_input": "all of it"}', "action_input of Edit"),
        ('{"action": "Edit", "action_input": [1]}', "action_input of Edit"),
        ('{"a":' * 100_000, "nested deeper than 64 levels"),
        ("{'" * 300_000, "no JSON object"),
    ],
)
def test_what_cannot_be_read_is_explained(written: str, wrong: str) -> None:
    with pytest.raises(WrongFormError) as caught:
        read_step(written, TOOLS)

    assert wrong in str(caught.value)
