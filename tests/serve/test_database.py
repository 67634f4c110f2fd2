"""A server on PostgreSQL: it sees what others do there, outlives a restart, and keeps the password to itself."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from house import skill_file
from postgres import server
from prowess.model.scripted import final
from serve.served import Home, Served

SECRET = "open" + "sesame"
COLLEAGUE = [sys.executable, "-m", "prowess", "task", "create", "--role", "engineer", "--title"]


@pytest.fixture
def url() -> Iterator[str]:
    """A database whose owner has a password."""
    admin = server().new_database()
    name = admin.split("/")[3].split("?")[0]
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f"create role owner login password '{SECRET}'")
        connection.execute(f"alter database {name} owner to owner")
    yield server().url(name, user=f"owner:{SECRET}")
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("drop owned by owner")
        connection.execute(f"alter database {name} owner to postgres")
        connection.execute("drop role owner")


@pytest.fixture
def served(home: Path, project: Path, tmp_path: Path, url: str) -> Iterator[Served]:
    skill_file(project, "note", "Write it.")
    at = Home(project, tmp_path / "data", {"*": [final("Written.")]})
    at.settings = {"database_url": url}
    with at.serving() as served:
        yield served


def add_task(url: str, title: str) -> None:
    """Another process, which could be on another machine."""
    environment = {**os.environ, "PROWESS_DATABASE_URL": url}
    subprocess.run([*COLLEAGUE, title], env=environment, check=True, capture_output=True)


def test_a_server_tells_at_once_what_another_process_did(served: Served, url: str) -> None:
    with served.reading("/api/events") as reader:
        add_task(url, "Fix it")

        assert next(iter(reader))["kind"] == "task.created"
    assert [each["title"] for each in served.get("/api/tasks").json] == ["Fix it"]


def test_a_server_goes_on_after_the_database_was_restarted(served: Served, url: str) -> None:
    server().restart()

    assert served.ended(served.start("note"))["state"] == "done"
    add_task(url, "Fix it")
    assert [each["title"] for each in served.get("/api/tasks").json] == ["Fix it"]


def test_the_settings_tell_the_database_and_no_password(served: Served, url: str) -> None:
    told = served.get("/api/settings").json

    assert told["settings"]["database_url"].startswith("postgresql:///test_")
    assert SECRET not in json.dumps(told)
