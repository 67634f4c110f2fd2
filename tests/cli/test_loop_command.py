"""`prowess loop` with an agent that is any command: where its paths lead, and the example to the letter."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loop.looping import git
from support import Cli, write_file

EXAMPLES = Path(__file__).parents[2] / "examples"
ONE = "- [ ] Say hello\n  - files: hello.txt\n  - `test -f hello.txt` succeeds\n"


@pytest.fixture
def repo(project: Path) -> Path:
    git(project, "init", "-q", "-b", "main")
    git(project, "config", "user.email", "a@b")
    git(project, "config", "user.name", "a")
    write_file(project / ".gitignore", "tools/\n")
    write_file(project / "PLAN.md", ONE)
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "A plan")
    return project


def said(page: Path) -> str:
    """The commands that a page sets apart, line by line."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return "\n".join(line[4:] for line in lines if line.startswith("    "))


@pytest.mark.parametrize("abreast", ["--parallel 2", ""])
def test_the_example_works_as_it_is_written(home: Path, tmp_path: Path, abreast: str) -> None:
    (tmp_path / "clone").mkdir()
    (tmp_path / "clone" / "examples").symlink_to(EXAMPLES)
    write_file(home / ".gitconfig", "[user]\n  name = a\n  email = a@b\n")
    script = said(EXAMPLES / "plans" / "README.md")
    assert "--parallel 2" in script
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    done = subprocess.run(
        ["sh", "-c", script.replace("--parallel 2", abreast)],
        cwd=tmp_path / "clone",
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )

    plan = (tmp_path / "clone" / "temperatures" / "PLAN.md").read_text()
    assert done.returncode == 1, done.stderr
    assert (plan.count("- [R]"), plan.count("- [~]")) == (5, 1), done.stderr


@pytest.mark.parametrize("words", ["tools/agent", "sh tools/agent", "sh ../agent"])
def test_a_relative_path_of_the_command_leads_from_the_project(
    cli: Cli, repo: Path, words: str
) -> None:
    script = "#!/bin/sh\ncat > /dev/null\ntouch hello.txt\n"
    for place in (repo / "tools" / "agent", repo.parent / "agent"):
        write_file(place, script).chmod(0o755)

    done = cli("loop", "PLAN.md", "--agent=command", "--command", words, "--parallel=2")

    assert done.code == 0, done.err
    assert "- [R] Say hello" in (repo / "PLAN.md").read_text()


def test_a_file_that_the_work_tree_has_is_named_as_it_was(cli: Cli, repo: Path) -> None:
    words = "sh -c 'cat > /dev/null; printf %s $0 > hello.txt' .gitignore"

    done = cli("loop", "PLAN.md", "--agent=command", "--command", words, "--parallel=2")

    assert done.code == 0, done.err
    assert (repo / "hello.txt").read_text() == ".gitignore"


@pytest.mark.parametrize("command", ["no-such-program", "./no-such-program"])
def test_a_command_that_is_no_program_is_refused_before_anything_begins(
    cli: Cli, repo: Path, command: str
) -> None:
    done = cli("loop", "PLAN.md", "--agent", "command", "--command", command)

    assert done.code == 3
    assert f"the agent's command {command} is no program on this machine" in done.err
    assert cli("runs", "list", "--json").json == []


def test_a_mistyped_agent_is_told_which_was_meant(cli: Cli, repo: Path) -> None:
    done = cli("loop", "PLAN.md", "--agent", "codx")

    assert done.code == 2
    assert "did you mean codex?" in done.err


@pytest.mark.parametrize("amount", ["nan", "inf"])
def test_an_amount_that_limits_nothing_is_refused(cli: Cli, repo: Path, amount: str) -> None:
    done = cli("loop", "PLAN.md", "--max-cost", amount)

    assert done.code == 2
    assert f"--max-cost {amount}" in done.err
    assert cli("runs", "list", "--json").json == []


def test_a_folder_of_skills_that_is_not_there_is_told_before_an_agent_is_paid(
    cli: Cli, repo: Path
) -> None:
    words = ("--agent", "command", "--command", "touch hello.txt", "--dir", "nowhere")
    done = cli("loop", "PLAN.md", *words)

    assert done.code == 2
    assert "nowhere" in done.err
    assert cli("runs", "list", "--json").json == []


def test_an_attempt_can_be_looked_at_by_the_id_that_is_shown(cli: Cli, repo: Path) -> None:
    words = "sh -c 'echo E: no luck >&2; exit 3'"
    done = cli("loop", "PLAN.md", "--agent", "command", "--command", words)
    shown = done.err.partition("command works on: Say hello (")[2].partition(")")[0]
    short = f"{shown[:6]}.1"

    view = cli("runs", "show", shown, "--json").json

    assert (view["kind"], view["skill"], view["state"]) == ("attempt", "command", "failed")
    assert (view["arguments"], view["parent"]) == ("Say hello", shown.removesuffix(".1"))
    assert view["reason"] == "E: no luck"
    assert cli("runs", "show", short, "--json").json == view
    told = "Attempt 1: Say hello\n  · command: crash: E: no luck"
    assert told in cli("runs", "events", short).out
    assert told in cli("runs", "events", shown, "--follow").out
    assert [each["id"] for each in cli("runs", "list", "--json").json] == [view["parent"]]


def test_a_part_that_a_run_does_not_have_is_no_run(cli: Cli, repo: Path) -> None:
    cli("loop", "PLAN.md", "--agent", "command", "--command", "false")
    (run,) = cli("runs", "list", "--json").json

    done = cli("runs", "show", f"{run['id']}.7")

    assert done.code == 1
    assert f"there is no run {run['id']}.7" in done.err


@pytest.mark.parametrize("word", ["cancel", "pause"])
def test_only_a_whole_run_can_be_stopped(cli: Cli, repo: Path, word: str) -> None:
    cli("loop", "PLAN.md", "--agent", "command", "--command", "false")
    (run,) = cli("runs", "list", "--json").json

    done = cli("runs", word, f"{run['id']}.1")

    assert done.code == 2
    assert f"{run['id']}.1 is a part of the run {run['id']}" in done.err
