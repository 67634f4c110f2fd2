"""
Hold a value against its schema, and say of every misfit where it is and what would fit.

It knows the part of JSON Schema that `schema.py` uses, and words its findings for people: a wrong
field is told with the nearest right one.
"""

import difflib
import re
from collections.abc import Callable, Mapping
from typing import Any

from prowess.core.execution import seconds, shown
from prowess.core.placed_yaml import Path
from prowess.core.workflow import KINDS, Kind
from prowess.workflow.schema import MAIN, Schema, part, step_schema

# Where, what, what to do; `key` marks the field's name rather than its value.
Report = Callable[..., None]
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_KIND_OF: Mapping[str, Kind] = {key: kind for kind, main in MAIN.items() for key in main}
# What other tools call these fields.
_ELSEWHERE = {
    "run": "command",
    "cmd": "command",
    "shell": "command",
    "script": "command",
    "print": "output",
    "ask": "question",
    "each": "foreach",
}
_WORDS = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "fields",
}


def fit(value: Any, schema: Schema, path: Path, report: Report) -> None:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name == "step":
            _fit_step(value, path, report)
        elif name == "duration":
            _fit_time(value, path, report)
        else:
            fit(value, part(name), path, report)
        return
    if "anyOf" in schema and "properties" not in schema:
        _fit_any(value, schema, path, report)
        return
    if wrong := _misfit(value, schema):
        report(path, f"{_field(path)} is {shown(value)}", f"use {wrong}")
    elif isinstance(value, dict):
        _fit_fields(value, schema, path, report)
    elif isinstance(value, list):
        for place, each in enumerate(value):
            fit(each, schema.get("items", {}), (*path, place), report)


def _fit_time(value: Any, path: Path, report: Report) -> None:
    """Judged by what reads it, as a schema cannot say how long a text such as `25h` is."""
    try:
        seconds(value)
    except ValueError as error:
        report(path, f"{_field(path)} is {shown(value)}", f"use {error} and more than 0")


def kind_of(step: Mapping[str, Any]) -> Kind | None:
    """The kind that `type` names, else the one whose own field is there."""
    named = step.get("type")
    if named in KINDS:
        return named  # type: ignore[no-any-return]
    return next((kind for key, kind in _KIND_OF.items() if key in step), None)


def _fit_step(value: Any, path: Path, report: Report) -> None:
    if not isinstance(value, dict):
        report(path, f"a step is {shown(value)}", "write its fields, such as `command: ls`")
        return
    kind = kind_of(value)
    if "type" in value and value["type"] not in KINDS:
        near = _near(str(value["type"]), KINDS)
        report((*path, "type"), f"there is no step of the kind {shown(value['type'])}", near)
        if kind is None:
            return
    if kind is None:
        _report_idle(value, path, report)
        return
    _fit_fields(value, step_schema(kind), path, report, what=f"{_a(kind)} step", skip_type=True)


def _report_idle(step: dict[str, Any], path: Path, report: Report) -> None:
    """Nothing says what the step does: the field that was to say it may be one that we do not know."""
    choice = f"add one of: {_listed(_KIND_OF)}"
    known = {name for kind in KINDS for name in step_schema(kind)["properties"]}
    unknown = [name for name in step if name not in known]
    for name in unknown:
        close = _close(name, [*_KIND_OF, *_ELSEWHERE])
        hint = f"did you mean {_ELSEWHERE.get(close, close)}?" if close else choice
        report((*path, name), f"a step has no field {name!r}", hint, key=True)
    if not unknown:
        report(path, "nothing says what the step does", choice, key=True)


def _fit_fields(
    value: dict[str, Any],
    schema: Schema,
    path: Path,
    report: Report,
    *,
    what: str = "",
    skip_type: bool = False,
) -> None:
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    missing = [name for name in schema.get("required", ()) if name not in value]
    choices = [each["required"][0] for each in schema.get("anyOf", ())]
    if choices and not any(name in value for name in choices):
        missing.append(" or ".join(choices))
    for name in missing:
        report(
            path, f"{what or _field(path)} has no {name}", f"add `{name.split(' ')[0]}:`", key=True
        )
    pattern = schema.get("propertyNames", {}).get("pattern")
    for name, each in value.items():
        inner = (*path, name)
        if name in known:
            if not (skip_type and name == "type"):
                fit(each, known[name], inner, report)
        elif others is False:
            report(
                inner, f"{what or _field(path)} has no field {name!r}", _near(name, known), key=True
            )
        elif pattern and not re.search(pattern, name):
            report(inner, f"{name!r} is no name", "use letters, digits, - and _", key=True)
        elif isinstance(others, dict):
            fit(each, others, inner, report)


def _fit_any(value: Any, schema: Schema, path: Path, report: Report) -> None:
    """The first choice of the value's own type is the one that was meant."""
    choices = [part(each["$ref"].rpartition("/")[2]) if "$ref" in each and each["$ref"] != "#/$defs/step" else each for each in schema["anyOf"]]  # fmt: skip
    for choice in choices:
        if "$ref" in choice:
            if isinstance(value, dict):
                _fit_step(value, path, report)
                return
        elif not _misfit(value, choice):
            fit(value, choice, path, report)
            return
    alike = [choice for choice in choices if "$ref" not in choice]
    wanted = " or ".join(dict.fromkeys(_misfit(value, choice) for choice in alike))
    report(path, f"{_field(path)} is {shown(value)}", f"use {wanted}")


def _misfit(value: Any, schema: Schema) -> str:  # noqa: PLR0911  one line a rule
    """What would have fitted, or nothing if the value itself does."""
    if "const" in schema:
        return "" if value == schema["const"] else f"{schema['const']!r}"
    if "enum" in schema:
        return "" if value in schema["enum"] else f"one of: {_listed(schema['enum'])}"
    types = schema.get("type")
    if types is None:
        return ""
    types = types if isinstance(types, list) else [types]
    if not any(_is(value, each) for each in types):
        return " or ".join(_WORDS[each] for each in types)
    if isinstance(value, list) and len(value) < schema.get("minItems", 0):
        return "at least one"
    if isinstance(value, str) and len(value.strip()) < schema.get("minLength", 0):
        return "at least a few words"
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        return _described(schema)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _out_of_range(value, schema)
    return ""


def _out_of_range(value: float, schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    above = schema.get("exclusiveMinimum")
    low = (least is not None and value < least) or (above is not None and value <= above)
    if low or (most is not None and value > most):
        return f"a number from {least if above is None else f'more than {above}'} to {most}"
    return ""


def _described(schema: Schema) -> str:
    pattern = schema["pattern"]
    if ":" in pattern:
        return "module:function, such as report:build"
    return "a name of letters, digits, - and _"


def _is(value: Any, type_: str) -> bool:
    if isinstance(value, bool):
        return type_ == "boolean"
    if type_ == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[type_])


def _field(path: Path) -> str:
    named = [str(each) for each in path if isinstance(each, str)]
    return named[-1] if named else "the workflow"


def _near(name: str, known: Any) -> str:
    close = _close(name, known)
    return f"did you mean {close}?" if close else f"it may be: {_listed(known)}"


def _close(name: str, known: Any) -> str:
    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)), "")


def _listed(names: Any) -> str:
    return ", ".join(map(str, names))


def _a(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"
