"""
Placeholders: the tiny language that puts values into texts.

`{name}`, `{steps.x.output}`, `{item}`, with filters: `{x | default('a')}`, `join`, `lines`, `json`.
A brace that opens no name is plain text, and `{{name}}` is the text `{name}`. A value is looked up
by keys alone and never looked at again once it is filled in: nothing in it is a placeholder, an
attribute or code.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from prowess.core.depth import is_deep
from prowess.core.errors import ProwessError, UsageError
from prowess.core.workflow import Parse

Scope = Mapping[str, Any]  # names and what they stand for; `steps` has what each step left

DEEPEST = 200  # lists and mappings inside each other
_TOO_DEEP = f"it is nested deeper than {DEEPEST} levels"

NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
_LITERAL = r"""'[^'\n]*'|"[^"\n]*"|-?[0-9]+(?:\.[0-9]+)?|true|false|null"""
_FILTER = rf"[ ]*\|[ ]*({NAME})(?:\([ ]*((?:{_LITERAL})(?:[ ]*,[ ]*(?:{_LITERAL}))*)?[ ]*\))?"
_BODY = rf"({NAME}(?:\.(?:{NAME}|[0-9]+))*)((?:{_FILTER})*)[ ]*"
_PLACEHOLDER = re.compile(rf"\{{{_BODY}\}}")
_BRACES = re.compile(r"\{+")
_ESCAPED = re.compile(rf"(?:{_BODY}|{NAME}[^\s{{}}]*)(?=\}}\}})")
# What other languages put after a name in braces: `{x!r}`, `{x[0]}`, `{x:>9}`, `{x()}`.
_FOREIGN = re.compile(rf"\{{({NAME})(![a-z]|[\[(:][^\s{{}}\"']*)\}}")
_WORD_IN_BRACES = re.compile(rf"(\{{+)((?:{_BODY}|{NAME}[^\s{{}}]*))(\}}+)")
_EACH_FILTER = re.compile(_FILTER)
_EACH_LITERAL = re.compile(_LITERAL)
_LINE_END = re.compile(r"\r?\n")


class ValueProblemError(ProwessError):
    """A text cannot be filled with the values there are. `path` is what has none."""

    def __init__(self, message: str, *, path: Sequence[str], hint: str) -> None:
        super().__init__(message, hint=hint)
        self.path = tuple(path)


class Lines(list[Any]):
    """A list that is one item a line when it becomes text."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One placeholder. `source` is how it was written; `foreign` is what we do not understand in it."""

    source: str
    path: tuple[str, ...]
    filters: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    foreign: str = ""

    @property
    def name(self) -> str:
        return self.path[0]


Part = str | Slot


@lru_cache(maxsize=4096)
def parts_of(text: str, *, line: bool = False) -> tuple[Part, ...]:
    """A text as plain pieces and placeholders. In a `line` for the shell, `${x}` is the shell's own."""
    found: list[Part] = []
    at = 0
    while brace := _BRACES.search(text, at):
        found.append(text[at : brace.start()])
        own = line and text[: brace.start()].endswith("$")
        part, at = (brace[0], brace.end()) if own else _at_braces(text, brace)
        found += part if isinstance(part, list) else [part]
    found.append(text[at:])
    return tuple(_joined(found))


def written(parts: Sequence[Part], *, line: bool = False) -> str | None:
    """The text that `parts_of` reads as these parts; None where there is no way to write them."""
    text = "".join(
        part.source if isinstance(part, Slot) else _escaped(part, line=line) for part in parts
    )
    return text if parts_of(text, line=line) == tuple(_joined(parts)) else None


def _escaped(text: str, *, line: bool) -> str:
    """Every brace twice that would else be read as ours."""

    def twice(found: re.Match[str]) -> str:
        own = line and text[: found.start()].endswith("$")
        if own or parts_of(found[0]) == (found[0],):
            return found[0]
        return found[1] + found[0] + "}" * len(found[1])

    return _WORD_IN_BRACES.sub(twice, text)


def _at_braces(text: str, brace: re.Match[str]) -> tuple[Part | list[Part], int]:
    """What a run of braces is: text, a placeholder, or (two by two) braces to be written."""
    count, last = len(brace[0]), brace.end() - 1
    escaped = _ESCAPED.match(text, brace.end())
    if count > 1 and escaped:
        pairs = count // 2
        closing = "}" * (2 * pairs + count % 2)
        if text.startswith(closing, escaped.end()):
            after = escaped.end() + len(closing)
            if count % 2 == 0:
                return "{" * pairs + escaped[0] + "}" * pairs, after
            slot = _slot(text, last)
            return ["{" * pairs, slot[0], "}" * pairs] if slot else brace[0], after
    slot = _slot(text, last)
    if not slot:
        return brace[0], brace.end()
    return ["{" * (count - 1), slot[0]], slot[1]


def _slot(text: str, at: int) -> tuple[Slot, int] | None:
    if found := _PLACEHOLDER.match(text, at):
        filters = tuple(
            (name, tuple(map(_literal, _EACH_LITERAL.findall(arguments or ""))))
            for name, arguments in _EACH_FILTER.findall(found[2])
        )
        return Slot(found[0], tuple(found[1].split(".")), filters), found.end()
    if found := _FOREIGN.match(text, at):
        return Slot(found[0], (found[1],), foreign=found[2]), found.end()
    return None


def _joined(parts: Sequence[Part]) -> Iterator[Part]:
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        if text:
            yield text
        text = ""
        yield part
    if text:
        yield text


def _literal(written: str) -> Any:
    return written[1:-1] if written[0] in "'\"" else json.loads(written)


def slots_of(text: str, *, line: bool = False) -> list[Slot]:
    return [part for part in parts_of(text, line=line) if isinstance(part, Slot)]


def value_of(slot: Slot, scope: Scope) -> Any:
    """What a placeholder stands for; `ValueProblemError` when there is nothing."""
    value = filtered(slot, scope)
    if value is None:
        raise ValueProblemError(
            f"{slot.source} has no value here",
            path=slot.path,
            hint=f"write {{{'.'.join(slot.path)} | default('...')}}",
        )
    return value


def filtered(slot: Slot, scope: Scope) -> Any:
    """Like `value_of`, but None when there is nothing. Of nothing only the filter `default` makes something."""
    value = look_up(slot.path, scope)
    for name, arguments in slot.filters:
        if value is not None or name == "default":
            value = FILTERS[name](value, *arguments)
    return value


def look_up(path: Sequence[str], scope: Scope) -> Any:
    """The value at the end of the path, by keys and list places only; None when there is none."""
    value: Any = scope
    for part in path:
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def text_of(value: Any) -> str:
    """A value as text: lists and mappings are JSON, true is `true`."""
    if isinstance(value, str):
        return value
    if isinstance(value, Lines):
        return "\n".join(map(text_of, value))
    return json.dumps(value, ensure_ascii=False)


def read_json(text: str) -> Any:
    """A value that can be stored, shown and written as JSON again; `ValueError` says why there is none."""
    try:
        value = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if is_deep(value, DEEPEST):
        raise ValueError(_TOO_DEEP)
    return value


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written} is not a number of JSON")
    return number


def lines_of(text: str) -> list[str]:
    """The lines with something in them. Only a line feed ends one: a form feed may be in a name."""
    return [line for line in _LINE_END.split(text) if line.strip()]


def parsed(text: str, parse: Parse) -> Any:
    """What a step makes of a text; `ValueError` says why it is not JSON."""
    if parse == "json":
        return read_json(text)
    return lines_of(text) if parse == "lines" else text


def fill(text: str, scope: Scope) -> str:
    return "".join(fill_part(part, scope) for part in parts_of(text))


def fill_part(part: Part, scope: Scope) -> str:
    if isinstance(part, str):
        return part
    # Only a brace of another language is left of these once the file was checked.
    return part.source if part.foreign else text_of(value_of(part, scope))


def fill_value(value: Any, scope: Scope) -> Any:
    """Like `fill`, all through lists and mappings; a text that is one placeholder becomes its very value."""
    if isinstance(value, str):
        parts = parts_of(value)
        if len(parts) == 1 and isinstance(parts[0], Slot) and not parts[0].foreign:
            return value_of(parts[0], scope)
        return fill(value, scope)
    if isinstance(value, Mapping):
        return {key: fill_value(each, scope) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [fill_value(each, scope) for each in value]
    return value


def check_path(filled: str, plain: str) -> None:
    """Raises when this path leaves the folder in which `plain`, the same with harmless values, would be."""
    climbs = filled.split("/").count("..") > plain.split("/").count("..")
    other_root = filled[:1] in ("/", "~") and plain[:1] != filled[:1]
    if climbs or other_root or "\0" in filled:
        raise elsewhere(filled)


def elsewhere(path: str) -> UsageError:
    return UsageError(
        f"the path {path!r} leaves the folder it belongs to",
        hint="use a name without '..', and not one that begins with '/' or '~'",
    )


def _default(value: Any, other: Any = "") -> Any:
    return other if value is None or value in ("", [], {}) else value


def _join(value: Any, between: str = ", ") -> str:
    return str(between).join(map(text_of, value)) if isinstance(value, list) else text_of(value)


def _lines(value: Any) -> Lines:
    if isinstance(value, list):
        return Lines(value)
    return Lines(lines_of(text_of(value)))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


FILTERS: Mapping[str, Callable[..., Any]] = {
    "default": _default,
    "join": _join,
    "lines": _lines,
    "json": _json,
}
FILTER_ARGUMENTS = {"default": 1, "join": 1, "lines": 0, "json": 0}  # at most
