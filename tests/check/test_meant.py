"""A task lets a file of tests be altered where its words ask for that, and not where they only name it."""

import time

import pytest

from check.checks import PYTEST, check, verdicts
from check.repository import Repository
from prowess.check.kept.meant import adds_to, asks_for
from prowess.core.evidence import Spec
from prowess.core.ports import Sandbox

TEST = "from calc import double\n\n\ndef test_double():\n    assert double(2) == {}\n"


@pytest.mark.parametrize(
    "words",
    [
        "Round in tests/test_calc.py as the code does",
        "Rewrite `tests/test_calc.py`",
        "Update tests/test_calc.py, see issue 12",
        "Update tests/test_calc.py as described in docs/sums.md",
        "Update calc.py as well as tests/test_calc.py",
        "Change tests/test_calc.py so that it does not sleep",
        "In tests/test_calc.py, replace `sleep` with `wait`",
        "tests/test_calc.py is renamed",
        "tests/test_calc.py no longer sleeps",
        "`tests/test_calc.py` is gone",
        "There is no `tests/test_calc.py`",
        "`tests/test_calc.py` does not exist",
        "`tests/test_calc.py` contains `== 0`",
        "`tests/test_calc.py` does not contain `sleep`",
        "Clean tests/test_calc.py",
        "Move the helpers from tests/test_calc.py to tests/helpers.py",
        "Split tests/test_calc.py",
        "Port tests/test_calc.py to Python 3",
        "Tidy, merge and simplify test_calc.py",
        "Update the tests in tests/test_calc.py",
        "Fix the wrong test in tests/test_calc.py",
        "Delete the tests in tests/test_calc.py",
        "Adjust the assertions in tests/test_calc.py",
        "Remove the module and its tests in tests/test_calc.py",
        "Rename double in calc.py, README.md and tests/test_calc.py",
        "Rename double to twice everywhere, together with its tests",
        "Remove the legacy module and its tests",
        "Update the code and all the tests",
        "Move the helpers, and adapt the tests",
        "Delete `src/shop/old.py` and its tests",
        "Delete `src/run.py` (unused since 3.2) and its tests",
        "Remove `shop.old` with its tests",
        "Remove the old module and the corresponding tests",
        "Drop the module `src/shop/old.py` (and its tests)",
        "Drop the module (together with its tests)",
        "Delete `src/shop/old.py` as well as its tests",
        "Take a keyword. Update existing tests.",
        "Take a keyword; update tests accordingly",
        "Add a keyword to `shop.price.total` and adapt callers and tests",
        "Take a keyword, adjusting tests as needed",
        "Rename `slug` in code, docs and tests",
        "Rename `run` to `start`, in the code and in the tests",
        "Rename slug and fix the tests",
        "Remove what is not used, and its tests",
        "Make `total` not round and update the tests",
        "Do not forget to update the tests",
        "Convert the tests to pytest",
        "Port `tests/test_calc.py` from unittest to pytest",
    ],
)
def test_a_sentence_that_asks_for_a_change_of_the_file_allows_it(words: str) -> None:
    assert asks_for(Spec(id="t", title=words), "tests/test_calc.py")


@pytest.mark.parametrize(
    "words",
    [
        "Make double right. Do not touch tests/test_calc.py.",
        "Make double do what is described in tests/test_calc.py",
        "Make double right, see tests/test_calc.py",
        "Fix double, see tests/test_calc.py",
        "Fix double according to tests/test_calc.py",
        "Fix double as tests/test_calc.py expects",
        "Fix what tests/test_calc.py shows",
        "Fix the bug found by tests/test_calc.py",
        "Fix double (it is tested in tests/test_calc.py)",
        "Rewrite double to match tests/test_calc.py",
        "Make double correct (tests/test_calc.py)",
        "Double in the format of tests/test_calc.py",
        "Make double like tests/test_calc.py",
        "Fix double without a change to tests/test_calc.py",
        "Update calc.py but don't edit tests/test_calc.py",
        "Update calc.py instead of tests/test_calc.py",
        "Update calc.py and leave tests/test_calc.py as it is",
        "Update calc.py, and keep tests/test_calc.py",
        "`tests/test_calc.py` is unchanged",
        "tests/test_calc.py must not be changed",
        "tests/test_calc.py needs no changes",
        "tests/test_calc.py must stay",
        "tests/test_calc.py describes how to fix double",
        "Fix calc.py (test: tests/test_calc.py)",
        "Fix the failing tests",
        "Rename double, and keep the tests",
        "Remove double and make the tests pass",
        "Update double; the tests are in tests/test_calc.py",
        "Update the docs of the tests in ci.yml",
        "Remove the need for tests",
        "Update calc.py and the tests for it in other.py",
        "Fix all errors of tests/test_calc.py",
        "Modify calc.py until tests/test_calc.py has no failures",
        "Change add to sum its arguments, tests/test_calc.py already covers it",
        "Correct add() (regression in tests/test_calc.py)",
        "Fix rounding in calc.py, the cases are in tests/test_calc.py",
        "Fix everything tests/test_calc.py complains about",
        "Extract the helper used in tests/test_calc.py into calc.py",
        "tests/test_calc.py",
        "Make the tests pass",
        "Fix the tests",
        "Do not update the tests",
        "Never rename or delete the tests",
        "Do not delete `a.py` (and its tests)",
        "Rename it without updating the tests",
        "There is no need to update the tests",
        "Refuse work that deletes a module and its tests",
        "Nobody may delete its tests",
        "Remove the old module; the tests still pass",
        "Update the code so that the existing tests pass",
        "Delete the cache used by its tests",
        "Delete the cache that the app and its tests use",
        "Adapt the code to the tests",
        "Update calc to match the spec and the tests",
        "Update the code in line with the tests",
        "Adjust calc to the values in the tests",
        "Update the code, not the tests",
        "Update the code, and look at the tests",
        "Remove the gap between code and tests",
        "Document how to update the tests",
        "Add a script that updates the tests",
        "Add migration tests",
        "Add create, update and delete tests",
        "Implement update and its tests",
        "List deleted modules and their tests",
        "Update the module with tests",
        "Update `src/a.py` and the tests in `other.py`",
        "Rename the tests workflow",
        "Fix calc and verify with pytest tests/test_calc.py",
        "Fix calc and verify tests/test_calc.py with pytest",
    ],
)
def test_a_sentence_that_only_names_the_file_or_spares_it_allows_nothing(words: str) -> None:
    assert not asks_for(Spec(id="t", title=words), "tests/test_calc.py")


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (
            "Fix add, and add a test for negative numbers to tests/test_calc.py",
            "tests/test_calc.py",
        ),
        ("Add a case for 3 to tests/test_calc.py", "tests/test_calc.py"),
        ("Put the cases into the file tests/test_calc.py", "tests/test_calc.py"),
        ("Write the sums down in tests/test_calc.py", "tests/test_calc.py"),
        ("Add a Makefile with a target test", "Makefile"),
        ("Add a fixture big_items to `tests/conftest.py`", "tests/conftest.py"),
        ("Create `pyproject.toml`", "pyproject.toml"),
        ("Set up a new package.json", "package.json"),
    ],
)
def test_who_asks_to_add_something_to_a_file_asks_for_no_change_of_what_is_there(
    words: str, path: str
) -> None:
    spec = Spec(id="t", title=words)

    assert adds_to(spec, path)
    assert not asks_for(spec, path)


@pytest.mark.parametrize(
    "words",
    [
        "Change the `pythonpath` of pytest in `pyproject.toml`",
        "Update the pytest settings in pyproject.toml",
        "Move the package, and set `pythonpath` in `pyproject.toml` to `src`",
        "In `pyproject.toml`, set `pythonpath` to `src`",
        "Configure pytest in `pyproject.toml`",
        "Point `pyproject.toml` at `src`",
    ],
)
def test_who_asks_for_other_settings_of_a_runner_allows_their_file(words: str) -> None:
    assert asks_for(Spec(id="t", title=words), "pyproject.toml")


@pytest.mark.parametrize(
    "words",
    [
        "Fix calc and verify with `pytest -c pyproject.toml`",
        "Fix calc and check with python -m pytest -c pyproject.toml",
        "Do not set `pythonpath` in `pyproject.toml`",
        "Set the version in calc.py to that in pyproject.toml",
        "Allow users to set the line length in pyproject.toml",
        "Explain how to install it and set `pythonpath` in `pyproject.toml`",
        "Read the options configured in pyproject.toml",
    ],
)
def test_who_runs_with_settings_or_speaks_of_them_allows_nothing(words: str) -> None:
    assert not asks_for(Spec(id="t", title=words), "pyproject.toml")


def test_a_long_sentence_is_read_in_no_time() -> None:
    words = "update the " * 20_000 + "in set a " * 10_000 + "tests of pyproject.toml"
    began = time.monotonic()

    assert not asks_for(Spec(id="t", title=words), "tests/test_calc.py")
    assert time.monotonic() - began < 10


def test_a_test_that_the_task_says_not_to_touch_proves_nothing_once_it_is_altered(
    repo: Repository, sandbox: Sandbox
) -> None:
    repo.put("calc.py", "def double(x):\n    return x\n")
    repo.put("tests/test_calc.py", TEST.format(4))
    repo.commit("wrong")
    repo.put("tests/test_calc.py", TEST.format(2))
    passes = f"`{PYTEST}` passes"

    report = check(repo, sandbox, passes, "Do not touch tests/test_calc.py")

    assert verdicts(report) == ["INCONCLUSIVE", "INCONCLUSIVE"]
    assert "tests/test_calc.py alters test_double" in report.reasons[0]
