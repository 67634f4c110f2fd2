"""A task that nobody worked at counts as done before only by what files and named tests show."""

import pytest

from check.checks import PYTEST, check, claim, inspected
from check.repository import Repository
from prowess.check.already import seen_by_us
from prowess.check.criteria import success_of
from prowess.core.evidence import Report
from prowess.core.ports import Sandbox

GOOD = "def test_a():\n    assert True\n"


@pytest.fixture
def tested(repo: Repository) -> Repository:
    """A repository in which everything passes and nothing was done since."""
    repo.put("test_it.py", GOOD)
    repo.put("test.sh", f"#!/bin/sh\n{PYTEST}\n").chmod(0o755)
    repo.put("Makefile", "lint:\n\t@echo fine\ntest:\n\t@echo fine\n")
    repo.commit("tests")
    return repo


def after_nothing(repo: Repository, sandbox: Sandbox, *criteria: str, validation: str) -> Report:
    return check(repo, sandbox, *criteria, validation=(validation,), may_be_so=True)


@pytest.mark.parametrize(
    ("criterion", "validation"),
    [
        ("all tests pass", f"{PYTEST} test_it.py"),
        ("`./test.sh` passes", "./test.sh"),
        ("`make lint` passes", "make lint"),
        ("`make test` passes", "make test"),
        ("`cat test_it.py` prints `test_a`", "cat test_it.py"),
        ("`lib/a.py` exists and `make lint` passes", "make lint"),
        (f"`{PYTEST} --ignore=test_other.py` passes", "make lint"),
    ],
)
def test_a_command_that_succeeds_shows_nothing_of_a_task_that_nobody_did(
    tested: Repository, sandbox: Sandbox, criterion: str, validation: str
) -> None:
    report = after_nothing(tested, sandbox, criterion, validation=validation)

    assert not report.passed
    assert "no file differs" in report.reasons[-1]


def test_a_file_does_not_vouch_for_a_command(tested: Repository, sandbox: Sandbox) -> None:
    report = after_nothing(
        tested, sandbox, "`lib/a.py` exists", "`make lint` passes", validation="make lint"
    )

    assert not report.passed


@pytest.mark.parametrize(
    "criterion",
    [
        "`lib/a.py` contains `A = 1`",
        "`lib/b.py` does not exist",
        "`test_it.py::test_a` passes",
        "test_a passes",
        f"`{PYTEST} test_it.py` passes",
    ],
)
def test_what_files_and_named_tests_show_is_already_so(
    tested: Repository, sandbox: Sandbox, criterion: str
) -> None:
    assert after_nothing(tested, sandbox, criterion, validation="make lint").passed


@pytest.mark.parametrize(
    "command", ["mvn -q test", "ctest", "bundle exec rspec", "dotnet test", "./gradlew test"]
)
def test_more_runners_are_known_to_run_tests(command: str) -> None:
    assert success_of(command).type == "test_result"


GREETS = "`hello.py` exists and greets people by name in five languages"
CITED = claim(GREETS, inspected("hello.py:1", "It is `x = 1`"))


def test_what_code_sees_only_a_part_of_is_not_seen_by_us(
    repo: Repository, sandbox: Sandbox
) -> None:
    repo.put("hello.py", "x = 1\n")

    report = check(repo, sandbox, GREETS, claims=[CITED])

    assert report.passed
    assert not seen_by_us(report.criteria)
    assert report.criteria[0].evidence[-1].seen == "only what was cited speaks of the rest of it"


def test_what_code_sees_only_a_part_of_is_not_already_so(
    repo: Repository, sandbox: Sandbox
) -> None:
    repo.put("hello.py", "x = 1\n")
    repo.commit("before")

    report = check(repo, sandbox, GREETS, claims=[CITED], base="HEAD", may_be_so=True)

    assert not report.passed
    assert "no file differs" in report.reasons[-1]


def test_what_code_sees_the_whole_of_needs_nobody_else(repo: Repository, sandbox: Sandbox) -> None:
    repo.put("hello.py", "x = 1\n")
    seen = "`hello.py` exists and `hello.py` contains `x = 1`"

    report = check(repo, sandbox, seen, claims=[claim(seen, inspected("hello.py:1", "`x = 1`"))])

    assert seen_by_us(report.criteria)
