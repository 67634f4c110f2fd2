"""Judges that a change touches: a look without what was done to them says whether it made a difference."""

import shutil

import pytest

from check.checks import PYTEST, check, held, verdicts
from check.repository import Repository
from prowess.core.ports import Sandbox

FIXTURE = "import pytest\n\n\n@pytest.fixture\ndef three():\n    return 3\n"
MAKEFILE = "lint:\n\tpython3 -m py_compile calc.py\n\ntest:\n\t./scripts/check\n"
CHECK = "#!/bin/sh\npython3 -m unittest -q test_calc\n"
TEST = "import unittest, calc\n\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n"
RIGHT, WRONG = (f"def add(a, b):\n    return a {sign} b\n" for sign in "+-")


@pytest.fixture
def made(repo: Repository) -> Repository:
    repo.put("calc.py", WRONG)
    repo.put("test_calc.py", TEST)
    repo.put("Makefile", MAKEFILE)
    repo.put("scripts/check", CHECK).chmod(0o755)
    repo.put("pyproject.toml", "[project]\nname = 'calc'\n")
    repo.put("expected.txt", "3\n")
    repo.commit("wrong")
    return repo


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Makefile", f"{MAKEFILE}\ninstall:\n\tpip install .\n"),
        ("tests/conftest.py", FIXTURE),
        ("conftest.py", FIXTURE),
        (
            "pyproject.toml",
            "[project]\nname = 'calc'\n[tool.pytest.ini_options]\nmarkers = ['slow']\n",
        ),
    ],
)
def test_what_makes_no_difference_costs_no_proof(
    made: Repository, sandbox: Sandbox, path: str, text: str
) -> None:
    made.put("calc.py", RIGHT)
    made.put(path, text)
    made.put(
        "tests/test_new.py", "def test_new(three):\n    assert three == 3\n"
    ) if FIXTURE in text else None

    report = check(
        made, sandbox, f"`{PYTEST}` passes", "`make test` passes", validation=("make test",)
    )

    assert report.passed, report.reasons


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("scripts/check", "#!/bin/sh\nexit 0\n"),
        ("Makefile", "test:\n\t@true\n"),
        (
            "conftest.py",
            FIXTURE.replace("fixture", "fixture(autouse=True)")
            + "import calc\ncalc.add = lambda a, b: 3\n",
        ),
    ],
)
def test_what_makes_the_difference_does(
    made: Repository, sandbox: Sandbox, path: str, text: str
) -> None:
    made.put(path, text).chmod(0o755)
    command = PYTEST if "conftest" in path else "make test"

    report = check(made, sandbox, validation=(command,))

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert path in report.reasons[0]


def test_a_recipe_that_was_there_judges_also_a_criterion_of_the_task(
    made: Repository, sandbox: Sandbox
) -> None:
    made.put("calc.py", "def add(a, b)\n")
    made.put("Makefile", MAKEFILE.replace("python3 -m py_compile", "true"))

    (criterion,) = check(made, sandbox, "`make lint` passes").criteria

    assert criterion.verdict == "INCONCLUSIVE"
    assert "Makefile" in criterion.reason
    assert held(check(made, sandbox, "`make lint` passes", files=["Makefile", "calc.py"]))


def test_a_target_that_was_not_there_is_the_work_itself(made: Repository, sandbox: Sandbox) -> None:
    made.put("Makefile", f"{MAKEFILE}\nhello:\n\t@echo hello\n")

    assert check(made, sandbox, "`make hello` prints `hello`").passed


@pytest.mark.parametrize("words", ["`Makefile` exists", "Add a Makefile that runs the tests"])
def test_who_asks_for_a_judge_gets_one(repo: Repository, sandbox: Sandbox, words: str) -> None:
    repo.put("Makefile", "test:\n\tpython3 -c 'assert 1'\n")

    report = check(repo, sandbox, "`make test` passes", words)

    assert verdicts(report)[0] == "PASS"


def test_what_a_command_compares_with_is_a_judge(made: Repository, sandbox: Sandbox) -> None:
    command = "python3 -c 'import calc; print(calc.add(1, 2))' | diff - expected.txt"
    made.put("expected.txt", "-1\n")

    assert verdicts(check(made, sandbox, validation=(command,))) == ["INCONCLUSIVE"]
    made.put("calc.py", RIGHT)
    made.put("expected.txt", "3\n")
    assert check(made, sandbox, validation=(command,)).passed


@pytest.mark.parametrize(
    ("command", "line"),
    [("mypy calc.py", "# mypy: ignore-errors"), ("ruff check calc.py", "# ruff: noqa")],
)
def test_a_file_that_is_to_be_overlooked_shows_nothing(
    made: Repository, sandbox: Sandbox, command: str, line: str
) -> None:
    program, *words = command.split()
    made.put("calc.py", f"{line}\nimport os\n\n\ndef add(a: int, b: int) -> int:\n    return 'a'\n")
    command = f"{shutil.which(program)} {' '.join(words)}"

    report = check(made, sandbox, f"`{command}` passes")

    assert verdicts(report) == ["INCONCLUSIVE"], report.reasons
    assert f"calc.py says `{line}`" in report.reasons[0]


def test_a_module_of_the_work_that_loads_the_runner_takes_the_worth_from_tests(
    made: Repository, sandbox: Sandbox
) -> None:
    made.put("calc.py", f"import pytest\n\npytest.raises = None\n{RIGHT}")

    (criterion,) = check(made, sandbox, f"`{PYTEST}` passes").criteria

    assert criterion.verdict == "INCONCLUSIVE"
    assert "calc.py reaches into the test runner" in criterion.reason


def test_a_fixture_that_is_new_beside_tests_that_may_be_altered_stays(
    made: Repository, sandbox: Sandbox
) -> None:
    made.put("tests/conftest.py", FIXTURE.replace("three", "one"))
    made.put("tests/test_old.py", "def test_old(one):\n    assert one == 3\n")
    made.put("calc.py", RIGHT)
    base = made.commit("with fixtures")
    made.put("calc.py", f"{RIGHT}\n\nTHREE = 3\n")
    more = "\n\n@pytest.fixture\ndef three():\n    return 3\n"
    made.put("tests/conftest.py", FIXTURE.replace("three", "one") + more)
    new = "\n\ndef test_new(three):\n    assert three == 3\n"
    made.put("tests/test_old.py", f"def test_old(one):\n    assert one == 3\n{new}")

    report = check(made, sandbox, f"`{PYTEST}` passes", files=["calc.py", "tests/**"], base=base)

    assert held(report), report.reasons


def test_a_fixture_in_the_place_of_another_is_a_judge(made: Repository, sandbox: Sandbox) -> None:
    made.put("conftest.py", FIXTURE.replace("return 3", "return -1"))
    made.put("tests/test_old.py", "def test_old(three):\n    assert three == 3\n")
    made.put("calc.py", RIGHT)
    base = made.commit("with a fixture")
    made.put("tests/conftest.py", FIXTURE)

    report = check(made, sandbox, f"`{PYTEST}` passes", files=["calc.py", "tests/**"], base=base)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert "tests/conftest.py has a fixture that is called like another" in report.reasons[0]


@pytest.mark.parametrize(
    "more",
    [
        "def pytest_runtest_call(item):\n    item.runtest = lambda: None\n",
        "collect_ignore = ['test_calc.py']\n",
        FIXTURE.replace("three", "tmp_path"),
        FIXTURE.replace("@pytest.fixture", "@pytest.fixture(name='monkeypatch')"),
    ],
)
def test_a_conftest_that_has_a_part_in_other_tests_is_a_judge(
    made: Repository, sandbox: Sandbox, more: str
) -> None:
    made.put("conftest.py", more)

    report = check(made, sandbox, "`calc.py` exists", others=(PYTEST,))

    assert verdicts(report) == ["PASS", "FAIL"]


def test_what_became_of_tests_because_the_task_lets_it_is_told(
    made: Repository, sandbox: Sandbox
) -> None:
    made.put("test_calc.py", TEST.replace("1, 2), 3", "1, 2), -1"))

    report = check(made, sandbox, "`make test` passes", files=["calc.py", "test_*.py"])

    assert report.passed
    told = "tests that were there were altered, as the task lets them be: test_calc.py alters"
    assert [each for each in report.notes if each.startswith(told)]
