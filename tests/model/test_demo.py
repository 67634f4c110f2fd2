"""The demo model follows the script of a skill, and says so where there is none."""

import asyncio
from pathlib import Path

import pytest

from prowess.core.chat import Message, Reply
from prowess.core.errors import ModelError, RefusedError, SkillError
from prowess.model.demo import demo_model
from prowess.model.demo_script import parse_script, read_script
from prowess.model.scripted import Scripted
from support import write_file

SCRIPT = r"""
about: Counts the rows of a file
capture:
  file: '([\w./-]+\.csv)'
defaults:
  file: sales.csv
turns:
  - thought: I read {file} first.
    call: Read
    input: {path: '{file}', note: ['{file}', 7]}
    capture: {rows: '(\d+) rows'}
  - if_failed: true
    if_matches: 'UnicodeDecodeError'
    thought: UTF-8 failed; Latin-1 then.
    call: Bash
    input: {command: "awk '{print $1}' {file}"}
    capture: {rows: '(\d+) rows'}
  - if_failed: true
    answer: '{file} cannot be read.'
  - calls:
      - {call: Read, input: {path: a}}
      - {call: Glob}
  - answer: '{file} has {rows} rows.'
"""


@pytest.fixture
def model(tmp_path: Path) -> Scripted:
    write_file(tmp_path / "demo.yaml", SCRIPT)
    return demo_model(str(tmp_path))


class Talk:
    """A conversation that grows by what the model says and what it observes."""

    def __init__(self, model: Scripted, task: str) -> None:
        self.model = model
        self.messages = [Message(role="user", text=task)]

    def reply(self) -> Reply:
        reply = asyncio.run(self.model.reply(self.messages, ()))
        self.messages.append(reply.message)
        return reply

    def observe(self, text: str, *, ok: bool = True) -> None:
        calls = self.messages[-1].calls
        self.messages += [Message(role="tool", text=text, ok=ok, answers=call.id) for call in calls]


def test_a_value_of_the_task_stands_in_thoughts_and_in_inputs(model: Scripted) -> None:
    said = Talk(model, "report on data/june.csv please").reply().message

    assert said.text == "I read data/june.csv first."
    assert said.calls[0].input == {"path": "data/june.csv", "note": ["data/june.csv", 7]}


def test_a_default_stands_in_where_the_task_says_nothing(model: Scripted) -> None:
    assert Talk(model, "report").reply().message.calls[0].input["path"] == "sales.csv"


def test_a_failed_observation_leads_to_the_turn_written_for_it(model: Scripted) -> None:
    talk = Talk(model, "report")
    talk.reply()
    talk.observe("UnicodeDecodeError at byte 7", ok=False)

    again = talk.reply().message

    assert again.text == "UTF-8 failed; Latin-1 then."
    assert again.calls[0].input["command"] == "awk '{print $1}' sales.csv"


def test_turns_for_failures_are_passed_over_when_all_is_well(model: Scripted) -> None:
    talk = Talk(model, "report")
    talk.reply()
    talk.observe("12 rows")

    both = talk.reply().message
    talk.observe("fine")

    assert [call.tool for call in both.calls] == ["Read", "Glob"]
    assert talk.reply().message.text == "sales.csv has 12 rows."


def test_a_failure_of_another_kind_is_not_mistaken_for_the_expected_one(model: Scripted) -> None:
    talk = Talk(model, "report")
    talk.reply()
    talk.observe("permission denied", ok=False)

    assert talk.reply().message.text == "sales.csv cannot be read."


def test_a_value_that_was_never_seen_is_admitted(model: Scripted) -> None:
    talk = Talk(model, "report")
    for seen in ("nothing to count", "fine"):
        talk.reply()
        talk.observe(seen)

    with pytest.raises(ModelError, match=r"does not fit .* `rows`"):
        talk.reply()


def test_a_script_in_json_is_read_too(tmp_path: Path) -> None:
    write_file(tmp_path / "demo.json", '{"turns": [{"answer": "hello"}]}')

    assert Talk(demo_model(str(tmp_path)), "x").reply().message.text == "hello"


def test_without_a_script_it_says_what_it_is_and_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=tmp_path.name) as refused:
        Talk(demo_model(str(tmp_path)), "do it").reply()

    assert "only plays examples" in str(refused.value)
    assert "--model sonnet" in refused.value.hint


def test_an_answer_ends_the_script_even_if_it_is_asked_again(tmp_path: Path) -> None:
    write_file(tmp_path / "demo.yaml", "turns: [{answer: hello}]")
    talk = Talk(demo_model(str(tmp_path)), "x")
    talk.reply()

    assert talk.reply().message.text == "hello"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("turns: []", "turns is missing"),
        ("turns: [{answer: a}]\nmore: 1", "unknown field 'more'"),
        ("turns: [{answer: a, call: Read}]", "turn 1 must do one thing"),
        ("turns: [{thought: hm}]", "turn 1 must do one thing"),
        ("turns: [{call: Read}]", "does not always end"),
        ("turns: [{if_failed: true, answer: a}]", "does not always end"),
        ("turns: [{if_failed: maybe, call: Read}, {answer: a}]", "if_failed is 'maybe'"),
        ("turns: [{if_matches: '(', call: Read}, {answer: a}]", "not a pattern"),
        ("turns: [{if_matches: 7, call: Read}, {answer: a}]", "if_matches is 7"),
        ("turns: [{call: Read, capture: {x: '(?=a)'}}, {answer: a}]", "not a pattern"),
        ("turns: [{call: Read, capture: {X: a}}, {answer: a}]", "'X'"),
        ("turns: [{call: Read, capture: [a]}, {answer: a}]", "capture is"),
        ("turns: [{call: Read, input: x}, {answer: a}]", "input is 'x'"),
        ("turns: [{calls: [], thought: x}, {answer: a}]", "calls is"),
        ("turns: [{calls: [Read]}, {answer: a}]", "calls is 'Read'"),
        ("turns: [{calls: [{tool: Read}]}, {answer: a}]", "unknown field 'tool'"),
        ("turns: [{answer: a, input: {}}]", "`input` without `call`"),
        ("turns: [{answer: a, capture: {}}]", "nothing is observed"),
        ("turns: [{answer: ' '}]", "answer is ' '"),
        ("turns: [{answer: a}]\ndefaults: {x: [1]}", "x is"),
        ("turns: [hello]", "turn 1 is 'hello'"),
        ("turns: [", "not valid YAML"),
    ],
)
def test_a_wrong_script_is_told_with_what_to_do(text: str, wrong: str) -> None:
    with pytest.raises(SkillError) as caught:
        parse_script(text)

    assert str(caught.value).startswith("demo.yaml: ")
    assert wrong in str(caught.value)
    assert caught.value.hint


def test_json_that_is_none_is_told_with_its_file() -> None:
    with pytest.raises(SkillError, match=r"demo\.json: not valid JSON"):
        parse_script("{", "demo.json")


def test_a_script_that_is_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    outside = write_file(tmp_path / "elsewhere" / "x", SCRIPT)
    (tmp_path / "skill").mkdir()
    (tmp_path / "skill" / "demo.yaml").symlink_to(outside)

    with pytest.raises(RefusedError):
        read_script(str(tmp_path / "skill"))
