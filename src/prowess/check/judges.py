"""
What in a change touches what judges it: the settings and plugins of test runners, and the tests that
were there before.

Whoever did the work may have written it, so a run of tests that depends on it proves nothing. A file
that the task names in full (no wildcard) was meant to be changed and is excused; ending a test run
from inside is not excused by anything.
"""

import json
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import dataclass
from typing import Any

from prowess.check.known_tests import is_test, lost_tests, more_skips
from prowess.core.evidence import Change

_ANY = r""
_WEB = r"\b(?:npm|pnpm|yarn|bun|npx|jest|vitest)\b"
# Files that decide by their mere presence how tests end, and the commands that they matter to.
_FILES = (
    (r"conftest\.py|\.?pytest\.(?:ini|toml)|(?:site|user)customize\.py|.*\.pth", _ANY),
    (r"entry_points\.txt", _ANY),  # how a plugin of pytest makes itself known
    (r"(?:jest|vitest|vite)\.config\.\w+", _WEB),
    (r"(?:GNU)?[Mm]akefile|.*\.mk", r"\bmake\b"),
    (r"[Jj]ustfile", r"\bjust\b"),
    (r"noxfile\.py", r"\bnox\b"),
)
# Files of which a part does.
_PARTS = {
    "pyproject.toml": (("tool.pytest", "tool.tox"), _ANY),
    "setup.cfg": (("tool:pytest",), _ANY),
    "tox.ini": (("pytest", "tox", "testenv"), _ANY),
    "package.json": (("scripts", "jest", "vitest"), _WEB),
    "Cargo.toml": (("test", "lib", "bin"), r"\bcargo\b"),
}
_PLUGIN = re.compile(
    r"^\s*(?:async )?def pytest_\w+\(|\b_pytest\b|\bpytest_plugins\b", re.MULTILINE
)
_LEAVES = re.compile(r"\bos\._exit\b|\bfrom os import[^\n]*\b_exit\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """`what` is worded for people; `matters_to` is a pattern of commands."""

    what: str
    matters_to: str = _ANY


def doubt(touched: Sequence[Touched], command: str) -> str:
    """Why what this run of tests says does not count, or an empty text."""
    found = [each.what for each in touched if re.search(each.matters_to, command)]
    return f"the change touches what judges it: {'; '.join(found[:3])}" if found else ""


def to_read(changes: Sequence[Change]) -> list[str]:
    """The changed files whose text tells whether a judge was touched."""
    return [path for path in dict.fromkeys(each.path for each in changes) if _is_read(path)]


def touched(
    before: Mapping[str, str], now: Mapping[str, str], *, files: Collection[str]
) -> list[Touched]:
    """From the texts of files `to_read`, by path. `files` are the allowed ones as the task names them."""
    named = {each.strip().removeprefix("./") for each in files}
    paths = dict.fromkeys((*before, *now))
    found: list[Touched] = []
    for path in paths:
        old, new = before.get(path, ""), now.get(path, "")
        found += _leaving(path, old, new)
        if path not in named:
            found += _judging(path, old, new)
    tests = [path for path in paths if is_test(path)]
    free = [path for path in tests if path not in named]
    lost = lost_tests(_of(before, free), _of(now, tests))
    found += [Touched(what=f"the test {name} is gone") for name in lost]
    found += [
        Touched(what=f"{path} skips more tests than before")
        for path in free
        if more_skips(path, before.get(path, ""), now.get(path, ""))
    ]
    return found


def _of(texts: Mapping[str, str], paths: Collection[str]) -> dict[str, str]:
    return {path: texts[path] for path in paths if path in texts}


def _is_read(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name in _PARTS or name.endswith(".py") or is_test(path) or bool(_by_name(name))


def _by_name(name: str) -> list[str]:
    return [commands for pattern, commands in _FILES if re.fullmatch(pattern, name)]


def _judging(path: str, old: str, new: str) -> list[Touched]:
    name = path.rpartition("/")[2]
    if commands := _by_name(name):
        return [Touched(what=path, matters_to=commands[0])]
    if name in _PARTS:
        keys, matters_to = _PARTS[name]
        changed = [key for key in keys if _part(name, old, key) != _part(name, new, key)]
        return [Touched(what=f"{path} ({key})", matters_to=matters_to) for key in changed]
    if name.endswith(".py") and len(_PLUGIN.findall(new)) > len(_PLUGIN.findall(old)):
        return [Touched(what=f"{path} reaches into pytest")]
    return []


def _leaving(path: str, old: str, new: str) -> list[Touched]:
    if path.endswith(".py") and len(_LEAVES.findall(new)) > len(_LEAVES.findall(old)):
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
