"""
What the renderers for people share: text that cannot drive a terminal, a question as numbered lines,
and which option an answer meant.
"""

import json
import re
from collections.abc import Sequence
from itertools import groupby, zip_longest
from typing import TextIO
from unicodedata import east_asian_width

from prowess.core.run import Question
from prowess.core.text import UNSEEN
from prowess.core.workflow import Progress, TextFormat
from prowess.workflow.renderers.lines import Lines

_CONTROL = re.compile(f"{UNSEEN}+")
NOBODY = "Nobody is here to answer."  # what to pass beforehand is told by the run, once


def safe(text: str) -> str:
    """Lines without control characters."""
    return _CONTROL.sub(" ", text.replace("\r\n", "\n"))


def escaped(text: str) -> str:
    """JSON whose control characters are written as JSON writes them; it means the same."""
    return _CONTROL.sub(lambda match: "".join(f"\\u{ord(each):04x}" for each in match[0]), text)


def one_line(text: str) -> str:
    return " ".join(safe(text).split())


def indented_json(text: str) -> str:
    """JSON laid out for people; text that is none stays as it is."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Cells below each other; the last of a row is as long as it is."""
    widths = [max(map(_width, column)) for column in zip_longest(*rows, fillvalue="")]
    lines = []
    for row in rows:
        cells = zip(row, widths, strict=False)
        lines.append("  ".join(cell + " " * (wide - _width(cell)) for cell, wide in cells).rstrip())
    return "\n".join(lines)


def _width(text: str) -> int:
    """How many places of a terminal it takes."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def as_text(text: str, format: TextFormat) -> str:  # noqa: A002
    """What is not Markdown, laid out: JSON by its depth, lines that are parted by tabs as columns."""
    if format == "json":
        return safe(indented_json(text))
    parts: list[str] = []
    for tabbed, lines in groupby(safe(text).split("\n"), key=lambda line: "\t" in line):
        rows = [line.split("\t") for line in lines]
        parts += [columns(rows)] if tabbed else [line for (line,) in rows]
    return "\n".join(parts)


def meant(typed: str, question: Question) -> str:
    """The option that a number or another spelling stands for; the default for nothing; else what was typed."""
    answer = typed.strip()
    if not answer and question.default is not None:
        return question.default
    if answer in question.options:
        return answer
    if answer.isascii() and answer.isdecimal() and 1 <= int(answer) <= len(question.options):
        return question.options[int(answer) - 1]
    near = [each for each in question.options if one_line(each).casefold() == answer.casefold()]
    return near[0] if len(near) == 1 else answer


class PlainRenderer:
    """
    Shows and asks by plain lines. What the lines of a text look like is decided by `formed`, which
    other renderers write anew.
    """

    def __init__(self, out: TextIO, lines: Lines) -> None:
        self._out = out
        self._lines = lines

    async def show(self, text: str, *, step: str, format: TextFormat = "markdown") -> None:  # noqa: A002
        if formed := self.formed(text, format).strip("\n"):
            self._write(f"{formed}\n\n")

    async def ask(self, question: Question, *, step: str, wrong: str = "") -> str | None:
        self._write(f"{self.question(question, wrong)}\n")
        typed = await self._lines.next()
        if typed is not None:
            self._write("\n")
            return meant(typed, question)
        self._write("\n" if question.default is not None else f"\n{NOBODY}\n")
        return None

    async def progress(self, progress: Progress) -> None:
        """What the steps have to say is enough."""

    def formed(self, text: str, format: TextFormat) -> str:  # noqa: A002
        return safe(text) if format == "markdown" else as_text(text, format)

    @staticmethod
    def question(question: Question, wrong: str) -> str:
        """What is wrong with the last answer, the prompt, the options by number."""
        parts = [safe(wrong)] if wrong else []
        parts.append(safe(question.prompt))
        if question.options:
            parts.append("")
        for number, option in enumerate(question.options, 1):
            default = "  (default)" if option == question.default else ""
            parts.append(f"{number}. {one_line(option)}{default}")
        if question.default is not None and question.default not in question.options:
            parts.append(f"(default: {one_line(question.default)})")
        return "\n".join(parts)

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
