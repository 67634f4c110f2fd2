"""
The report that a test runner wrote for programs, counted.

It lies where the tests could write as well, so it is read as a stranger's file: one that is no
report is none.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree as ET

from prowess.check.running.failed_tests import MOST, told_failure, without_escapes
from prowess.check.running.runners import Form
from prowess.check.running.tests_run import Ends, TestRun, go_events

MAX_BYTES = 64 * 1024 * 1024
_RAISED = re.compile(r"^E +(.*)", re.MULTILINE)
_KINDS: Mapping[Form, str] = {"junit": "pytest", "jest": "jest", "go": "go test"}
_NO_TEST = "::"  # how the name of a file begins that pytest tells of in the place of its tests


@dataclass(slots=True)
class _Told:
    """`failures` are the tests that failed, and why; `unloaded` the modules that could not be loaded."""

    counts: Counter[str]
    ends: Ends
    failures: list[str] = field(default_factory=list)
    unloaded: frozenset[str] = frozenset()


def read_report(form: Form, text: bytes, *, code: int) -> TestRun | None:
    """The counts and the names of a report; None when this is none."""
    read = {"junit": _junit, "jest": _jest, "go": _go}[form]
    told = read(text[:MAX_BYTES])
    if told is None:
        return None
    names = frozenset(name for name, end in told.ends if end != "skipped")
    return TestRun(
        kind=_KINDS[form],
        code=code,
        passed=told.counts["passed"],
        failed=told.counts["failed"],
        skipped=told.counts["skipped"],
        names=names,
        left_out=frozenset(name for name, _ in told.ends) - names,
        unloaded=told.unloaded,
        failures=tuple(told.failures[:MOST]),
    )


def _junit(text: bytes) -> _Told | None:
    try:
        root = ET.fromstring(text)  # noqa: S314 - expat expands no entity without measure
    except ET.ParseError:
        return None
    if root.tag not in ("testsuites", "testsuite"):
        return None
    ends: Ends = []
    failures: list[str] = []
    for case in root.iter("testcase"):
        inside = {each.tag for each in case}
        failed = inside & {"failure", "error"}
        failures += [_failure(case)] if failed and len(failures) < MOST else []
        end = "failed" if failed else "skipped" if "skipped" in inside else "passed"
        ends.append((f"{case.get('classname')}::{case.get('name', '').partition('[')[0]}", end))
    counts = Counter(end for _, end in ends)
    broken = {name for name, end in ends if end == "failed" and name.startswith(_NO_TEST)}
    tests = [(name, end) for name, end in ends if name not in broken]
    unloaded = frozenset(name.removeprefix(_NO_TEST) for name in broken)
    return _Told(counts, tests, failures, unloaded)


def _failure(case: ET.Element) -> str:
    """With the name by which pytest would run it again, as far as a report tells it."""
    why = next(each for each in case if each.tag in ("failure", "error"))
    said = why.get("message", "")
    if said == "collection failure":
        said = next(iter(_RAISED.findall(why.text or "")), said)
    module, name = case.get("classname", ""), case.get("name", "")
    parts, inside = (module.split("."), [name]) if module else (name.split("."), [])
    while len(parts) > 1 and parts[-1][:1].isupper():  # a class, behind its module
        inside.insert(0, parts.pop())
    return told_failure("::".join([f"{'/'.join(parts)}.py", *inside]), said)


def _jest(text: bytes) -> _Told | None:
    """Vitest writes the same."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or "numTotalTests" not in value:
        return None
    # A file that cannot even be loaded has no test that could fail.
    failed = max(_count(value, "numFailedTests"), _count(value, "numFailedTestSuites"))
    skipped = _count(value, "numPendingTests") + _count(value, "numTodoTests")
    total = Counter(passed=_count(value, "numPassedTests"), failed=failed, skipped=skipped)
    return _Told(total, list(_titles(value)), list(_failures(value)))


def _titles(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for file in _list(value, "testResults"):
        for case in _list(file, "assertionResults"):
            end = str(case.get("status"))
            yield str(case.get("title")), end if end in ("passed", "failed") else "skipped"


def _failures(value: Mapping[str, Any]) -> Iterator[str]:
    for file in _list(value, "testResults"):
        failed = [
            case for case in _list(file, "assertionResults") if case.get("status") == "failed"
        ]
        for case in failed:
            said = case.get("failureMessages")
            why = str(said[0]) if isinstance(said, list) and said else ""
            yield told_failure(str(case.get("fullName") or case.get("title")), without_escapes(why))
        if not failed and file.get("status") == "failed":
            why = without_escapes(str(file.get("message") or ""))
            yield told_failure(os.path.basename(str(file.get("name"))), why)


def _list(value: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    inside = value.get(name)
    return [each for each in inside if isinstance(each, dict)] if isinstance(inside, list) else []


def _count(value: Mapping[str, Any], name: str) -> int:
    count = value.get(name, 0)
    return count if isinstance(count, int) else 0


def _go(text: bytes) -> _Told | None:
    ends: Ends = []
    total = go_events(text.decode("utf-8", "replace"), ends)
    return None if total is None else _Told(total, ends)


def go_printed(text: str) -> str:
    """What `go test` would have printed, from its events; lines that are no events stay."""
    lines = []
    for line in text.splitlines(keepends=True):
        try:
            event = json.loads(line) if line.startswith("{") else None
        except ValueError:
            event = None
        lines.append(str(event.get("Output", "")) if isinstance(event, dict) else line)
    return "".join(lines)
