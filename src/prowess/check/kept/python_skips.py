"""
How often each part of a Python file of tests is skipped, read from its syntax tree.

What a function, a class or the file itself says of skipping counts for it, wherever that is said: in a
decorator, a call, a fixture that it asks for, a name that was given to a mark. A name alone, a comment
or a text for readers skips nothing.
"""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from prowess.check.kept.cases import Definition

_WORDS = frozenset(
    "skip skipif skipIf skipUnless skipTest SkipTest xfail importorskip expectedFailure __test__"
    " collect_ignore collect_ignore_glob".split()
)
_AT_ONCE = frozenset("skip skipTest importorskip xfail".split())  # by being called
_FOR_ALL = re.compile(r"pytestmark|__test__|collect_ignore\w*")
_UNNAMED = re.compile(r"set_?up|tear_?down|async_?set_?up|async_?tear_?down", re.IGNORECASE)
# With these one gets hold of tests without their names.
_ALL_THERE_IS = frozenset(
    "globals locals vars __dict__ modules getmembers _getframe session".split()
)
_OWN = frozenset(("self", "cls"))
_NO_TREE = (SyntaxError, ValueError, RecursionError, MemoryError)


def python_skips(text: str) -> Counter[str] | None:
    """By the names of functions and classes, none for the file as a whole; None if nobody can read it."""
    try:
        tree = ast.parse(text)
        names = _skipping_names(tree)
        found = dict(_counted(tree.body, "", names))
        of_others = _said_of_others(tree, names)
    except _NO_TREE:
        return None
    return Counter({**found, "": found[""] + of_others})


def _counted(
    body: Sequence[ast.stmt], inside: str, names: Collection[str]
) -> Iterator[tuple[str, int]]:
    """Each part with how often it is skipped; what is defined twice counts as one."""
    whole, parts = 0, Counter[str]()
    for each in body:
        if isinstance(each, ast.ClassDef):
            found = dict(_counted(each.body, f"{inside}{each.name}.", names))
            found[inside + each.name] = found.pop(f"{inside}{each.name}.") + _said(
                (*each.decorator_list, *each.bases, *each.keywords), names
            )
            parts.update(found)
        elif isinstance(each, Definition):
            times = _said((each,), names)
            parts.update({inside + each.name: times})
            whole += times if _runs_for_all(each) else 0
        elif not _only_names(each):
            whole += _said((each,), names)
    yield from parts.items()
    yield inside, whole


def _said_of_others(tree: ast.Module, names: Collection[str]) -> int:
    """How often something is skipped in the midst of what speaks of tests, or gets hold of all there is."""
    tests = {each.name for each in tree.body if isinstance(each, Definition) and _is_of_tests(each)}
    times = 0
    for each in tree.body:
        said = _words_in(each)
        own = {each.name} if isinstance(each, Definition) else set[str]()
        if said & (_ALL_THERE_IS | (tests - own)):
            times += _said((each,), names)
            if isinstance(each, ast.Assign):  # another name for a test
                tests |= {one.id for one in each.targets if isinstance(one, ast.Name)}
    return times


def _is_of_tests(each: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    return each.name[:4].lower() == "test" or bool(isinstance(each, ast.ClassDef) and each.bases)


def _words_in(each: ast.AST) -> set[str]:
    found = set[str]()
    for node in ast.walk(each):
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.Constant(value=str(word)):
                found.add(word)
    return found


def _said(nodes: Sequence[ast.AST], names: Collection[str]) -> int:
    return sum(
        name in _WORDS or name in names
        for each in nodes
        for node in ast.walk(each)
        for name in _mentioned(node)
    )


def _mentioned(node: ast.AST) -> Iterator[str]:
    """The words and names with which something could be skipped."""
    match node:
        case ast.Name(id=name, ctx=ctx) if isinstance(ctx, ast.Load) or _FOR_ALL.match(name):
            yield name
        case ast.Attribute(value=value, attr=name) if name in _WORDS or _called(value) in _OWN:
            yield name
        case ast.arg(arg=name) if name not in _WORDS:  # a fixture
            yield name
        case ast.Call(args=args):  # getattr(pytest, "skip"), usefixtures("skipping")
            texts = [one.value for one in args if isinstance(one, ast.Constant)]
            yield from {one for one in texts if isinstance(one, str)}
        case ast.Subscript(slice=ast.Constant(value=str(name))) if name in _WORDS:
            yield name


def _runs_for_all(each: ast.stmt) -> bool:
    name = getattr(each, "name", "")
    marks = getattr(each, "decorator_list", ())
    return bool(_UNNAMED.match(name)) or any("autouse" in ast.unparse(mark) for mark in marks)


def _only_names(each: ast.stmt) -> bool:
    """Whether a statement gives a name to a mark that skips, and skips nothing by itself."""
    if not isinstance(each, ast.Assign | ast.AnnAssign):
        return False
    targets = each.targets if isinstance(each, ast.Assign) else [each.target]
    if not all(isinstance(one, ast.Name) and not _FOR_ALL.match(one.id) for one in targets):
        return False
    calls = (node.func for node in ast.walk(each) if isinstance(node, ast.Call))
    return not any(_called(call) in _AT_ONCE and not _is_mark(call) for call in calls)


def _called(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def _is_mark(func: ast.expr) -> bool:
    said = ast.unparse(func).split(".")
    return "mark" in said[:-1] or said[0] == "unittest"


def _skipping_names(tree: ast.Module) -> set[str]:
    """What the file calls something that skips: a mark, a fixture, a function, what it brings in."""
    names = {
        each.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for each in node.names
        if each.asname and each.name in _WORDS
    }
    users: dict[str, set[str]] = {}
    for body in _bodies(tree):
        for user, nodes in _named(body):
            for name in {
                one for each in nodes for node in ast.walk(each) for one in _mentioned(node)
            }:
                users.setdefault(name, set()).add(user)
    left = [*names, *_WORDS]
    while left:
        more = users.get(left.pop(), set()) - names
        names |= more
        left += more
    return names


def _bodies(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    yield tree.body
    yield from (node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _named(body: Sequence[ast.stmt]) -> Iterator[tuple[str, Sequence[ast.AST]]]:
    for each in body:
        if isinstance(each, ast.ClassDef):
            own = [part for part in each.body if not isinstance(part, Definition)]
            made = [part for part in each.body if _runs_for_all(part)]
            yield each.name, (*each.decorator_list, *each.bases, *own, *made)
        elif isinstance(each, Definition):
            if not each.name.startswith("test") or "fixture" in _marks(each):
                yield each.name, (each,)
        elif isinstance(each, ast.Assign | ast.AnnAssign) and each.value:
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            yield from ((one.id, (each.value,)) for one in targets if isinstance(one, ast.Name))


def _marks(each: ast.stmt) -> str:
    return " ".join(ast.unparse(mark) for mark in getattr(each, "decorator_list", ()))
