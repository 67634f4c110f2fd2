"""Every example runs to its end without a key and without network, and its tools really run."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from support import write_file

SAY = """---
name: say
description: Says what it is told. Use when testing.
allowed-tools: Bash(cat:*)
---

Said: !`cat <<< "$ARGUMENTS"`
"""


@dataclass(frozen=True)
class Ran:
    """A run as its events tell it."""

    code: int
    events: Sequence[dict[str, Any]]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["kind"] == kind]

    @property
    def outcome(self) -> dict[str, Any]:
        (finished,) = self.of("run.finished")
        outcome: dict[str, Any] = finished["outcome"]
        return outcome

    @property
    def recoveries(self) -> str:
        return "\n".join(event["how"] for event in self.of("call.recovered"))


class Desk:
    """A folder to work in, and `prowess run` in a process of its own."""

    def __init__(self, folder: Path, skills: Path, home: Path) -> None:
        self.folder = folder
        self._skills = skills
        self._home = home

    def run(self, *words: str) -> Ran:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self._home),
            "PROWESS_DATA": str(self._home / "data"),
        }
        options = ("--model", "demo", "--dir", str(self._skills), "--json")
        done = subprocess.run(
            [sys.executable, "-m", "prowess", "run", *words, *options],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            encoding="utf-8",
        )
        return Ran(done.returncode, [json.loads(line) for line in done.stdout.splitlines()])

    def made(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


@pytest.fixture
def desk(home: Path, project: Path, skills: Path, data: Path) -> Desk:
    shutil.copytree(data, project, dirs_exist_ok=True)
    return Desk(project, skills, home)


def test_the_smallest_example_answers(desk: Desk) -> None:
    ran = desk.run("greeting", "Ada Lovelace")

    today = datetime.now(UTC).astimezone().date().isoformat()
    assert ran.code == 0
    assert ran.outcome["ending"] == "done"
    assert ran.outcome["answer"] == (
        f"Hello, Ada Lovelace! It is good to see you. Today is {today}."
    )


def test_a_report_is_made_in_spite_of_three_faults(desk: Desk) -> None:
    ran = desk.run("csv-report", "sales-2025.csv")

    assert ran.code == 0
    assert ran.outcome["ending"] == "done"
    assert "there is no sales-2025.csv; took sales_2025.csv" in ran.recoveries
    assert "as cp1252" in ran.recoveries
    assert "another approach with Bash" in ran.recoveries
    failed = [event for event in ran.of("call.finished") if not event["ok"]]
    assert ["csvlint" in event["text"] for event in failed] == [True]
    assert "100 rows; Betrag adds up to 64,452.85" in ran.outcome["answer"]
    report = desk.made("report.md")
    assert "**In short:** 100 rows; Betrag adds up to 64,452.85. 2 faults" in report
    assert "Käthe Schröder (25)" in report


def test_the_report_is_of_the_file_that_was_named(desk: Desk) -> None:
    ran = desk.run("csv-report", "orders.csv")

    assert "25 rows; Total adds up to 4,534.75" in ran.outcome["answer"]
    assert "line 10: 5 fields instead of 4" in desk.made("report.md")


def test_a_page_is_drawn(desk: Desk) -> None:
    ran = desk.run("data-visualiser", "visitors.csv")

    assert ran.code == 0
    assert "3 charts" in ran.outcome["answer"]
    assert desk.made("viz.html").count("<svg ") == 3


def test_a_client_is_written_its_fault_found_and_mended(desk: Desk) -> None:
    ran = desk.run("api-integration", "create shipments")

    assert ran.code == 0
    assert ran.outcome["ending"] == "done"
    assert ran.outcome["iterations"] == 15
    assert "4 tests, OK" in ran.outcome["answer"]
    assert "another try" in ran.recoveries
    tests = subprocess.run(
        [sys.executable, "-m", "unittest", "test_parcelway_client"],
        cwd=desk.folder,
        capture_output=True,
        check=False,
    )
    assert tests.returncode == 0


def test_an_analysis_follows_a_word_and_writes_nothing(desk: Desk) -> None:
    before = sorted(desk.folder.iterdir())

    ran = desk.run("deep-analysis", "Visitors")

    assert ran.outcome["answer"].startswith("Files that name Visitors: 1.\n")
    assert "1. visitors.csv:1  Month,Visitors,Signups,Paying" in ran.outcome["answer"]
    assert sorted(desk.folder.iterdir()) == before


@pytest.fixture
def branch(desk: Desk) -> Desk:
    """A repository on a branch that makes wrong prices free."""
    git(desk, "init", "-q", "-b", "main")
    write_file(desk.folder / "prices.py", "def price(text):\n    return float(text)\n")
    write_file(desk.folder / "shop.py", "import prices\n\nprint(prices.price('3'))\n")
    commit(desk, "Prices are read")
    git(desk, "checkout", "-q", "-b", "forgiving")
    return desk


def test_a_swallowed_error_is_found_and_a_sub_agent_looks_who_relies_on_it(branch: Desk) -> None:
    write_file(
        branch.folder / "prices.py",
        "def price(text):\n    try:\n        return float(text)\n    except Exception:\n        return 0.0\n",
    )
    commit(branch, "Prices that cannot be read are free")

    ran = branch.run("pr-reviewer")

    assert ran.code == 0
    assert ran.outcome["answer"].startswith("Merge after changes")
    assert "prices.py:4  wrong" in ran.outcome["answer"]
    assert "the files that name it (1)" in ran.outcome["answer"]
    (joined,) = ran.of("agent.joined")
    assert joined["skill"] == "deep-analysis"
    assert joined["outcome"]["ending"] == "done"


def test_the_reviewer_reads_what_git_printed(branch: Desk) -> None:
    write_file(branch.folder / "prices.py", "def price(text):\n    return round(float(text), 2)\n")
    commit(branch, "Prices have two digits")

    ran = branch.run("pr-reviewer")

    injected = ran.of("command.injected")
    assert [event["ok"] for event in injected] == [True] * 4
    assert ran.outcome["answer"].startswith("Merge: prices.py on forgiving swallows no error.")


def test_outside_a_repository_the_reviewer_says_that_there_is_nothing(desk: Desk) -> None:
    ran = desk.run("pr-reviewer")

    assert ran.outcome["ending"] == "done"
    assert [event["ok"] for event in ran.of("command.injected")] == [False] * 4
    assert ran.outcome["answer"].startswith("There is nothing to review")


def test_an_argument_reaches_a_command_as_a_value_and_never_as_shell(
    home: Path, project: Path
) -> None:
    skills = home / "skills"
    write_file(skills / "say/SKILL.md", SAY)
    write_file(
        skills / "say/demo.yaml",
        "capture: {said: '(?m)^Said: (.*)$'}\nturns: [{answer: 'I read {said}'}]",
    )

    ran = Desk(project, skills, home).run("say", "$(touch made); touch made `touch made`")

    assert ran.outcome["answer"] == "I read $(touch made); touch made `touch made`"
    assert [event["ok"] for event in ran.of("command.injected")] == [True]
    assert list(project.iterdir()) == []


def git(desk: Desk, *words: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *words], cwd=desk.folder, check=True)


def commit(desk: Desk, message: str) -> None:
    git(desk, "add", ".")
    git(desk, "commit", "-q", "-m", message)
