"""New targets and scripts are what a task was to add; those that were there judge as they did."""

import json

import pytest

from check.checks import check, verdicts
from check.repository import Repository
from prowess.check.judges.as_before import AS_BEFORE
from prowess.check.judges.growing import with_what_is_new
from prowess.core.ports import Sandbox

OLD = "test:\n\tpython3 -m unittest -q\n"
CASE = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        {}\n"


@pytest.mark.parametrize(
    ("added", "taken"),
    [
        ("check: test\n\tpython3 -m compileall -q .\n", True),
        (".PHONY: check\ncheck: test lint\nlint:\n\ttrue\n", True),
        ("test: SHELL = true\n", False),
        ("test:\n\ttrue\n", False),
        ("%: ; true\n", False),
        ("SHELL = true\n", False),
        ("include more.mk\n", False),
        (".PHONY: test\n", False),
        ("check: $(eval SHELL=true)\n", False),
        ("check test:\n\ttrue\n", False),
        (".SILENT:\n\ttrue\n", False),
    ],
)
def test_new_targets_stand_behind_the_old_makefile_and_touch_nothing_of_it(
    added: str,
    taken: bool,  # noqa: FBT001
) -> None:
    found = with_what_is_new("Makefile", OLD.encode(), (OLD + added).encode()).decode()

    assert found.startswith(OLD)
    assert (found != OLD) is taken
    assert not taken or added in found


def test_of_a_package_new_scripts_are_taken_that_run_around_no_old_one() -> None:
    old = {"name": "a", "scripts": {"test": "node --test"}}
    more = {"lint": "eslint .", "pretest": "exit 0", "test": "true", "posttest": "x"}

    found = with_what_is_new(
        "package.json",
        json.dumps(old).encode(),
        json.dumps({"name": "b", "scripts": more}).encode(),
    )

    assert json.loads(found) == {
        "name": "a",
        "scripts": {"test": "node --test", "lint": "eslint ."},
    }


@pytest.fixture
def made(repo: Repository) -> Repository:
    repo.put("Makefile", OLD)
    repo.put("package.json", json.dumps({"scripts": {"test": "node --test"}}))
    repo.put("test_a.py", CASE.format("pass"))
    repo.put("a.test.js", "require('node:test')('a', () => {});\n")
    repo.commit("tested")
    return repo


@pytest.mark.parametrize("command", ["make check", "npm run check"])
def test_a_new_target_may_hand_on_to_an_old_one(
    made: Repository, sandbox: Sandbox, command: str
) -> None:
    scripts = {"test": "node --test", "check": "npm test && node -e 0"}
    made.put("package.json", json.dumps({"scripts": scripts}))
    made.put("Makefile", f"{OLD}\ncheck: test\n\tpython3 -m compileall -q test_a.py\n")

    report = check(made, sandbox, f"`{command}` passes")

    assert report.passed, report.reasons


def test_the_old_target_that_it_hands_on_to_is_the_old_one(
    made: Repository, sandbox: Sandbox
) -> None:
    made.put("test_a.py", CASE.format("self.fail()"))
    base = made.commit("red")
    made.put("Makefile", "test:\n\t@echo Ran 1 test in 0s; echo; echo OK\ncheck: test\n\ttrue\n")

    report = check(made, sandbox, "`make check` passes", base=base)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert AS_BEFORE in report.reasons[0]
