"""Two servers on one data folder, and a clock that jumps: no run twice, no event lost, nothing waits for ever."""

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from house import skill_file
from model.formats import Say
from model.server import Fault, ModelServer
from support import until

PROWESS = [sys.executable, "-m", "prowess"]
# Every look at the clock is hours before or after the last one.
JUMPING = """
import itertools, sys, time
real, jumps = time.time, itertools.cycle([0, 86_400, -86_400, 3_600, -7_200])
time.time = lambda: real() + next(jumps)
time.time_ns = lambda: int(time.time() * 1e9)
sys.argv[0] = "prowess"
from prowess.cli.app import main
main()
"""


def lines(*words: str) -> list[dict[str, Any]]:
    done = subprocess.run([*PROWESS, *words, "--json"], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def listed() -> list[dict[str, Any]]:
    words = ["runs", "list", "--limit", "100", "--json"]
    done = subprocess.run([*PROWESS, *words], capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@contextmanager
def serving() -> Iterator[str]:
    """`prowess serve` at work, and its address."""
    command = [*PROWESS, "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            told = process.stderr.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+", told)
            assert found, told
            yield found[0]
        finally:
            process.kill()


def started(address: str, skill: str) -> str:
    body = json.dumps({"skill": skill}).encode()
    asked = urllib.request.Request(  # noqa: S310  our own
        f"{address}/api/runs", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310  our own
        return str(json.load(answer)["run"])


def assert_told_once(run: str) -> None:
    events = lines("runs", "events", run)
    kinds = [event["kind"] for event in events]
    assert [event["seq"] for event in events] == [*range(1, len(events) + 1)]
    assert (kinds.count("run.started"), kinds.count("run.finished")) == (1, 1)


def test_two_servers_on_one_folder_do_each_run_once_and_lose_no_event(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill_file(project, "note", "Write a note.")
    with ModelServer(Fault(trouble="hang"), Say(text="done")) as server, ExitStack() as stack:
        monkeypatch.setenv("PROWESS_MODEL_DEFAULT", f"{server.url}/v1#m")
        with subprocess.Popen([*PROWESS, "run", "note"], stderr=subprocess.PIPE) as left:
            until(lambda: len(server.requests) == 1)
            left.kill()
        (interrupted,) = listed()
        addresses = [stack.enter_context(serving()) for _ in range(2)]
        runs = [started(addresses[number % 2], "note") for number in range(8)]
        runs.append(interrupted["id"])
        until(lambda: {run["state"] for run in listed()} == {"done"})

    assert sorted(run["id"] for run in listed()) == sorted(runs)
    assert len(server.requests) == 1 + len(runs)
    for run in (runs[0], runs[1], interrupted["id"]):
        assert_told_once(run)


def test_a_clock_that_jumps_neither_stops_a_run_nor_mixes_its_events(
    home: Path, project: Path
) -> None:
    skill_file(project, "count", "Count.")
    turns = [Say(calls=(("Bash", {"command": f"echo {n} >> lines"}),)) for n in range(4)]
    with ModelServer(*turns, Say(text="counted")) as server:
        words = ["run", "count", "--json", "--model", f"{server.url}/v1#m"]
        done = subprocess.run(
            [sys.executable, "-c", JUMPING, *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=180,
            env=os.environ,
        )

    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert told[-1]["outcome"]["answer"] == "counted"
    assert (project / "lines").read_text().split() == ["0", "1", "2", "3"]
    assert_told_once(told[-1]["run"])
