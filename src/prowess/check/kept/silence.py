"""
Tests that ran where the work began, and of which nothing is heard now.

A test that nobody altered can still be kept from running: by a module under test that skips it, ends the
run, or says that something is not supported. What its runner told before the work tells it apart.
"""

from collections.abc import Collection, Mapping

from prowess.check.kept.known_tests import names_in
from prowess.check.kept.moved_tests import tells
from prowess.check.running.tests_run import TestRun

_SKIPPED_BY_CODE = ("pytest", "unittest")  # by a mere exception, and so by what a test calls


Names = Mapping[str, Collection[str]]  # of tests, by their file


def silenced(then: TestRun, now: TestRun, free: Names, *, same: bool = True) -> str:
    """
    Which tests told how they went then and do not now, or an empty text; of the `free` ones, in files that
    were altered, something else tells. `same`: no tests are there now that were not there then, so that
    one more that is skipped is one of those.
    """
    if not then.kind or not then.ran:
        return ""
    if not now.kind:
        return f"it told of {_tests(then)} where the work began, and tells of none now"
    if now.names and (then.names or then.unloaded):
        return _unheard(then, now, free)
    return "" if free else _fewer(then, now, same=same)


def _fewer(then: TestRun, now: TestRun, *, same: bool) -> str:
    if _ran(now) < _ran(then):
        return f"it ran {_tests(then)} where the work began, and {_ran(now)} now"
    if same and now.kind in _SKIPPED_BY_CODE and now.skipped > then.skipped:
        return f"it skipped {then.skipped} where the work began, and {now.skipped} now"
    return ""


def _unheard(then: TestRun, now: TestRun, free: Names) -> str:
    """By their names; of a file that could not be loaded then, some test has to be heard of now."""
    lost = [name for name in sorted(then.names - now.names) if not _is_of(name, free)]
    if lost:
        return f"it ran where the work began, and does not now: {', '.join(lost[:3])}"
    modules = sorted(then.unloaded - set(map(_module, free)))
    mute = [module for module in modules if not _is_heard(module, now)]
    if mute:
        shown = ", ".join(mute[:3])
        return f"it could not be loaded where the work began, and no test of it runs now: {shown}"
    return ""


def _is_heard(module: str, now: TestRun) -> bool:
    return any(f"{name.partition('::')[0]}.".startswith(f"{module}.") for name in now.names)


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _is_of(told: str, free: Names) -> bool:
    return any(tells(told, path, name) for path, names in free.items() for name in names)


def names_of(texts: Mapping[str, str]) -> dict[str, list[str]]:
    return {path: list(names_in(path, text)) for path, text in texts.items()}


def _ran(run: TestRun) -> int:
    return run.passed + run.failed


def _tests(run: TestRun) -> str:
    return f"{_ran(run)} test{'' if _ran(run) == 1 else 's'}"
