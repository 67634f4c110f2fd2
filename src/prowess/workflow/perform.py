"""Do one piece of work, as often as its step allows. What goes wrong is told, not raised."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from prowess.core.depth import is_deep
from prowess.core.errors import CancelledRunError, InDoubtError, ProwessError
from prowess.core.process import Finished
from prowess.core.workflow import Parse, Step
from prowess.workflow.conditions import parse_condition
from prowess.workflow.means import (
    AskWork,
    CommandWork,
    Left,
    Means,
    PythonWork,
    ShowWork,
    SkillWork,
    Work,
)
from prowess.workflow.state import COMPLAINT, complaint, with_hint
from prowess.workflow.values import DEEPEST, parsed, read_json, text_of


async def perform(work: Work, means: Means) -> Left:
    if isinstance(work, AskWork):
        answer = await _ask(work, means)
        return Left(ok=True, output=answer or "", value=answer)
    if isinstance(work, ShowWork):
        await means.renderer.show(work.text, step=work.label, format=work.step.format)
        return Left(ok=True, output=work.text, value=work.text)
    if isinstance(work, CommandWork):
        return await _tried(work.step, work.scope, lambda: _command(work, means))
    if isinstance(work, PythonWork):
        return await _tried(work.step, work.scope, lambda: _python(work, means))
    return await _tried_skill(work, means)


async def _ask(work: AskWork, means: Means) -> str | None:
    if means.ask:
        return await means.ask(work.question, step=work.label, wrong=work.wrong)

    async def ask() -> str | None:
        return await means.renderer.ask(work.question, step=work.label, wrong=work.wrong)

    answer: str | None = await means.steps.do(f"{work.label} ask", ask)
    return answer


async def _tried(
    step: Step, scope: Mapping[str, Any], attempt: Callable[[], Awaitable[Left]]
) -> Left:
    began = time.monotonic()
    tries = 0
    while True:
        tries += 1
        left = _validated(step, scope, await attempt())
        if left.ok or tries > step.retry.times:
            took = time.monotonic() - began
            return Left(**{**left.as_json(), "tries": tries, "seconds": took})
        await asyncio.sleep(step.retry.pause)


async def _command(work: CommandWork, means: Means) -> Left:
    try:
        finished = await means.command(work.ready)
    except ProwessError as error:
        return _failed(error)
    output = finished.out.decode(errors="replace").rstrip("\n")
    if finished.code or finished.killed_by:
        return Left(ok=False, output=output, code=finished.code, error=_complaint(finished))
    dropped = _dropped(finished)
    if dropped and (work.step.store or work.step.parse != "text" or work.step.kind == "question"):
        told = f"it printed {dropped:,} bytes more than can be kept (let it print less, or write a file)"
        return Left(ok=False, output=output, code=finished.code, error=told, dropped=dropped)
    left = _parsed(work.step.parse, output, code=finished.code)
    return replace(left, dropped=dropped)


async def _python(work: PythonWork, means: Means) -> Left:
    step = work.step
    try:
        value = await means.python(step.module, step.function, work.arguments, seconds=step.timeout)
    except ProwessError as error:
        return _failed(error)
    if is_deep(value, DEEPEST):
        return Left(ok=False, error=f"what it returns is nested deeper than {DEEPEST} levels")
    return Left(ok=True, output=text_of(value) if value is not None else "", value=value)


async def _tried_skill(work: SkillWork, means: Means) -> Left:
    async def attempt() -> Left:
        try:
            outcome = await means.skill(
                work.step.skill, arguments=work.arguments, inputs=work.inputs
            )
        except (CancelledRunError, InDoubtError):
            raise
        except ProwessError as error:
            return _failed(error)
        if not outcome.ok:
            told = f"{work.step.skill} ended as {outcome.ending}: {outcome.reason}"
            return Left(ok=False, output=outcome.answer, error=told, outcome=outcome.as_json())
        left = _parsed(work.step.parse, outcome.answer)
        return Left(**{**left.as_json(), "outcome": outcome.as_json()})

    left = await _tried(work.step, work.scope, attempt)
    # The run that is inside knows how long it took; a clock here would tell another time in a replay.
    return Left(**{**left.as_json(), "seconds": 0.0})


def _validated(step: Step, scope: Mapping[str, Any], left: Left) -> Left:
    if not left.ok or step.kind == "question" or not isinstance(step.validate, str):
        return left
    if not step.validate:
        return left
    try:
        if parse_condition(step.validate).holds({**scope, "output": left.value}):
            return left
        error = f"its output does not hold against `{step.validate}`"
    except ProwessError as wrong:
        error = str(wrong)
    return Left(**{**left.as_json(), "ok": False, "error": error})


def _parsed(parse: Parse, output: str, *, code: int | None = None) -> Left:
    try:
        value = parsed(output, parse)
    except ValueError as error:
        told = f"its output is not JSON: {error}"
        return Left(ok=False, output=output, code=code, error=told)
    return Left(ok=True, output=output, value=value, code=code)


def _dropped(finished: Finished) -> int:
    """
    Bytes of its output that were too many. Both streams have the same limit, so the shorter of the
    two is whole: a command that only complained too much still has all of its output.
    """
    return finished.dropped if len(finished.out) >= len(finished.err) else 0


def _complaint(finished: Finished) -> str:
    if finished.killed_by == "timeout":
        return f"it took longer than {finished.seconds:.1f} s"
    if finished.killed_by:
        return f"it was stopped: too much {finished.killed_by}"
    said = _in_words((finished.err or finished.out).decode(errors="replace").strip())
    return f"exit code {finished.code}" + (f": {said[-COMPLAINT:]}" if said else "")


def _in_words(said: str) -> str:
    """What our own commands say with `--json` when they fail is meant for programs."""
    try:
        told = read_json(said)
    except ValueError:
        return said
    if not isinstance(told, dict) or told.get("error") is not True:
        return said
    return with_hint(text_of(told.get("message", said)), text_of(told.get("hint", "")))


def _failed(error: ProwessError) -> Left:
    return Left(ok=False, error=complaint(error))
