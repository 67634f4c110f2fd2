"""A loop that somebody stops, here or from elsewhere: its agent is stopped with it, and what is where is told."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loop.looping import git
from loop.test_interrupted import shell
from support import Cli, until, write_file

PLAN = (
    "- [ ] Say hello\n  - files: hello.txt\n  - `hello.txt` exists\n"
    "- [ ] Say bye\n  - files: bye.txt\n  - `bye.txt` exists\n"
)


def stuck(trace: Path) -> str:
    """An agent that never ends, but for its first second attempt; it leaves its number in the trace."""
    return (
        f"echo $$ >> {trace}; if [ $(wc -l < {trace}) -le 2 ]; then"
        " for i in $(seq 1200); do sleep 0.1; done; fi; touch hello.txt bye.txt"
    )


def begin(repo: Path, script: str, *words: object) -> "subprocess.Popen[str]":
    write_file(repo / "PLAN.md", PLAN)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "A plan")
    command = [sys.executable, "-m", "prowess", "loop", "PLAN.md", *shell(script)]
    return subprocess.Popen(
        [*command, *map(str, words)],
        cwd=repo,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def at_work(loop: "subprocess.Popen[str]", trace: Path, agents: int) -> tuple[str, list[int]]:
    """The run, and its agents, once all of them are at work."""
    assert loop.stderr
    run = loop.stderr.readline().split()[1]
    until(lambda: trace.exists() and len(trace.read_text().split()) == agents)
    return run, [int(each) for each in trace.read_text().split()]


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_pause_from_elsewhere_stops_the_agent_and_the_terminal_of_the_loop_says_how_to_go_on(
    cli: Cli, repo: Path, parallel: int
) -> None:
    trace = repo.parent / "trace"
    loop = begin(repo, stuck(trace), "--parallel", parallel)
    run, agents = at_work(loop, trace, parallel)

    paused = cli("runs", "pause", run)
    dead = not any(map(is_alive, agents))
    _, told = loop.communicate(timeout=60)

    assert paused.out == f"paused {run}\n"
    assert dead
    assert loop.returncode == 1
    assert f"the run {run} was paused" in told
    assert f"`prowess runs resume {run}` goes on where it was" in told
    assert "leave its work tree alone" in told
    assert "git worktree remove" not in told
    assert "### Say hello\n\n1 attempt." in told
    assert cli("runs", "show", run, "--json").json["state"] == "paused"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_tells_what_is_done_and_what_lies_where_and_the_loop_goes_on(
    cli: Cli, repo: Path, number: signal.Signals, code: int
) -> None:
    trace = repo.parent / "trace"
    first = f"touch hello.txt; [ ! -e {trace} ] && echo 0 > {trace} && exit"
    loop = begin(repo, f"{first}; {stuck(trace)}")
    run, _ = at_work(loop, trace, 2)

    loop.send_signal(number)
    _, told = loop.communicate(timeout=60)
    done = cli("runs", "resume", run)

    assert loop.returncode == code
    assert "## Proven\n\n### Say hello\n\n1 attempt; commit " in told
    assert "- PASS: `hello.txt` exists" in told
    assert f"### Say bye\n\n1 attempt.\n\npaused; what was done of it lies in {repo}" in told
    assert "2 attempts, 0 tokens, an unknown price." in told
    assert f"`prowess runs resume {run}` goes on where it was" in told
    assert done.code == 0
    assert (repo / "PLAN.md").read_text() == PLAN.replace("[ ]", "[R]")


@pytest.mark.parametrize(("stream", "words"), [("stdout", ["--json"]), ("stderr", [])])
def test_a_loop_whose_reader_goes_away_is_paused_and_does_not_end_well(
    cli: Cli, repo: Path, stream: str, words: list[str]
) -> None:
    loop = begin(repo, "sleep 2; touch hello.txt bye.txt", *words)
    assert loop.stderr
    run = loop.stderr.readline().split()[1]
    getattr(loop, stream).close()
    setattr(loop, stream, None)
    _, told = loop.communicate(timeout=60)
    state = cli("runs", "show", run, "--json").json["state"]

    assert loop.returncode == 141
    assert state == "paused"
    assert stream == "stderr" or f"`prowess runs resume {run}` goes on where it was" in told


def test_a_loop_that_ended_badly_ends_so_though_nobody_reads_its_report(repo: Path) -> None:
    loop = begin(repo, "true", "--max-attempts", 1)
    assert loop.stdout
    loop.stdout.close()
    loop.stdout = None
    _, told = loop.communicate(timeout=60)

    assert loop.returncode == 1
    assert "Traceback" not in told


@pytest.mark.parametrize(
    "does",
    [
        "echo x > other.txt && git add other.txt && git commit -qm 'not proven'",
        "git reset -q --soft HEAD~1",
    ],
)
def test_what_an_agent_did_to_the_branch_right_before_a_kill_is_none_of_a_persons(
    cli: Cli, repo: Path, does: str
) -> None:
    trace = repo.parent / "trace"
    loop = begin(repo, f"[ -e {trace} ] || {{ sleep 1.5; {does}; }}; {stuck(trace)}")
    run, _ = at_work(loop, trace, 1)
    mine = git(repo, "rev-list", "main", "--grep=A plan").strip()
    mine = mine or git(repo, "log", "-g", "--grep=A plan", "-1", "--format=%H").strip()
    loop.kill()
    loop.communicate(timeout=60)
    trace.write_text("1\n2\n")

    cli("runs", "resume", run)

    assert "other.txt" not in git(repo, "ls-tree", "--name-only", "main")
    git(repo, "merge-base", "--is-ancestor", mine, "main")


@pytest.mark.parametrize("now", ["version: 1\n", None])
def test_a_loop_goes_on_with_the_phases_that_it_began_with(
    cli: Cli, repo: Path, now: str | None
) -> None:
    trace, phases = repo.parent / "trace", repo.parent / "phases.yaml"
    ends = "  judge: {type: evaluate, does: check, transitions: [{to: end}]}\n  end: {type: terminal, mark: R}\n"
    work = "  work: {type: execute, transitions: [{to: judge}]}\n"
    write_file(phases, f"version: 1\nstart: work\nphases:\n{work}{ends}")
    loop = begin(repo, stuck(trace), "--phases", phases)
    run, _ = at_work(loop, trace, 1)
    loop.kill()
    loop.communicate(timeout=60)
    trace.write_text("1\n2\n")
    phases.write_text(now) if now else phases.unlink()

    done = cli("runs", "resume", run)

    assert done.code == 0, done.err
    assert "- [ ]" not in (repo / "PLAN.md").read_text()


@pytest.mark.parametrize("stood", ["paused", "at work"])
def test_a_loop_that_is_given_up_tells_which_work_trees_and_branches_stay_and_what_it_cost(
    cli: Cli, repo: Path, stood: str
) -> None:
    trace = repo.parent / "trace"
    loop = begin(repo, stuck(trace), "--parallel", 2)
    run, _ = at_work(loop, trace, 2)
    if stood == "paused":
        cli("runs", "pause", run)
        loop.communicate(timeout=60)

    given_up = cli("runs", "cancel", run)
    loop.communicate(timeout=60)

    told = given_up.out
    assert told.startswith(f"cancelled {run}\n\n# PLAN.md\n\nThe run {run} was cancelled.\n")
    for number in (1, 2):
        tree = next(iter(repo.parent.rglob(f"worktrees/{run}/task-{number}")))
        assert (
            f"- the work tree `{tree}`; `git worktree remove --force {tree}` takes it away" in told
        )
        assert f"- the branch `prowess/{run}/task-{number}`\n" in told
    assert told.count("\n1 attempt.\n") == 2
    assert "2 attempts, 0 tokens, an unknown price." in told
    shown: dict[str, Any] = cli("runs", "show", run, "--json").json
    assert (shown["state"], shown["cost"]) == ("cancelled", None)
