"""`prowess run` and `prowess runs`, as a person and as a program meet them."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from house import skill_file
from model.formats import Say
from model.server import Fault, ModelServer
from support import Cli, until, write_file

PROWESS = [sys.executable, "-m", "prowess"]
TOKENS = 120  # of one reply of the server


def says(text: str) -> Say:
    return Say(text=text)


def calls(tool: str, **given: Any) -> Say:
    return Say(calls=((tool, given),))


def lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of the machine's owner plays a part."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_the_answer_is_on_stdout_and_the_progress_on_stderr(cli: Cli, project: Path) -> None:
    skill_file(project, "note", "Write a note.")
    with ModelServer(calls("Write", file_path="n.txt", content="x"), says("Written.")) as server:
        done = cli("run", "note", "--model", f"{server.url}/v1#m")

    assert done.code == 0
    assert done.out == "Written.\n"
    assert "✓ Write n.txt" in done.err
    assert "done (2 iterations" in done.err


def test_the_answer_on_stdout_has_no_secret_in_it(
    cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "zz" + "TopSecretValue" + "99Q"
    monkeypatch.setenv("MY_TOKEN", secret)
    skill_file(project, "note", "Write a note.")
    with ModelServer(says(f"It is {secret}, says bob@example.com.")) as server:
        done = cli("run", "note", "--model", f"{server.url}/v1#m")

    assert done.out == "It is [secret], says [email].\n"
    assert secret not in done.err


def test_json_is_one_event_a_line_and_the_last_is_the_outcome(cli: Cli, project: Path) -> None:
    skill_file(project, "note", "Write a note.")
    with ModelServer(calls("Write", file_path="n.txt", content="x"), says("Written.")) as server:
        done = cli("run", "note", "--json", "--model", f"{server.url}/v1#m")

    told = lines(done.out)
    assert told[0]["kind"] == "run.started"
    assert told[-1]["kind"] == "run.finished"
    assert told[-1]["outcome"]["answer"] == "Written."
    assert [each["seq"] for each in told] == list(range(1, len(told) + 1))
    assert done.err == ""


def test_a_run_that_does_not_finish_its_task_answers_no(cli: Cli, project: Path) -> None:
    skill_file(project, "look", "Look.")
    with ModelServer(calls("Glob", pattern="*")) as server:
        done = cli("run", "look", "--max-iterations", "2", "--model", f"{server.url}/v1#m")

    assert done.code == 1
    assert "partial: the iterations are used up" in done.err


def test_full_visibility_shows_thoughts_calls_and_results(cli: Cli, project: Path) -> None:
    skill_file(project, "look", "Look.")
    (project / "a.txt").write_text("the content")
    turn = Say(text="I look.", calls=(("Read", {"file_path": "a.txt"}),))
    with ModelServer(turn, says("Seen.")) as server:
        done = cli("run", "look", "--visibility", "full", "--model", f"{server.url}/v1#m")

    for part in ("Iteration 1", "I look.", "Read(file_path='a.txt')", "the content"):
        assert part in done.err


def test_a_wrong_key_is_told_with_what_to_do(cli: Cli, project: Path) -> None:
    skill_file(project, "look", "Look.")
    with ModelServer(Fault(status=401)) as server:
        done = cli("run", "look", "--model", f"{server.url}/v1#m")
    listed = cli("runs", "list").out
    (told,) = cli("runs", "list", "--json").json

    assert done.code == 3
    assert done.out == ""
    assert "401" in done.err
    assert "▸ look  [" in done.err
    assert "401" in listed
    assert "401" in told["summary"]


def test_how_far_a_failed_run_came_is_told_beside_the_answer_it_does_not_have(
    cli: Cli, project: Path
) -> None:
    skill_file(project, "look", "Look.")
    with ModelServer(calls("Glob", pattern="*"), Fault(status=401)) as server:
        done = cli("run", "look", "--model", f"{server.url}/v1#m")

    assert done.code == 3
    assert done.out == ""
    assert "Completed 1 of 1 calls; no answer was given." in done.err


@pytest.mark.usefixtures("quiet")
def test_without_key_and_server_the_demo_model_is_offered_where_it_has_a_script(
    cli: Cli, project: Path
) -> None:
    skill_file(project, "look", "Look.")
    write_file(skill_file(project, "play", "Play.") / "demo.yaml", "turns: [{answer: Played.}]\n")

    without, with_script = cli("run", "look"), cli("run", "play")

    assert without.code == with_script.code == 2
    assert "to get going" in without.err
    assert "--model demo" not in without.err
    assert "`prowess demo`" in without.err
    assert "--model demo" in with_script.err
    assert cli("run", "play", "--model", "demo").out == "Played.\n"


def test_a_misspelt_variable_is_told_beside_the_answer(
    cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file(skill_file(project, "play", "Play.") / "demo.yaml", "turns: [{answer: Played.}]\n")
    monkeypatch.setenv("PROWESS_MAX_ITERATIONS", "3")
    monkeypatch.setenv("PROWESS_ZZZ", "somebody else's")

    done = cli("run", "play", "--model", "demo")

    assert done.out == "Played.\n"
    assert "PROWESS_MAX_ITERATIONS changes nothing, did you mean PROWESS_RUN_MAX_ITER" in done.err
    assert "PROWESS_ZZZ" not in done.err


def test_an_unknown_skill_is_told_with_one_that_is_near(cli: Cli, project: Path) -> None:
    skill_file(project, "look", "Look.")

    done = cli("run", "lok", "--model", "demo")

    assert done.code == 1
    assert "look" in done.err


def test_a_killed_run_goes_on_from_the_command_line(home: Path, project: Path) -> None:
    skill_file(project, "slow", "Work slowly.")
    write, last = "echo {n} >> lines", "touch begun; sleep 600"
    turns = [calls("Bash", command=write.format(n=n)) for n in range(2)]
    with ModelServer(*turns, calls("Bash", command=last), says("never")) as server:
        command = [*PROWESS, "run", "slow", "--json", "--model", f"{server.url}/v1#m"]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=project)
        until((project / "begun").exists)
        child.kill()
        child.communicate()
    (run,) = json.loads(_told("runs", "list", "--json"))

    shown = subprocess.run(
        [*PROWESS, "runs", "resume", run["id"]], capture_output=True, text=True, check=False
    )

    assert (project / "lines").read_text().split() == ["0", "1"]
    assert shown.returncode == 1
    assert "needs_attention" in shown.stderr
    assert "Bash" in shown.stderr
    used = 3 * TOKENS
    assert f"(3 iterations, {used} tokens)" in shown.stderr  # and no price, which nobody knows


def _told(*words: str) -> str:
    return subprocess.run([*PROWESS, *words], capture_output=True, text=True, check=True).stdout


def test_a_run_that_another_process_cancels_ends_once(home: Path, project: Path) -> None:
    skill_file(project, "slow", "Work slowly.")
    wait = calls("Bash", command="touch begun; sleep 600")
    with ModelServer(wait, says("never")) as server:
        command = [*PROWESS, "run", "slow", "--json", "--model", f"{server.url}/v1#m"]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=project)
        until((project / "begun").exists)
        (run,) = json.loads(_told("runs", "list", "--json"))
        _told("runs", "cancel", run["id"])
        shown, _ = child.communicate(timeout=60)

    assert child.returncode == 1
    assert lines(shown)[-1]["kind"] == "run.finished"
    events = lines(_told("runs", "events", run["id"], "--json"))
    ends = [event for event in events if event["kind"] == "run.finished"]
    assert [end["outcome"]["ending"] for end in ends] == ["cancelled"]
    assert [(end["outcome"]["tokens"], end["outcome"]["cost"]) for end in ends] == [(TOKENS, None)]


def test_interrupting_says_how_to_go_on(home: Path, project: Path) -> None:
    skill_file(project, "slow", "Work slowly.")
    with ModelServer(calls("Bash", command="sleep 600"), says("never")) as server:
        command = [*PROWESS, "run", "slow", "--model", f"{server.url}/v1#m"]
        child = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=project
        )
        until(lambda: len(server.requests) == 1)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=30)

    assert child.returncode == 130
    assert "prowess runs resume" in errors


@pytest.mark.parametrize(
    ("tool", "given"),
    [("Bash", {"command": "touch made"}), ("shell", {"cmd": "touch made"})],
)
def test_a_person_is_asked_about_what_nothing_grants(
    home: Path, project: Path, tool: str, given: dict[str, str]
) -> None:
    skill_file(project, "look", "Look.", **{"allowed-tools": "Read"})
    with ModelServer(calls(tool, **given), says("Done.")) as server:
        command = [*PROWESS, "run", "look", "--ask", "--model", f"{server.url}/v1#m"]
        master, slave = pty.openpty()
        child = subprocess.Popen(
            command, stdin=slave, stdout=subprocess.PIPE, stderr=slave, text=True, cwd=project
        )
        os.close(slave)
        heard = b""
        while b"> " not in heard:
            heard += os.read(master, 4096)
        os.write(master, b"1\n")
        out, _ = child.communicate(timeout=30)
        os.close(master)

    assert out == "Done.\n"
    assert (project / "made").exists()
    assert b"May the skill use Bash: touch made" in heard


def test_runs_are_listed_shown_and_told_by_the_beginning_of_their_id(
    cli: Cli, project: Path
) -> None:
    skill_file(project, "look", "Look.")
    with ModelServer(says("Seen.")) as server:
        cli("run", "look", "--model", f"{server.url}/v1#m")

    (run,) = cli("runs", "list", "--json").json
    shown = cli("runs", "show", run["id"][:5], "--json").json
    told = lines(cli("runs", "events", run["id"][:5], "--json").out)

    assert run["state"] == shown["state"] == "done"
    assert told[-1]["kind"] == "run.finished"
    assert cli("runs", "show", "nothing").code == 1


def test_no_runs_yet_is_no_error(cli: Cli) -> None:
    done = cli("runs")

    assert done.code == 0
    assert "prowess run" in done.err
    assert "--model demo" not in done.err  # which most skills have no script for


def test_a_page_that_the_run_made_is_opened(
    cli: Cli, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    skill_file(project, "page", "Make a page.")
    (project / "old.html").write_text("old")
    os.utime(project / "old.html", (1, 1))
    with ModelServer(calls("Write", file_path="new.html", content="<p>"), says("Made.")) as server:
        cli("run", "page", "--open", "--model", f"{server.url}/v1#m")

    assert (tmp_path / "opened").read_text().strip() == f"file://{project}/new.html"


@pytest.mark.parametrize("name", ["look", "greet"])
def test_a_rule_that_cannot_be_read_is_refused_before_anything_runs(
    cli: Cli, project: Path, name: str
) -> None:
    skill_file(project, "look", "Look.")
    steps = "steps:\n  - output: hello\n"
    write_file(
        project / ".agents/skills/greet/skill.yaml",
        f"name: greet\nversion: '1.0'\ndescription: Greets.\n{steps}",
    )

    done = cli("run", name, "--allow", "Read", "--allow", "Bash(", "--model", "demo")

    assert done.code == 2
    assert "the rule 'Bash(' cannot be read" in done.err
    assert cli("runs", "--json").json == []


def test_a_skill_that_asks_where_nobody_answers_is_told_so_and_goes_on(
    cli: Cli, project: Path
) -> None:
    skill_file(project, "ask", "Ask.", **{"allowed-tools": "Ask"})
    with ModelServer(calls("Ask", question="Which colour?"), says("Blue, then.")) as server:
        done = cli("run", "ask", "--model", f"{server.url}/v1#m")

    assert done.code == 0
    assert "Blue, then." in done.out
