"""
Real coding agents complete a plan of two tasks, with a scripted model on loopback.

Needs the agents: `make peers`.
"""

import os
import shutil
from pathlib import Path

import pytest

from agents_server import AgentsServer, Run
from installed import missing
from loop.looping import git
from model.formats import Say
from support import Cli, write_file

PROGRAMS = Path(__file__).parents[2] / ".peers" / "agents" / "node_modules" / ".bin"
PLAN = (
    "- [ ] Make the first file\n  - `test -f first.txt` succeeds\n"
    "- [ ] Make the second file\n  - after: Make the first file\n  - `test -f second.txt` succeeds\n"
)
# The model says the same in both conversations; what is there already tells which of them it is.
COMMAND = "if test -f first.txt; then echo 2 > second.txt; else echo 1 > first.txt; fi"


@pytest.mark.parametrize("name", ["codex", "opencode"])
@pytest.mark.parametrize("parallel", ["1", "2"])
def test_a_real_agent_completes_a_plan_of_two_tasks(
    cli: Cli, repo: Path, monkeypatch: pytest.MonkeyPatch, name: str, parallel: str
) -> None:
    monkeypatch.setenv("PATH", f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}")
    if not shutil.which(name):
        missing(f"{name} is not installed: run `make peers`")
    plan = write_file(repo / "PLAN.md", PLAN)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "A plan")

    with AgentsServer(Run(COMMAND), Say(text="It is made.")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        words = ("--agent", name, "--model", "scripted", "--parallel", parallel)
        done = cli("loop", plan, *words, "--wall", "4m", "--idle", "2m")

    assert done.code == 0, done.err
    assert plan.read_text().count("- [R]") == 2
    assert "2 attempts, 480 tokens" in done.out
    assert {"Make the first file", "Make the second file"} <= set(
        git(repo, "log", "--format=%s").splitlines()
    )
    assert git(repo, "show", "HEAD:second.txt") == "2\n"
    assert git(repo, "status", "--porcelain") == ""


ABREAST = (
    "- [ ] Make the first file\n  - files: first.txt\n  - `test -f first.txt` succeeds\n"
    "- [ ] Make the second file\n  - files: second.txt\n  - `test -f second.txt` succeeds\n"
)
# Each makes its file and takes it away again unless it sees the other's, in the work tree beside its own.
MEET = (
    "case $PWD in *task-1) mine=first.txt other=../task-2/second.txt;;"
    " *) mine=second.txt other=../task-1/first.txt;; esac;"
    " echo made > $mine; for n in $(seq 300); do test -e $other && exit; sleep 0.1; done; rm $mine"
)


@pytest.mark.parametrize("name", ["codex", "opencode"])
def test_a_real_agent_works_on_two_tasks_at_the_same_time(
    cli: Cli, repo: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("PATH", f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}")
    if not shutil.which(name):
        missing(f"{name} is not installed: run `make peers`")
    plan = write_file(repo / "PLAN.md", ABREAST)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "A plan")

    with AgentsServer(Run(MEET), Say(text="It is made.")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        words = ("--agent", name, "--model", "scripted", "--parallel", "2", "--max-attempts", "1")
        done = cli("loop", plan, *words, "--wall", "4m", "--idle", "2m")

    assert done.code == 0, done.err
    assert plan.read_text().count("- [R]") == 2
    assert git(repo, "show", "HEAD:first.txt") == git(repo, "show", "HEAD:second.txt") == "made\n"
    assert git(repo, "status", "--porcelain") == ""
