"""
Show a workflow's run through a renderer: what it says, where it stands, what it asks.

The run and its renderer know each other by the log alone, so a run that goes on in another process,
or after a crash, is shown like any other. What was answered before is not asked again.
"""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from prowess.core.errors import WaitingRunError
from prowess.core.event import Event
from prowess.core.ports import Engine, Log
from prowess.core.run import Question
from prowess.core.workflow import Progress, Renderer
from prowess.engine.workflows import NOBODY
from prowess.observe.follow import follow

_LATE = 2.0  # seconds in which the last events of a run that is over are still shown
_ELSEWHERE = 5.0  # seconds in which a run that goes on takes up an answer that was given before
_STATES = {"step.started": "started", "step.skipped": "skipped"}


async def present(
    log: Log, engine: Engine, run: str, renderer: Renderer, *, after: int = 0, leaves: bool = False
) -> None:
    """
    Follow the run from its event `after` until it has ended, and answer what it asks.

    Where nobody answers, the run is told so and decides; with `leaves` it is left as it waits, to be
    resumed, and `WaitingRunError` is raised.
    """
    showing = asyncio.create_task(_Showing(log, engine, run, renderer, leaves).run(run, after))
    ending = asyncio.create_task(_ended(engine, run))
    try:
        await asyncio.wait((showing, ending), return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait((showing,), timeout=_LATE)
        if showing.done():
            showing.result()
    finally:
        showing.cancel()
        ending.cancel()
        await asyncio.gather(showing, ending, return_exceptions=True)


async def must_be_answered(log: Log, run: str, question: Mapping[str, Any], *, old: bool) -> None:
    """
    Nobody here answers, so `WaitingRunError`. Unless the question is `old`, from before the run was
    resumed, and was answered while nobody worked on it: then the run takes the answer up in a moment.
    """
    if old and await _is_answered(log, run, question["id"]):
        return
    root = run.partition(".")[0]
    raise WaitingRunError(
        f"the run {root} waits for an answer: {question['prompt']}",
        hint=f"`prowess runs answer {root} ANSWER` gives it, then `prowess runs resume {root}` goes on",
    )


async def _is_answered(log: Log, run: str, question: str) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(_ELSEWHERE), aclosing(follow(log, run)) as events:
            async for each in events:
                told = each.event
                if told.kind == "question.answered" and told.payload["id"] == question:
                    return True
    return False


def questions(log: Log, run: str) -> tuple[set[str], set[str]]:
    """The ids of the questions that the log knows already: those asked, and those answered."""
    asked: set[str] = set()
    answered: set[str] = set()
    into = {"question.asked": asked, "question.answered": answered}
    for each in log.run(run):
        if each.event.kind in into:
            into[each.event.kind].add(each.event.payload["id"])
    return asked, answered


async def _ended(engine: Engine, run: str) -> None:
    """A run that breaks, or whose process is gone, has no last event: its engine knows that it is over."""
    with suppress(Exception):  # whoever asks for the result is told
        await engine.result(run)


@dataclass(frozen=True, slots=True)
class _Showing:
    """`root` is the run that the engine knows; the runs inside it are parts of it."""

    log: Log
    engine: Engine
    root: str
    renderer: Renderer
    leaves: bool

    async def run(self, run: str, after: int = 0) -> None:
        asked, answered = await self.log.aside(partial(questions, self.log, run))
        async for each in follow(self.log, run, after=after):
            payload = each.event.payload
            if each.event.kind == "question.asked" and payload["id"] not in answered:
                await self._answer(run, payload, old=payload["id"] in asked)
            elif each.event.kind == "agent.forked":
                await self.run(payload["child"])
            elif each.event.kind == "run.finished":
                return
            else:
                await self._show(each.event)

    async def _show(self, event: Event) -> None:
        payload = event.payload
        if event.kind == "output.shown":
            await self.renderer.show(
                payload["text"], step=payload["step"], format=payload["format"]
            )
        elif event.kind in _STATES or event.kind == "step.finished":
            await self.renderer.progress(_progress(event))

    async def _answer(self, run: str, payload: Mapping[str, Any], *, old: bool) -> None:
        question = Question(
            id=payload["id"],
            prompt=payload["prompt"],
            options=tuple(payload["options"]),
            default=payload["default"],
        )
        answer = await self.renderer.ask(
            question, step=payload.get("step", ""), wrong=payload.get("wrong", "")
        )
        if answer is None and self.leaves:
            await must_be_answered(self.log, run, payload, old=old)
        else:
            told = NOBODY if answer is None else answer
            await self.engine.send_answer(self.root, question.id, told)


def _progress(event: Event) -> Progress:
    payload = event.payload
    ended: Any = "finished" if payload.get("ok") else "failed"
    return Progress(
        step=payload["step"],
        kind=payload["step_kind"],
        index=payload["index"],
        total=payload["total"],
        summary=payload["summary"],
        state=_STATES.get(event.kind, ended),
    )
