"""Tests that were there before the work judge it as they were: nobody rewrites, unmakes or replaces them."""

import pytest

from check.checks import PYTEST, check, verdicts
from check.repository import Repository
from prowess.check.feedback import feedback
from prowess.check.kept.kept_tests import altered
from prowess.check.kept.known_tests import may_not_run, names_in
from prowess.check.kept.meant import asks_for
from prowess.check.kept.moved_tests import Stayed
from prowess.check.running.commands import Ran
from prowess.check.running.run_reports import read_report
from prowess.core.evidence import Spec
from prowess.core.ports import Sandbox

PASSES = f"`{PYTEST}` passes"
TEST = """import calc


def test_add():
    assert calc.add(2, 2) == 4


def test_other():
    assert True
"""
CASES = """import unittest
import calc


class T(unittest.TestCase):
    def test_add(self):
        self.assertEqual(calc.add(2, 2), 4)

    def test_other(self):
        pass
"""
UNITTEST = "`python -m unittest discover -s tests -t .` passes"
LOAD = "\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite([{}])\n"
NONE_OF_IT = "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef no():\n    getattr(pytest, 'sk' + 'ip')()\n"


@pytest.fixture
def wrong(repo: Repository) -> Repository:
    """A repository with a wrong sum and a test that says so."""
    repo.put("calc.py", "def add(a, b):\n    return a - b\n")
    repo.put("tests/__init__.py", "")
    repo.put("tests/test_calc.py", TEST)
    repo.commit("a wrong sum")
    return repo


@pytest.mark.parametrize(
    ("test", "told"),
    [
        (TEST.replace("calc.add(2, 2) == 4", "True"), "tests/test_calc.py alters test_add"),
        (TEST + "\n\ndel test_add\n", "tests/test_calc.py alters del test_add"),
        (
            "import pytest\n" + TEST.replace("def test_add()", '@pytest.mark.parametrize("x", [])\ndef test_add(x)'),
            "tests/test_calc.py alters test_add",
        ),
        (TEST + "\n\ncalc.add = lambda a, b: 4\n", "alters calc.add = lambda a, b: 4"),
    ],
)  # fmt: skip
def test_a_test_of_before_that_no_longer_says_what_it_said_proves_nothing(
    wrong: Repository, sandbox: Sandbox, test: str, told: str
) -> None:
    wrong.put("tests/test_calc.py", test)

    report = check(wrong, sandbox, PASSES)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert told in report.reasons[0]
    assert (
        "put it back, or have the task ask for the change: name the file in its words"
        in feedback(report)
    )


def test_a_test_that_the_runner_did_not_run_is_missed(wrong: Repository, sandbox: Sandbox) -> None:
    wrong.put("tests/test_calc.py", TEST + "\n\n" + NONE_OF_IT)
    wrong.put("tests/test_new.py", "def test_new():\n    assert True\n")

    report = check(wrong, sandbox, PASSES, files=["**/*.py"])

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert "test_add of tests/test_calc.py did not run" in report.reasons[0]


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        (
            "tests/test_calc.py",
            CASES + LOAD.format('T("test_other")'),
            "tests/test_calc.py reaches into the test runner",
        ),
        (
            "tests/__init__.py",
            "import unittest" + LOAD.format("unittest.FunctionTestCase(print)"),
            "tests/__init__.py reaches into the test runner",
        ),
        ("tests/test_calc.py", CASES + "\n\ndel T.test_add\n", "alters del T.test_add"),
    ],
)
def test_unittest_is_not_told_which_tests_to_leave_out(
    wrong: Repository, sandbox: Sandbox, path: str, text: str, told: str
) -> None:
    wrong.put("tests/test_calc.py", CASES)
    base = wrong.commit("the same for unittest")
    wrong.put(path, text)

    report = check(wrong, sandbox, UNITTEST, base=base)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert told in report.reasons[0]


def test_a_new_test_of_the_same_name_does_not_stand_for_the_one_that_fails(
    wrong: Repository, sandbox: Sandbox
) -> None:
    wrong.put("calc_test.py", "def test_add():\n    assert True\n")

    assert verdicts(check(wrong, sandbox, "`test_add` passes", files=["calc.py"])) == ["FAIL"]


def test_a_test_that_is_replaced_on_its_way_to_another_file_proves_nothing(
    wrong: Repository, sandbox: Sandbox
) -> None:
    (wrong.folder / "tests/test_calc.py").unlink()
    wrong.put("tests/test_sum.py", TEST.replace("import calc", "import operator as calc"))

    report = check(wrong, sandbox, PASSES)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert "test_add is altered where it moved to, tests/test_sum.py" in report.reasons[0]


def test_honest_work_adds_tests_moves_some_and_is_proven(
    wrong: Repository, sandbox: Sandbox
) -> None:
    wrong.put("calc.py", "def add(a, b):\n    return a + b\n")
    other = "def test_other():\n    assert True\n"
    wrong.put("tests/test_other.py", other)
    added = "import pytest\n\nBIG = 10**6\n\n\ndef test_big():\n    assert calc.add(BIG, 1) > BIG\n"
    wrong.put("tests/test_calc.py", TEST.replace(other, added))

    assert check(wrong, sandbox, PASSES, "`test_add` passes").passed


def test_the_task_may_ask_for_another_test(wrong: Repository, sandbox: Sandbox) -> None:
    wrong.put("tests/test_calc.py", TEST.replace("== 4", "== 0"))
    asked = "`tests/test_calc.py` contains `== 0`"

    assert check(wrong, sandbox, PASSES, asked).passed
    assert check(wrong, sandbox, PASSES, files=["tests/test_calc.py"]).passed
    assert not check(wrong, sandbox, "`tests/test_calc.py` passes").passed


@pytest.mark.parametrize(
    ("title", "asks"),
    [
        ("Round in tests/test_calc.py as the code does", True),
        ("Rewrite test_calc.py.", True),
        ("Make tests/test_calc.py pass", False),
        ("Mend the sum so that tests/test_calc.py no longer fails", False),
        ("Rewrite my_test_calc.py", False),
        ("Tidy up. All of it. Then `pytest tests/test_calc.py` is quick", False),
    ],
)
def test_words_that_name_a_file_ask_to_change_it_unless_it_is_the_judge(
    title: str, *, asks: bool
) -> None:
    assert asks_for(Spec(id="t", title=title), "tests/test_calc.py") is asks


@pytest.mark.parametrize(
    "more",
    [
        "import os, sys",
        "from os import path as where",
        "A = B = 1",
        "C, (D) = 1, 2",
        "E: int = 3",
        "F = [calc for calc in (1, 2)]",
        '"""Words."""',
        "def helper():\n    return calc",
        "class More:\n    x = 1\n    def test_more(self): ...",
        "if __name__ == '__main__':\n    raise SystemExit",
    ],
)
def test_what_only_adds_a_name_alters_nothing(more: str) -> None:
    assert altered("test_a.py", TEST, f"{TEST}\n{more}\n") == []


@pytest.mark.parametrize(
    "more",
    [
        "calc.add = max",
        "x = calc.add = max",
        "x = calc = None",
        "y = (calc := None)",
        "setattr(calc, 'add', max)",
        "for calc in (1, 2): pass",
        "with open('x') as calc: pass",
        "if True:\n    calc = None",
        "if __name__ != 'x':\n    calc = None",
        "__name__ = '__main__'",
        "from cheat import *",
        "calc += 1",
        "class More:\n    calc.add = max",
        "try:\n    import calc\nexcept ImportError:\n    pass",
    ],
)
def test_what_does_more_than_that_may_undo_what_was_there(more: str) -> None:
    assert altered("test_a.py", TEST, f"{TEST}\n{more}\n")


def test_what_nothing_uses_any_more_may_go_and_what_works_unnamed_may_not() -> None:
    text = "import os\n\n\n@pytest.fixture(autouse=True)\ndef strict(): ...\n\n\n" + TEST

    assert altered("test_a.py", text, text.replace("import os", "")) == []
    assert altered("test_a.py", text, TEST) == ["strict"]
    assert altered("test_a.py", text, text.replace("import calc", "")) == ["calc"]


def test_of_a_rust_file_only_its_tests_have_to_stay() -> None:
    tests = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() { assert!(add(1, 1) == 2) }\n}\n"

    assert altered("src/a.rs", f"fn add() {{}}\n{tests}", f"fn add(a: u8) {{}}\n{tests}") == []
    assert altered("src/a.rs", tests, tests.replace("== 2", "> 0"))
    assert altered("tests/a.rs", "fn helper() {}\n", "fn helper(a: u8) {}\n")


SKIPS = """import pytest
import sys

@pytest.fixture
def test_client(): ...

def test_plain(): ...

@pytest.mark.skipif(sys.platform == "win32", reason="no")
def test_here(): ...

class Mixin:
    def test_mixed(self): ...
"""


def test_a_runner_may_pass_over_what_it_passed_over_before() -> None:
    assert list(names_in("test_a.py", SKIPS)) == ["test_plain", "test_here", "Mixin.test_mixed"]
    assert may_not_run("test_a.py", SKIPS) == {"test_here", "Mixin.test_mixed"}
    assert "test_plain" in may_not_run("test_a.py", f"{SKIPS}\npytest.importorskip('x')\n")
    assert may_not_run("a.test.ts", "test('adds %i', f)\ntest('ends', f)\n") == {"'adds %i'"}


REPORT = b"""<testsuites><testsuite>
<testcase classname="tests.test_a" name="test_ran[1]"/>
<testcase classname="tests.test_a.TestIt" name="test_inside"/>
<testcase classname="tests.test_a" name="test_left"><skipped/></testcase>
</testsuite></testsuites>"""


@pytest.mark.parametrize(
    ("name", "path", "command", "output", "runs"),
    [
        ("test_ran", "tests/test_a.py", "pytest", "", True),
        ("Base.test_inside", "tests/test_a.py", "pytest", "", True),
        ("test_ran", "work/tests/test_a.py", "cd work && pytest", "", True),
        ("test_left", "tests/test_a.py", "pytest", "", False),
        ("test_gone", "tests/test_a.py", "pytest", "", False),
        ("test_gone", "tests/test_a.py", "pytest tests/test_a.py", "", False),
        ("test_gone", "tests/test_a.py", "pytest tests/test_a.py::test_ran", "", True),
        ("test_gone", "tests/test_a.py", "pytest tests/test_a.py -k test_gone", "", False),
        ("test_gone", "tests/test_a.py", "pytest tests/test_b.py", "", True),
        ("test_gone", "tests/test_a.py", "pytest -m fast", "3 passed, 1 deselected in 1s", True),
        ("test_gone", "tests/test_b.py", "pytest", "", True),
        ("test_gone", "other/test_a.py", "pytest", "", True),
    ],
)
def test_a_report_says_whether_a_test_ran_where_its_file_was_to_run(
    name: str, path: str, command: str, output: str, *, runs: bool
) -> None:
    ran = Ran(command=command, code=0, output=output, report=read_report("junit", REPORT, code=0))

    assert Stayed(name=name, path=path, beside=("test_ran",)).still_runs(ran) is runs
    assert Stayed(name=name, path=path, beside=()).still_runs(Ran(command="a", code=0, output=""))
