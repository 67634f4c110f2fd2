"""The commands on a database that is shared: nothing but one setting is different."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from postgres import server
from support import Cli

SECRET = "open" + "sesame"


@pytest.fixture
def database(home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A new database, named in the environment."""
    url = server().new_database()
    monkeypatch.setenv("PROWESS_DATABASE_URL", url)
    return url


def test_what_one_machine_did_is_seen_on_another(cli: Cli, database: str, tmp_path: Path) -> None:
    one, other = ("--data", tmp_path / "one"), ("--data", tmp_path / "other")
    cli("match", "review this change", *one)
    cli("task", "create", "--title", "Fix it", "--role", "engineer", *one)

    kinds = [each["kind"] for each in cli("log", "--json", *other).json]
    assert {"SKILLS_SELECTED", "task.created"} <= set(kinds)
    assert [task["title"] for task in cli("task", "list", "--json", *other).json] == ["Fix it"]
    assert cli("runs", "list", "--json", *other).json == []
    assert not list(tmp_path.glob("*/log.sqlite3"))


def test_doctor_tells_which_database_it_is_and_how_fast_it_answers(cli: Cli, database: str) -> None:
    found = cli("doctor", "--json").json["findings"]

    (answers, events) = [each for each in found if each["area"] == "Data"]
    assert answers["level"] == "ok"
    assert answers["what"].startswith("postgresql:///test_")
    assert "answers in" in answers["what"]
    assert answers["what"].endswith(" ms")
    assert "event" in events["what"]


def test_doctor_tells_that_the_database_does_not_answer_and_shows_no_password(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROWESS_DATABASE_URL", f"postgresql://me:{SECRET}@127.0.0.1:1/name")

    told = cli("doctor", "--json")

    (finding,) = [each for each in told.json["findings"] if each["area"] == "Data"]
    assert finding["level"] == "error"
    assert "postgresql://127.0.0.1:1/name cannot be reached" in finding["what"]
    assert SECRET not in told.out + told.err


def test_skills_are_listed_while_the_database_is_away(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROWESS_DATABASE_URL", f"postgresql://me:{SECRET}@127.0.0.1:1/name")

    told = cli("list")

    assert told.code == 0
    assert "not recorded" in told.err
    assert SECRET not in told.err


def test_a_command_that_needs_the_database_fails_without_it(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROWESS_DATABASE_URL", f"postgresql://me:{SECRET}@127.0.0.1:1/name")

    told = cli("task", "list")

    assert told.code == 3
    assert "cannot be reached" in told.err
    assert SECRET not in told.err


def test_a_listing_loads_nothing_of_postgresql_when_there_is_none(home: Path) -> None:
    words = [sys.executable, "-X", "importtime", "-m", "prowess", "list"]

    told = subprocess.run(words, check=True, capture_output=True, text=True, env=os.environ)

    assert "psycopg" not in told.stderr
    assert "prowess.core.postgres" not in told.stderr
