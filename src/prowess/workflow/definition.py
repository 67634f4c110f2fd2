"""From the fields of a skill.yaml, once they are known to be right, to a workflow."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from prowess.core.execution import seconds
from prowess.core.workflow import (
    CommandStep,
    ConditionalStep,
    ForeachStep,
    Input,
    Kind,
    OutputStep,
    ParallelStep,
    PythonStep,
    QuestionStep,
    Retry,
    SkillStep,
    Step,
    Workflow,
)
from prowess.workflow.shape import kind_of
from prowess.workflow.values import slots_of, text_of

Fields = Mapping[str, Any]


def build(fields: Fields) -> Workflow:
    """Only for fields in which `find_mistakes` found none."""
    compatibility = fields.get("compatibility") or ()
    templates = fields.get("templates") or {}
    return Workflow(
        name=fields["name"],
        description=fields["description"].strip(),
        version=str(fields.get("version", "1.0.0")),
        category=fields.get("category") or "",
        compatibility=(compatibility,) if isinstance(compatibility, str) else tuple(compatibility),
        inputs=tuple(_inputs(fields.get("inputs") or ())),
        steps=_Builder(templates).steps(fields["steps"]),
        templates=templates,
    )


def _inputs(inputs: Any) -> Iterator[Input]:
    named = (
        [{"name": name, **each} for name, each in inputs.items()]
        if isinstance(inputs, Mapping)
        else inputs
    )
    for each in named:
        yield Input(
            name=each["name"],
            type=each.get("type", "choice" if each.get("options") else "text"),
            prompt=each.get("prompt") or each.get("description") or "",
            default=each.get("default"),
            required=each.get("required", each.get("default") is None),
            options=tuple(map(text_of, each.get("options") or ())),
        )


class _Builder:
    """Steps without an id are numbered through the whole file, so that each has one."""

    def __init__(self, templates: Mapping[str, str]) -> None:
        self._templates = templates
        self._number = itertools.count(1)

    def steps(self, steps: list[Fields]) -> tuple[Step, ...]:
        return tuple(self._step(fields) for fields in steps)

    def _step(self, fields: Fields) -> Step:
        kind = kind_of(fields)
        assert kind is not None, "checked before"
        number = next(self._number)
        make: Callable[..., Step] = getattr(self, f"_{kind}")
        return make(fields, _common(fields, kind, number))

    def _command(self, fields: Fields, common: dict[str, Any]) -> Step:
        return CommandStep(command=_command(fields["command"]), **common)

    def _output(self, fields: Fields, common: dict[str, Any]) -> Step:
        data = dict(fields.get("data") or {})
        source = str(data.get("source") or "")
        named = bool(source) and not slots_of(source)
        return OutputStep(
            text=fields["output"] if "output" in fields else self._templates[fields["template"]],
            format=fields.get("format", "markdown"),
            data={name: value for name, value in data.items() if not (named and name == "source")},
            source=source if named else "",
            **common,
        )

    def _question(self, fields: Fields, common: dict[str, Any]) -> Step:
        options: Any = fields.get("options") or ()
        default = fields.get("default")
        asked = {"prompt": fields["prompt"] if "prompt" in fields else fields["question"]}
        if isinstance(options, Mapping):
            asked["options_command"] = _command(options["command"])
        else:
            fixed = options if isinstance(options, str) else tuple(map(text_of, options))
            asked["options"] = fixed
        return QuestionStep(
            default=None if default is None else text_of(default), **asked, **common
        )

    def _conditional(self, fields: Fields, common: dict[str, Any]) -> Step:
        return ConditionalStep(
            test=fields["if"],
            then=self.steps(fields["then"]),
            otherwise=self.steps(fields.get("else") or []),
            **common,
        )

    def _parallel(self, fields: Fields, common: dict[str, Any]) -> Step:
        branches = tuple(
            self.steps(branch if isinstance(branch, list) else [branch])
            for branch in fields["parallel"]
        )
        return ParallelStep(branches=branches, **common)

    def _foreach(self, fields: Fields, common: dict[str, Any]) -> Step:
        items = fields["foreach"]
        return ForeachStep(
            items=items if isinstance(items, str) else tuple(items),
            name=fields.get("as", "item"),
            steps=self.steps(fields["steps"]),
            at_once=int(fields.get("at_once", 1)),
            **common,
        )

    def _skill(self, fields: Fields, common: dict[str, Any]) -> Step:
        return SkillStep(
            skill=fields["skill"],
            arguments=fields.get("arguments") or "",
            inputs=fields.get("inputs") or {},
            **common,
        )

    def _python(self, fields: Fields, common: dict[str, Any]) -> Step:
        module, _, function = fields["python"].partition(":")
        return PythonStep(
            module=module, function=function, arguments=fields.get("arguments") or {}, **common
        )


def _common(fields: Fields, kind: Kind, number: int) -> dict[str, Any]:
    return {
        "id": fields.get("id") or f"step-{number}",
        "kind": kind,
        "description": fields.get("description") or "",
        "when": fields.get("when") or "",
        "optional": fields.get("optional", False),
        "store": fields.get("store") or "",
        "parse": fields.get("parse", "text"),
        "retry": _retry(fields.get("retry")),
        "timeout": seconds(fields["timeout"]) if "timeout" in fields else None,
        "validate": fields.get("validate") or "",
    }


def _retry(retry: Any) -> Retry:
    if isinstance(retry, Mapping):
        return Retry(times=int(retry["times"]), pause=seconds(retry.get("pause", 1)))
    return Retry(times=int(retry or 0))


def _command(command: Any) -> str | tuple[str, ...]:
    return command if isinstance(command, str) else tuple(map(text_of, command))
