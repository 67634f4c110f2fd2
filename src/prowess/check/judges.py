"""
What in a change touches what judges it: the settings and plugins of test runners, modules that would
be loaded in their place, the tests that were there before, and scripts that validation commands run.

Whoever did the work may have written it, so what a run tells that depends on it proves nothing. A file
that the task names in full (no wildcard) was meant to be changed and is excused; ending a test run
from inside is not excused by anything.
"""

import json
import re
import sys
import tomllib
from collections.abc import Collection, Mapping, Sequence
from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from prowess.check.judge_files import ANY, PARTS, judged_by_name
from prowess.check.kept_tests import altered
from prowess.check.known_tests import is_test, lost_tests, more_skips
from prowess.check.leaving import leaves_more
from prowess.check.meant import asks_for, kept_files
from prowess.check.moved_tests import (
    Moved,
    Stayed,
    changed_on_the_way,
    moved_tests,
    stayed_tests,
)
from prowess.check.runners import RUNS_TESTS, may_run_tests
from prowess.check.scripts import scripts_of
from prowess.core.evidence import Change, Scope, Spec

if TYPE_CHECKING:
    from prowess.check.commands import Ran  # which itself asks what decides how commands end

TOUCHES = "the change touches what judges it"
_PLUGIN = re.compile(
    r"^\s*(?:async )?def pytest_\w+\(|\b(?:_pytest|pytest_plugins|load_tests)\b", re.MULTILINE
)
# Python looks in the folder that it is started in before it looks among its own modules.
# Below it lies what a path of modules may name: there the names of test runners are taken by nobody else.
_MODULE = re.compile(r"(.*/)?(\w+)\.(?:py|pyc|pyd|[\w.-]*so)")
_PACKAGE = re.compile(r"/__(?:init|main)__(?=\.)")
_RUNNERS = frozenset("pytest _pytest py pluggy iniconfig packaging unittest xdist".split())
_BELOW = _RUNNERS - {"py", "packaging"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """
    `what` is worded for people; `matters_to` is a pattern of commands; what matters to any matters only
    where tests are run, and what `weakens` tests where they may be. What has an `unless` does no harm
    where that test is seen to run.
    """

    what: str
    matters_to: str = ANY
    weakens: bool = False
    unless: Moved | Stayed | None = None

    def spoils(self, ran: "Ran", *, tests: bool) -> bool:
        if self.unless and self.unless.still_runs(ran):
            return False
        return self.judges(ran.command, tests=tests)

    def judges(self, command: str, *, tests: bool) -> bool:
        if self.weakens and may_run_tests(command):
            return True
        return bool(re.search(self.matters_to, command)) and (tests or self.matters_to != ANY)


def doubt(touched: Sequence[Touched], ran: "Ran", *, tests: bool) -> str:
    """Why what this run says does not count, or an empty text. `tests`: it is a run of tests."""
    found = [each.what for each in touched if each.spoils(ran, tests=tests)]
    return f"{TOUCHES}: {'; '.join(found[:3])}" if found else ""


def spoiled(touched: Sequence[Touched], commands: Sequence[str]) -> list[str]:
    """What of this is a judge of these commands, which somebody else's work will be proven by."""
    return [
        each.what
        for each in touched
        if not each.unless
        and any(each.judges(line, tests=bool(RUNS_TESTS.search(line))) for line in commands)
    ]


def decides(path: str) -> bool:
    """Whether a file decides by its name alone how tests end, or what is run in the place of a program."""
    return judged_by_name(path) is not None or bool(_shadowing(path))


def to_read(changes: Sequence[Change]) -> list[str]:
    """The changed files whose text tells whether a judge was touched."""
    return [path for path in dict.fromkeys(each.path for each in changes) if _is_read(path)]


def touched(
    before: Mapping[str, str], now: Mapping[str, str], *, spec: Spec, found: Scope
) -> list[Touched]:
    """From the texts of files `to_read`, by path; `found` are the changed files as the task allows them."""
    named = {each.strip().removeprefix("./") for each in spec.files}
    judges: list[Touched] = []
    for path in dict.fromkeys((*before, *now)):
        old, new = before.get(path, ""), now.get(path, "")
        judges += _leaving(path, old, new)
        if path not in named:
            judges += _judging(path, old, new)
            judges += [] if path in before else _shadowing(path)
    free = [path for path in before if is_test(path) and path not in named]
    free = [path for path in free if not asks_for(spec, path)]
    return judges + _weakened(before, now, free=free, kept=kept_files(spec, found))


def _weakened(
    before: Mapping[str, str],
    now: Mapping[str, str],
    *,
    free: Collection[str],
    kept: Collection[str],
) -> list[Touched]:
    """What became of the tests in files that were there: gone, moved, skipped, altered, or not run."""
    old, new = _of(before, free), {path: now[path] for path in now if is_test(path)}
    moved = moved_tests({path: before.get(path, "") for path in new} | old, new, sources=free)
    found = [_weaker(f"the test {name} is gone") for name in lost_tests(old, new)]
    found += [
        _altered_on_the_way(each)
        if each.source in kept and changed_on_the_way(each, before, now)
        else Touched(what=str(each), unless=each)
        for each in moved
    ]
    for path in free:
        text = now.get(path, "")
        if more_skips(path, old[path], text):
            found.append(_weaker(f"{path} skips more tests than before"))
        if path in kept and path in now:
            mine = [each for each in moved if each.source == path]
            elsewhere = "\n".join(now[to] for each in mine for to in each.to)
            names = altered(
                path, old[path], text, moved={each.name for each in mine}, elsewhere=elsewhere
            )
            found += [_weaker(f"{path} alters {name}") for name in names]
    return [*found, *(Touched(what=str(each), unless=each) for each in stayed_tests(old, now))]


def _weaker(what: str) -> Touched:
    return Touched(what=what, weakens=True)


def _altered_on_the_way(test: Moved) -> Touched:
    return _weaker(f"the test {test.name} is altered where it moved to, {test.to[0]}")


def judging_scripts(
    commands: Sequence[str], changes: Sequence[Change], files: Collection[str]
) -> list[Touched]:
    """Scripts that were there before, that these commands run, and that the task's files do not name."""
    named = {each.strip().removeprefix("./") for each in files}
    there = {each.path for each in changes if each.status not in ("A", "?")} - named
    return [
        Touched(what=f"{path}, which `{command}` runs", matters_to=f"^{re.escape(command)}$")
        for command in commands
        for path in scripts_of(command, there)
    ]


def _of(texts: Mapping[str, str], paths: Collection[str]) -> dict[str, str]:
    return {path: texts[path] for path in paths if path in texts}


def _is_read(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name in PARTS or name.endswith(".py") or is_test(path) or decides(path)


def _judging(path: str, old: str, new: str) -> list[Touched]:
    name = path.rpartition("/")[2]
    commands = judged_by_name(path)
    if commands is not None:
        return [Touched(what=path, matters_to=commands)]
    if name in PARTS:
        return [
            Touched(what=f"{path} ({key})", matters_to=matters_to)
            for key, matters_to in PARTS[name].items()
            if _part(name, old, key) != _part(name, new, key)
        ]
    if name.endswith(".py") and len(_PLUGIN.findall(new)) > len(_PLUGIN.findall(old)):
        return [Touched(what=f"{path} reaches into the test runner")]
    return []


def _shadowing(path: str) -> list[Touched]:
    """A module that has the name of a test runner's or, in the root, of one of Python's own."""
    module = _MODULE.fullmatch(_PACKAGE.sub("", path))
    taken = _BELOW if module and module[1] else _RUNNERS | sys.stdlib_module_names
    if module and module[2] in taken:
        return [
            Touched(what=f"{path} is loaded instead of Python's or the test runner's {module[2]}")
        ]
    return []


def _leaving(path: str, old: str, new: str) -> list[Touched]:
    if path.endswith(".py") and leaves_more(old, new):
        return [Touched(what=f"{path} can end a test run with `os._exit`")]
    return []


def _part(name: str, text: str, key: str) -> Any:
    """A table of a file of settings; the whole text where it cannot be read."""
    try:
        if name.endswith(".toml"):
            value: Any = tomllib.loads(text)
        elif name.endswith(".json"):
            value = json.loads(text or "{}")
        else:
            parser = ConfigParser(interpolation=None, strict=False)
            parser.read_string(text)
            return [(each, dict(parser[each])) for each in parser if _belongs(each, key)]
    except (ValueError, ConfigError, RecursionError):
        return text
    for each in key.split("."):
        value = value.get(each) if isinstance(value, dict) else None
    return value


def _belongs(section: str, key: str) -> bool:
    return section == key or section.startswith(f"{key}:")
