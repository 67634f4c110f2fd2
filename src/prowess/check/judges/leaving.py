"""
How often a text of Python can end the whole process at once, by `os._exit`, past every report.

Read from its syntax tree: words for a reader end nothing. A text that no Python could read is
searched as it is.
"""

import ast
import re
from collections.abc import Iterator

_SAID = re.compile(r"\bos\._exit\b|\bfrom os import[^\n]*\b_exit\b")
_MODULES = frozenset(("os", "posix", "nt"))
_LEAVE = "_exit"


def leaves_more(before: str, now: str) -> bool:
    """Whether a file has more ways out than it had."""
    old, new = _ways(before), _ways(now)
    if old is None or new is None:
        return len(_SAID.findall(now)) > len(_SAID.findall(before))
    return new > old


def _ways(text: str) -> int | None:
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        return None
    names = _MODULES | set(_other_names(nodes))
    return sum(_is_way_out(node, names) for node in nodes)


def _other_names(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (each.asname for each in node.names if each.asname and each.name in _MODULES)


def _is_way_out(node: ast.AST, names: frozenset[str]) -> bool:
    match node:
        case ast.ImportFrom(module=module):
            return module in _MODULES and any(each.name == _LEAVE for each in node.names)
        case ast.Attribute(value=module, attr="_exit"):
            return _is_module(module, names)
        case ast.Call(func=ast.Name(id="getattr"), args=[module, ast.Constant(value="_exit"), *_]):
            return _is_module(module, names)
        case ast.Subscript(value=_, slice=ast.Constant(value="_exit")):  # vars(os)["_exit"]
            return True
    return False


def _is_module(node: ast.AST, names: frozenset[str]) -> bool:
    """`os` by any of its names; `__import__("os")` and `sys.modules["os"]` too."""
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.Call(args=[ast.Constant(value=name), *_]):
            return name in _MODULES
        case ast.Subscript(slice=ast.Constant(value=name)):
            return name in _MODULES
    return False
