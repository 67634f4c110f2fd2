"""
The cases that a test of Python is run with, apart from the test: one more of them alters nothing.

They stand in `@pytest.mark.parametrize(…)`, or in a constant of the file that tests do nothing with but
go through it. A list that says what is allowed or left out looks the same, and is none: a test that
uses it in any other way would be weakened by one more entry.
"""

import ast
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

_DISPLAYS = ast.List | ast.Tuple | ast.Set | ast.Dict
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Case:
    """`said` tells which list it stands in, too; `key` is its place in a dictionary."""

    said: str
    value: ast.expr
    key: ast.expr | None = None


def parted(each: ast.stmt) -> tuple[str, tuple[Case, ...]]:
    """What a definition or an assignment says besides its cases, and these."""
    if isinstance(each, Definition):
        marks = [_mark(number, mark) for number, mark in enumerate(each.decorator_list)]
        return " ".join((_undecorated(each), *(said for said, _ in marks))), tuple(
            case for _, cases in marks for case in cases
        )
    if isinstance(each, ast.Assign | ast.AnnAssign) and isinstance(each.value, _DISPLAYS):
        kind = f"{type(each).__name__} {type(each.value).__name__}"
        return f"{kind} {_around(each)}", tuple(_cases("", each.value))
    return ast.dump(each), ()


def more_cases(before: Sequence[Case], now: Sequence[Case]) -> list[Case] | None:
    """The new ones where all that were there are kept; None where one is gone, altered or covered."""
    left = Counter(case.said for case in before)
    more = []
    for case in now:
        if left[case.said]:
            left[case.said] -= 1
        else:
            more.append(case)
    return None if left.total() or _cover(before, more) else more


def constants_of_cases(tree: ast.Module) -> set[str]:
    """The names of which this file makes no other use than to take cases from them."""
    uses = Counter(
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )
    taken = Counter(_taken(tree))
    return {name for name in taken if taken[name] == uses[name]}


def _undecorated(each: Definition) -> str:
    if isinstance(each, ast.ClassDef):  # its body is told apart
        return " ".join(map(ast.dump, (*each.bases, *each.keywords)))
    returns = [each.returns] if each.returns else []
    return " ".join((type(each).__name__, *map(ast.dump, (each.args, *each.body, *returns))))


def _around(each: ast.Assign | ast.AnnAssign) -> str:
    beside = each.targets if isinstance(each, ast.Assign) else (each.target, each.annotation)
    return " ".join(map(ast.dump, beside))


def _mark(number: int, mark: ast.expr) -> tuple[str, list[Case]]:
    """What a decorator says, and the cases in it."""
    if not isinstance(mark, ast.Call) or not _is_parametrize(mark):
        return ast.dump(mark), []
    said, cases = [ast.dump(mark.func)], list[Case]()
    named = [("", each) for each in mark.args]
    named[1:2] = [("argvalues", each) for _, each in named[1:2]]
    for name, each in (*named, *((str(word.arg), word.value) for word in mark.keywords)):
        if name in ("argvalues", "ids") and isinstance(each, _DISPLAYS):
            cases += _cases(f"{number} {name}", each)
            said.append(f"{name} {type(each).__name__}")
        else:
            said.append(f"{name} {ast.dump(each)}")
    return " ".join(said), cases


def _is_parametrize(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "parametrize"


def _cases(place: str, one: ast.expr) -> Iterator[Case]:
    if isinstance(one, ast.Dict):
        for key, value in zip(one.keys, one.values, strict=True):
            at = key or ast.Name(id="**")
            yield Case(f"{place} {ast.dump(at)} {ast.dump(value)}", value, at)
    elif isinstance(one, ast.List | ast.Tuple | ast.Set):
        yield from (Case(f"{place} {ast.dump(value)}", value) for value in one.elts)


def _cover(before: Sequence[Case], more: Sequence[Case]) -> bool:
    """Whether new entries of a dictionary may take the place of earlier ones."""
    if not any(case.key for case in more):
        return False
    keys = [_literal(case.key) for case in (*before, *more) if case.key]
    return None in keys or len(set(keys)) < len(keys)


def _literal(key: ast.expr) -> Hashable:
    try:
        value: Hashable = ast.literal_eval(key)
        hash(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return value


def _taken(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_parametrize(node):
            given = [word.value for word in node.keywords if word.arg in ("argvalues", "ids")]
            for each in (*node.args[1:2], *given):
                yield from _gone_through(each)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            loops = [each for each in node.body if isinstance(each, ast.For)]
            names = _names(node) if loops else Counter[str]()
            for loop in loops:
                if _only_asserts(loop, names):
                    yield from _gone_through(loop.iter)


def _gone_through(each: ast.expr) -> Iterator[str]:
    """The names whose every entry is taken, and nothing is left out."""
    match each:
        case ast.Name(id=name):
            yield name
        case (
            ast.Starred(value=inner)
            | ast.Call(func=ast.Attribute(value=inner, attr="items" | "keys" | "values"), args=[])
        ):
            yield from _gone_through(inner)
        case ast.Call(func=ast.Name(id="list" | "tuple" | "sorted" | "enumerate"), args=[inner]):
            yield from _gone_through(inner)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                if isinstance(part, ast.Starred):
                    yield from _gone_through(part)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from _gone_through(left)
            yield from _gone_through(right)
        case ast.ListComp(generators=[one]) | ast.GeneratorExp(generators=[one]) if not one.ifs:
            yield from _gone_through(one.iter)


def _only_asserts(loop: ast.For, everywhere: Counter[str]) -> bool:
    """Whether one more round of a loop can only find more that is wrong; it keeps nothing for later."""
    inside = _names(loop)

    def harmless(each: ast.stmt) -> bool:
        match each:
            case ast.Assert():
                return True
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))):
                return name.startswith("assert")
            case ast.With(body=body) | ast.For(body=body, orelse=[]):
                return all(map(harmless, body))
            case ast.Assign(targets=[ast.Name(id=name)]):
                return inside[name] == everywhere[name]
        return False

    return not loop.orelse and all(map(harmless, loop.body))


def _names(tree: ast.AST) -> Counter[str]:
    return Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
