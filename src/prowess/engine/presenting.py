"""
Show a workflow's run through a renderer: what it says, where it stands, what it asks.

The run and its renderer know each other by the log alone, so a run that goes on in another process,
or after a crash, is shown like any other. What was answered before is not asked again.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from prowess.core.event import Event
from prowess.core.ports import Engine, Log
from prowess.core.run import Question
from prowess.core.workflow import Progress, Renderer
from prowess.engine.workflows import NOBODY
from prowess.observe.follow import follow

_LATE = 2.0  # seconds in which the last events of a run that is over are still shown
_STATES = {"step.started": "started", "step.skipped": "skipped"}


async def present(
    log: Log, engine: Engine, run: str, renderer: Renderer, *, after: int = 0
) -> None:
    """Follow the run from its event `after` until it has ended, and answer what it asks."""
    showing = asyncio.create_task(_Showing(log, engine, run, renderer).run(run, after))
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

    async def run(self, run: str, after: int = 0) -> None:
        answered = {
            each.event.payload["id"]
            for each in self.log.run(run)
            if each.event.kind == "question.answered"
        }
        async for each in follow(self.log, run, after=after):
            payload = each.event.payload
            if each.event.kind == "question.asked" and payload["id"] not in answered:
                await _answer(self.engine, self.root, self.renderer, payload)
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


async def _answer(engine: Engine, run: str, renderer: Renderer, payload: Mapping[str, Any]) -> None:
    question = Question(
        id=payload["id"],
        prompt=payload["prompt"],
        options=tuple(payload["options"]),
        default=payload["default"],
    )
    answer = await renderer.ask(
        question, step=payload.get("step", ""), wrong=payload.get("wrong", "")
    )
    await engine.send_answer(run, question.id, NOBODY if answer is None else answer)


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
