"""
Which lines could be wrong without a test noticing: one is broken at a time, and the tests are run.

    .venv/bin/python bench/mutate.py select                     40 mutants of a stage, its own tests
    .venv/bin/python bench/mutate.py permit/rules.py permit/paths.py --count 20 --seed 2
    .venv/bin/python bench/mutate.py observe/log.py --tests tests/observe/test_log.py

Everything happens in a copy of the tree. A comparison is turned, a condition negated, `and` made `or`,
a number changed, a statement taken out, two arguments exchanged. What stays green is listed: a few
change nothing that anybody could see, the others want a test. The exit code is 0 whatever comes out.
"""

import argparse
import ast
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
COPIED = ("src", "tests", "examples", "docs", "bench", "pyproject.toml", "README.md", "Makefile")
TURNED: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One piece of a file, and what stands there instead."""

    file: Path
    line: int
    start: int
    end: int
    before: str
    after: str

    def written(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants(file: Path) -> Iterator[Mutant]:
    """Every way in which a file can be broken."""
    source = (ROOT / file).read_bytes()
    begins = [0]
    for line in source.splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    for node in _code(ast.parse(source)):
        for piece, after in _changes(node):
            start = begins[piece.lineno - 1] + piece.col_offset
            end = begins[(piece.end_lineno or 0) - 1] + (piece.end_col_offset or 0)
            before = source[start:end].decode()
            yield Mutant(
                file=file, line=piece.lineno, start=start, end=end, before=before, after=after
            )


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """What is run when the program is: no annotations, no decorators, no bodies of ports."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list") or _is_strict(node):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_port(child):
                yield from _code(child)


def _is_strict(node: ast.AST) -> bool:
    """`zip(…, strict=True)` guards against ourselves; nothing can be seen of it."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _is_port(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef) and any(
        isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases
    )


def _is_nothing(value: ast.expr) -> bool:
    """What is as false as None is, and mostly asked only for that."""
    return isinstance(value, ast.Constant) and not value.value


Change = tuple[ast.expr | ast.stmt, str]


def _changes(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare(left=left, ops=[only], comparators=[right]):
            turned = ast.Compare(left=left, ops=[TURNED[type(only)]], comparators=[right])
            yield node, f"({ast.unparse(turned)})"
        case ast.BoolOp(op=op, values=values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield node, f"({ast.unparse(ast.BoolOp(op=other, values=values))})"
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            if not any(isinstance(each, ast.NamedExpr) for each in ast.walk(test)):
                yield test, f"(not ({ast.unparse(test)}))"
        case ast.Constant(value=bool() as value):
            yield node, str(not value)
        case ast.Constant(value=int() as value):
            yield node, str(value + 1)
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Continue():
            yield node, "pass"
        case ast.Return(value=ast.expr() as value) if not _is_nothing(value):
            yield node, "return None"
        case ast.Call(func=ast.Name(id="max" | "min")):
            return
        case ast.Call(func=func, args=[first, second, *rest], keywords=keywords):
            starred = isinstance(first, ast.Starred) or isinstance(second, ast.Starred)
            if not starred and ast.unparse(first) != ast.unparse(second):
                swapped = ast.Call(func=func, args=[second, first, *rest], keywords=keywords)
                yield node, ast.unparse(swapped)


def copied(folder: Path) -> None:
    for name in COPIED:
        there = ROOT / name
        if there.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
            shutil.copytree(there, folder / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(there, folder / name)


def passes(folder: Path, tests: Sequence[str], limit: float) -> bool:
    """Whether the tests of the copy are green; what takes too long is not."""
    words = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    child = subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(folder / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PROWESS_SHARED": os.environ.get("PROWESS_SHARED", str(ROOT.parent / "shared")),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return child.wait(limit) == 0
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return False


def tried(chosen: Sequence[Mutant], tests: Sequence[str]) -> list[Mutant]:
    """Those that no test noticed."""
    survivors = []
    with tempfile.TemporaryDirectory(prefix="prowess-mutants-") as place:
        folder = Path(place)
        copied(folder)
        began = time.monotonic()
        if not passes(folder, tests, 900):
            raise SystemExit("the tests are red before anything is broken")
        limit = 20 + 3 * (time.monotonic() - began)
        for number, mutant in enumerate(chosen, 1):
            broken = folder / mutant.file
            source = broken.read_bytes()
            broken.write_bytes(mutant.written(source))
            lives = passes(folder, tests, limit)
            broken.write_bytes(source)
            survivors += [mutant] if lives else []
            print(f"{number} of {len(chosen)}, {len(survivors)} alive", file=sys.stderr, flush=True)
    return survivors


def main() -> None:
    parser = argparse.ArgumentParser(description="Break lines, one at a time, and run the tests.")
    parser.add_argument("places", nargs="+", help="packages or files below src/prowess")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", nargs="+", default=[], help="default: those of the stages")
    given = parser.parse_args()
    stages = sorted({place.split("/")[0] for place in given.places})
    source = Path("src/prowess")
    files = sorted(
        file.relative_to(ROOT)
        for place in given.places
        for file in ([ROOT / source / place] if place.endswith(".py") else (ROOT / source / place).rglob("*.py"))
    )  # fmt: skip
    every = [mutant for file in files for mutant in mutants(file)]
    chosen = random.Random(given.seed).sample(every, min(given.count, len(every)))
    survivors = tried(chosen, given.tests or [f"tests/{stage}" for stage in stages])
    print(f"{len(chosen)} of {len(every)} mutants tried, {len(survivors)} not noticed\n")
    print("| place | was | became |\n|---|---|---|")
    for each in sorted(survivors, key=lambda each: (each.file, each.line)):
        was, became = (
            " ".join(text.split()).replace("|", "\\|") for text in (each.before, each.after)
        )
        print(f"| {each.file}:{each.line} | `{was[:90]}` | `{became[:90]}` |")


if __name__ == "__main__":
    main()
