"""
Runs in conversation with MCP clients: started, followed to their end or to a question, cancelled.

The log is all the state there is. A call follows its run there; a call that brings an answer finds
the question there; so a conversation goes on with another call, another connection or another
process. A run outlives the call that waits for it, unless the client cancels.
"""

import asyncio
import getpass
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, CancelledNotificationParams, InputRequiredResult, TextContent

from prowess.core.errors import ConflictError, ProwessError, UsageError
from prowess.core.event import Recorded
from prowess.core.run import Outcome, Question, outcome_from_json
from prowess.core.skill import Skill
from prowess.observe.follow import follow
from prowess.permit.visibility import Role, seen
from prowess.serve.mcp_facts import views_of
from prowess.serve.mcp_own import Returned
from prowess.serve.mcp_schemas import WHOLE, one_text
from prowess.serve.mcp_visit import ToolCall, Visit
from prowess.serve.steering import check
from prowess.workflow.renderers.mcp import McpRenderer
from prowess.workflow.renderers.plain import PlainRenderer, meant

if TYPE_CHECKING:
    from prowess.engine.house import House

GRANTS = Role.DEVELOPER  # who may let a tool be used, at least
NUDGE = 0.01  # per cent: every report of progress must be further than the last


class UnansweredError(ProwessError):
    """The person would not answer, and there is no default; or it is `who` that must answer."""

    def __init__(self, question: Question, *, who: str = "") -> None:
        super().__init__("the question was not answered")
        self.question = question
        self.who = who


class Runs:
    """The runs that clients wait for; `_waiting` finds one by the request that waits for it."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str | None, str], str] = {}

    async def start(self, visit: Visit, skill: Skill, given: Mapping[str, Any]) -> str:
        """Begin a run and return its id; what would only fail later is refused now."""
        from prowess.engine.request import RunRequest

        house = await visit.premises.house()
        asked: dict[str, Any] = {
            "skill": skill.name,
            "workspace": visit.premises.workspace,
            "ask": visit.premises.settings.permissions_default == "ask" and visit.may(GRANTS),
            "answers": True,
            "user": getpass.getuser(),
            "date": datetime.now(UTC).astimezone().date().isoformat(),
        }
        if skill.format == "workflow":
            by_name = dict(given)
            asked |= {"arguments": by_name.pop(WHOLE, ""), "given": by_name}
            return await _start_workflow(house, skill, asked, user=visit.user)
        request = RunRequest(arguments=one_text(skill, given), **asked)
        await check(house, request, fields=False)
        return await house.start(request, user=visit.user)

    async def go_on(self, call: ToolCall, skill: Skill) -> str:
        """The run that an earlier call of the same tool began and that asked something."""
        run = call.params.request_state or ""
        house = await call.visit.premises.house()
        if (await (await views_of(call.visit)).get(run)).skill != skill.name:
            raise UsageError(f"{run} is no run of {skill.name}", hint="call the tool anew")
        await _resumed(house, run)
        return run

    async def answer(self, call: ToolCall) -> Returned:
        """The tool `answer`, for clients that cannot be asked: answer, and follow the run on."""
        # A sub-agent's question is its whole run's too.
        run, house = call.arguments["run"].partition(".")[0], await call.visit.premises.house()
        asked = (await (await views_of(call.visit)).get(run)).question
        if asked is None:
            raise ConflictError(f"the run {run} asks nothing", hint="`prowess_run_show` tells more")
        if asked.get("grants"):
            call.visit.must_be(GRANTS)
        question = _question(asked)
        answer = meant(call.arguments["answer"], question)
        if question.options and answer not in question.options:
            options = " or ".join(question.options)
            raise UsageError("the answer is none of the options", hint=f"use {options}")
        await _resumed(house, run)
        if not await house.engine.send_answer(run, question.id, answer):
            told = f"the run {run} was answered already"
            raise ConflictError(told, hint="the first answer counts; `prowess_run_show` tells more")
        since = next(
            each.seq
            for each in await house.log.aside(lambda: list(house.log.run(run)))
            if each.event.kind == "question.asked" and each.event.payload["id"] == question.id
        )
        return await self.follow(call, run, after=since)

    async def follow(self, call: ToolCall, run: str, *, after: int = 0) -> Returned:
        """Wait for the end of the run, or for a question that the client must answer first."""
        house = await call.visit.premises.house()
        place = (call.visit.session, str(call.visit.context.request_id))
        self._waiting[place] = run
        renderer = McpRenderer(run)
        new = not after and not call.params.request_state
        tale = _Tale(call=call, house=house, run=run, renderer=renderer, is_new=new)
        telling = asyncio.ensure_future(tale.tell(run, after=after))
        try:
            returned = await renderer.converse(tale.context, telling)
        except UnansweredError as error:
            returned = _left_open(run, error)
        except asyncio.CancelledError:
            await self._left(call.visit, house, run)
            raise
        finally:
            telling.cancel()
        self._waiting.pop(place, None)
        return returned if isinstance(returned, InputRequiredResult) else _signed(returned, run)

    async def _left(self, visit: Visit, house: "House", run: str) -> None:
        """
        The call was cut off. Over HTTP without sessions, hanging up is how a client cancels; all
        others say so, and a client that is gone without a word leaves its run as it is.
        """
        request = visit.context.request
        with anyio.CancelScope(shield=True):
            if request and visit.session is None and await request.is_disconnected():
                await house.cancel(run)

    async def cancelled(self, visit: Visit, params: CancelledNotificationParams) -> None:
        """The client does not want the answer to one of its requests any more."""
        place = (visit.session, str(params.request_id))
        if visit.session is not None and (run := self._waiting.pop(place, None)):
            await (await visit.premises.house()).cancel(run)


@dataclass(kw_only=True)
class _Tale:
    """
    One run as it is told to one client, from what the log has of it and of the runs inside it. Of one
    that `is_new` all is reported, however soon it was on its way; of others what comes from now on.
    """

    call: ToolCall
    house: "House"
    run: str
    renderer: McpRenderer
    is_new: bool
    _settled: set[str] = field(default_factory=set)  # questions that need not be asked any more
    _progress: float = -NUDGE

    @property
    def context(self) -> Context[Any, Any]:
        return Context(request_context=self.call.visit.context, input_params=self.call.params)

    async def tell(self, run: str, *, after: int = 0) -> Outcome:
        """Ask what the run asks, show what it says, report what it does, return how it ended."""
        log = self.house.log
        old = await log.aside(lambda: list(log.run(run)))
        self._settled |= {
            each.event.payload["id"] for each in old if each.event.kind == "question.answered"
        }
        reported = 0 if self.is_new else len(old)
        async for each in follow(log, run, after=after):
            payload = each.event.payload
            match each.event.kind:
                case "run.finished":
                    return self._outcome(each)
                case "agent.forked":
                    await self.tell(payload["child"])
                case "question.asked" if payload["id"] not in self._settled:
                    await self._ask(payload)
                case "output.shown":
                    await self._show(each)
                case _ if each.seq > reported:
                    await self._report(each)
        raise AssertionError("a log is followed without end")

    async def _ask(self, payload: Mapping[str, Any]) -> None:
        question = _question(payload)
        self._settled.add(question.id)  # a sub-agent's is told by the run around it as well
        if payload.get("grants") and not self.call.visit.may(GRANTS):
            raise UnansweredError(question, who=GRANTS)
        answer = await self.renderer.ask(
            question, step=payload.get("step", ""), wrong=payload.get("wrong", "")
        )
        answer = question.default if answer is None else answer
        if answer is None:
            raise UnansweredError(question)
        await self.house.engine.send_answer(self.run, question.id, answer)

    async def _show(self, each: Recorded) -> None:
        if payload := self._seen(each):
            text = payload.get("text", "")
            await self.renderer.show(text, step=payload.get("step", ""))

    async def _report(self, each: Recorded) -> None:
        payload = self._seen(each)
        if payload and isinstance(summary := payload.get("summary"), str):
            own = (payload.get("progress") or 0) if each.event.run == self.run else 0
            self._progress = max(own, self._progress + NUDGE)
            await self.context.report_progress(self._progress, 100, summary)

    def _outcome(self, each: Recorded) -> Outcome:
        payload = self._seen(each) or {}
        hidden = {"ending": each.event.payload["outcome"]["ending"], "answer": ""}
        reason = "the run has ended; your role may not see its answer"
        return outcome_from_json(payload.get("outcome") or {**hidden, "reason": reason})

    def _seen(self, each: Recorded) -> dict[str, Any] | None:
        premises = self.call.visit.premises
        return seen(
            each.event.payload,
            kind=each.event.kind,
            role=self.call.visit.role,
            rules=premises.visibility,
            known=premises.known,
        )


async def _start_workflow(
    house: "House", skill: Skill, asked: Mapping[str, Any], *, user: str
) -> str:
    from prowess.engine import workflows
    from prowess.engine.house import new_run

    run, request = new_run(), workflows.WorkflowRequest(**asked)
    workflows.check_request(skill, request)
    await house.begin(workflows.KIND, run, request.as_json(), user=user)
    return run


async def _resumed(house: "House", run: str) -> None:
    """A run whose process ended while it waited goes on in this one."""
    if await house.engine.state(run) == "interrupted":
        await house.resume(run)


def _question(asked: Mapping[str, Any]) -> Question:
    return Question(
        id=asked["id"],
        prompt=asked["prompt"],
        options=tuple(asked.get("options") or ()),
        default=asked.get("default"),
    )


def _left_open(run: str, left: UnansweredError) -> CallToolResult:
    """Nothing is lost: the run waits for as long as it takes."""
    by_tool = f"Call the tool `answer` with run={run!r} and the answer, or `prowess_run_cancel`."
    by_other = f"To answer it is for {left.who}; `prowess_run_show` tells how it went on."
    words = (
        f"The run {run} waits for an answer that was not given:\n\n"
        f"{PlainRenderer.question(left.question, '')}\n\n"
        f"{by_other if left.who else by_tool}"
    )
    return CallToolResult(
        content=[TextContent(text=words)],
        structured_content={"run": run, "question": left.question.as_json()},
    )


def _signed(returned: CallToolResult, run: str) -> CallToolResult:
    """With the run's id at the end, for `prowess_run_show` and for people who look it up."""
    return returned.model_copy(
        update={"content": [*returned.content, TextContent(text=f"[run {run}]")]}
    )
