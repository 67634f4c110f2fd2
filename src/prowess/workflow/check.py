"""
Everything that is wrong with a skill.yaml, found at once, before anything runs.

What it looks like is held against the schema; what it means (names, templates, commands,
conditions) is gone through step by step. Each mistake is told with its line and column and what to
do about it.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from prowess.core.errors import SkillError
from prowess.core.placed_yaml import Path, Placed, read_placed
from prowess.core.workflow import Input, Mistake, Workflow, WorkflowError
from prowess.workflow.answers import WrongAnswerError, input_value
from prowess.workflow.definition import build
from prowess.workflow.names import BUILT_IN, Known, Names
from prowess.workflow.schema import workflow_schema
from prowess.workflow.shape import Report, fit
from prowess.workflow.values import text_of

TEXT_FIELDS = frozenset({"version", "name", "description", "category", "compatibility"})
_OURS = ("steps", "output", "index")
_RESERVED = (*_OURS, *BUILT_IN)


def read_workflow(
    text: str, *, path: str = "skill.yaml", beside: Callable[[str], bool] | None = None
) -> Workflow:
    """
    The workflow that a skill.yaml describes; `WorkflowError` has all that is wrong with it.

    `beside` tells whether a file lies beside it, for the modules of its python steps.
    """
    placed, mistakes = _checked(text, beside)
    if mistakes or placed is None:
        raise WorkflowError(path, tuple(mistakes))
    return build(placed.value)


def find_mistakes(text: str, *, beside: Callable[[str], bool] | None = None) -> list[Mistake]:
    """All mistakes of a skill.yaml in the order of the file; none means that it can be run."""
    return _checked(text, beside)[1]


def _checked(
    text: str, beside: Callable[[str], bool] | None
) -> tuple[Placed | None, list[Mistake]]:
    try:
        placed = read_placed(text.removeprefix("\ufeff"), keep_text=TEXT_FIELDS)
    except SkillError as error:
        return None, [Mistake(message=str(error), hint=error.hint, line=error.line or 1, column=1)]
    return placed, _mistakes(placed, beside)


def _mistakes(placed: Placed, beside: Callable[[str], bool] | None) -> list[Mistake]:
    found: dict[Mistake, None] = {}

    def report(
        path: Path, message: str, hint: str, *, key: bool = False, part: str = "", number: int = 0
    ) -> None:
        line, column = placed.key(path) if key else placed.place(path, part, number)
        found[Mistake(message=message, hint=hint, line=line, column=column)] = None

    value = placed.value
    fit(value, workflow_schema(), (), report)
    every = list(_every_step(value.get("steps"), ("steps",)))
    stored = _check_ids(every, report)
    _check_inputs(value.get("inputs"), report)
    if beside:
        _check_modules(every, beside, report)
        _check_own_name(value.get("name"), every, beside, report)
    templates = value.get("templates")
    names = Names(report=report, templates=templates if isinstance(templates, dict) else {})
    names.steps(value.get("steps"), ("steps",), _known(value.get("inputs"), stored))
    return sorted(found, key=lambda each: (each.line, each.column))


def _every_step(steps: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for place, step in enumerate(steps if isinstance(steps, list) else ()):
        if isinstance(step, list):  # a branch of several steps
            yield from _every_step(step, (*path, place))
        elif isinstance(step, dict):
            yield (*path, place), step
            for inner in ("then", "else", "steps", "parallel"):
                yield from _every_step(step.get(inner), (*path, place, inner))


def _check_ids(every: list[tuple[Path, Mapping[str, Any]]], report: Report) -> dict[str, str]:
    """Two steps of one id are a mistake; which step stores which name is what comes back."""
    seen: set[str] = set()
    stored: dict[str, str] = {}
    for path, step in every:
        name = step.get("id")
        if isinstance(name, str):
            if name in seen:
                report((*path, "id"), f"two steps have the id {name!r}", "give each its own")
            seen.add(name)
        if isinstance(store := step.get("store"), str):
            stored.setdefault(store, str(name or store))
        for field, taken in (("store", _RESERVED), ("as", _OURS)):
            if step.get(field) in taken:
                report((*path, field), f"the name {step[field]!r} is taken", "choose another")
    return stored


def _check_inputs(inputs: Any, report: Report) -> None:
    seen: set[str] = set()
    for path, name, each in _each_input(inputs):
        if name in seen or name in _RESERVED:
            report(path, f"the name {name!r} is taken", "give the input another", key=True)
        seen.add(name)
        if each.get("type") == "choice" and not each.get("options"):
            report(path, f"the choice {name!r} has no options", "add `options:`", key=True)
        elif "default" in each:
            _check_default(path, name, each, report)


def _check_default(path: Path, name: str, fields: Mapping[str, Any], report: Report) -> None:
    """A default is the answer of somebody who is not asked, and has to do like any other."""
    options = fields.get("options")
    wanted = Input(
        name=name,
        type=fields.get("type", "text"),
        options=tuple(map(text_of, options)) if isinstance(options, list) else (),
    )
    try:
        if fields["default"] is not None:
            input_value(wanted, fields["default"])
    except WrongAnswerError as error:
        report((*path, "default"), f"the default will not do: {error}", "give another, or none")


def _each_input(inputs: Any) -> Iterator[tuple[Path, str, Mapping[str, Any]]]:
    if isinstance(inputs, list):
        for place, each in enumerate(inputs):
            if isinstance(each, dict) and isinstance(each.get("name"), str):
                yield ("inputs", place), each["name"], each
    elif isinstance(inputs, dict):
        for name, each in inputs.items():
            yield ("inputs", name), name, each if isinstance(each, dict) else {}


def _check_modules(
    every: list[tuple[Path, Mapping[str, Any]]],
    beside: Callable[[str], bool],
    report: Report,
) -> None:
    for path, step in every:
        if isinstance(function := step.get("python"), str):
            module = function.partition(":")[0].replace(".", "/") + ".py"
            if not beside(module):
                report((*path, "python"), f"there is no {module} beside the skill.yaml", "write it")


def _check_own_name(
    name: Any,
    every: list[tuple[Path, Mapping[str, Any]]],
    beside: Callable[[str], bool],
    report: Report,
) -> None:
    """A workflow that runs itself would never end: its own name stands for the SKILL.md beside it."""
    for path, step in every:
        if name and step.get("skill") == name and not beside("SKILL.md"):
            message = f"{name!r} stands for the SKILL.md beside the skill.yaml, and there is none"
            report((*path, "skill"), message, "write it, or name another skill")


def _known(inputs: Any, stored: Mapping[str, str]) -> Known:
    each_input = list(_each_input(inputs))
    flat = {name for _, name, each in each_input if each.get("type") != "list"}
    return Known(
        names={*BUILT_IN, *(name for _, name, _ in each_input)},
        flat={*BUILT_IN, *flat},
        steps=set(),
        later=stored,
    )
