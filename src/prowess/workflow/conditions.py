"""
Conditions: `when: role == 'Tester' and count > 3`.

    or, and, not, ( ), == != < > <= >=, in, not in, 'text', 12, true, false, null, [lists], names

A name may stand in braces or not. It is looked up and compared, never evaluated: whatever a value
says, it can only be equal, less or more. Text that is a number is compared as one.
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from prowess.core.errors import ProwessError
from prowess.workflow.values import NAME, Scope, Slot, filtered, parts_of

DEEPEST = 30
_TOKEN = re.compile(
    rf"""\s*(?:(?P<text>'[^'\n]*'|"[^"\n]*")|(?P<number>-?[0-9]+(?:\.[0-9]+)?)(?![\w.])"""
    rf"""|(?P<slot>\{{[^{{}}\n]*\}})|(?P<sign>==|!=|<=|>=|<|>|\(|\)|\[|\]|,)"""
    rf"""|(?P<name>{NAME}(?:\.(?:{NAME}|[0-9]+))*))"""
)
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
_WORDS = {"and", "or", "not", "in"}
_FALSE = ("", "false", "no", "off", "0")
_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
Eval = Callable[[Scope], Any]


class ConditionError(ProwessError):
    """A condition cannot be read, or what it compares cannot be compared."""


@dataclass(frozen=True, slots=True)
class Condition:
    """`slots` are the names it asks about."""

    slots: tuple[Slot, ...]
    _value: Eval

    def holds(self, scope: Scope) -> bool:
        return is_true(self._value(scope))


@lru_cache(maxsize=1024)
def parse_condition(text: str) -> Condition:
    """Raises `ConditionError`, so that a condition that makes no sense is found before anything runs."""
    reader = _Reader(text)
    value = reader.either()
    if reader.token:
        raise reader.wrong(f"{reader.token!r} is not expected here")
    return Condition(tuple(reader.slots), value)


def is_true(value: Any) -> bool:
    """Answers are text, so `no` and `false` are as false as false itself."""
    return value.strip().lower() not in _FALSE if isinstance(value, str) else bool(value)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if not found or found.end() > end:
            raise ConditionError(
                f"{text[at:].strip()[:20]!r} is not part of a condition",
                hint="use names, 'texts', numbers, == != < > <= >=, in, and, or, not",
            )
        at = found.end()
        yield str(found.lastgroup), found[str(found.lastgroup)]


class _Reader:
    """Recursive descent, one method a level of the grammar."""

    def __init__(self, text: str) -> None:
        self._rest = _tokens(text)
        self._depth = 0
        self.slots: list[Slot] = []
        self.kind, self.token = "", ""
        self._next()

    def _next(self) -> str:
        last = self.token
        self.kind, self.token = next(self._rest, ("", ""))
        return last

    def _take(self, *words: str) -> str:
        return self._next() if self.kind in ("name", "sign") and self.token in words else ""

    def wrong(self, message: str) -> ConditionError:
        return ConditionError(message, hint="compare like this: role == 'Tester' and count > 3")

    def either(self) -> Eval:
        choices = [self._both()]
        while self._take("or"):
            choices.append(self._both())
        if len(choices) == 1:
            return choices[0]
        return lambda scope: any(is_true(each(scope)) for each in choices)

    def _both(self) -> Eval:
        needs = [self._denied()]
        while self._take("and"):
            needs.append(self._denied())
        if len(needs) == 1:
            return needs[0]
        return lambda scope: all(is_true(each(scope)) for each in needs)

    def _denied(self) -> Eval:
        if not self._take("not"):
            return self._compared()
        with_depth = self._deeper(self._denied)
        return lambda scope: not is_true(with_depth(scope))

    def _compared(self) -> Eval:
        left = self._operand()
        if sign := self._take(*_COMPARE):
            right = self._operand()
            return lambda scope: compare(sign, left(scope), right(scope))
        if self._take("in"):
            among = self._operand()
            return lambda scope: _contains(among(scope), left(scope))
        if self._take("not"):
            if not self._take("in"):
                raise self.wrong("`not` is followed by `in` here")
            among = self._operand()
            return lambda scope: not _contains(among(scope), left(scope))
        return left

    def _operand(self) -> Eval:
        if self._take("("):
            inner = self._deeper(self.either)
            self._close(")")
            return inner
        if self._take("["):
            return self._list()
        kind, token = self.kind, self._next()
        if kind == "text":
            return lambda scope: token[1:-1]
        if kind == "number":
            number = float(token) if "." in token else int(token)
            return lambda scope: number
        if kind == "name" and token.lower() in _CONSTANTS:
            constant = _CONSTANTS[token.lower()]
            return lambda scope: constant
        if kind in ("name", "slot") and token not in _WORDS:
            return self._named(token if kind == "slot" else f"{{{token}}}")
        raise self.wrong(
            f"{token!r} stands where a value belongs" if token else "it ends too early"
        )

    def _named(self, written: str) -> Eval:
        (part,) = parts_of(written) or ("",)
        if not isinstance(part, Slot) or part.foreign:
            raise self.wrong(f"{written} is no name")
        self.slots.append(part)
        return lambda scope: filtered(part, scope)

    def _list(self) -> Eval:
        items: list[Eval] = []
        while not self._take("]"):
            if items:
                self._close(",")
            items.append(self._deeper(self._operand))
        return lambda scope: [each(scope) for each in items]

    def _close(self, sign: str) -> None:
        if not self._take(sign):
            raise self.wrong(f"a {sign!r} is missing")

    def _deeper(self, read: Callable[[], Eval]) -> Eval:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self.wrong(f"it is nested deeper than {DEEPEST} levels")
        try:
            return read()
        finally:
            self._depth -= 1


def compare(sign: str, left: Any, right: Any) -> bool:
    left, right = _alike(left, right)
    if sign in ("==", "!="):
        return _COMPARE[sign](left, right)
    comparable = (isinstance(left, str) and isinstance(right, str)) or (
        isinstance(left, int | float) and isinstance(right, int | float)
    )
    if not comparable:
        raise ConditionError(
            f"{left!r} {sign} {right!r} cannot be decided",
            hint="compare numbers with numbers and texts with texts",
        )
    return _COMPARE[sign](left, right)


def _alike(left: Any, right: Any) -> tuple[Any, Any]:
    """What commands print and people answer is text: beside a number or a truth it is meant as one."""
    if isinstance(left, str) and not isinstance(right, str):
        return _meant(left, right), right
    if isinstance(right, str) and not isinstance(left, str):
        return left, _meant(right, left)
    if isinstance(left, str) and isinstance(right, str):
        numbers = _number(left), _number(right)
        if None not in numbers:
            return numbers
    return left, right


def _meant(text: str, like: Any) -> Any:
    if isinstance(like, bool):
        return {"true": True, "yes": True, "false": False, "no": False}.get(text.lower(), text)
    number = _number(text) if isinstance(like, int | float) else None
    return text if number is None else number


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*-?[0-9]{1,15}(\.[0-9]{1,15})?\s*", text) else None


def _contains(among: Any, value: Any) -> bool:
    if isinstance(among, list):
        return any(compare("==", each, value) for each in among)
    if isinstance(among, Mapping):
        return value in among if isinstance(value, str) else False
    if isinstance(among, str) and isinstance(value, str):
        return value in among
    return False
