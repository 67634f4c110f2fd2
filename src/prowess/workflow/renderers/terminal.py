"""
A person at a terminal: Markdown laid out by Rich, numbered options, another try after a wrong answer.

What the workflow says goes to stdout; questions and progress go beside it, to stderr, so that the
output can be piped on. Where stdout is no terminal, the lines are plain.
"""

import os
from typing import TYPE_CHECKING, Any, TextIO

from prowess.core.run import Question
from prowess.core.workflow import Progress, TextFormat
from prowess.core.wrapping import wrapped
from prowess.workflow.renderers.lines import Lines
from prowess.workflow.renderers.plain import (
    NOBODY,
    PlainRenderer,
    as_text,
    meant,
    one_line,
    safe,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.text import Text

_SPEAK_FOR_THEMSELVES = ("output", "question")


class TerminalRenderer(PlainRenderer):
    def __init__(self, out: TextIO, lines: Lines, *, aside: TextIO) -> None:
        super().__init__(out, lines)
        self._console = _console(out)
        self._aside = _console(aside)

    async def show(self, text: str, *, step: str, format: TextFormat = "markdown") -> None:  # noqa: A002
        if not self._console.is_terminal:
            await super().show(text, step=step, format=format)
        elif text.strip():
            if format == "markdown":
                self._console.print(_markdown(safe(text)), soft_wrap=False)
            else:
                self._console.print(_text(as_text(text, format)))
            self._console.print()

    async def ask(self, question: Question, *, step: str, wrong: str = "") -> str | None:
        if wrong:
            self._aside.print(_fitted(self._aside, safe(wrong), "yellow"))
        self._aside.print(_fitted(self._aside, safe(question.prompt), "bold"))
        for number, option in enumerate(question.options, 1):
            default = "  (default)" if option == question.default else ""
            line = _fitted(self._aside, f"{number:>4}. {one_line(option)}{default}")
            line.stylize("cyan", 0, len("   1. "))
            self._aside.print(line)
        self._aside.print(_text(_invitation(question), "cyan"), end="")
        typed = await self._lines.next()
        if typed is None:
            self._aside.print(_text("" if question.default is not None else f"\n{NOBODY}"))
            return None
        self._aside.print()
        return meant(typed, question)

    async def progress(self, progress: Progress) -> None:
        told = f"[{progress.index}/{progress.total}] {one_line(progress.summary)}"
        if progress.state == "failed":
            self._aside.print(_fitted(self._aside, f"{told}: failed", "red"))
        elif progress.state == "started" and progress.kind not in _SPEAK_FOR_THEMSELVES:
            self._aside.print(_fitted(self._aside, told, "dim"))


def _invitation(question: Question) -> str:
    if question.default is None or question.default in question.options:
        return "> "
    return f"[{one_line(question.default)}] > "


def _console(stream: TextIO) -> "Console":
    from rich.console import Console

    plain: dict[str, Any] = {"color_system": None} if os.environ.get("NO_COLOR") else {}
    return Console(file=stream, highlight=False, soft_wrap=True, **plain)


def _markdown(text: str) -> "Markdown":
    from rich.markdown import Markdown

    # Links are written out: one that says one thing and leads to another cannot be seen through.
    return Markdown(text, hyperlinks=False)


def _fitted(console: "Console", text: str, style: str = "") -> "Text":
    """Broken between words where the terminal ends; where there is none, as it is."""
    return _text(wrapped(text, console.width) if console.is_terminal else text, style)


def _text(text: str, style: str = "") -> "Text":
    from rich.text import Text

    return Text(text, style=style)
