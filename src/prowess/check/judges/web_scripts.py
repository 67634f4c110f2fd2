"""
Which scripts of a `package.json` a command runs, so that only a change of those judges what it tells.

Where that cannot be told, all of them may have been run.
"""

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from prowess.check.running.runners import may_run_tests
from prowess.check.running.shell import simple_commands

_RUNS_SCRIPTS = re.compile(r"npm|pnpm|yarn|bun")
_TAKES_WORD = frozenset("-C --prefix -w --workspace --filter -F --dir --cwd".split())
_SHORT = {"t": "test", "tst": "test"}
LIFE = ("prepare", "preinstall", "install", "postinstall", "prepublish", "dependencies")
_INSTALLS = frozenset(("install", "i", "ci", "add", "install-ci-test", "it", "cit"))
_KNOWN = frozenset(("test", "start", "stop", "restart"))
_OF_YARN = frozenset("workspace workspaces exec dlx node npm plugin".split())
# Runners of tests and tools that run no script of a package; `npx` and their like start them.
_RUNS_NONE = re.compile(
    r"(?:(?:npx|bunx) )?(?:\S*/)?(?:jest|vitest|mocha|ava|playwright|node --test)\b"
)
_HANDS_ON = re.compile(
    r"\b(?:npm|pnpm|yarn|bun|npx|node|run-[sp]|npm-run-all|concurrently|turbo|nx|lerna|wireit)\b"
)


def scripts_run(command: str) -> frozenset[str] | None:
    """The names of scripts that a command calls; None where these cannot be told."""
    commands = simple_commands(command)
    if commands is None:
        return None
    found: set[str] = set()
    for _, words in commands:
        names = _called(words)
        if names is None:
            return None
        found.update(names)
    return frozenset(found)


def changed_scripts(old: Any, new: Any) -> dict[str, frozenset[str]]:
    """The scripts that are not as they were, each with all by which it is run: it, and what hands on to it."""
    before, now = scripts_in(old), scripts_in(new)
    changed = [name for name in dict.fromkeys((*before, *now)) if before.get(name) != now.get(name)]
    return {name: _reached_by(name, before, now) for name in changed}


def _called(words: list[str]) -> Collection[str] | None:
    line, program = " ".join(words), posixpath.basename(words[0])
    if not _RUNS_SCRIPTS.fullmatch(program):
        return () if _RUNS_NONE.match(line) or not may_run_tests(line) else None
    given = list(_given(words[1:]))
    if given[:1] in (["run"], ["run-script"]):
        return given[1:2] or None
    name = _SHORT.get(given[0], given[0]) if given else "install"
    if name in _INSTALLS:
        return (*LIFE, "test")
    known = name in _KNOWN or (program == "yarn" and name not in _OF_YARN)
    return (name,) if known else None


def _given(words: list[str]) -> Iterator[str]:
    """The words without options."""
    rest = iter(words)
    for word in rest:
        if word in _TAKES_WORD:
            next(rest, "")
        elif not word.startswith("-"):
            yield word


def read_json(text: str) -> Any:
    """What a file of JSON says; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def scripts_in(value: Any) -> dict[str, str]:
    """The scripts of a package, by name."""
    found = value.get("scripts") if isinstance(value, Mapping) else None
    return {name: str(line) for name, line in found.items()} if isinstance(found, Mapping) else {}


def _reached_by(name: str, *scripts: Mapping[str, str]) -> frozenset[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        inner = waiting.pop()
        if inner not in found:
            found.add(inner)
            waiting += [
                inner.removeprefix(part) for part in ("pre", "post") if inner.startswith(part)
            ]
            waiting += [
                each for some in scripts for each, line in some.items() if _runs(line, inner)
            ]
    return frozenset(found)


def _runs(line: str, name: str) -> bool:
    """Whether a script may run another one; a star in it stands for any."""
    if not _HANDS_ON.search(line):
        return False
    return "*" in line or bool(re.search(rf"(?<![\w:-]){re.escape(name)}(?![\w:-])", line))
