"""`prowess runs`: what is listed and told of runs, and how they go on, also when nobody is there."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from house import skill_file
from loop.looping import git
from model.formats import Say
from model.server import Fault, ModelServer
from prowess.cli.runs import _complete_run
from support import Cli, Result, until, write_file
from terminal import on_terminal

PROWESS = [sys.executable, "-m", "prowess"]
PATIENCE = 60
ASKING = """\
name: greet
version: "1.0"
description: Greet somebody by name.
steps:
  - id: before
    type: command
    command: echo before >> ran
  - id: who
    type: question
    prompt: Whom shall I greet?
    store: name
  - id: say
    type: output
    output: "Hello, {name}!"
"""


def prowess(*words: str, cwd: Path, **given: Any) -> Result:
    """The command in a process of its own, with nobody at its terminal."""
    done = subprocess.run(
        [*PROWESS, *words], cwd=cwd, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, timeout=2 * PATIENCE, **given,
    )  # fmt: skip
    return Result(done.returncode, done.stdout, done.stderr)


def runs(cwd: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = prowess("runs", "list", "--json", cwd=cwd).json
    return found


@dataclass
class Attended:
    """A command with a person at its terminal."""

    child: "subprocess.Popen[bytes]"
    master: int
    heard: str = ""

    def hears(self, text: str) -> str:
        """Read on until the text is there; all that was read."""
        while text not in self.heard:
            self.heard += os.read(self.master, 4096).decode(errors="replace")
        return self.heard

    def types(self, keys: bytes) -> None:
        os.write(self.master, keys)


@contextmanager
def attended(*words: str, cwd: Path) -> Iterator[Attended]:
    """Killed at the end, if it is still there."""
    master, slave = pty.openpty()
    child = subprocess.Popen([*PROWESS, *words], stdin=slave, stdout=slave, stderr=slave, cwd=cwd)
    os.close(slave)
    try:
        yield Attended(child, master)
    finally:
        child.kill()
        child.wait()
        os.close(master)


@pytest.fixture
def greet(project: Path) -> Path:
    write_file(project / ".agents/skills/greet/skill.yaml", ASKING)
    return project


@pytest.fixture
def asked(home: Path, greet: Path) -> str:
    """A workflow that was killed while it waited for an answer."""
    with attended("run", "greet", cwd=greet) as terminal:
        terminal.hears("Whom shall I greet?")
    (run,) = runs(greet)
    return str(run["id"])


def test_a_run_whose_process_is_dead_is_interrupted(home: Path, project: Path) -> None:
    skill_file(project, "slow", "Work slowly.")
    turn = Say(calls=(("Bash", {"command": "touch begun; sleep 600"}),))
    with ModelServer(turn) as server:
        command = [*PROWESS, "run", "slow", "--model", f"{server.url}/v1#m"]
        child = subprocess.Popen(command, cwd=project, stderr=subprocess.DEVNULL)
        until((project / "begun").exists)
        (alive,) = runs(project)
        child.kill()
        child.wait()

    (dead,) = runs(project)
    shown = prowess("runs", "show", dead["id"], cwd=project)
    assert (alive["state"], dead["state"]) == ("running", "interrupted")
    assert "state:          interrupted" in shown.out
    assert f"runs resume {dead['id']}" in prowess("runs", cwd=project).err


def test_ctrl_c_in_a_call_that_may_not_be_repeated_lets_it_be_done(
    home: Path, project: Path
) -> None:
    skill_file(project, "slow", "Work slowly.")
    calls = Say(calls=(("Bash", {"command": "touch begun; sleep 1; echo once >> traces"}),))
    with ModelServer(calls, Say(text="Done.")) as server:
        command = [*PROWESS, "run", "slow", "--model", f"{server.url}/v1#m", "--allow", "Bash"]
        child = subprocess.Popen(command, cwd=project, stderr=subprocess.PIPE, text=True)
        until((project / "begun").exists)
        child.send_signal(signal.SIGINT)
        _, stopped = child.communicate(timeout=PATIENCE)
        (run,) = runs(project)
        resumed = prowess("runs", "resume", run["id"], cwd=project)

    assert child.returncode == 130
    assert "Stopping, when Bash is done or in 5 s. Ctrl-C again stops it now." in stopped
    assert f"Stopped. `prowess runs resume {run['id']}` goes on where it was." in stopped
    assert (resumed.code, resumed.out) == (0, "Done.\n")
    assert (project / "traces").read_text() == "once\n"


def test_a_second_ctrl_c_cuts_the_call_short_and_the_model_is_told(
    home: Path, project: Path
) -> None:
    skill_file(project, "slow", "Work slowly.")
    turns = [
        Say(calls=(("Bash", {"command": "touch first"}),)),
        Say(calls=(("Bash", {"command": "touch begun; sleep 600"}),)),
        Say(text="Done."),
    ]
    with ModelServer(*turns) as server:
        command = [*PROWESS, "run", "slow", "--model", f"{server.url}/v1#m", "--allow", "Bash"]
        child = subprocess.Popen(command, cwd=project, stderr=subprocess.PIPE, text=True)
        assert child.stderr
        until((project / "begun").exists)
        child.send_signal(signal.SIGINT)
        while "Ctrl-C again" not in child.stderr.readline():
            assert child.poll() is None
        child.send_signal(signal.SIGINT)
        began = time.monotonic()
        _, stopped = child.communicate(timeout=PATIENCE)
        seconds = time.monotonic() - began
        (run,) = runs(project)
        resumed = prowess("runs", "resume", run["id"], cwd=project)

    assert child.returncode == 130
    assert seconds < 4.5
    assert "Stopped in the middle of Bash, which may have been done in part." in stopped
    assert f"`prowess runs fork {run['id']} --from 2` tries again from there" in stopped
    assert run["state"] == "paused"
    assert (resumed.code, resumed.out) == (0, "Done.\n")
    assert "the run was told to stop in the middle of this call" in str(server.requests[-1].body)


def test_what_a_person_stopped_waits_for_a_person_and_not_for_a_server(
    home: Path, project: Path
) -> None:
    skill_file(project, "slow", "Work slowly.")
    calls = Say(calls=(("Bash", {"command": "touch begun; sleep 600"}),))
    with ModelServer(calls, Say(text="never")) as server:
        command = [*PROWESS, "run", "slow", "--model", f"{server.url}/v1#m", "--allow", "Bash"]
        with subprocess.Popen(command, cwd=project, stderr=subprocess.PIPE) as child:
            until((project / "begun").exists)
            child.send_signal(signal.SIGINT)
            child.communicate(timeout=PATIENCE)
        (stopped,) = runs(project)
        serve = [*PROWESS, "serve", "--port", "0", "--json"]
        with subprocess.Popen(serve, cwd=project, stdout=subprocess.PIPE) as serving:
            assert serving.stdout
            assert b"address" in serving.stdout.readline()
            serving.terminate()
            serving.communicate(timeout=PATIENCE)
        (left,) = runs(project)

    assert (stopped["state"], left["state"]) == ("paused", "paused")
    assert len(server.requests) == 1


def test_an_unattended_resume_leaves_the_question_open_and_says_how_to_answer(
    asked: str, greet: Path
) -> None:
    told = prowess("runs", "resume", asked, "--json", cwd=greet)
    again = prowess("runs", "resume", asked, cwd=greet)

    assert (told.code, again.code) == (4, 4)
    assert json.loads(told.out.splitlines()[-1])["code"] == "WAITING"
    assert f"prowess runs answer {asked} ANSWER" in again.err
    assert runs(greet)[0]["state"] == "interrupted"


def test_an_answer_given_while_nobody_works_on_the_run_is_taken_when_it_goes_on(
    asked: str, greet: Path
) -> None:
    sent = prowess("runs", "answer", asked, "Ada", cwd=greet)
    late = prowess("runs", "answer", asked, "Bob", cwd=greet)
    done = prowess("runs", "resume", asked, cwd=greet)

    assert f"runs resume {asked}" in sent.err
    assert late.code == 1
    assert "was answered already" in late.err
    assert done.code == 0
    assert "Hello, Ada!" in done.out
    assert (greet / "ran").read_text() == "before\n"


def test_ctrl_d_at_a_question_leaves_a_workflow_as_it_is(home: Path, greet: Path) -> None:
    with attended("run", "greet", cwd=greet) as terminal:
        terminal.hears("> ")
        terminal.types(b"\x04")
        told = terminal.hears("runs resume")
        code = terminal.child.wait(timeout=PATIENCE)

    assert code == 4
    assert "waits for an answer: Whom shall I greet?" in told
    assert runs(greet)[0]["state"] == "interrupted"


def test_the_events_of_a_workflow_are_told_in_words(cli: Cli, greet: Path) -> None:
    cli("run", "greet", "--set", "name=Ada")
    (run,) = cli("runs", "list", "--json").json

    told = cli("runs", "events", run["id"]).out

    for part in ("▸ greet", "✓ before", "Hello, Ada!", "✓ say", "● done"):
        assert part in told


def test_a_workflow_is_forked_from_a_step(cli: Cli, greet: Path) -> None:
    cli("run", "greet", "--set", "name=Ada")
    (run,) = cli("runs", "list", "--json").json

    done = cli("runs", "fork", run["id"], "--from", "before")
    nowhere = cli("runs", "fork", run["id"], "--from", "9")

    assert "Hello, Ada!" in done.out
    assert (greet / "ran").read_text() == "before\nbefore\n"
    assert nowhere.code == 2
    assert "before, who, say" in nowhere.err


def test_the_project_is_shown_when_runs_are_of_several_and_can_be_chosen(
    cli: Cli, project: Path, tmp_path: Path
) -> None:
    for folder in (project, tmp_path / "other"):
        skill_file(folder, "look", "Look.")
        with ModelServer(Say(text="Seen.")) as server:
            cli("run", "look", "--project", folder, "--model", f"{server.url}/v1#m")

    (mine,) = cli("runs", "list", "--project", project, "--json").json
    listed = cli("runs", "list").out

    assert mine["project"] == str(project)
    assert "\tother\t" in listed
    assert "\tproject\t" in listed


@pytest.mark.parametrize(
    ("columns", "headings"),
    [
        (160, ["RUN", "STATE", "PROJECT", "SKILL", "STARTED", "ITERATIONS", "LAST"]),
        (96, ["RUN", "STATE", "PROJECT", "SKILL", "STARTED", "LAST"]),
        (80, ["RUN", "STATE", "PROJECT", "SKILL", "LAST"]),
        (70, ["RUN", "STATE", "SKILL", "LAST"]),
    ],
)
def test_runs_stay_a_table_on_a_narrow_terminal(
    cli: Cli, asked: str, tmp_path: Path, columns: int, headings: list[str]
) -> None:
    elsewhere = tmp_path / "another-project-elsewhere"
    skill_file(elsewhere, "look-around-you", "Look.")
    with ModelServer(Say(text="Seen.")) as server:
        cli("run", "look-around-you", "--project", elsewhere, "--model", f"{server.url}/v1#m")

    head, *rows = on_terminal("runs", columns=columns, NO_COLOR="1").splitlines()

    begins = [head.index(heading) for heading in headings]
    assert head.split() == headings
    assert len(rows) == 2
    assert all(row[at - 1] == " " != row[at] for row in rows for at in begins[1:])
    assert f"{asked}  interrupted" in rows[1]


@pytest.mark.usefixtures("asked")
def test_a_terminal_too_narrow_for_a_table_tells_how_long_ago_a_run_was() -> None:
    shown = on_terminal("runs", columns=30, NO_COLOR="1")

    assert "m ago" in shown


def test_a_result_keeps_the_blanks_that_its_first_line_begins_with(cli: Cli, project: Path) -> None:
    skill_file(project, "look", "Look.")
    (project / "fruit.txt").write_text("fruit\napples\n")
    read = Say(calls=(("Read", {"file_path": "fruit.txt"}),))
    with ModelServer(read, Say(text="Seen.")) as server:
        cli("run", "look", "--model", f"{server.url}/v1#m")
    (run,) = cli("runs", "list", "--json").json

    told = cli("runs", "events", run["id"]).out.splitlines()

    (first,) = [line for line in told if line.endswith("fruit")]
    (second,) = [line for line in told if line.endswith("apples")]
    assert first.index("1") == second.index("2")


def test_runs_are_chosen_by_how_they_stand_and_by_their_skill(cli: Cli, project: Path) -> None:
    for name in ("look", "listen"):
        skill_file(project, name, "Do it.")
    with ModelServer(Say(text="Seen."), Fault(status=401)) as server:
        for name in ("look", "listen"):
            cli("run", name, "--model", f"{server.url}/v1#m")

    def listed(*words: str) -> list[str]:
        return [run["skill"] for run in cli("runs", "list", *words, "--json").json]

    assert listed("--state", "done") == ["look"]
    assert listed("--state", "failed") == ["listen"]
    assert listed("--skill", "look") == ["look"]
    assert listed("--skill", "look", "--state", "failed") == []
    assert listed("--skill", "look", "--kind", "skill") == ["look"]
    assert listed("--kind", "loop") == []
    assert cli("runs", "list", "--state", "runing").code == 2
    assert [run["skill"] for run in cli("runs", "--state", "done", "--json").json] == ["look"]
    assert "No such runs" in cli("runs", "--skill", "nobody").err


def test_the_shell_completes_a_run(cli: Cli, project: Path) -> None:
    skill_file(project, "look", "Look.")
    with ModelServer(Say(text="Seen.")) as server:
        cli("run", "look", "--model", f"{server.url}/v1#m")
    (run,) = cli("runs", "list", "--json").json

    assert _complete_run(run["id"][:2]) == [run["id"]]
    assert _complete_run("zz") == []


def test_a_run_is_shown_in_words_not_in_python(cli: Cli, project: Path) -> None:
    skill_file(project, "look", "Look.")
    with ModelServer(Say(text="Seen.")) as server:
        cli("run", "look", "--model", f"{server.url}/v1#m")
    (run,) = cli("runs", "list", "--json").json

    shown = cli("runs", "show", run["id"]).out

    assert "answer:         Seen." in shown
    for python in ("{'", "None", "[]", "()"):
        assert python not in shown


def test_a_mistyped_run_is_answered_with_one_that_is_near(cli: Cli, greet: Path) -> None:
    cli("run", "greet", "--set", "name=Ada")
    (run,) = cli("runs", "list", "--json").json

    done = cli("runs", "show", f"x{run['id'][1:]}")

    assert done.code == 1
    assert f"did you mean {run['id']}?" in done.err


def test_who_follows_a_run_that_nobody_works_on_is_told_so(asked: str, greet: Path) -> None:
    with attended("runs", "events", asked, "--follow", cwd=greet) as terminal:
        told = terminal.hears("Whom shall I greet?")

    assert f"prowess runs resume {asked}" in told


def test_a_server_for_agents_says_what_it_waits_for_when_a_person_starts_it(
    home: Path, project: Path
) -> None:
    with attended("mcp", cwd=project) as terminal:
        assert "`prowess integrate TOOL`" in terminal.hears("Ctrl-C ends this.")


def test_who_stops_a_loop_is_told_to_leave_its_work_tree_alone(home: Path, project: Path) -> None:
    git(project, "init", "-q", "-b", "main")
    write_file(project / "PLAN.md", "- [ ] Say hello\n")
    git(project, "add", "-A")
    git(project, "-c", "user.email=a@b", "-c", "user.name=a", "commit", "-q", "-m", "A plan")
    agent = "sh -c 'cat > /dev/null; touch ../begun; sleep 600'"
    command = [*PROWESS, "loop", "PLAN.md", "--agent", "command", "--command", agent]
    with subprocess.Popen(command, cwd=project, stderr=subprocess.PIPE, text=True) as child:
        until((project.parent / "begun").exists)
        child.send_signal(signal.SIGINT)
        _, told = child.communicate(timeout=PATIENCE)

    (run,) = runs(project)
    assert run["state"] == "paused"
    assert f"`prowess runs resume {run['id']}` goes on" in told
    assert "leave its work tree alone" in told
