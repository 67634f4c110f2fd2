"""
What in a change touches what judges it: the settings and plugins of test runners, modules that would
be loaded in their place, the tests that were there before, and scripts that validation commands run.

Whoever did the work may have written it, so what a run tells that depends on it proves nothing. A file
that the task names as its own, in full in `files:` or in words that ask for it, was meant to be changed
and is excused; ending a test run from inside, or having a file overlooked, is not excused by anything.
"""

import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from configparser import ConfigParser
from configparser import Error as ConfigError
from typing import Any

from prowess.check.judges.by_name import (
    ANY_COMMAND,
    MAKE,
    MAY_GROW,
    OF_PYTEST,
    PARTS,
    PARTS_OF_OLD,
    SCRIPTS,
    installed_in,
    judged_by_name,
    judged_in_change,
)
from prowess.check.judges.go_files import go_judges, is_go_file
from prowess.check.judges.leaving import leaves_more
from prowess.check.judges.makefiles import targets
from prowess.check.judges.scripts import judges_of
from prowess.check.judges.shadowing import shadowed, shadows_of
from prowess.check.judges.silencing import may_be_silenced, silenced_for
from prowess.check.judges.touched import Touched
from prowess.check.judges.web_scripts import changed_scripts, scripts_in
from prowess.check.kept.conftest import is_conftest, only_adds
from prowess.check.kept.kept_tests import altered
from prowess.check.kept.known_tests import is_test
from prowess.check.kept.meant import adds_to, asks_for, demanded, kept_files, meant_files
from prowess.check.kept.weakened import weakened, weaker
from prowess.core.errors import SkillError
from prowess.core.evidence import Change, Scope, Spec
from prowess.core.safe_yaml import read_mapping

_PLUGIN = re.compile(
    r"^\s*(?:async )?def pytest_\w+\(|\b(?:_pytest|pytest_plugins|load_tests)\b", re.MULTILINE
)
_BRINGS_RUNNER = re.compile(r"^\s*(?:import|from) +(?:pytest|_pytest)\b", re.MULTILINE)
_OF_TESTS = re.compile(r"(?:^|/)(?:tests?|testing)/|(?:^|/)conftest\.py$")
_CODE = re.compile(r"\.(?:pyi?|[cm]?[jt]sx?|rs|go)$")
_HOOKS = re.compile(
    r"^\s*(?:async )?def pytest_\w+\(|^\s*@(?:\w+\.)?fixture\b|^pytest_plugins\b", re.MULTILINE
)


def decides(path: str) -> bool:
    """Whether a file decides by its name alone how tests end, or what is run in the place of a program."""
    return judged_by_name(path) is not None or bool(_shadowing(path))


def to_read(changes: Sequence[Change]) -> list[str]:
    """The changed files whose text tells whether a judge was touched."""
    paths = dict.fromkeys(each.path for each in changes)
    return [path for path in paths if may_judge(path) or may_be_silenced(path)]


def may_judge(path: str) -> bool:
    """Whether a file is one of code, of tests, or one by which something is judged."""
    name = path.rpartition("/")[2]
    of_parts = name in PARTS or name in PARTS_OF_OLD or is_go_file(path)
    return of_parts or bool(_CODE.search(name)) or is_test(path) or _is_judge(path)


def touched(
    before: Mapping[str, str], now: Mapping[str, str], *, spec: Spec, found: Scope
) -> list[Touched]:
    """From the texts of files `to_read`, by path; `found` are the changed files as the task allows them."""
    named = named_by(spec, (*before, *now), there=before)
    judges: list[Touched] = []
    for path in dict.fromkeys((*before, *now)):
        old, new = before.get(path, ""), now.get(path, "")
        judges += _leaving(path, old, new)
        judges += _silencing(path, old, new)
        if path not in named:
            judges += _judging(path, old, new)
            judges += [] if path in before else _shadowing(path)
    judges += _installed(found, named)
    judges += _altered_plugins(before, now, spec=spec, found=found)
    free = [path for path in before if is_test(path) and path not in named]
    kept = {path for path in kept_files(spec, found) if not adds_to(spec, path)}
    return judges + weakened(before, now, free=free, kept=kept)


def named_by(spec: Spec, paths: Collection[str], *, there: Collection[str]) -> set[str]:
    """
    The files that the task names as its own: in full in `files:`, in words that ask for a change of them,
    or for the files themselves where they were not `there`. Who adds to tests leaves what is there.
    """
    named = {each.strip().removeprefix("./") for each in spec.files}
    return named | {
        path
        for path in paths
        if asks_for(spec, path)
        or (adds_to(spec, path) and not (is_test(path) and path in there))
        or (demanded(spec, path) and path not in there)
    }


def judging_scripts(
    commands: Sequence[str],
    changes: Sequence[Change],
    named: Collection[str],
    files: Collection[str],
    read: Callable[[str], str],
) -> list[Touched]:
    """
    Scripts that were there before and that these commands run, and new modules that such a script would
    load instead of Python's own, save what the task's files name; `files` are all of the work.
    """
    new = new_files(changes).difference(named)
    there = {each.path for each in changes}.difference(named, new)
    return [
        Touched(what=what, matters_to=f"^{re.escape(command)}$", path=path)
        for command in commands
        for path, what in (
            *(
                (path, f"{path}, by which `{command}` judges")
                for path in judges_of(command, there, files, read)
            ),
            *(
                (path, f"{path}, which `{command}` loads instead of Python's own")
                for path in shadows_of(command, new, files)
            ),
        )
    ]


def new_files(changes: Sequence[Change]) -> set[str]:
    return {each.path for each in changes if each.status in ("A", "?")}


def _is_judge(path: str) -> bool:
    return judged_in_change(path) is not None or bool(_shadowing(path))


def _judging(path: str, old: str, new: str) -> list[Touched]:
    name = path.rpartition("/")[2]
    commands = judged_in_change(path)
    if commands is not None:
        if is_conftest(path) and only_adds(old, new):
            return []
        had = targets(old) if commands == MAKE else None
        return [Touched(what=path, matters_to=commands, path=path, had=had)]
    if name in PARTS or name in PARTS_OF_OLD:
        parts = [*PARTS.get(name, {}).items(), *(PARTS_OF_OLD.get(name, {}).items() if old else ())]
        found = [
            Touched(what=f"{path} ({key})", matters_to=matters_to, path=path)
            for key, matters_to in parts
            if _is_other(key, _part(name, old, key), _part(name, new, key))
        ]
        return [*found, *(_scripts(path, old, new) if name == "package.json" else ())]
    if is_go_file(path) and go_judges(path, old, new):
        return [Touched(what=path, matters_to=r"\bgo\b", path=path)]
    if name.endswith(".py") and _reaches_runner(path, old, new):
        # What the work itself consists of, no look can do without.
        judge = path if is_test(path) or _OF_TESTS.search(path) else ""
        return [Touched(what=f"{path} reaches into the test runner", path=judge)]
    return []


def _reaches_runner(path: str, old: str, new: str) -> bool:
    """Whether a file of Python has more to do with the runner of tests than it had; tests may import it."""
    if len(_PLUGIN.findall(new)) > len(_PLUGIN.findall(old)):
        return True
    brings = _BRINGS_RUNNER.search(new) and not _BRINGS_RUNNER.search(old)
    return bool(brings) and not (is_test(path) or _OF_TESTS.search(path))


def _is_other(key: str, old: Any, new: Any) -> bool:
    """Whether a part of settings is altered; some lists may become longer."""
    if key in MAY_GROW and old and isinstance(old, list) and isinstance(new, list):
        more = [each for each in new if each not in old]
        less = [each for each in old if each not in new]
        return bool(less) or any(str(each).startswith("!") for each in more)
    if key in OF_PYTEST:
        (old, known), (new, now) = _parted_markers(old), _parted_markers(new)
        return bool(old != new) or not known <= now
    return bool(old != new)


def _parted_markers(settings: Any) -> tuple[Any, set[str]]:
    """Settings of pytest without the markers that they tell of, and these: one more chooses no test."""
    if isinstance(settings, dict):
        tables = [(name, each) for name, each in settings.items() if isinstance(each, dict)]
    else:
        tables = settings if isinstance(settings, list) else []
    if not tables:
        return settings, set()
    found: set[str] = set()
    for _, table in tables:
        said = table.get("markers") or []
        if not isinstance(said, str | list):
            return settings, set()
        lines = said.strip().splitlines() if isinstance(said, str) else said
        found |= {str(line) for line in lines if line}
    rest = [(name, {**table, "markers": None}) for name, table in tables]
    return (dict(settings) | dict(rest) if isinstance(settings, dict) else rest), found


def _scripts(path: str, old: str, new: str) -> list[Touched]:
    """The scripts of a package; of one below the root, nobody can tell by what they are run."""
    before, now = _read("package.json", old), _read("package.json", new)
    if before is None or now is None:
        unread = Touched(what=f"{path} (scripts)", matters_to=SCRIPTS, path=path)
        return [unread] if old != new else []
    changed = changed_scripts(before, now)
    by = frozenset[str]().union(*changed.values()) if path == "package.json" else frozenset[str]()
    what = f"{path} (scripts)"
    had = frozenset(scripts_in(before))
    made = Touched(what=what, matters_to=SCRIPTS, scripts=by, path=path, had=had)
    return [made] if changed else []


def _installed(found: Scope, named: Collection[str]) -> list[Touched]:
    """Programs and packages that git is to keep, once for each folder that they are in."""
    folders = dict.fromkeys(
        installed_in(each.path) for each in found.files if each.path not in named
    )
    return [
        Touched(what=f"what is installed in {folder}", matters_to=ANY_COMMAND)
        for folder in folders
        if folder
    ]


def _altered_plugins(
    before: Mapping[str, str], now: Mapping[str, str], *, spec: Spec, found: Scope
) -> list[Touched]:
    """What was there of hooks and fixtures in files that no runner looks into by their name."""
    free = {each.path for each in found.files} - meant_files(spec, found)
    return [
        weaker(f"{path} alters {name}")
        for path in before
        if path in free and path.endswith(".py") and path in now
        if not (is_test(path) or _is_judge(path)) and _HOOKS.search(before[path])
        for name in altered(path, before[path], now[path])
    ]


def _shadowing(path: str) -> list[Touched]:
    """A module that has the name of a test runner's or, in the root, of one of Python's own."""
    if module := shadowed(path):
        what = f"{path} is loaded instead of Python's or the test runner's {module}"
        return [Touched(what=what, path=path)]
    return []


def _leaving(path: str, old: str, new: str) -> list[Touched]:
    if path.endswith(".py") and leaves_more(old, new):
        return [Touched(what=f"{path} can end a test run with `os._exit`", excusable=False)]
    return []


def _silencing(path: str, old: str, new: str) -> Iterator[Touched]:
    for said, commands in silenced_for(path, old, new):
        yield Touched(what=f"{path} says `{said}`", matters_to=commands, excusable=False)


def _part(name: str, text: str, key: str) -> Any:
    """A table of a file of settings; the whole text where it cannot be read."""
    if name.endswith((".toml", ".json", ".yaml")):
        value = _read(name, text)
        if value is None:
            return text
        for each in key.split("."):
            value = value.get(each) if isinstance(value, dict) else None
        return value
    try:
        parser = ConfigParser(interpolation=None, strict=False)
        parser.read_string(text)
        return [(each, dict(parser[each])) for each in parser if _belongs(each, key)]
    except (ValueError, ConfigError):
        return text


def _read(name: str, text: str) -> Any:
    """What the file says; None where that cannot be read."""
    try:
        if name.endswith(".toml"):
            return tomllib.loads(text)
        if name.endswith(".yaml"):
            return read_mapping(text).value
        return json.loads(text or "{}")
    except (ValueError, RecursionError, SkillError):
        return None


def _belongs(section: str, key: str) -> bool:
    """Of `mypy` are `mypy-a.b` and `coverage:run` too; of `pylint` is `pylint.main`."""
    return bool(re.match(rf"{re.escape(key)}(?:[:.-]|$)", section))
