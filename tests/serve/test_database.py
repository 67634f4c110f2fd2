"""
A server on PostgreSQL: it sees what others do there, outlives a restart, answers what it can while the
database is away, and keeps the password to itself.
"""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from house import skill_file
from postgres import asked_on_a_loop, server
from prowess.model.scripted import call, final
from serve.served import Answer, Home, Served
from support import until

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
    for name in ("note", "ask"):
        skill_file(project, name, "Do it.")
    script = [call("Ask", question="Which?", options=["red", "blue"]), final("Done.")]
    at = Home(project, tmp_path / "data", {"*": [final("Written.")], "ask": script})
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


# The database is away, or slow


def test_what_needs_no_database_is_answered_while_it_is_away(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prowess.core.postgres.PATIENCE", 600)
    log, begun, answers = served.site.log, threading.Event(), list[Answer]()
    last = log.last

    def waited_for(*asked: Any, **more: Any) -> Any:
        begun.set()
        return last(*asked, **more)

    monkeypatch.setattr(log, "last", waited_for)
    waiting = threading.Thread(target=lambda: answers.append(served.get("/api/position")))
    server().stop()
    try:
        waiting.start()
        assert begun.wait(60)
        meanwhile = [served.get(path).status for path in ("/health", "/", "/api/skills")]
        answered = list(answers)
    finally:
        server().start()
    waiting.join(60)

    assert meanwhile == [200, 200, 200]
    assert answered == []
    assert [each.status for each in answers] == [200]


@pytest.fixture
def held_up(served: Served) -> Iterator[list[str]]:
    with asked_on_a_loop() as found:
        yield found


def asks(served: Served) -> str:
    """A run that has asked its question."""
    run = served.start("ask")
    until(lambda: served.get(f"/api/runs/{run}").json["state"] == "waiting")
    return run


def test_no_request_holds_up_the_others_however_slow_the_database_is(
    served: Served, held_up: list[str]
) -> None:
    waits, other = asks(served), asks(served)
    asked = [
        served.get("/api/runs"),
        served.get("/api/position"),
        served.post(f"/api/runs/{waits}/answer", {"answer": "red"}),
        served.post(f"/api/runs/{other}/cancel"),
    ]
    served.ended(waits)
    asked += [
        served.post(f"/api/runs/{waits}/fork", {"iteration": 1}),
        served.post("/api/match", {"task": "write a note"}),
        served.post("/api/tasks", {"title": "Fix it", "role": "engineer"}),
        served.post("/api/sessions/spawn", {"tasks": ["ENG-M-0001"]}),
        served.get("/api/stats"),
    ]
    with served.reading("/api/events?after=0") as reader:
        assert next(iter(reader))
    until(lambda: served.get("/api/sessions").json == [])  # the spawned one has ended

    assert [each.status for each in asked] == [200, 200, 200, 200, 201, 200, 201, 201, 200]
    assert held_up == []


def test_no_call_over_mcp_holds_up_the_others_either(served: Served, held_up: list[str]) -> None:
    waits = asks(served)

    async def visit() -> list[bool]:
        async with httpx2.AsyncClient(timeout=60) as http:
            line = streamable_http_client(f"http://127.0.0.1:{served.port}/mcp", http_client=http)
            async with Client(line) as client:
                calls = [
                    ("note", {}),
                    ("prowess_runs", {}),
                    ("prowess_run_show", {"run": waits}),
                    ("prowess_run_events", {"run": waits}),
                    ("prowess_read", {"name": "note"}),
                    ("prowess_match", {"task": "write a note"}),
                    ("prowess_run_cancel", {"run": waits}),
                ]
                return [bool((await client.call_tool(*each)).is_error) for each in calls]

    assert asyncio.run(visit()) == [False] * 7
    assert held_up == []
