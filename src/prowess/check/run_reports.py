"""
The report that a test runner wrote for programs, counted.

It lies where the tests could write as well, so it is read as a stranger's file: one that is no
report is none.
"""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from prowess.check.runners import Form
from prowess.check.tests_run import TestRun, go_events

MAX_BYTES = 64 * 1024 * 1024
_KINDS: Mapping[Form, str] = {"junit": "pytest", "jest": "jest", "go": "go test"}


def read_report(form: Form, text: bytes, *, code: int) -> TestRun | None:
    """The counts of a report; None when this is none."""
    read = {"junit": _junit, "jest": _jest, "go": _go}[form]
    counts = read(text[:MAX_BYTES])
    if counts is None:
        return None
    return TestRun(
        kind=_KINDS[form],
        code=code,
        passed=counts["passed"],
        failed=counts["failed"],
        skipped=counts["skipped"],
    )


def _junit(text: bytes) -> Counter[str] | None:
    try:
        root = ET.fromstring(text)  # noqa: S314 - expat expands no entity without measure
    except ET.ParseError:
        return None
    total: Counter[str] = Counter()
    for case in root.iter("testcase"):
        inside = {each.tag for each in case}
        failed = inside & {"failure", "error"}
        total["failed" if failed else "skipped" if "skipped" in inside else "passed"] += 1
    return total if root.tag in ("testsuites", "testsuite") else None


def _jest(text: bytes) -> Counter[str] | None:
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
    return Counter(passed=_count(value, "numPassedTests"), failed=failed, skipped=skipped)


def _count(value: Mapping[str, Any], name: str) -> int:
    count = value.get(name, 0)
    return count if isinstance(count, int) else 0


def _go(text: bytes) -> Counter[str] | None:
    return go_events(text.decode("utf-8", "replace"))


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
