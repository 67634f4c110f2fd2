"""
A page: facts are handed on as they happen, and a question stays open until its answer is sent in.

Nothing is drawn here. Whoever serves the page follows the facts and calls `answer`.
"""

import asyncio
from collections.abc import Callable

from prowess.core.errors import UsageError
from prowess.core.run import Question
from prowess.core.workflow import Progress, TextFormat
from prowess.workflow.renderers import facts
from prowess.workflow.renderers.plain import meant


class WebRenderer:
    """`tell` gets every fact. `present` is false where no page will ever be opened."""

    def __init__(self, tell: Callable[[facts.Fact], object], *, present: bool = True) -> None:
        self._tell = tell
        self._present = present
        self._open: dict[str, tuple[Question, asyncio.Future[str | None]]] = {}

    @property
    def questions(self) -> list[Question]:
        """Those that wait for an answer, in the order they were asked."""
        return [question for question, _ in self._open.values()]

    def answer(self, question_id: str, answer: str | None) -> None:
        """None says that nobody will answer."""
        if question_id not in self._open:
            raise UsageError(
                f"no question {question_id!r} is open", hint="it may have been answered already"
            )
        question, waiting = self._open.pop(question_id)
        waiting.set_result(None if answer is None else meant(answer, question))

    async def show(self, text: str, *, step: str, format: TextFormat = "markdown") -> None:  # noqa: A002
        self._tell(facts.output(text, step, format))

    async def ask(self, question: Question, *, step: str, wrong: str = "") -> str | None:
        self._tell(facts.question(question, step, wrong))
        answer = await self._wait(question) if self._present else None
        self._tell(facts.answer(question, step, answer))
        return answer

    async def progress(self, progress: Progress) -> None:
        self._tell(facts.progress(progress))

    async def _wait(self, question: Question) -> str | None:
        waiting: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._open[question.id] = (question, waiting)
        try:
            return await waiting
        finally:
            self._open.pop(question.id, None)
