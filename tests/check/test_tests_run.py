"""What a run of tests printed, and what it is worth."""

import subprocess
import sys
from pathlib import Path

import pytest

from prowess.check.running.tests_run import TestRun, read_test_run

SUMMARIES = {
    "pytest": "=== 1 failed, 3 passed, 2 skipped, 1 warning in 0.12s ===",
    "pytest quiet": "..F\n1 failed, 3 passed, 2 skipped in 65.31s (0:01:05)",
    "unittest": "Ran 6 tests in 0.001s\n\nFAILED (failures=1, skipped=2)",
    "jest": "Tests:       1 failed, 2 skipped, 3 passed, 6 total\nTime: 1 s",
    "vitest": " Test Files  1 failed (1)\n      Tests  1 failed | 3 passed | 2 skipped (6)\n",
    "node": "ok 1 - a\n1..6\n# tests 6\n# suites 0\n# pass 3\n# fail 0\n# cancelled 1\n# skipped 1\n# todo 1\n",
    "node for people": "\u2139 tests 6\n\u2139 suites 0\n\u2139 pass 3\n\u2139 fail 1\n\u2139 cancelled 0\n"
    "\u2139 skipped 2\n\u2139 todo 0\n\u2139 duration_ms 5",
    "mocha": "  . . !\n\n  3 passing (12ms)\n  2 pending\n  1 failing\n\n  1) it\n",
    "ava": "  \u2500\n\n  1 test failed\n  3 tests passed\n  1 test skipped\n  1 test todo\n",
    "playwright": "Running 6 tests using 1 worker\n  1 failed\n    [chromium] > a.spec.ts:3:1\n"
    "  2 skipped\n  3 passed (2.1s)\n",
    "cargo": "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"
    "test result: FAILED. 0 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out",
    "go -v": "--- PASS: TestA (0.00s)\n--- PASS: TestB (0.00s)\n--- PASS: TestC (0.00s)\n"
    "--- SKIP: TestD (0.00s)\n--- SKIP: TestE (0.00s)\n--- FAIL: TestF (0.00s)\n"
    "FAIL\texample.org/a\t0.003s",
    "go -json": "\n".join(
        f'{{"Action":"{action}","Package":"p","Test":"{name}"}}'
        for action, name in zip(
            ("pass", "pass", "pass", "skip", "skip", "fail"), "ABCDEF", strict=True
        )
    ),
}
EMPTY = {
    "pytest": "no tests ran in 0.01s",
    "pytest skipped": "2 skipped in 0.01s",
    "pytest deselected": "3 deselected in 0.01s",
    "unittest": "Ran 0 tests in 0.000s\n\nOK",
    "unittest new": "Ran 0 tests in 0.000s\n\nNO TESTS RAN",
    "jest": "No tests found, exiting with code 0",
    "vitest": "No test files found, exiting with code 0",
    "node": "1..0\n# tests 0\n# suites 0\n# pass 0\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0",
    "mocha": "  0 passing (1ms)\n",
    "cargo": "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 4 filtered out",
    "go": "ok  \texample.org/a\t0.003s [no tests to run]\n?   \texample.org/b\t[no test files]",
}


@pytest.mark.parametrize("output", SUMMARIES.values(), ids=SUMMARIES)
def test_every_kind_of_summary_is_counted(output: str) -> None:
    run = read_test_run(output, code=1)

    assert (run.passed, run.failed, run.skipped) == (3, 1, 2)
    assert not run.ok


@pytest.mark.parametrize("output", EMPTY.values(), ids=EMPTY)
def test_no_test_that_ran_is_no_pass_whatever_the_exit_code(output: str) -> None:
    run = read_test_run(output, code=0)

    assert run.kind
    assert not run.ran
    assert not run.ok


def test_an_exit_code_and_a_summary_must_agree() -> None:
    assert read_test_run("3 passed in 0.01s", code=0).ok
    assert not read_test_run("3 passed in 0.01s", code=1).ok
    assert not read_test_run("1 failed, 3 passed in 0.01s", code=0).ok


def test_what_a_test_of_node_prints_is_not_its_summary() -> None:
    boast = "# tests 9\n# pass 9\n# fail 0\n"

    run = read_test_run(f"{boast}1..1\n# tests 1\n# suites 0\n# pass 1\n# fail 0\n", code=0)

    assert run.passed == 1


NODE = "1..2\n# tests 2\n# suites 0\n# pass {}\n# fail 0\n"
PEOPLE = "\u2139 tests 2\n\u2139 suites 0\n\u2139 pass {}\n\u2139 fail 0\n"
LEFT = "# Subtest: /w/test/a.test.js\nok 1 - /w/test/a.test.js\n  ---\n  duration_ms: 1\n  ...\n"


@pytest.mark.parametrize(
    ("output", "passed"),
    [
        (f"{LEFT}{NODE.format(1)}", 0),
        (f"{LEFT}# Subtest: fine\nok 2 - fine\n{NODE.format(2)}", 1),
        (f"\u2714 /w/test/a.test.js (1.5ms)\n\u2714 fine (1ms)\n{PEOPLE.format(2)}", 1),
        (f"ok 1 - test/a.test.js\n{NODE.format(1)}", 0),
        (f"ok 1 - /my work/a.test.js\n{NODE.format(1)}", 0),
        (f"{LEFT}{NODE.format(1)}ok 1 - fine\n{NODE.format(1)}", 1),
        (f"    ok 1 - adds\n    1..1\nok 1 - /w/test/a.test.js\n{NODE.format(1)}", 1),
        (f"ok 1 - src/a.js\nok 2 - a.test.js\n{NODE.format(2)}", 2),
    ],
)
def test_a_file_that_ended_before_it_told_of_a_test_is_no_test_of_node(
    output: str, passed: int
) -> None:
    assert read_test_run(output, code=0).passed == passed


def test_tests_of_cargo_that_were_begun_and_not_told_of_were_cut_short() -> None:
    whole = "running 1 test\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured\n"

    assert not read_test_run(whole, code=0).cut_short
    assert read_test_run(f"running 2 tests\n{whole}", code=0).cut_short


def test_colours_hide_no_summary() -> None:
    run = read_test_run("\x1b[32m\x1b[1m3 passed\x1b[0m\x1b[32m in 0.01s\x1b[0m", code=0)

    assert (run.kind, run.passed) == ("pytest", 3)


def test_what_a_test_prints_does_not_replace_the_summary_at_the_end() -> None:
    assert not read_test_run("9 passed in 0.1s\n1 failed in 0.2s", code=0).ok


def test_packages_of_go_count_where_its_tests_are_not_told() -> None:
    run = read_test_run("ok  \ta\t0.1s\nok  \tb\t(cached)\nFAIL\tc [build failed]", code=1)

    assert (run.passed, run.failed) == (2, 1)


def test_any_other_command_speaks_by_its_exit_code() -> None:
    assert read_test_run("all fine", code=0) == TestRun(kind="", code=0)
    assert read_test_run("all fine", code=0).ok
    assert not read_test_run("all fine", code=2).ok


BAIT = {
    "digits": "Tests  " + "1 1111 " * 50_000 + "!",
    "blank lines": "\n" * 1_000_000 + "x",
    "blanks": "ok" + " " * 1_000_000 + "\n" + "Tests:" + " " * 1_000_000,
    "words": "1 " + "a " * 500_000,
    "signs": "=" * 1_000_000 + "\nRan 1 test in " + "1" * 1_000_000,
}


@pytest.mark.parametrize("output", BAIT.values(), ids=BAIT)
def test_output_that_is_made_to_hold_us_up_does_not(output: str) -> None:
    assert read_test_run(output, code=0).kind == ""


def test_real_runs_of_unittest_and_pytest_are_read(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import unittest\n\nclass T(unittest.TestCase):\n"
        "    def test_a(self): self.assertTrue(True)\n"
        "    def test_b(self): self.assertTrue(False)\n"
        "    @unittest.skip('why')\n    def test_c(self): ...\n"
    )
    for words in (["unittest"], ["pytest", "-q", "-p", "no:cacheprovider"]):
        done = subprocess.run(
            [sys.executable, "-m", *words, "test_it.py"] if words[0] != "unittest" else
            [sys.executable, "-m", "unittest", "test_it"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip

        run = read_test_run(done.stdout + done.stderr, code=done.returncode)

        assert (run.kind, run.passed, run.failed, run.skipped) == (words[0], 1, 1, 1)
