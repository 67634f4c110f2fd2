"""What a workflow would do, told without doing any of it."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from prowess.core.workflow import (
    CommandStep,
    ConditionalStep,
    ForeachStep,
    OutputStep,
    ParallelStep,
    PythonStep,
    QuestionStep,
    SkillStep,
    Step,
    Workflow,
)
from prowess.workflow.answers import input_value
from prowess.workflow.run import check_given
from prowess.workflow.values import Scope, Slot, ValueProblemError, parts_of, text_of, value_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One step as it would be; a name whose value is only known then is left as it is written."""

    step: str
    kind: str
    depth: int
    does: str
    when: str = ""
    store: str = ""
    optional: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def plan_workflow(
    workflow: Workflow,
    *,
    given: Mapping[str, Any] | None = None,
    built_in: Mapping[str, str] | None = None,
    from_step: str = "",
) -> Iterator[Planned]:
    """The steps in their order, those inside others below them. Both branches of a condition are told."""
    given = given or {}
    check_given(workflow, given, from_step=from_step)
    scope: dict[str, Any] = dict(built_in or {})
    for wanted in workflow.inputs:
        value = given.get(wanted.name, wanted.default)
        if value is None:
            if wanted.required:
                does = f"ask: {wanted.prompt or wanted.name}"
                yield Planned(step=wanted.name, kind="input", depth=0, does=does, store=wanted.name)
        else:
            scope[wanted.name] = input_value(wanted, value)
    begun = not from_step
    for step in workflow.steps:
        begun = begun or step.id == from_step
        if begun:
            yield from _planned(step, 0, scope, given)


def _planned(step: Step, depth: int, scope: Scope, given: Mapping[str, Any]) -> Iterator[Planned]:
    yield Planned(
        step=step.id,
        kind=step.kind,
        depth=depth,
        does=_does(step, scope, given),
        when=step.when,
        store=step.store,
        optional=step.optional,
    )
    for inner in _inside(step):
        yield from _planned(inner, depth + 1, scope, given)


def _inside(step: Step) -> Iterator[Step]:
    if isinstance(step, ConditionalStep):
        yield from (*step.then, *step.otherwise)
    elif isinstance(step, ForeachStep):
        yield from step.steps
    elif isinstance(step, ParallelStep):
        for branch in step.branches:
            yield from branch


def _does(step: Step, scope: Scope, given: Mapping[str, Any]) -> str:  # noqa: PLR0911  one line a kind
    if isinstance(step, CommandStep):
        written = step.command if isinstance(step.command, str) else " ".join(step.command)
        return f"run: {_shown(written, scope, line=True)}"
    if isinstance(step, OutputStep):
        return f"show: {_shown(step.text, scope)}"
    if isinstance(step, QuestionStep):
        answer = given.get(step.store, given.get(step.id))
        asked = f"ask: {_shown(step.prompt, scope)}"
        return asked if answer is None else f"{asked} (given: {text_of(answer)})"
    if isinstance(step, ConditionalStep):
        return f"if {step.test}: {len(step.then)} steps, else {len(step.otherwise)}"
    if isinstance(step, ParallelStep):
        return f"{len(step.branches)} branches at the same time"
    if isinstance(step, ForeachStep):
        return f"for each {step.name} of {_shown(text_of(step.items), scope)}"
    if isinstance(step, SkillStep):
        return f"run the skill {step.skill} {_shown(step.arguments, scope)}".rstrip()
    assert isinstance(step, PythonStep)
    return f"call {step.module}:{step.function}"


def _shown(text: str, scope: Scope, *, line: bool = False) -> str:
    return "".join(_part(part, scope) for part in parts_of(text, line=line)).strip()


def _part(part: str | Slot, scope: Scope) -> str:
    if isinstance(part, str) or part.foreign:
        return part if isinstance(part, str) else part.source
    try:
        return text_of(value_of(part, scope))
    except ValueProblemError:
        return part.source
