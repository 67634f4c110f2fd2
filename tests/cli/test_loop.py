"""`prowess loop`, as a person and as a program meet it: unattended, with the example plan, and killed."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from loop.looping import git
from support import Cli, until, write_file

EXAMPLES = Path(__file__).parents[2] / "examples" / "plans"
ONE = "- [ ] Say hello\n  - `test -f hello.txt` succeeds\n"


@pytest.fixture
def repo(project: Path) -> Path:
    git(project, "init", "-q", "-b", "main")
    git(project, "config", "user.email", "a@b")
    git(project, "config", "user.name", "a")
    write_file(project / ".gitignore", "__pycache__/\n")
    return project


def with_plan(repo: Path, text: str) -> Path:
    plan = write_file(repo / "PLAN.md", text)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "A plan")
    return plan


def agent(*words: object) -> Sequence[str]:
    return ["--agent", "command", "--command", shlex.join(map(str, words))]


def shell(script: str) -> Sequence[str]:
    return agent("sh", "-c", f"cat > /dev/null; {script}")


def marks(plan: Path) -> dict[str, str]:
    lines = [line for line in plan.read_text().splitlines() if line.startswith("- [")]
    return {line[6:]: line[3] for line in lines}


@pytest.mark.parametrize("parallel", ["1", "2"])
def test_the_example_plan_comes_to_the_right_end_unattended(
    cli: Cli, repo: Path, parallel: str
) -> None:
    plan = with_plan(repo, (EXAMPLES / "six-tasks.md").read_text())
    words = agent(sys.executable, EXAMPLES / "agent.py")

    done = cli("loop", plan, *words, "--parallel", parallel)

    assert done.code == 1
    assert marks(plan) == {
        "Convert Celsius to Fahrenheit": "R",
        "Round to one decimal": "R",
        "Explain the use": "R",
        "Begin a list of changes": "R",
        "Go below absolute zero": "~",
        "Point to the explanation": "R",
    }
    assert "1 of 6 tasks is blocked." in done.out
    proven, _, blocked = done.out.partition("## Blocked")
    assert proven.count("\n### ") == 5
    assert "### Round to one decimal\n\n2 attempts" in proven
    assert "1 passed, 0 failed" in proven
    assert "### Go below absolute zero\n\n3 attempts" in blocked
    assert "9 attempts, 0 tokens, an unknown price." in blocked
    subjects = git(repo, "log", "--format=%s").splitlines()
    assert {"Convert Celsius to Fahrenheit", "Round to one decimal"} <= set(subjects)
    assert git(repo, "status", "--porcelain") == ""
    assert not (repo / "cold.py").exists()
    (branch,) = [each for each in git(repo, "branch").split() if each.startswith("prowess/")]
    assert git(repo, "show", f"{branch}:cold.py") == "KELVIN = -1\n"
    assert f"`{branch}`" in blocked


def test_a_plan_that_is_done_ends_with_code_0(cli: Cli, repo: Path) -> None:
    plan = with_plan(repo, ONE)

    done = cli("loop", plan, *shell("touch hello.txt"))

    assert done.code == 0
    assert "All tasks are proven." in done.out
    assert "[R] Say hello" in done.err
    (run,) = cli("runs", "list", "--json").json
    assert cli("runs", "show", run["id"]).out.endswith(f"\n\n{done.out.strip()}\n")


def test_json_is_one_event_a_line_and_the_outcome_last(cli: Cli, repo: Path) -> None:
    plan = with_plan(repo, ONE)

    done = cli("loop", plan, *shell("true"), "--max-attempts", "2", "--json")

    events = [json.loads(line) for line in done.out.splitlines()]
    kinds = [each["kind"] for each in events]
    assert done.code == 1
    assert (kinds[0], kinds[-1]) == ("run.started", "run.finished")
    assert kinds.count("loop.no_progress") == 2
    assert kinds.count("loop.same_task") == 1
    assert events[-1]["outcome"]["details"]["tasks"][0]["mark"] == "~"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["NOWHERE.md"], "there is no plan"),
        (["EMPTY.md"], "holds no task"),
        (["PLAN.md", "--agent", "nobody"], "no agent named 'nobody'"),
        (["PLAN.md", "--phases", "nowhere.yaml"], "cannot be read"),
        (["PLAN.md", "--max-time", "soon"], "--max-time soon"),
    ],
)
def test_wrong_usage_is_told_before_anything_begins(
    cli: Cli, repo: Path, words: list[str], told: str
) -> None:
    write_file(repo / "EMPTY.md", "Nothing to do.\n")
    with_plan(repo, ONE)

    done = cli("loop", *words)

    assert done.code == 2
    assert told in done.err


def test_a_wrong_name_is_told_before_what_is_wrong_with_the_place(cli: Cli, project: Path) -> None:
    write_file(project / "PLAN.md", "- [ ] Do it.\n")

    assert "no agent named 'nobody'" in cli("loop", "PLAN.md", "--agent", "nobody").err
    assert (
        "not a git repository"
        in cli("loop", "PLAN.md", "--agent", "command", "--command", "true").err
    )


def test_a_tree_with_somebodys_changes_is_refused_before_anything_begins(
    cli: Cli, repo: Path
) -> None:
    plan = with_plan(repo, ONE)
    write_file(repo / "mine.txt", "mine")

    done = cli("loop", plan, *shell("touch hello.txt"))

    assert done.code == 2
    assert "uncommitted changes: mine.txt" in done.err
    assert not (repo / "hello.txt").exists()


def start(repo: Path, *words: object, **more: Any) -> "subprocess.Popen[str]":
    """A command in a process of its own."""
    command = [sys.executable, "-m", "prowess", *map(str, words)]
    return subprocess.Popen(
        command, cwd=repo, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more
    )


def run_of(told: str) -> str:
    return told.partition("run ")[2].split()[0]


def ended(cli: Cli, run: str) -> dict[str, Any]:
    done = cli("runs", "resume", run, "--json")
    assert done.code == 0, done.err
    outcome: dict[str, Any] = json.loads(done.out.splitlines()[-1])["outcome"]
    return outcome


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_loop_killed_in_the_middle_of_an_attempt_goes_on(
    cli: Cli, repo: Path, parallel: int
) -> None:
    plan, trace = with_plan(repo, ONE), repo.parent / "trace"
    script = (
        f"echo $$ >> {trace}; if [ $(wc -l < {trace}) = 1 ]; then"
        " for i in $(seq 600); do sleep 0.1; done; fi; touch hello.txt"
    )
    loop = start(repo, "loop", plan, *shell(script), "--parallel", parallel)
    until(lambda: trace.exists() and bool(trace.read_text().strip()))
    first = int(trace.read_text())

    loop.kill()
    _, told = loop.communicate()
    outcome = ended(cli, run_of(told))

    assert not _alive(first)
    assert marks(plan) == {"Say hello": "R"}
    assert len(trace.read_text().split()) == 2
    assert outcome["details"]["tasks"][0]["attempts"] == 1
    assert git(repo, "log", "--format=%s").splitlines().count("Say hello") == 1
    assert git(repo, "status", "--porcelain") == ""


def _alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("word", "parallel"),
    [
        ("update-ref", 1),
        ("commit-tree", 1),
        ("reset", 1),
        ("commit", 2),
        ("merge", 2),
        ("worktree", 2),
    ],
)
def test_a_loop_killed_while_it_records_goes_on_and_loses_nothing(
    cli: Cli, repo: Path, monkeypatch: pytest.MonkeyPatch, word: str, parallel: int
) -> None:
    """The kill comes from git itself, at the first `word` of its that is about what was done."""
    plan = with_plan(repo, f"{ONE}- [ ] Fail\n  - `false` succeeds\n")
    trace, armed = repo.parent / "trace", repo.parent / "armed"
    git_itself = subprocess.run(["which", "git"], capture_output=True, text=True, check=True)
    deadly = write_file(
        repo.parent / "bin" / "git",
        f'#!/bin/sh\nfor w; do if [ "$w" = {word} ] && rm {armed} 2>/dev/null; then'
        f' kill -9 $PPID; exit 1; fi; done\nexec {git_itself.stdout.strip()} "$@"\n',
    )
    deadly.chmod(0o755)
    script = f"echo x >> {trace}; touch {armed}; touch hello.txt; echo $$ > other.txt"
    path = f"{deadly.parent}{os.pathsep}{os.environ['PATH']}"
    loop = start(
        repo,
        *("loop", plan, *shell(script), "--parallel", parallel, "--max-attempts", 1),
        env={**os.environ, "PATH": path},
    )

    _, told = loop.communicate(timeout=120)
    assert loop.returncode == -signal.SIGKILL, told
    armed.unlink(missing_ok=True)
    done = cli("runs", "resume", run_of(told), "--json")

    assert done.code == 1
    assert marks(plan) == {"Say hello": "R", "Fail": "~"}
    assert len(trace.read_text().split()) == 2
    tasks = json.loads(done.out.splitlines()[-1])["outcome"]["details"]["tasks"]
    assert [each["attempts"] for each in tasks] == [1, 1]
    subjects = git(repo, "log", "--format=%s").splitlines()
    assert subjects.count("Say hello") == 1
    assert git(repo, "status", "--porcelain") == ""
    assert len(git(repo, "worktree", "list").splitlines()) == 1
