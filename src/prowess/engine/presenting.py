"""
Show a workflow's run through a renderer: what it says, where it stands, what it asks.

The run and its renderer know each other by the log alone, so a run that goes on in another process,
or after a crash, is shown like any other. What was answered before is not asked again.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
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
_ELSEWHERE = 5.0  # seconds in which a run that goes on tells of the answers that it has behind it
_LOOK = 0.05  # seconds between two looks at the log meanwhile
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


def waits(run: str, question: Mapping[str, Any]) -> WaitingRunError:
    """Nobody here answers."""
    root = run.partition(".")[0]
    return WaitingRunError(
        f"the run {root} waits for an answer: {question['prompt']}",
        hint=f"`prowess runs answer {root} ANSWER` gives it, then `prowess runs resume {root}` goes on",
    )


async def is_open(log: Log, engine: Engine, run: str, question: str) -> bool:
    """
    Whether somebody has to answer it. Not where that was done while nobody worked on the run, nor in a
    run that was resumed or forked and only tells again what it has behind it.
    """
    root = run.partition(".")[0]
    if await engine.is_answered(root, question):
        return False
    behind = list(await engine.steps(root)).count("answer")
    with suppress(TimeoutError):
        async with asyncio.timeout(_ELSEWHERE):
            while True:
                asked, answered = await log.aside(partial(_questions, log, run))
                if question in answered:
                    return False
                if run != root or len(asked & answered) >= behind:
                    return True
                await asyncio.sleep(_LOOK)
    return True


def _questions(log: Log, run: str) -> tuple[set[str], set[str]]:
    """The ids of the questions that the log knows: those asked, and those answered."""
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
        async for each in follow(self.log, run, after=after):
            payload = each.event.payload
            if each.event.kind == "question.asked":
                if await is_open(self.log, self.engine, run, payload["id"]):
                    await self._answer(run, payload)
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

    async def _answer(self, run: str, payload: Mapping[str, Any]) -> None:
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
            raise waits(run, payload)
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
