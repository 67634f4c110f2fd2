"""
Which files of the work a command runs as a program: the script that it names, and no argument of it.

A script that judges is a judge. Whoever changed it may have written into it that all is well. So is a script
of shell that such a script runs, or a recipe of make or a script of a package that the command calls; and
what a command compares with, or hands to pytest by its name.
"""

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Sequence

from prowess.check.judges.makefiles import rules_in
from prowess.check.judges.web_scripts import read_json, scripts_in, scripts_run
from prowess.check.running.shell import simple_commands

_SHELLS = frozenset("bash sh dash zsh ksh source .".split())
# Programs that run what the next word names, or hand on to one that does.
_RUNS = re.compile(
    r"python[\d.]*|pypy3?|node|deno|bun|tsx|ts-node|ruby|perl|php|Rscript|lua|pwsh"
    r"|env|exec|command|time|nice|nohup|timeout|sudo|xvfb-run|uv|uvx|poetry|pipenv|pdm|hatch|npx|run"
)
_COMPARES = re.compile(r"diff|cmp|pytest|py\.test")
_OF_SHELL = re.compile(r"(?:.*/)?(?:[^/]+\.(?:sh|bash)|[^/.]+)")
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_MOST_LINES, _DEEPEST = 500, 4
_PASSED_OVER = re.compile(r"\w+=.*|-.*|[\d.]+[smhd]?|!", re.DOTALL)


def scripts_of(command: str, paths: Collection[str]) -> list[str]:
    """Those of these paths that the command runs; paths are told from the folder it is run in."""
    return list(dict.fromkeys(_found(command, paths)))


def judges_of(
    command: str, paths: Collection[str], files: Collection[str], read: Callable[[str], str]
) -> list[str]:
    """
    Those of these paths that decide how the command ends: what it runs or is compared with, and the scripts
    of shell that are run in turn. `read` tells what one of the `files` says.
    """
    found = dict.fromkeys((*scripts_of(command, paths), *_operands(command, paths)))
    for line in _lines_behind(command, files, read):
        found |= dict.fromkeys(
            path for path in scripts_of(line, paths) if _OF_SHELL.fullmatch(path)
        )
    return list(found)


def _operands(command: str, paths: Collection[str]) -> Iterator[str]:
    for _, words in simple_commands(command) or ():
        names = [posixpath.basename(word) for word in words]
        if any(map(_COMPARES.fullmatch, names)) and "--doctest-modules" not in words:
            yield from filter(None, (_among(word, paths) for word in words))


def _lines_behind(
    command: str, files: Collection[str], read: Callable[[str], str]
) -> Iterator[str]:
    """The lines of shell that a command leads to, not its own."""
    waiting, seen = [(command, 0)], {command}
    while waiting and len(seen) < _MOST_LINES:
        line, deep = waiting.pop()
        for inner in _called_by(line, files, read) if deep < _DEEPEST else ():
            if inner not in seen:
                seen.add(inner)
                waiting.append((inner, deep + 1))
                yield inner


def _called_by(line: str, files: Collection[str], read: Callable[[str], str]) -> Iterator[str]:
    for _, words in simple_commands(line) or ():
        if words and words[0] == "make":
            yield from _recipes(words[1:], files, read)
    if names := scripts_run(line):
        package = read("package.json") if "package.json" in files else ""
        said = scripts_in(read_json(package))
        yield from (
            text
            for name, text in said.items()
            if name.removeprefix("pre") in names or name in names
        )
    for path in scripts_of(line, files):
        if _OF_SHELL.fullmatch(path):
            yield from read(path).splitlines()


def _recipes(
    words: Sequence[str], files: Collection[str], read: Callable[[str], str]
) -> Iterator[str]:
    makefile = next((name for name in _MAKEFILES if name in files), "")
    rules = rules_in(read(makefile)) if makefile else {}
    waiting = [word for word in words if word in rules] or [*rules][:1]
    done: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in rules and name not in done:
            done.add(name)
            waiting += rules[name].needs
            yield from rules[name].lines


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
