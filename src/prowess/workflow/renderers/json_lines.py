"""
JSON lines for scripts and tests: every fact is one line on stdout, every answer one line on stdin,
either the answer as a JSON string or `{"answer": "…"}`, with the question's `id` if you like.
"""

import json
from typing import Any, TextIO

from prowess.core.run import Question
from prowess.core.workflow import Progress, TextFormat
from prowess.workflow.renderers import facts
from prowess.workflow.renderers.lines import Lines
from prowess.workflow.renderers.plain import escaped, meant


class JsonRenderer:
    def __init__(self, out: TextIO, lines: Lines) -> None:
        self._out = out
        self._lines = lines

    async def show(self, text: str, *, step: str, format: TextFormat = "markdown") -> None:  # noqa: A002
        self._tell(facts.output(text, step, format))

    async def ask(self, question: Question, *, step: str, wrong: str = "") -> str | None:
        self._tell(facts.question(question, step, wrong))
        answer = await self._answer(question)
        self._tell(facts.answer(question, step, answer))
        return answer

    async def progress(self, progress: Progress) -> None:
        self._tell(facts.progress(progress))

    async def _answer(self, question: Question) -> str | None:
        """The next line that answers this question; others are told to be none."""
        while (line := await self._lines.next()) is not None:
            if not line.strip():
                continue
            given, problem = _read(line, question)
            if not problem:
                return None if given is None else meant(given, question)
            self._tell({"kind": "error", "message": problem, "hint": 'write {"answer": "…"}'})
        return None

    def _tell(self, fact: facts.Fact) -> None:
        self._out.write(escaped(json.dumps(fact, ensure_ascii=False)) + "\n")
        self._out.flush()


def _read(line: str, question: Question) -> tuple[str | None, str]:
    """The answer in the line, and what is wrong with it."""
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        return None, f"not JSON: {error}"
    if isinstance(value, dict):
        if value.get("id", question.id) != question.id:
            return None, f"an answer to another question, {value['id']!r}"
        if "answer" not in value:
            return None, "no answer in it"
        value = value["answer"]
    if value is None or isinstance(value, str):
        return value, ""
    if isinstance(value, bool | int | float):
        return json.dumps(value), ""
    return None, "an answer is text"
