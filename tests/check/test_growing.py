"""What a task adds to what judges, and what judges nothing of before; what was there judges as it did."""

import json

import pytest

from check.checks import PYTEST, check, verdicts
from check.repository import Repository
from prowess.check.judges.as_before import AS_BEFORE, put_back
from prowess.check.judges.growing import with_what_is_new
from prowess.core.evidence import Spec
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
        ("sinclude x: build.inc\n", False),
        ("export check: test\n", False),
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


@pytest.mark.parametrize(
    "old",
    [
        "check-%:\n\ttrue\n",
        "include rules.mk\n",
        "-include a.mk\n",
        ".DEFAULT:\n\ttrue\n",
        "check: check-total\n",
    ],
)
def test_where_a_new_rule_might_go_before_an_old_one_none_is_taken(old: str) -> None:
    new = f"{old}\ncheck-total:\n\t@echo ok\n"

    assert with_what_is_new("Makefile", old.encode(), new.encode()) == old.encode()


def test_of_a_package_new_scripts_are_taken_that_run_around_no_old_one() -> None:
    old = {"name": "a", "scripts": {"test": "node --test"}}
    more = {
        "lint": "eslint .",
        "pretest": "exit 0",
        "test": "true",
        "posttest": "x",
        "postinstall": "x",
        "eslint": "x",
    }

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


SETTINGS = {
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--strict-markers"\nmarkers = [{}]\n',
    "setup.cfg": "[tool:pytest]\naddopts = --strict-markers\nmarkers =\n    {}\n",
    "tox.ini": "[pytest]\naddopts = --strict-markers\nmarkers =\n    {}\n",
}
MARKS = {
    "pyproject.toml": ('"fast: f"', '"fast: f", "slow: s"'),
    "setup.cfg": ("fast: f", "fast: f\n    slow: s"),
    "tox.ini": ("fast: f", "fast: f\n    slow: s"),
}
MARKED = "import pytest\n\n\n@pytest.mark.{0}\ndef test_{0}():\n    pass\n"


@pytest.mark.parametrize("path", SETTINGS)
def test_one_more_marker_of_pytest_judges_nothing(
    repo: Repository, sandbox: Sandbox, path: str
) -> None:
    few, more = MARKS[path]
    repo.put(path, SETTINGS[path].format(few))
    repo.put("test_a.py", MARKED.format("fast"))
    base = repo.commit("marked")
    repo.put(path, SETTINGS[path].format(more))
    repo.put("test_b.py", MARKED.format("slow"))

    assert check(repo, sandbox, f"`{PYTEST}` passes", base=base).passed
    repo.put(path, SETTINGS[path].format(more).replace("markers = ", "markers = true #"))
    check(repo, sandbox, f"`{PYTEST}` passes", base=base)  # it makes no sense, and nothing breaks
    repo.put(path, SETTINGS[path].format(more).replace("--strict-markers", "-k slow"))
    assert not check(repo, sandbox, f"`{PYTEST}` passes", base=base).passed


ALONE = (
    "import os\n\nimport pytest\n\n\n@pytest.fixture(autouse=True)\ndef there(monkeypatch):\n"
    "    monkeypatch.setenv('SHOP', 'x')\n"
)
SEES = "import os\n\n\ndef test_b():\n    assert os.environ['SHOP'] == 'x'\n"


@pytest.mark.parametrize(
    ("path", "text", "counts"),
    [
        ("tests/db/conftest.py", ALONE, "PASS"),
        ("tests/conftest.py", ALONE, "INCONCLUSIVE"),
        ("tests/db/conftest.py", f"{ALONE}\n\ndef pytest_runtest_setup():\n    pass\n", "INCONCLUSIVE"),
        ("tests/db/conftest.py", f"{ALONE}\n\nos.environ['SHOP'] = 'x'\n", "INCONCLUSIVE"),
    ],
)  # fmt: skip
def test_what_only_new_tests_of_a_new_folder_get_judges_nothing(
    repo: Repository, sandbox: Sandbox, path: str, text: str, counts: str
) -> None:
    repo.put("tests/test_a.py", "def test_a():\n    pass\n")
    base = repo.commit("tested")
    repo.put(path, text)
    repo.put("tests/db/test_b.py", SEES)

    assert verdicts(check(repo, sandbox, f"`{PYTEST}` passes", base=base)) == [counts]


@pytest.mark.parametrize(
    ("path", "judges"),
    [
        ("expected.txt", True),
        ("data/app.expected.json", True),
        ("expected_output", True),
        ("ruff-baseline.json", True),
        ("data/approved_vendors.csv", False),
        ("data/expected_revenue.csv", False),
        ("src/approved.py", False),
        ("src/expected/a.txt", False),
        ("unexpected.txt", False),
        ("docs/baseline.md", False),
    ],
)
def test_what_is_called_like_an_expected_result_is_put_back(path: str, judges: bool) -> None:  # noqa: FBT001
    found = put_back({path: b"1\n"}, {path: b"2\n"}, specs=[Spec(id="t", title="T")])

    assert found == ({path: b"1\n"} if judges else {})
