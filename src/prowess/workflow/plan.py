"""
What a workflow would do, told without doing any of it.

A command is told as the shell would get it, each value quoted as it would be then, and with the reason
where it would be refused. What only a step will know is left as it is written.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from prowess.core.errors import ProwessError
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
from prowess.workflow.given import check_given, every_step, given_answer, given_before
from prowess.workflow.shell.line import Line, parse_line
from prowess.workflow.state import Known
from prowess.workflow.values import (
    Part,
    Scope,
    Slot,
    ValueProblemError,
    fill_part,
    parts_of,
    slots_of,
    text_of,
)
from prowess.workflow.walk import ready_command


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
                scope[wanted.name] = None  # it is known that there is none
        else:
            scope[wanted.name] = input_value(wanted, value)
    known = Known(names=scope)
    for step, value in given_before(workflow, given, from_step):
        known.take(step, value)
    scope = known.scope()
    begun = not from_step
    for step in workflow.steps:
        begun = begun or step.id == from_step
        if begun:
            yield from _planned(step, 0, scope, given)


def _planned(
    step: Step, depth: int, scope: dict[str, Any], given: Mapping[str, Any]
) -> Iterator[Planned]:
    """
    The step and those inside it. What they store is not known afterwards, also if it was before; but
    for an answer that is given to a question that is asked in any case.
    """
    yield Planned(
        step=step.id,
        kind=step.kind,
        depth=depth,
        does=_does(step, scope, given),
        when=step.when,
        store=step.store,
        optional=step.optional,
    )
    for branch in _branches(step):
        here = dict(scope)
        if isinstance(step, ForeachStep):  # what a round stores, the next one sees
            _forget(here, step.name, "index", *(each.store for each in every_step(branch)))
        for inner in branch:
            yield from _planned(inner, depth + 1, here, given)
    _forget(scope, *(each.store for each in every_step([step])))
    if isinstance(step, QuestionStep) and step.store and not step.when:
        answer = _given_to(step, given)
        scope |= {} if answer is None else {step.store: given_answer(step, answer)}


def _branches(step: Step) -> Sequence[Sequence[Step]]:
    if isinstance(step, ConditionalStep):
        return step.then, step.otherwise
    if isinstance(step, ForeachStep):
        return (step.steps,)
    return step.branches if isinstance(step, ParallelStep) else ()


def _forget(scope: dict[str, Any], *names: str) -> None:
    for name in names:
        scope.pop(name, None)


def _given_to(step: QuestionStep, given: Mapping[str, Any]) -> Any:
    return given.get(step.store, given.get(step.id))


def _does(step: Step, scope: Scope, given: Mapping[str, Any]) -> str:  # noqa: PLR0911  one line a kind
    if isinstance(step, CommandStep):
        return f"run: {_command(step.command, scope)}"
    if isinstance(step, OutputStep):
        return f"show: {_shown(step.text, scope)}"
    if isinstance(step, QuestionStep):
        answer = _given_to(step, given)
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


def _command(command: str | tuple[str, ...], scope: Scope) -> str:
    texts = (command,) if isinstance(command, str) else command
    slots = [slot for text in texts for slot in slots_of(text, line=isinstance(command, str))]
    refused = ""
    if all(slot.foreign or _is_known(slot, scope) for slot in slots):
        try:
            return ready_command(command, scope, seconds=None).line.strip()
        except ProwessError as error:
            refused = f"  (refused: {error})"
    if isinstance(command, str):
        pieces = parse_line(command).pieces
        return "".join(_piece(Line((piece,)), scope) for piece in pieces).strip() + refused
    return " ".join(_argument(each, scope) for each in command) + refused


def _is_known(slot: Slot, scope: Scope) -> bool:
    return slot.path[1] in scope["steps"] if slot.name == "steps" else slot.name in scope


def _piece(line: Line, scope: Scope) -> str:
    """A line of one piece, quoted as it is where it stands; a name without a value stays."""
    (piece,) = line.pieces
    if isinstance(piece, str):
        return piece
    slot, _ = piece
    try:
        return line.filled(scope) if _is_known(slot, scope) else slot.source
    except ProwessError:
        return slot.source


def _argument(text: str, scope: Scope) -> str:
    """An argument quoted as far as it is known, so that a name that is left can be read."""
    told = [(part, _part(part, scope)) for part in parts_of(text)]
    quoted = [
        shown if isinstance(part, Slot) and shown == part.source else shlex.quote(shown)
        for part, shown in told
    ]
    return "".join(quoted) or "''"


def _shown(text: str, scope: Scope) -> str:
    return "".join(_part(part, scope) for part in parts_of(text)).strip()


def _part(part: Part, scope: Scope) -> str:
    if isinstance(part, str):
        return part
    try:
        return fill_part(part, scope) if _is_known(part, scope) else part.source
    except ValueProblemError:
        return part.source
