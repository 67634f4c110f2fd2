"""A disk that is full stops a run with a clear error, corrupts nothing, and the run goes on when there is room."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from house import skill_file
from model.formats import Say
from model.server import ModelServer

NARROW = """
import os, resource, sys
most = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
os.execv(sys.argv[2], sys.argv[2:])
"""
ITERATIONS = 12


def calls(number: int) -> Say:
    return Say(calls=(("Bash", {"command": f"echo {number} >> lines; seq 2000"}),))


def prowess(*words: str, most: int | None = None) -> subprocess.CompletedProcess[str]:
    """With `most`, no file can grow beyond so many bytes; to a database that is a full disk."""
    command = [sys.executable, "-m", "prowess", *words]
    if most is not None:
        command = [sys.executable, "-c", NARROW, str(most), *command]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def assert_whole(data: Path) -> None:
    for path in data.glob("*.sqlite3"):
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("pragma integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("most", [300_000, 450_000])
def test_a_run_that_finds_no_room_stops_whole_and_can_be_gone_on_with(
    home: Path, project: Path, most: int
) -> None:
    skill_file(project, "note", "Write a note.")
    skill_file(project, "fill", "Fill the disk.")
    turns = [calls(number) for number in range(ITERATIONS)]
    data = project / "data"
    with ModelServer(Say(text="noted"), *turns, Say(text="all is done")) as server:
        words = ["--model", f"{server.url}/v1#m", "--data", str(data), "--json"]
        assert prowess("run", "note", *words).returncode == 0
        stopped = prowess("run", "fill", *words, most=most)
        assert_whole(data)
        run, _ = json.loads(prowess("runs", "list", "--data", str(data), "--json").stdout)
        way = (
            ["resume", run["id"]]
            if run["state"] == "interrupted"
            else ["fork", run["id"], "--from", "2"]
        )
        again = prowess("runs", *way, "--data", str(data), "--json")

    *_, last = map(json.loads, stopped.stdout.splitlines())
    told = last["message"] if "message" in last else last["outcome"]["reason"]
    assert stopped.returncode in {1, 3}
    assert ".sqlite3" in told
    assert "disk" in told
    *_, end = map(json.loads, again.stdout.splitlines())
    assert end["kind"] == "run.finished", end
    assert end["outcome"]["ending"] in {"done", "needs_attention"}
    assert_whole(data)
