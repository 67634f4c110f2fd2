"""
Tests that ran where the work began, and of which nothing is heard now.

A test that nobody altered can still be kept from running: by a module under test that skips it, ends the
run, or says that something is not supported. What its runner told before the work tells it apart.
"""

from collections.abc import Iterator, Mapping

from prowess.check.kept.known_tests import names_in
from prowess.check.kept.moved_tests import tells
from prowess.check.running.tests_run import TestRun


def silenced(then: TestRun, now: TestRun, changed: Mapping[str, str]) -> str:
    """
    Which tests told how they went then and do not now, or an empty text; `changed` are the files of tests
    that the work altered, by what they said then: of theirs the change itself tells.
    """
    if not then.kind or not then.ran:
        return ""
    if not now.kind:
        return f"it told of {_tests(then)} where the work began, and tells of none now"
    if then.names and now.names:
        lost = [name for name in sorted(then.names - now.names) if not _is_of(name, changed)]
        shown = ", ".join(lost[:3])
        return f"it ran where the work began, and does not now: {shown}" if lost else ""
    if not changed and _ran(now) < _ran(then):
        return f"it ran {_tests(then)} where the work began, and {_ran(now)} now"
    return ""


def _is_of(told: str, changed: Mapping[str, str]) -> bool:
    return any(tells(told, path, name) for path, name in _named(changed))


def _named(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for path, text in texts.items():
        for name in names_in(path, text):
            yield path, name


def _ran(run: TestRun) -> int:
    return run.passed + run.failed


def _tests(run: TestRun) -> str:
    return f"{_ran(run)} test{'' if _ran(run) == 1 else 's'}"
