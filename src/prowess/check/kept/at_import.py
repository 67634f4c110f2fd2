"""
What a statement of Python does when its file is loaded, besides giving something a name.

Loading a file of tests runs its assignments, decorators, default values and heads of classes. They may
call what they like, as long as it does not reach for what others use: the names of a module, what is
loaded, the process. Functions and classes of the same file are looked into where they are called; what
another file does when it is called is not known here.
"""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from prowess.check.kept.cases import Definition

# Names with which one gets hold of what belongs to others, by whatever way they are reached.
_REACHING = frozenset(
    "setattr delattr setitem delitem __setattr__ __delattr__ __setitem__ __delitem__ __dict__"
    " __globals__ __builtins__ __builtin__ builtins __code__ __defaults__ __kwdefaults__ __bases__ __class__"
    " __subclasses__ __import__ meta_path path_hooks _getframe currentframe f_globals f_locals f_back"
    " settrace setprofile ctypes gc atexit reload".split()
)
_REACHING_ALONE = frozenset("globals locals vars exec eval compile".split())
# What is done to a thing rather than asked of it.
_DOING = frozenset(
    "update pop popitem clear append extend insert remove setdefault write writelines write_text"
    " write_bytes unlink rename rmtree system popen Popen chdir putenv kill start __enter__ __call__"
    " setattr setenv delenv syspath_prepend addfinalizer register_assert_rewrite".split()
)
_OWN = frozenset(("self", "cls"))
_FRESH = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp
_MAKERS = frozenset("list dict set defaultdict Counter OrderedDict deque StringIO BytesIO".split())
_AT_SUBCLASS = frozenset(("__init_subclass__", "__class_getitem__", "__prepare__"))


@dataclass(frozen=True, slots=True)
class Loading:
    """
    What a file does when it is loaded. `reaching` are its functions and classes that change more than
    their own, by themselves or by others of the file; `marking` are classes that act on each that is
    built on them.
    """

    reaching: frozenset[str] = frozenset()
    marking: frozenset[str] = frozenset()

    @classmethod
    def of(cls, tree: ast.Module) -> "Loading":
        defined = {each.name: each for each in tree.body if isinstance(each, Definition)}
        marking = (
            name
            for name, each in defined.items()
            if any(getattr(part, "name", "") in _AT_SUBCLASS for part in each.body)
        )
        return cls(frozenset(_reaching(defined)), frozenset(marking))

    def acts(self, each: ast.stmt) -> bool:
        """Whether a statement does more than give names."""
        if isinstance(each, ast.ClassDef) and (
            any(word.arg in (None, "metaclass") for word in each.keywords)
            or any(_name(base) in self.marking for base in each.bases)
        ):
            return True
        gives = isinstance(each, ast.Assign | ast.AnnAssign)
        return (gives and is_for_all(each)) or any(
            self.does_more(part, names=gives) for part in _run(each)
        )

    def does_more(self, part: ast.AST, *, names: bool = False) -> bool:
        """The same of an expression; `names`: it may give one in its midst, which is looked at elsewhere."""
        return any(
            _is_reaching(node)
            or _name(node) in self.reaching
            or (isinstance(node, ast.NamedExpr) and not names)
            for node in ast.walk(part)
        )


def is_for_all(part: ast.AST) -> bool:
    """Whether it makes fixtures that every test gets, or may."""
    return any(
        isinstance(node, ast.keyword)
        and node.arg == "autouse"
        and not (isinstance(node.value, ast.Constant) and node.value.value is False)
        for node in ast.walk(part)
    )


def _run(each: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a statement that are run when it is reached."""
    if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from (*each.decorator_list, *each.args.defaults, *filter(None, each.args.kw_defaults))
        arguments = (node for node in ast.walk(each.args) if isinstance(node, ast.arg))
        yield from _calling(*(each.annotation for each in arguments), each.returns)
    elif isinstance(each, ast.ClassDef):
        # A class may be built on another of the file without calling it.
        yield from (base for base in each.bases if not isinstance(base, ast.Name))
        yield from (*each.keywords, *each.decorator_list)
    elif isinstance(each, ast.Assign | ast.AnnAssign):
        yield from [each.value] if each.value else []
        yield from _calling(getattr(each, "annotation", None))


def _calling(*annotations: ast.expr | None) -> Iterator[ast.expr]:
    """Those that call something. Most only name a class, which does nothing."""
    for each in annotations:
        if each and any(isinstance(node, ast.Call | ast.NamedExpr) for node in ast.walk(each)):
            yield each


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _reaching(defined: Mapping[str, Definition]) -> set[str]:
    """Whoever is named by one that is called may be called in turn: `map(change, …)` calls it too."""
    named_by: dict[str, list[str]] = {name: [] for name in defined}
    waiting = []
    for name, each in defined.items():
        for function in _functions(each):
            own = _OWN | set(_made(function))
            for node in (node for part in function.body for node in ast.walk(part)):
                if isinstance(node, ast.Global | ast.Nonlocal) or _is_reaching(node, own):
                    waiting.append(name)
                elif isinstance(node, ast.Name) and node.id in named_by:
                    named_by[node.id].append(name)
    found = set[str]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += named_by[name]
    return found


def _functions(each: Definition) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    parts = each.body if isinstance(each, ast.ClassDef) else [each]
    return [part for part in parts if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]


def _made(function: ast.AST) -> Iterator[str]:
    """The names that are given to new lists, dictionaries and their like, and to nothing else."""
    given: dict[str, bool] = {}
    for node in ast.walk(function):
        value = getattr(node, "value", None)
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        for target in targets:
            if isinstance(target, ast.Name) and not isinstance(node, ast.AugAssign):
                called = value.func if isinstance(value, ast.Call) else None
                fresh = isinstance(value, _FRESH) or _last(called) in _MAKERS
                given[target.id] = given.get(target.id, True) and fresh
    yield from (name for name, fresh in given.items() if fresh)


def _last(function: ast.AST | None) -> str:
    return getattr(function, "id", "") or getattr(function, "attr", "")


def _is_reaching(node: ast.AST, own: Collection[str] = ()) -> bool:
    return _names_what_reaches(node) or _changes(node, own)


def _names_what_reaches(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name):
            return name in _REACHING or name in _REACHING_ALONE
        case ast.Attribute(value=ast.Name(id="sys"), attr="modules"):
            return True
        case ast.Attribute(attr=name):
            return name in _REACHING
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=name), *_]):
            return name in _REACHING | _REACHING_ALONE | _DOING
        case ast.Call(func=ast.Name(id="getattr")):
            return True
    return False


def _changes(node: ast.AST, own: Collection[str]) -> bool:
    """Whether it does something to a thing, which is not one of its `own`."""
    match node:
        case ast.Call(func=ast.Attribute(value=thing, attr=name)):
            return name in _DOING and _name(thing) not in own
        case ast.Attribute(value=thing, ctx=ast.Store() | ast.Del()):
            return _name(thing) not in own
        case ast.Subscript(value=thing, ctx=ast.Store() | ast.Del()):
            return _name(thing) not in own
    return False
