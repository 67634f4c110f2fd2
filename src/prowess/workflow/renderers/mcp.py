"""
A workflow in conversation with an MCP client, over as many calls as it takes.

The workflow shows, asks and waits; a call of the client's tool follows it until it ends or has a
question. How the question reaches a person depends on the client: since 2026-07-28 the call returns
what is asked and the client calls again with the answer; before, the server elicits it within the
call; a client that cannot be asked gets the question as text and answers with another tool.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver import Context
from mcp_types import (
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    TextContent,
)

from prowess.core.run import Outcome, Question
from prowess.core.workflow import Progress, TextFormat
from prowess.workflow.renderers import facts
from prowess.workflow.renderers.plain import PlainRenderer, meant, one_line, safe

ASKS_BY_RETURNING = "2026-07-28"
FIELD = "answer"
Returned = CallToolResult | InputRequiredResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """
    A question that waits. `key` names it to the client: another one at every try, and the same one
    whichever renderer puts the question first, so that an answer may come to another process.
    """

    key: str
    question: Question
    step: str
    wrong: str
    answer: "asyncio.Future[str | None]"

    @property
    def message(self) -> str:
        return f"{safe(self.wrong)}\n\n{safe(self.question.prompt)}".strip()

    def form(self) -> ElicitRequestFormParams:
        """One field; its options are a choice where there are any."""
        field: dict[str, Any] = {"type": "string", "title": "Answer"}
        if self.question.options:
            field["enum"] = [one_line(option) for option in self.question.options]
        if self.question.default is not None:
            field["default"] = self.question.default
        schema = {"type": "object", "properties": {FIELD: field}, "required": [FIELD]}
        return ElicitRequestFormParams(message=self.message, requested_schema=schema)


class McpRenderer:
    """`run` names the workflow's run: to the client that calls again, and to the tool `answer`."""

    def __init__(self, run: str) -> None:
        self.run = run
        self._shown: list[str] = []
        self._progress: list[Progress] = []
        self._asked: Asked | None = None
        self._tries: Counter[str] = Counter()
        self._news = asyncio.Event()

    async def show(self, text: str, *, step: str, format: TextFormat = "markdown") -> None:  # noqa: A002
        if text.strip():
            self._shown.append(safe(text).strip("\n"))

    async def ask(self, question: Question, *, step: str, wrong: str = "") -> str | None:
        name = question.id or step
        self._tries[name] += 1
        waiting: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._asked = Asked(
            key=f"{name}.{self._tries[name]}",
            question=question,
            step=step,
            wrong=wrong,
            answer=waiting,
        )
        self._news.set()
        try:
            return await waiting
        finally:
            self._asked = None

    async def progress(self, progress: Progress) -> None:
        self._progress.append(progress)
        self._news.set()

    @property
    def question(self) -> Question | None:
        """The one that waits for an answer."""
        return self._asked.question if self._asked else None

    def answer(self, answer: str | None) -> bool:
        """Answer the question that waits, if one does; None says that nobody will."""
        asked, self._asked = self._asked, None
        if asked is None or asked.answer.done():
            return False
        asked.answer.set_result(None if answer is None else meant(answer, asked.question))
        return True

    async def converse(
        self, context: Context[Any, Any], ending: "asyncio.Future[Outcome]"
    ) -> Returned:
        """
        Follow the workflow, tell its progress, and return at its end or when the client has to answer.

        `ending` is the workflow at work; it goes on when the call is over.
        """
        ending.add_done_callback(lambda _: self._news.set())
        while True:
            self._news.clear()
            await self._report(context)
            if ending.done():
                return self._ended(ending.result())
            if self._asked is None:
                await self._news.wait()
            elif (returned := await self._put(context, self._asked)) is not None:
                return returned

    async def _put(self, context: Context[Any, Any], asked: Asked) -> Returned | None:
        """Ask the client as it can be asked; None when the question is answered."""
        if not _can_elicit(context):
            return self._in_words(asked)
        if (context.protocol_version or "") < ASKS_BY_RETURNING:
            self.answer(_told(await self._elicited(context, asked)))
            return None
        given = (context.input_responses or {}).get(asked.key)
        if isinstance(given, ElicitResult):
            self.answer(_told(given))
            return None
        request = ElicitRequest(params=asked.form())
        return InputRequiredResult(input_requests={asked.key: request}, request_state=self.run)

    @staticmethod
    async def _elicited(context: Context[Any, Any], asked: Asked) -> ElicitResult:
        form = asked.form()
        result: ElicitResult = await context.session.elicit_form(
            message=form.message,
            requested_schema=form.requested_schema,
            related_request_id=context.request_id,
        )
        return result

    def _in_words(self, asked: Asked) -> CallToolResult:
        words = PlainRenderer.question(asked.question, asked.wrong)
        how = f"Call the tool `answer` with run={self.run!r} and the answer."
        content = [*self._content(), TextContent(text=f"{words}\n\n{how}")]
        told = {
            "run": self.run,
            "question": facts.question(asked.question, asked.step, asked.wrong),
        }
        return CallToolResult(content=content, structured_content=told)

    def _ended(self, outcome: Outcome) -> CallToolResult:
        """
        What was shown, then the answer, unless it only repeats what was shown, and why there is not
        more of it. What was found before the budget ran out is an answer, and no error.
        """
        content = self._content()
        for said in (outcome.answer, "" if outcome.ok else outcome.reason):
            if said.strip() and said.strip() not in [each.text.strip() for each in content]:
                content.append(TextContent(text=safe(said)))
        told = {"run": self.run, "outcome": outcome.as_json()}
        wrong = outcome.ending not in ("done", "partial")
        return CallToolResult(content=content, structured_content=told, is_error=wrong)

    def _content(self) -> list[Any]:
        """What was shown since the client was last told."""
        shown, self._shown = self._shown, []
        return [TextContent(text=text) for text in shown]

    async def _report(self, context: Context[Any, Any]) -> None:
        """A step that has begun counts half, because every report must be further than the last."""
        told, self._progress = self._progress, []
        for each in told:
            done = each.index - (0.5 if each.state == "started" else 0)
            await context.report_progress(done, each.total, safe(each.summary))


def _can_elicit(context: Context[Any, Any]) -> bool:
    able = context.client_capabilities
    return able is not None and able.elicitation is not None


def _told(result: ElicitResult) -> str | None:
    """None when the person would not answer."""
    if result.action != "accept" or not result.content:
        return None
    value = result.content.get(FIELD)
    return None if value is None else str(value)
