"""
What a workflow is given before it begins: values for its inputs and questions, a step to begin from,
arguments.

Whatever can be known to be wrong is refused here, before the first step runs; a question whose options
are only known on the way is judged when its step is reached.
"""

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from prowess.core.errors import UsageError
from prowess.core.workflow import QuestionStep, Step, Workflow
from prowess.workflow.answers import WrongAnswerError, answer_to, input_value, set_hint
from prowess.workflow.conditions import parse_condition
from prowess.workflow.values import parsed, slots_of, text_of

_CONDITIONS = ("when", "test", "validate")


def check_given(workflow: Workflow, given: Mapping[str, Any], *, from_step: str = "") -> None:
    """Refuse answers to what nobody asks, answers that will not do, and a beginning that is not there."""
    ids = [step.id for step in workflow.steps]
    if from_step and from_step not in ids:
        raise UsageError(
            f"{workflow.name} has no step {from_step!r} to begin from", hint=f"use {', '.join(ids)}"
        )
    known = _settable(workflow, from_step)
    for name in given:
        if name not in known:
            raise _unasked(workflow, name, known)
        if wrong := _wrong(workflow, name, given[name], from_step):
            raise UsageError(f"{name} is wrong: {wrong}", hint=set_hint(name))


def check_arguments(workflow: Workflow, arguments: str) -> None:
    """Refuse arguments that no step would ever see."""
    if not arguments.strip() or "arguments" in _names_used(workflow):
        return
    asked = [step for step in every_step(workflow.steps) if isinstance(step, QuestionStep)]
    names = [each.name for each in workflow.inputs] + [step.store or step.id for step in asked]
    hint = f"set {', '.join(names)} with --set NAME=VALUE" if names else "run it without them"
    raise UsageError(f"{workflow.name} takes no arguments: {arguments}", hint=hint)


def every_step(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps with all that are inside of them, in the order of the file."""
    for step in steps:
        yield step
        for name in ("then", "otherwise", "steps"):
            yield from every_step(getattr(step, name, ()))
        for branch in getattr(step, "branches", ()):
            yield from every_step(branch)


def steps_before(workflow: Workflow, from_step: str) -> tuple[Step, ...]:
    """The outermost steps that are left out when a workflow begins at `from_step`."""
    ids = [step.id for step in workflow.steps]
    return workflow.steps[: ids.index(from_step)] if from_step else ()


def given_before(
    workflow: Workflow, given: Mapping[str, Any], from_step: str
) -> list[tuple[Step, Any]]:
    """
    The steps that are left out and for which something is given, by what they store or by their id.

    A text is parsed as theirs; `ValueError` says why it is not JSON.
    """
    return [
        (step, parsed(value, step.parse) if isinstance(value, str) else value)
        for step in every_step(steps_before(workflow, from_step))
        for value in [given[key] for key in (step.store, step.id) if key in given][:1]
    ]


def settable_at_once(workflow: Workflow, from_step: str) -> set[str]:
    """Names that have the value they are given from the beginning on: inputs, and what steps that are left out leave."""
    left_out = every_step(steps_before(workflow, from_step))
    return {each.name for each in workflow.inputs} | {
        name for step in left_out for name in (step.store, step.id) if name
    }


def _settable(workflow: Workflow, from_step: str) -> set[str]:
    begins = len(steps_before(workflow, from_step))
    return settable_at_once(workflow, from_step) | {
        name
        for step in every_step(workflow.steps[begins:])
        if isinstance(step, QuestionStep)
        for name in (step.store, step.id)
        if name
    }


def _unasked(workflow: Workflow, name: str, known: Collection[str]) -> UsageError:
    names = ", ".join(sorted(known)) or "nothing"
    for step in every_step(workflow.steps):
        if step.store == name:
            return UsageError(
                f"{name!r} cannot be set: the step {step.id!r} of {workflow.name} stores it",
                hint=f"leave the step out with --from; what may be set here: {names}",
            )
    near = difflib.get_close_matches(name, known, n=1)
    return UsageError(
        f"{workflow.name} has nothing called {name!r} to set",
        hint=f"did you mean {near[0]}?" if near else f"it may be: {names}",
    )


def _wrong(workflow: Workflow, name: str, value: Any, from_step: str) -> str:
    """Why the value will do for nothing that it is meant for; empty when it will, or may."""
    try:
        for wanted in workflow.inputs:
            if wanted.name == name:
                input_value(wanted, value)
        given_before(workflow, {name: value}, from_step)
    except WrongAnswerError as error:
        return str(error)
    except ValueError as error:
        return f"it is not JSON: {error}"
    skipped = steps_before(workflow, from_step)
    asked = [
        step
        for step in every_step(workflow.steps[len(skipped) :])
        if isinstance(step, QuestionStep) and name in (step.store, step.id)
    ]
    refusals = [_refusal(step, value) for step in asked]
    return refusals[0] if refusals and all(refusals) else ""


def _refusal(step: QuestionStep, answer: Any) -> str:
    try:
        given_answer(step, answer)
    except WrongAnswerError as error:
        return str(error)
    return ""


def given_answer(step: QuestionStep, answer: Any) -> str:
    """What the question makes of an answer that was given; as it is where that is only known on the way."""
    text, options, default = text_of(answer), step.options, step.default
    if (
        step.options_command
        or isinstance(options, str)
        or any(map(slots_of, (*options, default or "")))
    ):
        return text
    return answer_to(text, options=options, default=default, validate=step.validate)


def _names_used(workflow: Workflow) -> set[str]:
    names: set[str] = set()
    for step in every_step(workflow.steps):
        for each in fields(step):
            value = getattr(step, each.name)
            if each.name in _CONDITIONS and isinstance(value, str) and step.kind != "question":
                names |= {slot.name for slot in parse_condition(value).slots} if value else set()
            else:
                names |= {slot.name for text in _texts(value) for slot in slots_of(text)}
    return names


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, but for the steps inside, which have their turn."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple) and not any(is_dataclass(each) for each in value):
        for each in value:
            yield from _texts(each)
