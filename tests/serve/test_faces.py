"""REST, the command line and MCP: three faces of one board and one log, which use the same words."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from house import skill_file
from prowess.core.board import HANDOFF_STATUSES, TASK_STATUSES
from prowess.model.scripted import call, final
from serve.mcp_talking import client_of
from serve.served import Home, Served
from support import Cli


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def served(home: Path, project: Path, data: Path) -> Iterator[Served]:
    skill_file(project, "note", "Write a note.")
    script = [call("Write", file_path="note.txt", content="hello"), final("Written.")]
    with Home(project, data, {"*": script}).serving() as served:
        yield served


def over_mcp(served: Served, tool: str, **given: Any) -> Any:
    async def ask() -> Any:
        async with client_of(served) as client:
            return (await client.call_tool(f"prowess_{tool}", given)).structured_content

    return asyncio.run(ask())


def test_what_is_on_the_board_is_told_alike_on_every_face(
    served: Served, cli: Cli, data: Path
) -> None:
    at = ("--data", data, "--json")
    served.post("/api/sessions", {"name": "Ptah", "role": "engineer", "task": "the parser"})
    task = cli("task", "create", "--title", "Fix it", "--role", "engineer", *at).json["id"]
    over_mcp(served, "task_claim", id=task, session="Ptah")
    over_mcp(served, "handoff_create", sender="Ptah", to_role="Tester", text="Try it", task=task)

    for noun in ("task", "session", "handoff"):
        told = served.get(f"/api/{noun}s").json
        assert len(told) == 1
        assert cli(noun, "list", *at).json == told
        assert over_mcp(served, f"{noun}_list") == {f"{noun}s": told}


def test_a_task_the_dashboard_and_who_left_are_told_alike_on_every_face(
    served: Served, cli: Cli, data: Path
) -> None:
    at = ("--data", data, "--json")
    task = cli("task", "create", "--title", "Fix it", "--role", "engineer", *at).json["id"]
    began = over_mcp(served, "session_start", name="Daedalus", role="Engineer")
    cli("task", "claim", task, "--session", "Daedalus", *at)
    handed = over_mcp(served, "handoff_create", sender="Daedalus", to_role="Engineer", text="Go on")
    cli("handoff", "accept", handed["id"], "--session", "Daedalus", *at)

    assert began["about"]
    assert served.get("/api/sessions").json == [began]
    whole = served.get(f"/api/tasks/{task}").json
    assert whole == cli("task", "show", task, *at).json == over_mcp(served, "task_show", id=task)
    board = served.get("/api/board").json
    assert board == cli("dashboard", *at).json == over_mcp(served, "dashboard")
    waiting = served.get("/api/handoffs").json
    assert [each["status"] for each in waiting] == ["accepted"]
    assert waiting == over_mcp(served, "handoff_list")["handoffs"]

    left = over_mcp(served, "session_end", name="Daedalus")["left"]

    assert left == served.get("/api/tasks").json != []
    gone = served.get("/api/sessions?all=true").json
    assert [each["name"] for each in gone] == ["Daedalus"]
    assert gone == cli("session", "list", "--all", *at).json
    assert gone == over_mcp(served, "session_list", all=True)["sessions"]


def test_a_task_is_asked_for_in_the_same_words_on_every_face(
    served: Served, cli: Cli, data: Path
) -> None:
    asked = {"title": "Fix it", "role": "engineer", "priority": "high", "description": "All of it"}
    words = [word for name, value in asked.items() for word in (f"--{name}", value)]

    made = [
        served.post("/api/tasks", asked).json,
        cli("task", "create", *words, "--data", data, "--json").json,
        over_mcp(served, "task_create", **{**asked, "role": "Engineer"}),
    ]

    for each in made:
        assert {**each, **asked, "role": "Engineer"} == each
    assert [each["id"] for each in made] == ["ENG-H-0001", "ENG-H-0002", "ENG-H-0003"]


@pytest.mark.parametrize(
    ("noun", "statuses"), [("task", TASK_STATUSES), ("handoff", HANDOFF_STATUSES)]
)
def test_every_face_knows_the_same_statuses(
    served: Served, cli: Cli, data: Path, noun: str, statuses: tuple[str, ...]
) -> None:
    async def offered() -> Any:
        async with client_of(served) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            return tools[f"prowess_{noun}_list"].input_schema["properties"]["status"]["enum"]

    assert asyncio.run(offered()) == list(statuses)
    for status in (*statuses, "finito"):
        known = status in statuses
        asked = served.get(f"/api/{noun}s?status={status}")
        typed = cli(noun, "list", "--status", status, "--data", data)
        assert (asked.status, typed.code) == ((200, 0) if known else (400, 2)), status


def test_a_run_and_its_events_are_told_alike_on_every_face(
    served: Served, cli: Cli, data: Path, project: Path
) -> None:
    run = served.start("note", arguments="for Ada")

    told = served.ended(run)
    happened = [
        {name: value for name, value in each.items() if name != "id"}
        for each in served.events(f"/api/runs/{run}/events")
    ]

    assert told["state"] == "done"
    # The command line looks at the runs of every project, so that it names the one as well.
    shown = cli("runs", "show", run, "--data", data, "--json").json
    assert shown == {**told, "project": str(project)}
    assert over_mcp(served, "run_show", run=run) == told
    assert over_mcp(served, "runs")["runs"] == served.get("/api/runs").json["runs"] == [told]
    lines = cli("runs", "events", run, "--data", data, "--json").out.splitlines()
    assert list(map(json.loads, lines)) == happened
    # Over MCP the run is named once, beside its events.
    page = over_mcp(served, "run_events", run=run)
    assert [{**each, "run": page["run"]} for each in page["events"]] == happened
