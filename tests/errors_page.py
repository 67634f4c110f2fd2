"""
Every error of Prowess, read out of its source, and the page that lists them.

`python tests/errors_page.py` writes docs/errors.md anew.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from prowess.core import errors
from prowess.core.errors import TOLD_AS, ProwessError

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "prowess"
PAGE = ROOT / "docs" / "errors.md"
HEAD = """\
# Errors

Everything that Prowess refuses or fails with, by the part that says it. `…` stands for what differs from case to case. A command says
the message on stderr with the hint below it; with `--json` and over HTTP it is `{"error": true, "message", "code", "hint"}`. What is
wrong with a skill's files is a problem, which `prowess list --problems` shows. What a model does wrong, or may not do, is told to the
model; [permissions](permissions.md) has the rules.

This page is written by `python tests/errors_page.py`, and a test holds that it is up to date.

"""


@dataclass(frozen=True, order=True)
class Raised:
    """An error as it stands in the source. An empty `hint` says that there is none."""

    part: str
    message: str
    hint: str
    kind: str
    where: str
    told_as: tuple[int | None, int, str]  # exit code, HTTP status, and the word for programs


KINDS = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, ProwessError)
}
# Their errors are observations for a model, and say in the message what it can do instead; but for
# those about settings, which a person wrote.
FOR_MODELS = ("permit", "tools")
HTTP = "HttpError"  # of the server alone: it is made with its status and its word


@cache
def every_error() -> list[Raised]:
    """Each error that is made for people anywhere in the source, once for each message."""
    paths = [
        path
        for path in sorted(SOURCE.rglob("*.py"))
        if "pack" not in path.relative_to(SOURCE).parts
    ]
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    bases = dict(_bases(trees.values()))
    found: dict[tuple[str, str, str], Raised] = {}
    for path, tree in trees.items():
        for each in _made_in(path, tree, bases):
            found.setdefault((each.part, each.message, each.kind), each)
    return sorted(found.values())


def _bases(trees: Iterable[ast.Module]) -> Iterator[tuple[str, str]]:
    """Each class of errors, and the one of `core` that it is."""
    yield from ((name, name) for name in KINDS)
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name not in KINDS:
                for base in map(_name, node.bases):
                    if base in KINDS:
                        yield node.name, base


def _made_in(path: Path, tree: ast.Module, bases: Mapping[str, str]) -> Iterator[Raised]:
    inside = path.relative_to(SOURCE)
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and _name(node.func) in bases and node.args):
            continue
        name, of_http = _name(node.func), _name(node.func) == HTTP
        if inside.parts[0] in FOR_MODELS and bases[name] != "SettingsError":
            continue
        message = _pattern(node.args[2 if of_http else 0])
        hints = [each.value for each in node.keywords if each.arg == "hint"]
        is_caught = name not in KINDS and not hints and not of_http  # and told by the part itself
        if message != "…" and not is_caught:  # "…": words that were made, and listed, elsewhere
            yield Raised(
                part=inside.parts[0].removesuffix(".py"),
                message=message,
                hint=_pattern(hints[0]) if hints else "",
                kind=bases[name],
                where=f"{inside.as_posix()}:{node.lineno}",
                told_as=_over_http(node) if of_http else _told_as(bases[name]),
            )


def _told_as(kind: str) -> tuple[int, int, str]:
    found = (told[1:] for told in TOLD_AS if issubclass(KINDS[kind], told[0]))
    return next(found, (3, 500, "INTERNAL_ERROR"))


def _over_http(made: ast.Call) -> tuple[None, int, str]:
    status, word = made.args[:2]
    assert isinstance(status, ast.Constant)
    assert isinstance(status.value, int)
    return None, status.value, _pattern(word)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _pattern(node: ast.expr) -> str:
    """The words of a text, with `…` for each value in it."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return re.sub(r"…(\s*…)+", "…", "".join(map(_pattern, parts)))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _pattern(left) + _pattern(right)
        case ast.BoolOp(values=parts):
            return _either(parts)
        case ast.IfExp(body=one, orelse=other):
            return _either([one, other])
    return "…"


def _either(parts: list[ast.expr]) -> str:
    told = [text for text in map(_pattern, parts) if text not in ("", "…")]
    return " / ".join(told) or "…"


def page() -> str:
    """docs/errors.md as it must be."""
    lines: list[str] = [HEAD.rstrip("\n")]
    part = ""
    for each in every_error():
        if each.part != part:
            part = each.part
            lines += ["", f"## {part}", "", "| message | what to do | exit code | HTTP |"]
            lines.append("|---|---|---|---|")
        code, status, word = each.told_as
        shown = "" if code is None else code
        lines.append(f"| {_cell(each.message)} | {_cell(each.hint)} | {shown} | {status} {word} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
