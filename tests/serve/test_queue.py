"""A server that queues what it is asked for: with limits, on one machine, without a database."""

from pathlib import Path

import pytest

from house import skill_file
from prowess.model.scripted import call, final
from serve.served import Home, until

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


def test_a_queued_run_is_paused_resumed_and_cancelled(at: Home) -> None:
    at.settings = {**ONE_AT_ONCE, "serve_works": False}
    with at.serving() as served:
        run, other = served.start("note"), served.start("note")
        waits = served.get(f"/api/runs/{run}").json["waits"]
        paused = served.post(f"/api/runs/{run}/pause").status
        state = served.get(f"/api/runs/{run}").json["state"]
        resumed = served.post(f"/api/runs/{run}/resume").status
        ended = served.ended(run)
        cancelled = served.post(f"/api/runs/{other}/cancel").status
        left = served.get(f"/api/runs/{other}").json["state"]

    assert waits == "for its turn, with 1 other"
    assert (paused, state, resumed) == (200, "paused", 200)
    assert ended["state"] == "done"
    assert (cancelled, left) == (200, "cancelled")
