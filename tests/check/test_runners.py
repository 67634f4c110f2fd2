"""How test runners are asked for reports, and what these are worth."""

import json

import pytest

from prowess.check.running.run_reports import go_printed, read_report
from prowess.check.running.runners import may_run_tests, reporting, runner_in

PLACE = "/place"


@pytest.mark.parametrize(
    ("command", "runner"),
    [
        ("pytest -q", "pytest"),
        ("A=1 .venv/bin/python -I -m pytest tests", "pytest"),
        ("uv run pytest | tail -1", "pytest"),
        ("cd web && npx vitest run", "vitest"),
        ("go test ./...", "go test"),
        ("node --test", "node --test"),
        ("node --import tsx --enable-source-maps --test src/", "node --test"),
        ("npx mocha --exit", "mocha"),
        ("npx ava", "ava"),
        ("npx playwright test", "playwright test"),
        ("node tools/check.js --test", ""),
        ("npx playwright install", ""),
        ("make test", ""),
        ("cat pytest.ini", ""),
        ("echo 'unclosed", ""),
    ],
)
def test_a_runner_is_known_by_its_name(command: str, runner: str) -> None:
    assert runner_in(command) == runner


@pytest.mark.parametrize(
    "command",
    ["node --test", "npx mocha", "yarn ava", "npx playwright test", "make check", "./check.sh",
     "ruff check . && ./check.sh", "python tools/check.py", "npm run verify", "echo 'unclosed"],
)  # fmt: skip
def test_a_command_may_run_tests_unless_it_is_known_to_run_none(command: str) -> None:
    assert may_run_tests(command)


@pytest.mark.parametrize(
    "command",
    ["ruff check . && mypy", "uv run ruff check .", "test -f README.md", "[ -f a ]", "make lint",
     "npm run build", "cargo clippy", "! grep -r TODO src", "cd web && npx tsc --noEmit"],
)  # fmt: skip
def test_some_commands_are_known_to_run_no_tests(command: str) -> None:
    assert not may_run_tests(command)


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        (
            "cd a && pytest -q ",
            "cd a && pytest -q --junitxml=/place/report.xml -o cache_dir=/place/cache",
        ),
        ("pytest -p no:cacheprovider", "pytest -p no:cacheprovider --junitxml=/place/report.xml"),
        ("npx jest src", "npx jest src --json --outputFile=/place/report.json"),
        (
            "vitest run",
            "vitest run --reporter=default --reporter=json --outputFile.json=/place/report.json",
        ),
        ("go test ./... -run X", "go test -json -count=1 ./... -run X"),
    ],
)
def test_a_plain_call_is_asked_for_a_report(command: str, asked: str) -> None:
    made = reporting(command, PLACE)

    assert made
    assert made.command == asked


@pytest.mark.parametrize(
    "command",
    [
        "pytest | tail",
        "pytest > out.txt",
        "pytest && echo ok",
        "pytest -- a",
        "cargo test",
        "pytest &",
    ],
)
def test_what_words_cannot_be_added_to_is_left_as_it_is(command: str) -> None:
    assert reporting(command, PLACE) is None


def test_reports_are_counted() -> None:
    cases = "<testcase/><testcase><failure/></testcase><testcase><skipped/></testcase>"
    junit = f"<testsuites><testsuite>{cases}</testsuite></testsuites>".encode()
    jest = json.dumps(
        {"numTotalTests": 3, "numPassedTests": 1, "numFailedTests": 1, "numPendingTests": 1}
    ).encode()
    go = b"\n".join(
        json.dumps({"Action": each, "Package": "p", "Test": each}).encode()
        for each in ("pass", "fail", "skip")
    )

    counted = [
        read_report("junit", junit, code=1),
        read_report("jest", jest, code=1),
        read_report("go", go, code=1),
    ]

    assert [(each.passed, each.failed, each.skipped) for each in counted if each] == [(1, 1, 1)] * 3


def test_a_suite_that_cannot_be_loaded_is_a_failure() -> None:
    value = {"numTotalTests": 1, "numPassedTests": 1, "numFailedTestSuites": 1}

    report = read_report("jest", json.dumps(value).encode(), code=0)

    assert report
    assert not report.ok


@pytest.mark.parametrize("text", [b"", b"<a/>", b"<testsuites>", b"[]", b"{}", b"\xff"])
def test_what_is_no_report_is_none(text: bytes) -> None:
    assert read_report("junit", text, code=0) is None
    assert read_report("jest", text, code=0) is None
    assert read_report("go", text, code=0) is None


def test_what_go_printed_can_be_read_from_its_events() -> None:
    events = (
        '{"Action":"output","Package":"p","Output":"ok  \\tp\\t0.1s\\n"}\n{"Action":"pass"}\n# p\n'
    )

    assert go_printed(events) == "ok  \tp\t0.1s\n# p\n"
