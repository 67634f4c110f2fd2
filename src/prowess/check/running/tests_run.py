"""
How a run of tests went, read from what the run printed and from its exit code, which must agree.

A summary without a single test that passed is no success, whatever the exit code says. The last
summary of its kind counts, because what a test itself prints comes before it; where a command
tests several packages in turn, their summaries add up. The output is a stranger's: every pattern
stays on its line and reads no part of it twice.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from prowess.check.kept.known_tests import is_test

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """
    `kind` is empty where no summary was found; then only the exit code speaks. `names` are the tests
    that a report says were run: of pytest with their module, `tests.test_a::test_b`; `left_out` are
    those that it says were skipped, `unloaded` the modules of tests that could not even be loaded; `failures`
    are the first that failed, with why. `cut_short`: tests were begun of which no summary tells.
    """

    __test__ = False  # not one of pytest's own

    kind: str
    code: int
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    names: frozenset[str] = field(default=frozenset(), repr=False)
    left_out: frozenset[str] = field(default=frozenset(), repr=False)
    unloaded: frozenset[str] = field(default=frozenset(), repr=False)
    failures: tuple[str, ...] = field(default=(), repr=False)
    cut_short: bool = False

    @property
    def ran(self) -> bool:
        """Whether it is known that a test ran, or that nobody counts them."""
        return not self.kind or self.passed + self.failed > 0

    @property
    def ok(self) -> bool:
        return self.code == 0 and self.failed == 0 and (not self.kind or self.passed > 0)

    def __str__(self) -> str:
        if not self.kind:
            return f"exit code {self.code}, no tests were counted"
        counts = f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"
        return f"{counts} ({self.kind}, exit code {self.code})"


def read_test_run(output: str, *, code: int) -> TestRun:
    """The counts of the first kind of summary that is there."""
    plain = _COLOUR.sub("", output)
    for kind, read in _READERS.items():
        if (counts := read(plain)) is not None:
            return TestRun(
                kind=kind,
                code=code,
                passed=counts["passed"],
                failed=counts["failed"],
                skipped=counts["skipped"],
                cut_short=kind == "cargo test" and _is_cut_short(plain),
            )
    return TestRun(kind="", code=code)


Counts = Mapping[str, int] | None
Ends = list[tuple[str, str]]  # the name of each test, and `passed`, `failed` or `skipped`


def _of(**counts: int) -> Counter[str]:
    return Counter(counts)


_PYTEST = re.compile(
    r"^(?:=+ )?((?:no tests ran|no tests collected|\d+ [a-z ]+)(?:, \d+ [a-z ]+)*)"
    r"(?: \([^)\n]*\))? in [\d.]+m?s\b[^\n]*$",
    re.MULTILINE,
)
_COUNTED = re.compile(r"(\d+) ([a-z]+)")
_PYTEST_WORDS = {
    "passed": "passed",
    "xpassed": "passed",
    "failed": "failed",
    "error": "failed",
    "errors": "failed",
    "skipped": "skipped",
    "xfailed": "skipped",
}


def _pytest(output: str) -> Counts:
    found = _PYTEST.findall(output)
    if not found:
        return None
    total = _of()
    for count, word in _COUNTED.findall(found[-1]):
        if word in _PYTEST_WORDS:
            total[_PYTEST_WORDS[word]] += int(count)
    return total


_UNITTEST = re.compile(
    r"^Ran (\d+) tests? in [\d.]+s\s+(OK|FAILED|NO TESTS RAN)(?: \(([^)]*)\))?\s*$", re.MULTILINE
)
_DETAIL = re.compile(r"([a-z ]+)=(\d+)")


def _unittest(output: str) -> Counts:
    found = _UNITTEST.findall(output)
    if not found:
        return None
    ran, _, details = found[-1]
    told = {word.strip(): int(count) for word, count in _DETAIL.findall(details)}
    failed = told.get("failures", 0) + told.get("errors", 0) + told.get("unexpected successes", 0)
    skipped = told.get("skipped", 0) + told.get("expected failures", 0)
    # An error in a fixture is counted, and no test that ran stands behind it.
    return _of(passed=max(0, int(ran) - failed - skipped), failed=failed, skipped=skipped)


_JEST = re.compile(r"^Tests:[ \t]+((?:\d+ [a-z]+, )*\d+ total)[ \t]*$", re.MULTILINE)
_JEST_WORDS = {"passed": "passed", "failed": "failed", "skipped": "skipped", "todo": "skipped"}


def _jest(output: str) -> Counts:
    found = _JEST.findall(output)
    if not found:
        return _of() if "No tests found, exiting" in output else None
    return _worded(found[-1])


_VITEST = re.compile(
    r"^[ \t]*Tests[ \t]+(\d+ [a-z]+(?: \| \d+ [a-z]+)*)(?: \(\d+\))?[ \t]*$", re.MULTILINE
)


def _vitest(output: str) -> Counts:
    found = _VITEST.findall(output)
    if not found:
        return _of() if re.search(r"^[ \t]*No test files found", output, re.MULTILINE) else None
    return _worded(found[-1])


def _worded(summary: str) -> Counts:
    total = _of()
    for count, word in _COUNTED.findall(summary):
        if word in _JEST_WORDS:
            total[_JEST_WORDS[word]] += int(count)
    return total


_TAP = re.compile(  # of node, and of those that print TAP; node also has a form for people
    r"^(#|\u2139) tests \d+\n(?:\1 suites \d+\n)?\1 pass (\d+)\n\1 fail (\d+)$"
    r"(?:\n\1 cancelled (\d+)\n\1 skipped (\d+)\n\1 todo (\d+)$)?",
    re.MULTILINE,
)


_TAP_END = re.compile(r"^( *)(?:ok \d+ - |\u2714 )(/.+?|\S+)(?: \([\d.]+ms\))?$")


def _tap(output: str) -> Counts:
    found = list(_TAP.finditer(output))
    if not found:
        return None
    passed, failed, cancelled, skipped, todo = (int(count or 0) for count in found[-1].groups()[1:])
    begin = found[-2].end() if len(found) > 1 else 0
    passed = max(0, passed - _files_without_tests(output[begin : found[-1].start()]))
    return _of(passed=passed, failed=failed + cancelled, skipped=skipped + todo)


def _files_without_tests(output: str) -> int:
    """Node tells of a file that ended before it had told of a test as of a test that passed."""
    count, inner = 0, False
    for line in output.splitlines():
        ends = _TAP_END.match(line)
        if ends and not ends[1]:
            path = ends[2]
            count += not inner and "/" in path and (path.startswith("/") or is_test(path))
        inner = line.startswith("    ") and (inner or "ok " in line[:8])
    return count


_MOCHA = re.compile(
    r"^[ \t]*(\d+) passing \([\w.]+\)$(?:\n[ \t]*(\d+) pending$)?(?:\n[ \t]*(\d+) failing$)?",
    re.MULTILINE,
)


def _mocha(output: str) -> Counts:
    found = _MOCHA.findall(output)
    if not found:
        return None
    passed, skipped, failed = (int(count or 0) for count in found[-1])
    return _of(passed=passed, failed=failed, skipped=skipped)


_AVA = re.compile(
    r"(?:^[ \t]+\d+ (?:tests? (?:passed|failed|skipped|todo)|hooks? failed|known failures?"
    r"|unhandled rejections?|uncaught exceptions?)$\n?)+",
    re.MULTILINE,
)
_AVA_LINE = re.compile(r"(\d+) (?:\w+ )?(passed|failed|skipped|todo|failure|rejection|exception)")
_AVA_WORDS = {"passed": "passed", "skipped": "skipped", "todo": "skipped", "failure": "skipped"}


def _ava(output: str) -> Counts:
    found = _AVA.findall(output)
    if not found:
        return None
    total = _of()
    for count, word in _AVA_LINE.findall(found[-1]):
        total[_AVA_WORDS.get(word, "failed")] += int(count)
    return total


_PLAYWRIGHT = re.compile(r"^Running \d+ tests? using \d+ workers?", re.MULTILINE)
_PLAYWRIGHT_LINE = re.compile(
    r"^ {2}(\d+) (passed|flaky|failed|interrupted|skipped|did not run)(?: \([\w.]+\))?$",
    re.MULTILINE,
)
_PLAYWRIGHT_WORDS = {
    "passed": "passed",
    "flaky": "passed",
    "skipped": "skipped",
    "did not run": "skipped",
}


def _playwright(output: str) -> Counts:
    *_, last = ("", *_PLAYWRIGHT.split(output)[1:])
    found = {word: int(count) for count, word in _PLAYWRIGHT_LINE.findall(last)}
    if not found:
        return None
    total = _of()
    for word, count in found.items():
        total[_PLAYWRIGHT_WORDS.get(word, "failed")] += count
    return total


_CARGO_BEGINS = re.compile(r"^running \d+ tests?$", re.MULTILINE)
_CARGO = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;", re.MULTILINE)


def _cargo(output: str) -> Counts:
    found = _CARGO.findall(output)
    if not found:
        return None
    passed, failed, ignored = (sum(map(int, column)) for column in zip(*found, strict=True))
    return _of(passed=passed, failed=failed, skipped=ignored)


def _is_cut_short(output: str) -> bool:
    """Whether a program of tests ended before it had told how its own went."""
    return len(_CARGO_BEGINS.findall(output)) > len(_CARGO.findall(output))


_GO_CASE = re.compile(r"^[ \t]*--- (PASS|FAIL|SKIP): ", re.MULTILINE)
_GO_PACKAGE = re.compile(
    r"^(ok|FAIL|\?)[ \t]+\S+[ \t]+(\(cached\)|[\d.]+s|\[[^\]]*\])(.*)$", re.MULTILINE
)
_GO_WORDS = {"PASS": "passed", "FAIL": "failed", "SKIP": "skipped"}
_GO_ACTIONS = {"pass": "passed", "fail": "failed", "skip": "skipped"}


def _go(output: str) -> Counts:
    """Tests by name where they are told, else packages: one that is `ok` ran one test at least."""
    packages = _GO_PACKAGE.findall(output)
    if not packages:
        return go_events(output)
    total = _of()
    for word in _GO_CASE.findall(output):
        total[_GO_WORDS[word]] += 1
    if total["passed"] + total["skipped"] == 0:
        total["passed"] = sum(
            result == "ok" and "[no tests to run]" not in rest for result, _, rest in packages
        )
    broken = sum(result == "FAIL" for result, _, _ in packages)
    total["failed"] = max(total["failed"], broken)
    return total


def go_events(output: str, ends: Ends | None = None) -> Counter[str] | None:
    """The tests in the output of `go test -json`; None when it is none. How each ended goes into `ends`."""
    total = _of()
    seen = False
    for line in output.splitlines():
        if not line.startswith('{"') or '"Action"' not in line:
            continue
        event = _json(line)
        seen = seen or "Package" in event
        if event.get("Action") in _GO_ACTIONS and event.get("Test"):
            total[_GO_ACTIONS[event["Action"]]] += 1
            if ends is not None:
                ends.append((str(event["Test"]), _GO_ACTIONS[event["Action"]]))
        elif event.get("Action") == "fail":
            total["failed"] = max(1, total["failed"])
    return total if seen else None


def _json(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


_READERS: Mapping[str, Callable[[str], Counts]] = {
    "pytest": _pytest,
    "unittest": _unittest,
    "jest": _jest,
    "vitest": _vitest,
    "TAP": _tap,
    "mocha": _mocha,
    "ava": _ava,
    "playwright": _playwright,
    "cargo test": _cargo,
    "go test": _go,
}
