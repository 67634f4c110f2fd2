"""
Which files of the work a command runs as a program: the script that it names, and no argument of it.

A script that judges is a judge. Whoever changed it may have written into it that all is well.
"""

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence

from prowess.check.shell import simple_commands

_SHELLS = frozenset("bash sh dash zsh ksh source .".split())
# Programs that run what the next word names, or hand on to one that does.
_RUNS = re.compile(
    r"python[\d.]*|pypy3?|node|deno|bun|tsx|ts-node|ruby|perl|php|Rscript|lua|pwsh"
    r"|env|exec|command|time|nice|nohup|timeout|sudo|xvfb-run|uv|uvx|poetry|pipenv|pdm|hatch|npx|run"
)
_PASSED_OVER = re.compile(r"\w+=.*|-.*|[\d.]+[smhd]?|!", re.DOTALL)


def scripts_of(command: str, paths: Collection[str]) -> list[str]:
    """Those of these paths that the command runs; paths are told from the folder it is run in."""
    return list(dict.fromkeys(_found(command, paths)))


def _found(command: str, paths: Collection[str], folder: str = "") -> Iterator[str]:
    for _, simple in simple_commands(command) or ():
        words = [bare for word in simple if (bare := word.strip("(){}"))]
        if words[:1] == ["cd"]:
            folder = posixpath.join(folder, *words[1:2])
            continue
        yield from _program(words, paths, folder)


def _program(words: Sequence[str], paths: Collection[str], folder: str) -> Iterator[str]:
    """The first word that is a program itself, past those that only run one."""
    shell = False
    for place, word in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else ""
        if path := _among(posixpath.join(folder, word), paths):
            yield path
            return
        if word == "-m":
            yield from _module(posixpath.join(folder, after.replace(".", "/")), paths)
            return
        if shell and re.fullmatch(r"-\w*c", word):
            yield from _found(after, paths, folder)
            return
        name = posixpath.basename(word) or word
        shell = shell or name in _SHELLS
        if not (shell or _RUNS.fullmatch(name) or _PASSED_OVER.fullmatch(word)):
            return


def _module(stem: str, paths: Collection[str]) -> Iterator[str]:
    for name in (f"{stem}.py", f"{stem}/__main__.py"):
        if path := _among(name, paths):
            yield path


def _among(path: str, paths: Collection[str]) -> str:
    plain = posixpath.normpath(path)
    return plain if plain in paths else ""
