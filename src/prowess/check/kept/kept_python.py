"""
What a Python file of tests said before and says no more, by name: read from its syntax tree, run nowhere.

More may be added to it: definitions, imports, names that were not taken, cases of a test. Whatever was
there must be there as it was: tests, helpers, fixtures, what is imported, and no name of those may be
given to something else. What is new and has a part in tests that do not name it, or does something
when the file is loaded, may undo what was there.
"""

import ast
import re
import symtable
import unittest
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from prowess.check.kept.at_import import Loading, is_for_all
from prowess.check.kept.cases import Case, Definition, constants_of_cases, more_cases, parted

_ENTRY = "__name__ == '__main__'"  # the block that no test runner enters
_FOR_READERS = ("TYPE_CHECKING", "typing.TYPE_CHECKING")  # what only a type checker enters
_UNNAMED = re.compile(r"pytestmark$|set_?up|tear_?down", re.IGNORECASE)
# What runners look for by its name, and run or obey for every test of the file or of the class.
_LOOKED_FOR = re.compile(
    r"(?:async_?)?(?:set_?up|tear_?down)(?:_?(?:module|package|function|class|method))?"
    r"|pytestmark|pytest_(?:plugins|generate_tests)|collect_ignore\w*|load_tests|(?:add|do)\w*cleanups?"
    r"|__(?!(?:all|doc|author|version|slots|tracebackhide)__)\w+__",
    re.IGNORECASE,
)
_OF_TEST_CASES = frozenset(dir(unittest.TestCase)) - {"maxDiff", "longMessage"}
_OWN = frozenset(("self", "cls", "super"))
_ANY = "__any__"
_MISSING = frozenset(("ImportError", "ModuleNotFoundError"))
_NO_TREE = (SyntaxError, ValueError, RecursionError, MemoryError)


@dataclass(frozen=True, slots=True)
class _Piece:
    """
    A name, and all that is said of it, besides the cases that it is run with. What `acts` does more
    than give something a name.
    """

    name: str
    said: str
    acts: bool = False
    cases: tuple[str, ...] = ()
    node: ast.stmt | None = field(default=None, compare=False)
    entries: tuple[Case, ...] = field(default=(), compare=False)

    @property
    def inside(self) -> str:
        return self.name.rpartition(".")[0]

    @property
    def last(self) -> str:
        return self.name.rpartition(".")[2]


def altered_python(before: str, now: str, *, moved: Collection[str] = ()) -> list[str]:
    """The names of what was altered; `moved` are tests that are elsewhere now."""
    try:
        return list(dict.fromkeys(_altered(_parsed(before), _parsed(now), before, now, moved)))
    except _NO_TREE:
        return [] if before == now else ["what cannot be parsed"]


def same_test(name: str, before: str, now: str) -> bool:
    """Whether a Python test is the same in both texts, with all that it uses of its file."""
    old, new = _pieces_of(before), _pieces_of(now)
    used, left = set[str](), {name, *(each.name for each in old if _runs_unnamed(each))}
    while left:
        used |= left | {inside for each in left if (inside := each.rpartition(".")[0])}
        said = " ".join(
            " ".join((each.said, *each.cases)) for each in old if _belongs(each.name, used)
        )
        words = set(re.findall(r"\w+", said))
        left = {each.name for each in old if each.name in words} - used
    then, today = ({each for each in side if _belongs(each.name, used)} for side in (old, new))
    return then == today


def _altered(
    then: ast.Module, today: ast.Module, before: str, now: str, moved: Collection[str]
) -> Iterator[str]:
    old, new = list(_pieces(then.body, "")), list(_pieces(today.body, ""))
    lost = [each for each in Counter(old) - Counter(new) if each.name not in moved]
    added = list(Counter(new) - Counter(old))
    loading = Loading.of(today) if added else Loading()
    wider = set(_widened(lost, added, then, loading))
    words = set(re.findall(r"\w+", now))
    yield from (
        each.name for each in lost if each.name not in wider and not _is_done_with(each, words)
    )
    known = Counter(each.name for each in old)
    again = Counter(each.name for each in new) - known
    yield from (name for name in again if name in known)
    reach = _Reach.of(then, before, old, new) if added else _Reach()
    yield from (
        each.name for each in added if each.name not in wider and _may_undo(each, reach, loading)
    )


def _widened(
    lost: Sequence[_Piece],
    added: Sequence[_Piece],
    then: ast.Module,
    loading: Loading,
) -> Iterator[str]:
    """Those that were there and are there with more cases, which do nothing but be cases."""
    once = {name for name, times in Counter(each.name for each in lost).items() if times == 1}
    now = {each.name: each for each in added if each.name in once}
    pairs = [
        (each, now[each.name])
        for each in lost
        if each.name in now and now[each.name].said == each.said
    ]
    constants = constants_of_cases(then) if pairs else set[str]()
    for old, new in pairs:
        more = more_cases(old.entries, new.entries)
        fit = isinstance(old.node, Definition) or old.name in constants
        if fit and more is not None and not any(_does_more(case, loading) for case in more):
            yield old.name


def _does_more(case: Case, loading: Loading) -> bool:
    return any(loading.does_more(part) for part in (case.key, case.value) if part)


@dataclass(frozen=True, slots=True)
class _Reach:
    """
    What a file used before without having defined it: `names` of Python and of what it imports whole,
    `fixtures`, and `parts` of its own objects. Whoever gives one of these to something else decides what
    is used. `classes` were there, those that are `fresh` were not.
    """

    names: frozenset[str] = frozenset()
    fixtures: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()
    classes: Mapping[str, ast.ClassDef] = field(default_factory=dict)
    fresh: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, tree: ast.Module, text: str, old: Sequence[_Piece], new: Sequence[_Piece]
    ) -> "_Reach":
        nodes = list(ast.walk(tree))
        own = (node for node in nodes if isinstance(node, ast.Attribute))
        classes = {each.name: each.node for each in old if isinstance(each.node, ast.ClassDef)}
        now = {each.name for each in new if isinstance(each.node, ast.ClassDef)}
        return cls(
            names=frozenset(_unbound(tree, text)),
            fixtures=frozenset(_asked_for(nodes)),
            parts=frozenset(node.attr for node in own if _called(node.value) in _OWN),
            classes=classes,
            fresh=frozenset(now.difference(classes)),
        )

    def takes(self, piece: _Piece, name: str) -> bool:
        """Whether this name, given by a new piece, is one that was used before."""
        if name in self.names or (name in self.fixtures and _may_be_fixture(piece.node)):
            return True
        owner = self.classes.get(piece.inside)
        return owner is not None and (
            name in self.parts or (bool(owner.bases) and name in _OF_TEST_CASES)
        )


def _may_be_fixture(node: ast.stmt | None) -> bool:
    if isinstance(node, Definition):
        return bool(node.decorator_list)
    return not isinstance(
        getattr(node, "value", None), ast.Constant | ast.List | ast.Dict | ast.Tuple
    )


def _called(node: ast.expr) -> str:
    named = node.func if isinstance(node, ast.Call) else node
    return named.id if isinstance(named, ast.Name) else ""


def _unbound(tree: ast.Module, text: str) -> Iterator[str]:
    """The names that are taken from the file or, if it has none such, from Python."""
    tables = [symtable.symtable(text, "tests", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        if isinstance(table, symtable.Function):
            yield from table.get_globals()
    outside: list[ast.AST] = [tree]  # of functions
    while outside:
        node = outside.pop()
        if isinstance(node, ast.Name):
            yield node.id
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            outside += [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
        elif not isinstance(node, ast.Lambda):
            outside += ast.iter_child_nodes(node)


def _asked_for(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The fixtures that tests ask for by the names of their arguments, or in `usefixtures`."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            marks = any("fixture" in ast.unparse(mark) for mark in node.decorator_list)
            if marks or node.name.startswith("test"):
                yield from (each.arg for each in (*node.args.args, *node.args.kwonlyargs))
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "usefixtures":
            yield from (str(each.value) for each in node.args if isinstance(each, ast.Constant))


def _may_undo(piece: _Piece, reach: _Reach, loading: Loading) -> bool:
    """Whether something new can change how that ends which was there."""
    if piece.acts or (piece.node is not None and loading.acts(piece.node)):
        return True
    if piece.inside in reach.fresh:
        return False
    names = {piece.last, *_other_names(piece.node)}
    return any(reach.takes(piece, name) or _LOOKED_FOR.fullmatch(name) for name in names)


def _other_names(node: ast.stmt | None) -> Iterator[str]:
    """`@pytest.fixture(name="client")`; where the name is not plain, or every test gets it, it may be any."""
    for mark in getattr(node, "decorator_list", ()):
        if is_for_all(mark):
            yield _ANY
        for word in getattr(mark, "keywords", ()):
            if word.arg is None:
                yield _ANY
            elif word.arg == "name":
                yield str(word.value.value) if isinstance(word.value, ast.Constant) else _ANY


def _belongs(name: str, used: Collection[str]) -> bool:
    """Whether it is one of these, or a part of a class of these that is no test."""
    inside, _, last = name.rpartition(".")
    return name in used or (inside in used and not last.startswith("test"))


def _runs_unnamed(piece: _Piece) -> bool:
    """Whether it has a part in tests that do not say its name."""
    return bool("autouse" in piece.said or _UNNAMED.match(piece.last))


def _is_done_with(piece: _Piece, words: Collection[str]) -> bool:
    """Whether nothing that is left can use it: nobody says its name, and it is no test."""
    last = piece.last
    return not (piece.acts or _runs_unnamed(piece) or last.startswith("test") or last in words)


def _pieces_of(text: str) -> list[_Piece]:
    try:
        return list(_pieces(_parsed(text).body, ""))
    except _NO_TREE:
        return []


def _parsed(text: str) -> ast.Module:
    """The tree, without what tests say for readers and type checkers alone; what doctest reads stays."""
    tree = ast.parse(text)
    for each in ast.walk(tree):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name[:4] == "test":
            if isinstance(each.returns, ast.Constant) and each.returns.value is None:
                each.returns = None
            said = ast.get_docstring(each, clean=False)
            if said is not None and ">>>" not in said and each.body[1:]:
                del each.body[0]
    return tree


def _pieces(body: Sequence[ast.stmt], inside: str, *, only: str = "") -> Iterator[_Piece]:
    """`only` is where the statements are run, if not always."""
    for each in body:
        if isinstance(each, ast.Import | ast.ImportFrom):
            yield from _imported(each, inside, only)
        elif isinstance(each, Definition):
            said, cases = parted(each)
            yield _Piece(inside + each.name, said, cases=_said(cases), node=each, entries=cases)
            if isinstance(each, ast.ClassDef):
                yield from _pieces(each.body, f"{inside}{each.name}.")
        elif isinstance(each, ast.If) and _is_for_readers(each):
            yield from _pieces(each.body, inside, only="TYPE_CHECKING")
        elif isinstance(each, ast.Try) and (names := _names_if_there(each)):
            yield from (_Piece(inside + name, ast.dump(each)) for name in names)
        elif not _says_nothing(each):
            yield from _statement(each, inside)


def _imported(each: ast.Import | ast.ImportFrom, inside: str, only: str) -> Iterator[_Piece]:
    """One more name on the same line alters nothing."""
    source = getattr(each, "module", None), getattr(each, "level", 0)
    for name in each.names:
        bound, said = name.asname or name.name, f"{only}{source} {name.name}"
        acts = bound == "*" or source[0] == "builtins"
        yield _Piece(inside + bound, said, acts=acts, node=each)


def _statement(each: ast.stmt, inside: str) -> Iterator[_Piece]:
    names = list(_given(each))
    said, cases = parted(each) if names and not inside else (ast.dump(each), ())
    for name in names:
        yield _Piece(inside + name, said, name == "__name__", _said(cases), each, cases)
    if not names:
        yield _Piece(inside + ast.unparse(each).split("\n")[0], said, acts=True)


def _said(cases: Sequence[Case]) -> tuple[str, ...]:
    return tuple(case.said for case in cases)


def _given(each: ast.stmt) -> Iterator[str]:
    """The names that a plain assignment gives, also in the midst of its value; none of another statement."""
    if not isinstance(each, ast.Assign | ast.AnnAssign):
        return
    targets = each.targets if isinstance(each, ast.Assign) else [each.target]
    flat = [part for target in targets for part in _parts(target)]
    if all(isinstance(part, ast.Name) for part in flat):
        within = (node.target for node in ast.walk(each) if isinstance(node, ast.NamedExpr))
        yield from (ast.unparse(part) for part in (*flat, *within))


def _parts(target: ast.expr) -> list[ast.expr]:
    return target.elts if isinstance(target, ast.Tuple | ast.List) else [target]


def _is_for_readers(each: ast.If) -> bool:
    """A block of imports that only a type checker enters; it gives its names all the same."""
    imports = all(isinstance(part, ast.Import | ast.ImportFrom) for part in each.body)
    return imports and not each.orelse and ast.unparse(each.test) in _FOR_READERS


def _names_if_there(each: ast.Try) -> list[str]:
    """The names that are imported where they can be, and are constants where they cannot; else none."""
    handlers = [part for handler in each.handlers for part in handler.body]
    caught = {ast.unparse(handler.type) if handler.type else "" for handler in each.handlers}
    if each.orelse or each.finalbody or not caught <= _MISSING:
        return []
    names = list[str]()
    for part in (*each.body, *handlers):
        match part:
            case ast.Import() | ast.ImportFrom() if all(name.name != "*" for name in part.names):
                names += [name.asname or name.name for name in part.names]
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant()) if part in handlers:
                names.append(name)
            case ast.Pass():
                pass
            case _:
                return []
    return list(dict.fromkeys(names))


def _says_nothing(each: ast.stmt) -> bool:
    """Words for a reader, and what happens only where the file is run as a program."""
    if isinstance(each, ast.If):
        return ast.unparse(each.test) == _ENTRY and not each.orelse
    return isinstance(each, ast.Pass) or (
        isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
    )
