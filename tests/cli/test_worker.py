"""`prowess worker` and the queue, as people meet them: real processes on a real PostgreSQL."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from house import skill_file
from model.formats import Say
from model.server import Fault, ModelServer
from postgres import server
from support import Cli

PROWESS = [sys.executable, "-m", "prowess"]
BENCH = Path(__file__).parents[2] / "bench" / "workers.py"


@pytest.fixture
def shared(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every command of the test uses this database."""
    url = server().new_database()
    monkeypatch.setenv("PROWESS_DATABASE_URL", url)
    return url


@contextmanager
def working(project: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A worker that has said that it is there."""
    command = [*PROWESS, "worker", "--json", *words]
    process = subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        assert json.loads(process.stdout.readline())["at_once"] == (2 if words else 8)
        yield process
    finally:
        with process:
            process.kill()


def until_shown(cli: Cli, run: str, **wanted: Any) -> Mapping[str, Any]:
    end = time.monotonic() + 60
    while True:
        told: dict[str, Any] = json.loads(cli("runs", "show", run, "--json").out)
        if {name: told.get(name) for name in wanted} == wanted:
            return told
        assert time.monotonic() < end, told
        time.sleep(0.1)


@pytest.mark.usefixtures("shared")
def test_a_queued_run_is_done_by_a_worker_and_shown_where_it_was_asked_for(
    cli: Cli, project: Path
) -> None:
    skill_file(project, "note", "Write a note.")
    with ModelServer(Say(text="Written.")) as model, working(project, "--at-once", "2"):
        done = cli("run", "note", "--queue", "--model", f"{model.url}/v1#m")

    assert (done.code, done.out) == (0, "Written.\n")
    assert "done (1 iteration" in done.err


@pytest.mark.usefixtures("shared")
def test_a_run_that_waits_says_so_until_it_is_cancelled(cli: Cli, project: Path) -> None:
    skill_file(project, "note", "Write a note.")
    command = [*PROWESS, "run", "note", "--queue", "--json", "--model", "demo"]
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) as asking:
        assert asking.stdout
        run = json.loads(asking.stdout.readline())["run"]
        told = until_shown(cli, run, state="queued")
        cancelled = cli("runs", "cancel", run)
        asking.wait(60)

    assert told["waits"] == "for a worker that is free"
    assert cancelled.code == 0
    assert asking.returncode == 1
    until_shown(cli, run, state="cancelled")


@pytest.mark.usefixtures("shared")
def test_a_worker_that_is_told_to_end_ends_well_and_leaves_its_runs(
    cli: Cli, project: Path
) -> None:
    skill_file(project, "note", "Write a note.")
    command = [*PROWESS, "run", "note", "--queue", "--json", "--model"]
    with (
        ModelServer(Fault(trouble="hang"), Say(text="Done.")) as model,
        working(project) as first,
        subprocess.Popen(
            [*command, f"{model.url}/v1#m"], cwd=project, stdout=subprocess.PIPE, text=True
        ) as asking,
    ):
        end = time.monotonic() + 60
        while not model.requests:
            assert time.monotonic() < end
            time.sleep(0.05)
        first.send_signal(signal.SIGTERM)
        code = first.wait(60)
        with working(project):
            told, _ = asking.communicate(timeout=120)

    assert code == 0
    assert json.loads(told.splitlines()[-1])["outcome"]["ending"] == "done"


@pytest.mark.usefixtures("shared")
def test_a_run_is_paused_and_goes_on_when_it_is_resumed(cli: Cli, project: Path) -> None:
    skill_file(project, "note", "Write a note.")
    command = [*PROWESS, "run", "note", "--queue", "--json", "--model"]
    with ModelServer(Say(text="Written.")) as model:
        words = [*command, f"{model.url}/v1#m"]
        with subprocess.Popen(words, cwd=project, stdout=subprocess.PIPE, text=True) as asking:
            assert asking.stdout
            run = json.loads(asking.stdout.readline())["run"]
            assert cli("runs", "pause", run).out == f"paused {run}\n"
            until_shown(cli, run, state="paused")
            resumed = cli("runs", "resume", run)
            asking.wait(60)

    assert (resumed.code, resumed.out) == (0, "Written.\n")
    assert asking.returncode == 0


def test_many_runs_end_right_while_workers_are_killed_and_the_database_restarts() -> None:
    command = [sys.executable, str(BENCH), "--only", "kills", "--runs", "20", "--every", "2"]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=600, env=dict(os.environ)
    )

    assert done.returncode == 0, done.stdout + done.stderr
    for promise in ("ended well", "told their end once", "facts without a gap"):
        assert f"| {promise} | 20 |" in done.stdout
    assert "| replies given twice | 0 |" in done.stdout
