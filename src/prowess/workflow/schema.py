"""
The shape of a skill.yaml, as the JSON Schema that editors complete from.

This is the one place where a field is written down. `shape.py` holds a file against it, and
docs/workflow.schema.json is this same value.
"""

from collections.abc import Mapping
from typing import Any

from prowess.core.workflow import KINDS, Kind
from prowess.workflow.values import NAME

Schema = dict[str, Any]

# The field that says what a step does, so that `type` may be left out; other spellings follow it.
MAIN: Mapping[Kind, tuple[str, ...]] = {
    "command": ("command",),
    "output": ("output", "template"),
    "question": ("question", "prompt"),
    "conditional": ("if",),
    "parallel": ("parallel",),
    "foreach": ("foreach",),
    "skill": ("skill",),
    "python": ("python",),
}
VALIDATORS = ("not-empty", "number", "whole-number", "yes-no", "one-of-options", "role-exists")


def _text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def _ref(name: str, description: str = "") -> Schema:
    return {"$ref": f"#/$defs/{name}", **({"description": description} if description else {})}


def _any_of(description: str, *choices: Schema) -> Schema:
    return {"description": description, "anyOf": list(choices)}


_NAME = {"type": "string", "pattern": f"^{NAME}$"}
_SCALARS = {"type": ["string", "number", "boolean"]}
_STEPS = {"type": "array", "items": _ref("step"), "minItems": 1}
_TEXTS = {"type": "array", "items": {"type": "string"}}
_PLAIN = {"type": "array", "items": _SCALARS}
_DURATION = _any_of(
    "A time such as 500ms, 30s, 1.5s or 2m; a bare number is seconds.",
    {"type": "number", "exclusiveMinimum": 0, "maximum": 86400},
    {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?(ms|s|m|h)?$"},
)

_COMMON: Schema = {
    "id": {**_NAME, "description": "The step's name in the log and in {steps.ID.output}."},
    "description": _text("What the step is for, shown while it runs."),
    "when": _text("A condition; the step is left out when it does not hold."),
    "optional": {
        "type": "boolean",
        "description": "The workflow goes on when the step fails.",
    },
    "store": {**_NAME, "description": "The name that the step's value gets."},
}
_TRIED: Schema = {
    "parse": {
        "enum": ["text", "lines", "json"],
        "description": "How the step's output becomes its value.",
    },
    "retry": _any_of(
        "How often to try again when the step fails.",
        {"type": "integer", "minimum": 0, "maximum": 20},
        {
            "type": "object",
            "properties": {
                "times": {"type": "integer", "minimum": 0, "maximum": 20},
                "pause": _ref("duration"),
            },
            "required": ["times"],
            "additionalProperties": False,
        },
    ),
    "timeout": _ref("duration", "The step fails when it takes longer."),
    "validate": _text("A condition about `output` that must hold, or the step has failed."),
}
_COMMAND = _any_of(
    "A line for the shell, or a list of a program and its arguments. Each placeholder is one argument.",
    {"type": "string", "minLength": 1},
    {"type": "array", "items": _SCALARS, "minItems": 1},
)
_OWN: Mapping[Kind, Schema] = {
    "command": {"command": _ref("command"), **_TRIED},
    "output": {
        "output": _text("The text to show."),
        "template": {**_NAME, "description": "The name of the template to show."},
        "data": {"type": "object", "description": "Names for the text alone."},
        "format": {"enum": ["markdown", "text", "json"]},
    },
    "question": {
        "question": _text("What to ask."),
        "prompt": _text("What to ask."),
        "options": _any_of(
            "What may be answered: a list, a placeholder that is one, or the lines a command prints.",
            _PLAIN,
            {"type": "string"},
            {
                "type": "object",
                "properties": {"type": {"const": "command"}, "command": _ref("command")},
                "required": ["command"],
                "additionalProperties": False,
            },
        ),
        "default": {**_SCALARS, "description": "The answer when none is typed."},
        "validate": _any_of(
            "What the answer must be; it is asked for again until it is.",
            {"enum": list(VALIDATORS)},
            {
                "type": "object",
                "properties": {
                    "pattern": _text("A regular expression for the whole answer."),
                    "message": _text("What to say when the answer does not fit."),
                },
                "required": ["pattern"],
                "additionalProperties": False,
            },
        ),
    },
    "conditional": {
        "if": _text("The condition."),
        "then": {**_STEPS, "description": "The steps when it holds."},
        "else": {**_STEPS, "description": "The steps when it does not."},
    },
    "parallel": {
        "parallel": {
            "description": "Branches that go on at the same time: each a step, or a list of steps.",
            "type": "array",
            "minItems": 1,
            "items": {"anyOf": [_ref("step"), _STEPS]},
        },
    },
    "foreach": {
        "foreach": _any_of(
            "A list, or a placeholder that is one; text is taken line by line.",
            {"type": "string"},
            {"type": "array"},
        ),
        "as": {**_NAME, "description": "What each item is called inside; `item` if not said."},
        "steps": {**_STEPS, "description": "The steps for each item."},
        "at_once": {"type": "integer", "minimum": 1, "maximum": 64},
    },
    "skill": {
        "skill": _text("The name of the skill to run."),
        "arguments": _text("What the skill is to do."),
        "inputs": {"type": "object", "description": "Values for a skill that is a workflow."},
        # It has time limits of its own, and stopping it half way could not be repeated in the same way.
        **{name: shape for name, shape in _TRIED.items() if name != "timeout"},
    },
    "python": {
        "python": _text(
            "module:function, the module beside the skill.yaml.",
            pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*$",
        ),
        "arguments": {"type": "object", "description": "What the function is called with."},
        **{name: shape for name, shape in _TRIED.items() if name != "parse"},
    },
}  # fmt: skip
_NEEDED: Mapping[Kind, tuple[str, ...]] = {"conditional": ("then",), "foreach": ("steps",)}

_INPUT: Schema = {
    "type": {"enum": ["text", "number", "boolean", "choice", "list"]},
    "prompt": _text("How the value is asked for."),
    "description": _text("What the value is for."),
    "default": {"description": "The value when none is given."},
    "required": {"type": "boolean", "description": "Whether it is asked for; true unless there is a default."},
    "options": {**_PLAIN, "description": "What a choice may be."},
}  # fmt: skip


def _step(kind: Kind) -> Schema:
    main = MAIN[kind]
    needed: Schema = (
        {"required": [*main, *_NEEDED.get(kind, ())]}
        if len(main) == 1
        else {"anyOf": [{"required": [name]} for name in main]}
    )
    return {
        "type": "object",
        "properties": {**_COMMON, "type": {"const": kind}, **_OWN[kind]},
        "additionalProperties": False,
        **needed,
    }


_INPUTS = _any_of(
    "What the workflow wants to know before it begins.",
    {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"name": _NAME, **_INPUT},
            "required": ["name"],
            "additionalProperties": False,
        },
    },
    {
        "type": "object",
        "propertyNames": {"pattern": f"^{NAME}$"},
        "additionalProperties": {
            "type": "object",
            "properties": _INPUT,
            "additionalProperties": False,
        },
    },
)

_TOOLS = {"anyOf": [{"type": "string"}, _TEXTS]}
_SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Prowess workflow (skill.yaml)",
    "type": "object",
    "properties": {
        "name": _text("The workflow's name, that of its folder."),
        "version": {"type": ["string", "number"]},
        "description": _text("What it does and when to use it.", minLength=1),
        "category": _text("What it belongs to."),
        "compatibility": {"anyOf": [{"type": "string"}, _TEXTS], "description": "Tools it is meant for."},
        "dependencies": {"anyOf": [{"type": "string"}, _TEXTS], "description": "Skills that it needs beside it."},
        "license": {"type": "string"},
        "author": {"type": "string"},
        "metadata": {"type": "object"},
        "when_to_use": {"type": "string"},
        "allowed-tools": {**_TOOLS, "description": "What its commands may do."},
        "disallowed-tools": {**_TOOLS, "description": "What its commands may never do."},
        "disable-model-invocation": {"type": "boolean"},
        "user-invocable": {"type": "boolean"},
        "inputs": _INPUTS,
        "steps": {**_STEPS, "description": "What is done, in order."},
        "templates": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "Texts for output steps, by name.",
        },
    },
    "required": ["name", "description", "steps"],
    "additionalProperties": False,
    "$defs": {
        "duration": _DURATION,
        "command": _COMMAND,
        "step": {"anyOf": [_ref(f"{kind}-step") for kind in KINDS]},
        **{f"{kind}-step": _step(kind) for kind in KINDS},
    },
}  # fmt: skip


def workflow_schema() -> Schema:
    """The JSON Schema of a skill.yaml; the caller may keep and change it."""
    import copy

    return copy.deepcopy(_SCHEMA)


def part(name: str) -> Schema:
    """What `#/$defs/name` stands for."""
    found: Schema = _SCHEMA["$defs"][name]
    return found


def step_schema(kind: Kind) -> Schema:
    return part(f"{kind}-step")
