"""Tests that were weakened, moved out of sight or run by a runner of the worker's own prove nothing."""

import json

import pytest

from check.checks import PYTEST, check, held, verdicts
from check.repository import Repository
from prowess.check.kept.kept_tests import altered
from prowess.check.kept.moved_tests import Moved
from prowess.check.kept.weakened import ALTERED
from prowess.check.running.commands import Ran
from prowess.check.running.run_reports import read_report
from prowess.check.running.runners import Form
from prowess.core.ports import Sandbox

PASSES = f"`{PYTEST}` passes"
SHADOW = """import sys
for word in sys.argv:
    if word.startswith("--junitxml="):
        with open(word[11:], "w") as file:
            file.write('<testsuites><testsuite><testcase name="test_add"/></testsuite></testsuites>')
print("1 passed in 0.01s")
"""
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"


@pytest.fixture
def wrong(repo: Repository) -> Repository:
    """A repository whose test fails, with a change that mends nothing."""
    repo.put("src/calc.py", "def add(a, b):\n    return a - b\n")
    repo.put("src/test_calc.py", TEST)
    repo.commit("tests")
    repo.put("src/calc.py", "def add(a, b):\n    return a - b  # done\n")
    return repo


@pytest.mark.parametrize("name", ["pytest.py", "pytest/__main__.py"])
def test_a_module_in_the_place_of_the_runner_takes_the_worth_from_tests(
    wrong: Repository, sandbox: Sandbox, name: str
) -> None:
    wrong.put("pytest/__init__.py", "V = 1\n") if "/" in name else None
    wrong.put(name, SHADOW)

    report = check(wrong, sandbox, PASSES)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert "loaded instead of" in report.reasons[0]


def test_a_module_in_the_place_of_one_of_pythons_own_does_too(
    wrong: Repository, sandbox: Sandbox
) -> None:
    wrong.put("timeit.py", SHADOW)
    assert verdicts(check(wrong, sandbox, PASSES)) != ["PASS"]

    wrong.put("src/calc.py", "def add(a, b):\n    return a + b\n")
    wrong.put("timeit.py", "V = 1\n")
    assert check(wrong, sandbox, PASSES).passed  # nothing comes of it

    wrong.commit("it was there before")
    wrong.put("timeit.py", "V = 2\n")
    wrong.put("src/timeit.py", "V = 1\n")
    assert held(check(wrong, sandbox, PASSES, base="HEAD"))


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ("from calc import add\n\n\ndef test_add():\n    assert True\n", "test_add"),
        (TEST.replace("from calc import add", "from operator import add"), "add"),
        (TEST + "\n\nadd = lambda a, b: 5\n", "add"),
        (TEST + "\n\ndef test_add():\n    assert True\n", "test_add"),
    ],
)
def test_a_test_that_is_altered_beside_the_allowed_file_proves_nothing(
    wrong: Repository, sandbox: Sandbox, test: str, told: str
) -> None:
    wrong.put("src/test_calc.py", test)

    report = check(wrong, sandbox, PASSES, files=["src/calc.py"])

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert f"src/test_calc.py alters {told}" in report.reasons[0]


def test_tests_may_be_added_beside_and_altered_where_the_task_says_so(
    wrong: Repository, sandbox: Sandbox
) -> None:
    wrong.put(
        "src/calc.py", "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"
    )
    more = (
        TEST.replace("import add", "import add, sub")
        + "\n\ndef test_sub():\n    assert sub(3, 2) == 1\n"
    )
    wrong.put("src/test_calc.py", more)
    assert check(wrong, sandbox, PASSES, files=["src/calc.py"]).passed

    wrong.put("src/test_calc.py", TEST.replace("== 5", "== 6"))
    wrong.put("src/calc.py", "def add(a, b):\n    return a + b + 1\n")
    assert not check(wrong, sandbox, PASSES, files=["src/calc.py"]).passed
    assert check(wrong, sandbox, PASSES, files=["src/*.py"]).passed
    assert check(wrong, sandbox, PASSES, files=["src/"]).passed


def test_what_was_done_to_a_test_and_makes_no_difference_is_told_and_costs_nothing(
    wrong: Repository, sandbox: Sandbox
) -> None:
    wrong.put("src/calc.py", "def add(a, b):\n    return a + b\n")
    wrong.put("src/test_calc.py", TEST.replace("2, 3", "1, 4"))

    report = check(wrong, sandbox, PASSES, files=["src/calc.py"])

    assert report.passed
    assert report.notes == (f"{ALTERED}: src/test_calc.py alters test_add",)


@pytest.mark.parametrize(
    "command", ["python3 -m unittest test_new", "python3 -m pytest -q test_new.py"]
)
def test_what_was_done_to_a_test_that_nothing_runs_is_no_matter_of_course(
    wrong: Repository, sandbox: Sandbox, command: str
) -> None:
    case = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        "
    wrong.put("test_old.py", f"{case}self.assertEqual(1, 1)\n")
    base = wrong.commit("old")
    wrong.put("test_old.py", f"{case}self.assertTrue(1)\n")
    wrong.put("test_new.py", f"{case}pass\n")

    report = check(wrong, sandbox, f"`{command}` passes", base=base)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert "test_old.py alters T.test_a" in report.reasons[0]


@pytest.mark.parametrize(
    "text", ["", "import pytest\n\n@pytest.mark.skip\n" + TEST.partition("\n\n\n")[2]]
)
def test_a_test_that_is_gone_or_skipped_is_missed_however_right_the_work(
    wrong: Repository, sandbox: Sandbox, text: str
) -> None:
    wrong.put("src/calc.py", "def add(a, b):\n    return a + b\n")
    wrong.put("src/test_calc.py", text + "\n\ndef test_other():\n    pass\n")

    assert not check(wrong, sandbox, PASSES, files=["src/calc.py"]).passed


def test_lines_of_a_test_in_another_language_must_stay(wrong: Repository, sandbox: Sandbox) -> None:
    wrong.put("web/sum.ts", "export const sum = 1\n")
    wrong.put("web/sum.test.ts", 'test("sum", () => { expect(sum).toBe(2) })\n')
    base = wrong.commit("web")
    wrong.put("web/sum.test.ts", 'test("sum", () => {})\n')
    files = ["web/sum.ts"]

    report = check(wrong, sandbox, "`make test` passes", files=files, base=base)

    assert any("web/sum.test.ts alters" in note for note in report.notes)


def test_a_test_that_moved_where_no_runner_looks_proves_nothing(
    wrong: Repository, sandbox: Sandbox
) -> None:
    wrong.put("src/test_other.py", "def test_other():\n    assert True\n")
    base = wrong.commit("another")
    (wrong.folder / "src/test_calc.py").unlink()
    wrong.put("src/build/test_calc.py", TEST)
    files = ["src/**"]

    report = check(wrong, sandbox, PASSES, files=files, base=base)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert "test_add moved to src/build/test_calc.py" in report.reasons[0]


def test_a_test_that_moved_and_ran_counts_and_spoils_no_run_of_others(
    wrong: Repository, sandbox: Sandbox
) -> None:
    test = "class TestIt:\n    def test_x(self):\n        assert True\n"
    wrong.put("src/test_calc.py", test)
    wrong.put("src/test_other.py", "def test_other():\n    assert True\n")
    base = wrong.commit("a class")
    (wrong.folder / "src/test_calc.py").unlink()
    wrong.put("tests/test_moved.py", test)
    other = f"`{PYTEST} src/test_other.py` passes"

    assert held(check(wrong, sandbox, PASSES, other, base=base))
    assert not held(check(wrong, sandbox, f"`{PYTEST} src` passes", base=base))
    assert held(check(wrong, sandbox, f"`cd tests && {PYTEST}` passes", base=base))


def test_a_test_that_moved_and_is_skipped_there_did_not_run(
    wrong: Repository, sandbox: Sandbox
) -> None:
    (wrong.folder / "src/test_calc.py").unlink()
    skipped = TEST.replace("def test_add", "@pytest.mark.skip\ndef test_add")
    wrong.put("test_moved.py", f"import pytest\n{skipped}\n\ndef test_b():\n    pass\n")
    wrong.put("calc.py", "def add(a, b):\n    return 0\n")

    assert verdicts(check(wrong, sandbox, PASSES)) == ["INCONCLUSIVE"]


JEST = {
    "numTotalTests": 1,
    "numPassedTests": 1,
    "testResults": [
        {
            "assertionResults": [
                {"title": "adds", "status": "passed"},
                {"title": "waits", "status": "pending"},
            ]
        }
    ],
}
GO = '{"Action":"pass","Package":"a","Test":"TestAdd"}\n{"Action":"skip","Package":"a","Test":"TestB"}'


@pytest.mark.parametrize(
    ("form", "text", "source", "name"),
    [
        ("jest", json.dumps(JEST), "a.test.ts", "'adds'"),
        ("go", GO, "a_test.go", "TestAdd"),
    ],
)
def test_reports_of_other_runners_name_their_tests_too(
    form: Form, text: str, source: str, name: str
) -> None:
    report = read_report(form, text.encode(), code=0)
    ran = Ran(command="npx jest", code=0, output="", report=report)

    assert Moved(name=name, source=source, to=(f"b/{source}",)).still_runs(ran)
    assert report
    assert len(report.names) == 1
    assert not Moved(name="'other'", source=source, to=(f"b/{source}",)).still_runs(ran)


def test_where_there_is_no_report_what_is_printed_names_a_test() -> None:
    ran = Ran(command="cargo test", code=0, output="test tests::adds ... ok")

    assert Moved(name="adds", source="src/a.rs", to=("src/b.rs",)).still_runs(ran)
    assert not Moved(name="add", source="src/a.rs", to=("src/b.rs",)).still_runs(ran)


@pytest.mark.parametrize(
    ("before", "now", "same"),
    [
        ('const { a } = require("./x");', 'const { a, b } = require("./x");', True),
        ('import { a } from "./x";', 'import { a, b } from "./x"', True),
        ('import { a } from "./x";', 'import {\n  a,\n  b,\n} from "./x";', True),
        ('import x, { a } from "./x";', 'import x, { a, b } from "./x";', True),
        ('import { a } from "./x";', 'import { b } from "./x";', False),
        ('import { a } from "./x";', 'import { a, b } from "./y";', False),
        ('const { a } = require("./x");', "const a = () => 1;", False),
        ('const a = f("./x");', 'const { a, b } = require("./x");', False),
    ],
)
def test_one_more_name_from_the_same_place_alters_no_test(
    before: str, now: str, *, same: bool
) -> None:
    test = '\ntest("a", () => { expect(a()).toBe(1) })\n'

    assert (altered("a.test.js", before + test, now + test) == []) is same


def test_a_file_that_brings_nothing_in_is_read_in_a_moment() -> None:
    """Time grows with its length and not with its square: this would take an hour."""
    hostile = "const a\n" * 100_000

    assert altered("a.test.js", 'import { a } from "./x";\n' + hostile, hostile) != []
