"""
Carry out a workflow: ask the walk for its next round, do the work of it, tell the walk what it left.

Each piece of work is one durable step. What was done before a crash is not done again; the step that
was under way is, from its beginning. A question waits for as long as it takes.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from prowess.core.errors import CancelledRunError, InDoubtError, ProwessError, WaitingRunError
from prowess.core.run import Outcome
from prowess.core.workflow import Step, Workflow
from prowess.workflow.given import check_given, given_before, settable_at_once
from prowess.workflow.means import AskWork, Left, Means, ShowWork, SkillWork, Work
from prowess.workflow.perform import perform
from prowess.workflow.state import Known, Telling, with_hint
from prowess.workflow.values import slots_of
from prowess.workflow.walk import StepFailedError, Walk, Walking


async def run_workflow(workflow: Workflow, *, means: Means, from_step: str = "") -> Outcome:
    """
    One workflow to its end. `details` of the outcome has the stored `values`, and `unanswered` where
    it failed for want of an answer that nobody was there to give.

    With `from_step` the outermost steps before it are left out; what they would have left can be
    given. Raises `UsageError` for what is given and not known, or wrong, before anything runs.
    """
    check_given(workflow, means.given, from_step=from_step)
    known = Known(names=dict(means.built_in))
    telling = Telling(run=means.run, record=means.record, total=len(workflow.steps))
    walk = Walk(telling, means.given, settable=settable_at_once(workflow, from_step))
    failed: ProwessError | None = None
    try:
        await _drive(walk.inputs(workflow.inputs, known), telling, means)
        for step, value in given_before(workflow, means.given, from_step):
            known.take(step, value)
        await _drive(walk.top(workflow.steps, known, from_step=from_step), telling, means)
    except (CancelledRunError, InDoubtError):
        raise
    except ProwessError as error:
        failed = error
    await _show_progress(telling, means)
    values = {name: value for name, value in known.names.items() if name not in means.built_in}
    details: dict[str, Any] = {"values": values}
    if failed:
        hint, unanswered = failed.hint, isinstance(failed, WaitingRunError)
        if isinstance(failed, StepFailedError):
            details["step"] = failed.label
            hint = hint or _again(means, workflow.steps[: telling.index])
            unanswered = failed.unanswered
        if unanswered:
            details["unanswered"] = True
        reason = with_hint(str(failed), hint)
        return Outcome(
            ending="failed", answer="", reason=reason, details=details, **_spent(telling)
        )
    reason = f"all {len(workflow.steps)} steps are done"
    return Outcome(
        ending="done", answer=telling.said, reason=reason, details=details, **_spent(telling)
    )


def _again(means: Means, steps: Sequence[Step]) -> str:
    """How to go on with all that the steps before the last of these have stored, or with another answer."""
    *before, last = steps
    run, given = means.run, means.given
    if "." in run:
        return "mend the cause, then go on with the run that this is a part of"
    told = f"mend the cause, then go on: prowess runs fork {run} --from {last.id}"
    used = {slot.path[0] for text in _texts(last) for slot in slots_of(text)} - set(given)
    asked = [each.id for each in before if each.kind == "question" and used & {each.store, each.id}]
    return f"{told}; or answer anew: prowess runs fork {run} --from {asked[-1]}" if asked else told


def _texts(value: Any) -> Iterator[str]:
    """Every text in a step and in the steps inside it."""
    if isinstance(value, str):
        yield value
    elif is_dataclass(value):
        yield from _texts([getattr(value, each.name) for each in fields(value)])
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)


def _spent(telling: Telling) -> dict[str, Any]:
    spent = telling.spent
    return {
        "iterations": int(spent.get("iterations", 0)),
        "tokens": int(spent.get("tokens", 0)),
        "cost": spent.get("cost", 0.0),
    }


async def _drive(walk: Walking, telling: Telling, means: Means) -> None:
    left: list[Left] | None = None
    while True:
        try:
            works = next(walk) if left is None else walk.send(left)
        except StopIteration:
            return
        await _show_progress(telling, means)
        left = await _round(works, means) if works else []


async def _round(works: list[Work], means: Means) -> list[Left]:
    """
    Do the work of one round. Steps get their numbers in the order in which they are begun, so what
    has steps inside (a question, a skill) goes one after another while the rest is under way.
    """
    left: dict[int, Left] = {}
    alone, beside = [], []
    for place, work in enumerate(works):
        if isinstance(work, AskWork | SkillWork):
            alone.append(place)
        elif not isinstance(work, ShowWork) and (why := await means.permit(work)):
            left[place] = Left(ok=False, error=f"it may not be run: {why}")
        else:
            beside.append(place)
    if len(beside) == 1 and not alone:
        left[beside[0]] = await _kept(works[beside[0]], means)
    else:
        left |= await _at_once(works, alone, beside, means)
    return [left[place] for place in range(len(works))]


async def _at_once(
    works: list[Work], alone: list[int], beside: list[int], means: Means
) -> dict[int, Left]:
    tasks = {place: asyncio.create_task(_kept(works[place], means)) for place in beside}
    try:
        if tasks:
            await asyncio.sleep(0)  # they have begun, and have their numbers
        left = {place: await perform(works[place], means) for place in alone}
        for place, task in tasks.items():
            left[place] = await task
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    return left


async def _kept(work: Work, means: Means) -> Left:
    async def do() -> Any:
        return (await perform(work, means)).as_json()

    return Left(**await means.steps.do(work.label, do))


async def _show_progress(telling: Telling, means: Means) -> None:
    waiting, telling.progress[:] = list(telling.progress), []
    for progress in waiting:
        await means.renderer.progress(progress)
