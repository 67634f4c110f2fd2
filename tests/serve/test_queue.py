"""A server that queues what it is asked for: with limits, on one machine, without a database."""

import asyncio
from pathlib import Path

import pytest

from house import skill_file
from prowess.model.scripted import call, final
from serve.mcp_talking import client_of
from serve.served import Home
from support import until

NOTE = [call("Write", file_path="note.txt", content="hello"), final("Written.")]
WAITS = [call("Bash", command="sleep 30"), final("Rested.")]
ONE_AT_ONCE = {"limits": {"user": {"default": {"at_once": 1}}}}


@pytest.fixture
def at(home: Path, project: Path, tmp_path: Path) -> Home:
    for name in ("note", "waits"):
        skill_file(project, name, "Do it.")
    return Home(project, tmp_path / "data", {"note": NOTE, "waits": WAITS}, ONE_AT_ONCE)


def test_a_run_beyond_a_limit_waits_says_why_and_begins_when_there_is_room(at: Home) -> None:
    with at.serving() as served:
        first = served.start("waits")
        until(lambda: served.get(f"/api/runs/{first}").json["state"] == "running")
        second = served.start("note")
        told = served.get(f"/api/runs/{second}").json
        served.post(f"/api/runs/{first}/cancel")
        ended = served.ended(second)

    assert told["state"] == "queued"
    assert told["waits"].startswith("1 of 1 runs of the user ")
    assert ended["state"] == "done"


def test_a_queued_run_is_paused_resumed_into_the_queue_and_cancelled(at: Home) -> None:
    """A server that does not work leaves it to those who do, also when it is told to go on with it."""
    at.settings = {**ONE_AT_ONCE, "serve_works": False}
    with at.serving() as served:
        run, other = served.start("note"), served.start("note")
        waits = served.get(f"/api/runs/{run}").json["waits"]
        paused = served.post(f"/api/runs/{run}/pause").status
        state = served.get(f"/api/runs/{run}").json["state"]
        listed = {
            each["id"]: each["state"] for each in served.get("/api/runs?state=paused").json["runs"]
        }
        resumed = served.post(f"/api/runs/{run}/resume").status
        queued = {each["id"] for each in served.get("/api/runs?state=queued").json["runs"]}
        cancelled = served.post(f"/api/runs/{other}/cancel").status
        left = served.get(f"/api/runs/{other}").json["state"]
    at.settings = ONE_AT_ONCE
    with at.serving() as served:
        ended = served.ended(run)

    assert waits.startswith("for a worker, and none is at work on project; ")
    assert (paused, state, resumed) == (200, "paused", 200)
    assert listed == {run: "paused"}
    assert queued == {run, other}
    assert (cancelled, left) == (200, "cancelled")
    assert ended["state"] == "done"


def test_what_waits_for_a_worker_is_not_refused_because_this_server_has_no_model(at: Home) -> None:
    settings = {**ONE_AT_ONCE, "model_default": "sonnet", "serve_works": False}
    at.is_scripted, at.settings = False, settings

    async def over_mcp() -> str:
        async with client_of(served) as client:
            asked = await client.call_tool("prowess_run", {"skill": "note", "wait": False})
            return str(asked.structured_content["run"])

    with at.serving() as served:
        runs = [served.start("note"), asyncio.run(over_mcp())]
        for run in runs:
            assert served.get(f"/api/runs/{run}").json["state"] == "queued"

    at.is_scripted, at.settings = True, ONE_AT_ONCE
    with at.serving() as served:
        for run in runs:
            assert served.ended(run)["state"] == "done"
