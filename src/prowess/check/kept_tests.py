"""
What a file of tests said before and says no more, by name: read from its text, run nowhere.

More may be added to it: definitions, imports, names that were not taken. Whatever was there must be
there as it was: tests, helpers, fixtures, what is imported, and no name of those may be given to
something else. A new statement that does more than give a new name may undo what was there.
"""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from prowess.check.rust import rust_tests
from prowess.core.patterns import compiled

_ENTRY = "__name__ == '__main__'"  # the block that no test runner enters
_UNNAMED = re.compile(r"pytestmark$|set_?up|tear_?down", re.IGNORECASE)
_RUST_TEST_FILE = re.compile(r"(?:.*/)?tests/.*|(?:.*/)?(?:test_[^/]*|[^/]*_test|tests)\.rs")


# `import { a } from "x"` and `const { a } = require("x")`, also over several lines; nothing that is renamed.
_BRINGS_IN = (
    r"(?m)^[ \t]*(?:import\s+(?:type\s+)?|(?:const|let|var)\s+)[\w$*{][\w$*{},\s]*"
    r"(?:\bfrom\s*|=\s*require\(\s*)(['\"][^'\"\n]+['\"])\)?;?[ \t]*$"
)
_WORDS = re.compile(r"[\w$]+")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A name, and all that is said of it. What `acts` does more than give something a name."""

    name: str
    said: str
    acts: bool = False


def altered(
    path: str, before: str, now: str, *, moved: Collection[str] = (), elsewhere: str = ""
) -> list[str]:
    """
    The names of what was altered; of a language that is not parsed here, lines that are gone.

    `moved` are tests that are `elsewhere` now, which is the text of the files that they are in.
    """
    if not path.endswith(".py"):
        gone = Counter(_lines(path, before)) - Counter(_lines(path, now))
        left = gone - Counter(_lines("", elsewhere))
        return [line for line in left if not _is_wider_now(line, now)]
    old, new = _pieces_of(before), _pieces_of(now)
    if old is None or new is None:
        return [] if before == now else ["what cannot be parsed"]
    words = set(re.findall(r"\w+", now))
    lost = [each for each in Counter(old) - Counter(new) if each.name not in moved]
    known = Counter(each.name for each in old)
    again = Counter(each.name for each in new) - known
    names = [each.name for each in lost if not _is_done_with(each, words)]
    names += [name for name in again if name in known]
    names += [each.name for each in Counter(new) - Counter(old) if each.acts]
    return list(dict.fromkeys(names))


def _is_wider_now(line: str, now: str) -> bool:
    """Whether it brings names in from a place from which the text now brings in these and more."""
    brings_in = compiled(_BRINGS_IN)
    source = brings_in.match(line)
    if source is None:
        return False
    names = set(_WORDS.findall(line))
    wider = (each[0] for each in brings_in.finditer(now) if each[1] == source[1])
    return any(names <= set(_WORDS.findall(each)) for each in wider)


def same_test(name: str, before: str, now: str) -> bool:
    """Whether a Python test is the same in both texts, with all that it uses of its file."""
    old, new = _pieces_of(before) or [], _pieces_of(now) or []
    used, left = set[str](), {name, *(each.name for each in old if _runs_unnamed(each))}
    while left:
        used |= left | {inside for each in left if (inside := each.rpartition(".")[0])}
        said = " ".join(each.said for each in old if _belongs(each.name, used))
        words = set(re.findall(r"\w+", said))
        left = {each.name for each in old if each.name in words} - used
    then, today = ({each for each in side if _belongs(each.name, used)} for side in (old, new))
    return then == today


def _belongs(name: str, used: Collection[str]) -> bool:
    """Whether it is one of these, or a part of a class of these that is no test."""
    inside, _, last = name.rpartition(".")
    return name in used or (inside in used and not last.startswith("test"))


def _runs_unnamed(piece: _Piece) -> bool:
    """Whether it has a part in tests that do not say its name."""
    return bool("autouse" in piece.said or _UNNAMED.match(piece.name.rpartition(".")[2]))


def _is_done_with(piece: _Piece, words: Collection[str]) -> bool:
    """Whether nothing that is left can use it: nobody says its name, and it is no test."""
    last = piece.name.rpartition(".")[2]
    return not (piece.acts or _runs_unnamed(piece) or last.startswith("test") or last in words)


def _lines(path: str, text: str) -> Iterator[str]:
    return filter(None, map(str.strip, _tests_part(path, text).splitlines()))


def _tests_part(path: str, text: str) -> str:
    """Rust keeps tests in the file that they test."""
    if not path.endswith(".rs") or _RUST_TEST_FILE.fullmatch(path):
        return text
    return "\n".join(rust_tests(text))


def _pieces_of(text: str) -> list[_Piece] | None:
    try:
        return list(_pieces(ast.parse(text).body, ""))
    except (SyntaxError, ValueError, RecursionError):
        return None


def _pieces(body: list[ast.stmt], inside: str) -> Iterator[_Piece]:
    for each in body:
        if isinstance(each, ast.ClassDef):
            head = [*each.bases, *each.keywords, *each.decorator_list]
            yield _Piece(inside + each.name, " ".join(map(ast.dump, head)))
            yield from _pieces(each.body, f"{inside}{each.name}.")
        elif isinstance(each, ast.Import | ast.ImportFrom):
            # One more name on the same line alters nothing.
            source = getattr(each, "module", None), getattr(each, "level", 0)
            for name in each.names:
                bound, said = name.asname or name.name, f"{source} {name.name}"
                yield _Piece(inside + bound, said, acts=bound == "*")
        elif not _says_nothing(each):
            yield from _statement(each, inside)


def _statement(each: ast.stmt, inside: str) -> Iterator[_Piece]:
    if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
        yield _Piece(inside + each.name, ast.dump(each))
        return
    names = list(_given(each))
    for name in names:
        yield _Piece(inside + name, ast.dump(each), acts=name == "__name__")
    if not names:
        yield _Piece(inside + ast.unparse(each).split("\n")[0], ast.dump(each), acts=True)


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


def _says_nothing(each: ast.stmt) -> bool:
    """Words for a reader, and what happens only where the file is run as a program."""
    if isinstance(each, ast.If):
        return ast.unparse(each.test) == _ENTRY and not each.orelse
    return isinstance(each, ast.Pass) or (
        isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
    )
