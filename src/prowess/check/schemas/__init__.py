"""
The shapes of the artifacts, as JSON Schema, and the part of JSON Schema that they use.

An artifact is validated before it is written and before it is believed, so a file that is there has
its shape. A word of JSON Schema that is not known here is a mistake of ours and raises at once.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


@cache
def schema(name: str) -> Mapping[str, Any]:
    """The schema of an artifact: `evidence`, `phase-report`, `phase-record`, `task`."""
    text = files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    read: Mapping[str, Any] = json.loads(text)
    return read


def problems(value: Any, name: str) -> list[str]:
    """Everything that is wrong with an artifact, each with its place; nothing when it is right."""
    return list(_problems(value, schema(name), "$"))


def _problems(value: Any, rules: Mapping[str, Any], place: str) -> Iterator[str]:
    allowed = rules.get("type")
    if allowed and not any(_is(value, kind) for kind in _listed(allowed)):
        yield f"{place}: must be {' or '.join(_listed(allowed))}"
        return  # what else is said of it is meant for the right type
    for word, rule in rules.items():
        if word not in _PASSED_OVER:
            yield from (f"{place}{problem}" for problem in _RULES[word](value, rule, rules))


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _listed(kinds: str | list[str]) -> list[str]:
    return [kinds] if isinstance(kinds, str) else kinds


def _const(value: Any, rule: Any, _: Mapping[str, Any]) -> Iterator[str]:
    if value != rule or isinstance(value, bool) != isinstance(rule, bool):
        yield f": must be {rule!r}"


def _enum(value: Any, rule: list[Any], _: Mapping[str, Any]) -> Iterator[str]:
    if value not in rule:
        yield f": must be one of {', '.join(map(str, rule))}"


def _required(value: Any, rule: list[str], _: Mapping[str, Any]) -> Iterator[str]:
    yield from (f": {name} is missing" for name in rule if name not in value)


def _properties(value: Any, rule: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[str]:
    for name in rule:
        if name in value:
            yield from _problems(value[name], rule[name], f".{name}")


def _additional(value: Any, rule: bool, rules: Mapping[str, Any]) -> Iterator[str]:  # noqa: FBT001
    unknown = () if rule else value.keys() - rules["properties"].keys()
    yield from (f": unknown key {name!r}" for name in sorted(unknown))


def _items(value: Any, rule: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[str]:
    for number, each in enumerate(value):
        yield from _problems(each, rule, f"[{number}]")


def _least(measure: Callable[[Any], Any], what: str) -> Callable[..., Iterator[str]]:
    def rule_of(value: Any, rule: float, _: Mapping[str, Any]) -> Iterator[str]:
        if measure(value) < rule:
            yield f": must {what} at least {rule}"

    return rule_of


def _maximum(value: Any, rule: float, _: Mapping[str, Any]) -> Iterator[str]:
    if value > rule:
        yield f": must be at most {rule}"


_PASSED_OVER = frozenset(("$schema", "title", "type"))
_RULES: Mapping[str, Callable[[Any, Any, Mapping[str, Any]], Iterator[str]]] = {
    "const": _const,
    "enum": _enum,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "minItems": _least(len, "have"),
    "minLength": _least(len, "have"),
    "minimum": _least(lambda value: value, "be"),
    "maximum": _maximum,
}
