"""What each renderer makes of text, beyond what all of them promise."""

import asyncio
import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from players import PLAYERS, Make, typing
from prowess.core.errors import UsageError
from prowess.core.run import Question
from prowess.core.workflow import Progress, Renderer, TextFormat
from prowess.workflow.renderers import NAMES, open_renderer
from prowess.workflow.renderers.aider import AiderRenderer, unmarked
from prowess.workflow.renderers.json_lines import JsonRenderer
from prowess.workflow.renderers.lines import Lines
from prowess.workflow.renderers.markdown import MarkdownRenderer
from prowess.workflow.renderers.terminal import TerminalRenderer
from prowess.workflow.renderers.web import WebRenderer

TABLE = "| Metric | Count |\n|---|---|\n| Active agents | 3 |\n| Done | 12 |"


def shown(make: Make, text: str, format: TextFormat = "markdown") -> str:  # noqa: A002
    async def talk(renderer: Renderer) -> str:
        await renderer.show(text, step="s", format=format)
        return ""

    return typing(make)(talk, [])


def test_a_terminal_lays_markdown_out() -> None:
    async def talk(renderer: Renderer) -> str:
        await renderer.show(f"**bold**\n\n{TABLE}\n\n[here](https://example.org)", step="s")
        return ""

    seen = PLAYERS["terminal"](talk, [])

    assert "\x1b[1mbold" in seen
    assert "|---|" not in seen
    assert "here (" in re.sub(r"\x1b\[[0-9;]*m", "", seen)


def test_a_terminal_breaks_prose_between_words_and_leaves_other_lines_whole() -> None:
    async def talk(renderer: Renderer) -> str:
        await renderer.show("seven " * 40, step="s")
        await renderer.show("eleven " * 40, step="s", format="text")
        return ""

    seen = PLAYERS["terminal"](talk, [])

    assert {word for line in seen.splitlines()[:3] for word in line.split()} == {"seven"}
    assert "eleven " * 40 in seen


def test_a_terminal_breaks_questions_and_progress_between_words() -> None:
    async def talk(renderer: Renderer) -> str:
        await renderer.progress(
            Progress(
                step="a", kind="command", index=1, total=2, summary="seven " * 40, state="started"
            )
        )
        question = Question(id="q", prompt="seven " * 40, options=("seven " * 40, "b"))
        return await renderer.ask(question, step="b", wrong="seven " * 40) or ""

    seen = re.sub(r"\x1b\[[0-9;]*m", "", PLAYERS["terminal"](talk, ["b"]))

    lines = seen.replace("\r", "").split("\n> ")[0].splitlines()
    assert lines[1].startswith("      seven")  # below the words of "[1/2] seven"
    assert {word for line in lines for word in line.split()} == {"[1/2]", "1.", "2.", "b", "seven"}
    assert max(map(len, lines)) <= 80


def test_in_a_pipe_the_terminal_writes_what_it_was_given() -> None:
    out = shown(lambda out, lines: TerminalRenderer(out, lines, aside=io.StringIO()), TABLE)

    assert out == f"{TABLE}\n\n"


def test_the_output_of_a_terminal_can_be_piped_on_without_its_questions() -> None:
    aside = io.StringIO()

    async def talk(renderer: Renderer) -> str:
        await renderer.progress(
            Progress(step="a", kind="command", index=1, total=2, summary="Look", state="started")
        )
        await renderer.ask(Question(id="q", prompt="Sure?"), step="b")
        return ""

    out = typing(lambda out, lines: TerminalRenderer(out, lines, aside=aside))(talk, ["yes"])

    assert out == ""
    assert aside.getvalue() == "[1/2] Look\nSure?\n> \n"


@pytest.mark.parametrize("make", [MarkdownRenderer, AiderRenderer])
def test_a_question_that_nobody_can_answer_says_so(make: Make) -> None:
    async def talk(renderer: Renderer) -> str:
        await renderer.ask(Question(id="q", prompt="Which?"), step="get-role[2]")
        return ""

    assert typing(make)(talk, []).endswith("Nobody is here to answer.\n")


def test_markdown_fences_what_is_not_markdown() -> None:
    assert shown(MarkdownRenderer, "a\n```\nb", "text") == "````text\na\n```\nb\n````\n\n"
    assert shown(MarkdownRenderer, '{"a":1}', "json") == '```json\n{\n  "a": 1\n}\n```\n\n'


@pytest.mark.parametrize("make", [MarkdownRenderer, AiderRenderer])
def test_lines_that_are_parted_by_tabs_become_columns(make: Make) -> None:
    out = shown(make, "Next\nENG-H-0001\tEngineer\tFix it\n漢\tTester\n\nEnd", "text")

    assert "Next\nENG-H-0001  Engineer  Fix it\n漢          Tester\n\nEnd" in out


def test_aider_gets_the_text_without_its_marks() -> None:
    text = (
        f"# Status\n\n**Three** `agents`, see [the board](https://example.org/b)\n\n{TABLE}\n\n"
        "1. one\n2. two\n   - deeper\n\n```bash\nprowess task list\n```\n"
    )

    assert unmarked(text) == (
        "Status\n\nThree agents, see the board (https://example.org/b)\n\n"
        "Metric         Count\nActive agents  3\nDone           12\n\n"
        "1. one\n2. two\n  - deeper\n\n    prowess task list"
    )


def test_a_program_gets_one_fact_a_line_with_everything_in_it() -> None:
    async def talk(renderer: Renderer) -> str:
        await renderer.show("\x9b2J\u202e", step="a", format="text")
        await renderer.ask(Question(id="q", prompt="P", options=("x",)), step="b", wrong="W")
        return ""

    out = typing(JsonRenderer)(talk, ['"1"'])

    assert "\x9b" not in out
    assert "\u202e" not in out
    assert [json.loads(line) for line in out.splitlines()] == [
        {"kind": "output", "step": "a", "format": "text", "text": "\x9b2J\u202e"},
        {
            "kind": "question", "step": "b", "id": "q", "prompt": "P", "options": ["x"],
            "default": None, "wrong": "W",
        },
        {"kind": "answer", "step": "b", "id": "q", "answer": "x"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line", ["{", "[1]", '{"id": "another", "answer": "x"}', "{}", '{"answer": [1]}']
)
def test_a_line_that_is_no_answer_is_told_to_be_none_and_the_next_one_counts(line: str) -> None:
    got: list[str | None] = []

    async def talk(renderer: Renderer) -> str:
        got.append(await renderer.ask(Question(id="q", prompt="P"), step="b"))
        return ""

    out = typing(JsonRenderer)(talk, [line, "", '{"id": "q", "answer": "yes"}'])

    assert got == ["yes"]
    assert json.loads(out.splitlines()[1])["kind"] == "error"


def test_numbers_and_truths_of_json_are_answers_too() -> None:
    got: list[str | None] = []

    async def talk(renderer: Renderer) -> str:
        question = Question(id="q", prompt="P")
        got.extend([await renderer.ask(question, step="b") for _ in range(3)])
        return ""

    typing(JsonRenderer)(talk, ["3", "true", "null"])

    assert got == ["3", "true", None]


def test_a_page_sees_which_questions_wait_and_answers_each_once() -> None:
    facts: list[dict[str, Any]] = []

    async def go() -> str | None:
        renderer = WebRenderer(facts.append)
        asking = asyncio.create_task(renderer.ask(Question(id="q", prompt="P"), step="s"))
        await asyncio.sleep(0)
        assert [question.id for question in renderer.questions] == ["q"]
        renderer.answer("q", "yes")
        with pytest.raises(UsageError, match="no question 'q' is open"):
            renderer.answer("q", "no")
        return await asking

    assert asyncio.run(go()) == "yes"
    assert facts[-1] == {"kind": "answer", "step": "s", "id": "q", "answer": "yes"}


def test_where_no_page_will_be_opened_nobody_answers() -> None:
    renderer = WebRenderer(lambda fact: None, present=False)

    assert asyncio.run(renderer.ask(Question(id="q", prompt="P"), step="s")) is None


def test_lines_come_from_plain_files_in_pieces_and_without_a_last_line_end(tmp_path: Path) -> None:
    file = tmp_path / "answers"
    file.write_bytes(b"one\r\n" + "zwei\u00fc\n".encode() + b"last")

    async def go() -> list[str | None]:
        descriptor = os.open(file, os.O_RDONLY)
        lines = Lines(descriptor)
        try:
            return [await lines.next() for _ in range(4)]
        finally:
            os.close(descriptor)

    assert asyncio.run(go()) == ["one", "zwei\u00fc", "last", None]


def test_waiting_for_a_line_can_be_given_up() -> None:
    reading, writing = os.pipe()

    async def go() -> str | None:
        lines = Lines(reading)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(lines.next(), 0.01)
        os.write(writing, b"later\n")
        return await lines.next()

    assert asyncio.run(go()) == "later"
    os.close(reading)
    os.close(writing)


def test_where_stdin_is_closed_nobody_is_there() -> None:
    assert asyncio.run(Lines(None).next()) is None


@pytest.mark.parametrize("name", NAMES)
def test_renderers_are_opened_by_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)

    assert asyncio.run(open_renderer(name).ask(Question(id="", prompt=""), step="s")) is None


def test_an_unknown_renderer_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError) as error:
        open_renderer("braille")

    assert error.value.hint == "use terminal, markdown, aider, json"
