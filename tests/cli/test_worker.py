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
from support import Cli, until, write_file

NOBODY = "for a worker, and none is at work on project; `prowess worker` there starts one"
PROWESS = [sys.executable, "-m", "prowess"]
BENCH = Path(__file__).parents[2] / "bench" / "workers.py"
WRITES = "turns: [{answer: Written.}]\n"


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


@contextmanager
def asking(project: Path, model: str) -> Iterator[Mapping[str, Any]]:
    """A queued run that somebody watches: the first line that they are told."""
    command = [*PROWESS, "run", "note", "--queue", "--json", "--model", model]
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield json.loads(process.stdout.readline())
        finally:
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
    write_file(skill_file(project, "note", "Write a note.") / "demo.yaml", WRITES)
    command = [*PROWESS, "run", "note", "--queue", "--json", "--model", "demo"]
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) as asking:
        assert asking.stdout
        run = json.loads(asking.stdout.readline())["run"]
        told = until_shown(cli, run, state="queued")
        cancelled = cli("runs", "cancel", run)
        asking.wait(60)

    assert told["waits"] == NOBODY
    assert cancelled.code == 0
    assert asking.returncode == 1
    until_shown(cli, run, state="cancelled")


@pytest.mark.usefixtures("home")
def test_a_run_that_nobody_takes_says_so_and_begins_when_a_worker_comes(
    project: Path, tmp_path: Path
) -> None:
    write_file(skill_file(project, "note", "Write.") / "demo.yaml", WRITES)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    command = [*PROWESS, "run", "note", "--queue", "--model", "demo"]
    with (
        working(elsewhere),  # takes no runs of this project
        subprocess.Popen(
            command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as watching,
    ):
        assert watching.stderr
        first = watching.stderr.readline()
        with working(project):
            out, more = watching.communicate(timeout=120)

    assert first.endswith(f" waits {NOBODY}\n")
    assert "▸ note" in more
    assert (watching.returncode, out) == (0, "Written.\n")


@pytest.mark.usefixtures("home")
def test_a_worker_that_was_killed_is_no_worker(project: Path) -> None:
    write_file(skill_file(project, "note", "Write a note.") / "demo.yaml", WRITES)
    with working(project) as worker:
        worker.kill()
        worker.wait()

    with asking(project, "demo") as told:
        assert told["waits"] == NOBODY


@pytest.mark.usefixtures("shared")
def test_a_run_waits_for_a_worker_that_is_busy_when_one_is_there(project: Path) -> None:
    skill_file(project, "note", "Write a note.")
    hang = Fault(trouble="hang")
    with ModelServer(hang, hang) as model, working(project, "--at-once", "2"):
        address = f"{model.url}/v1#m"
        with asking(project, address), asking(project, address):
            until(lambda: len(model.requests) == 2)
            with asking(project, address) as third:
                waits = third["waits"]

    assert waits == "for a worker that is free"


@pytest.mark.usefixtures("home")
def test_ctrl_c_leaves_a_run_in_the_queue_and_says_how_to_take_it_out(project: Path) -> None:
    write_file(skill_file(project, "note", "Write a note.") / "demo.yaml", WRITES)
    command = [*PROWESS, "run", "note", "--queue", "--model", "demo"]
    with subprocess.Popen(command, cwd=project, stderr=subprocess.PIPE, text=True) as watching:
        assert watching.stderr
        run = watching.stderr.readline().split()[1]
        watching.send_signal(signal.SIGINT)
        _, said = watching.communicate(timeout=60)
    follow = [*PROWESS, "runs", "events", run, "--follow"]
    with subprocess.Popen(follow, cwd=project, stderr=subprocess.PIPE, text=True) as following:
        assert following.stderr
        told = following.stderr.readline()
        cancelled = subprocess.run([*PROWESS, "runs", "cancel", run], cwd=project, check=False)

    assert told == f"It waits {NOBODY}.\n"
    assert watching.returncode == 130
    assert said.startswith("It stays in the queue: ")
    assert f"`prowess runs cancel {run}`" in said
    assert "▸" not in said
    assert cancelled.returncode == 0


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
def test_a_worker_that_is_told_to_end_in_the_middle_of_a_command_lets_it_be_done(
    cli: Cli, project: Path
) -> None:
    skill_file(project, "note", "Write a note.")
    calls = Say(calls=(("Bash", {"command": "touch begun; sleep 1; echo once >> traces"}),))
    command = [*PROWESS, "run", "note", "--queue", "--json", "--allow", "Bash", "--model"]
    with (
        ModelServer(calls, Say(text="Done.")) as model,
        working(project) as first,
        subprocess.Popen(
            [*command, f"{model.url}/v1#m"], cwd=project, stdout=subprocess.PIPE, text=True
        ) as asking,
    ):
        until((project / "begun").exists)
        first.send_signal(signal.SIGTERM)
        code = first.wait(60)
        traces = (project / "traces").read_text()
        with working(project):
            told, _ = asking.communicate(timeout=120)

    assert (code, traces) == (0, "once\n")
    assert json.loads(told.splitlines()[-1])["outcome"]["ending"] == "done"
    assert (project / "traces").read_text() == traces


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
    assert "| restarts | 1 |" in done.stdout
