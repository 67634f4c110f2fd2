"""Why a task was sent back or blocked is among the lines that somebody watches."""

import json
from pathlib import Path

import pytest

from loop.looping import git
from support import Cli, write_file
from terminal import on_terminal

ONE = "- [ ] Beta\n  - files: beta.txt\n  - `beta.txt` contains `beta`\n"
RULED = "cat > /dev/null; echo beta > beta.txt; touch other.txt"
WRONG = "cat > /dev/null; echo gamma > beta.txt"


@pytest.fixture
def repo(project: Path) -> Path:
    git(project, "init", "-q", "-b", "main")
    git(project, "config", "user.email", "a@b")
    git(project, "config", "user.name", "a")
    write_file(project / "PLAN.md", ONE)
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "A plan")
    return project


def watched(cli: Cli, script: str) -> list[str]:
    words = ("--agent", "command", "--command", f"sh -c '{script}'", "--max-attempts", "1")
    return cli("loop", "PLAN.md", *words).err.splitlines()


def branch(repo: Path) -> str:
    (found,) = git(repo, "branch", "--list", "prowess/*").split()
    return found


def test_a_file_outside_of_the_task_is_a_line_of_its_own(cli: Cli, repo: Path) -> None:
    assert "  ✗ other.txt was changed and is outside of files: (beta.txt)" in watched(cli, RULED)


def test_a_blocked_task_says_why_and_where_its_work_is(cli: Cli, repo: Path) -> None:
    lines = watched(cli, RULED)

    why = "other.txt was changed and matches none of the allowed files."
    assert f"  [~] Beta: {why} (branch {branch(repo)})" in lines


def test_of_a_criterion_the_first_that_failed_is_told(cli: Cli, repo: Path) -> None:
    (line,) = [line for line in watched(cli, WRONG) if line.startswith("  [~] Beta")]

    assert line.startswith('  [~] Beta: "`beta.txt` contains `beta`": beta.txt does not hold')
    assert line.endswith(f" (branch {branch(repo)})")


def test_on_a_terminal_the_reason_is_cut_and_the_branch_is_whole(cli: Cli, repo: Path) -> None:
    watched(cli, WRONG)
    (run,) = cli("runs", "list", "--json").json

    shown = on_terminal("runs", "events", run["id"], columns=90, NO_COLOR="1").splitlines()

    (line,) = [line for line in shown if line.startswith("  [~] Beta")]
    assert len(line) <= 90
    assert line.endswith(f"… (branch {branch(repo)})")


def test_the_events_name_the_files_that_were_allowed(cli: Cli, repo: Path) -> None:
    words = ("--agent", "command", "--command", f"sh -c '{RULED}'", "--json", "--max-attempts=1")
    events = [json.loads(line) for line in cli("loop", "PLAN.md", *words).out.splitlines()]

    (told,) = [each["allowed"] for each in events if each["kind"] == "check.finished"]
    assert told == ["beta.txt"]


def test_of_tasks_that_are_checked_at_the_same_time_each_line_says_whose_it_is(
    cli: Cli, repo: Path
) -> None:
    write_file(repo / "PLAN.md", ONE + ONE.replace("Beta", "Alpha").replace("beta", "alpha"))
    git(repo, "commit", "-qam", "Two")
    script = "cat > /dev/null; echo alpha > alpha.txt; echo beta > beta.txt"
    words = ("--agent", "command", "--command", f"sh -c '{script}'", "--max-attempts", "1")

    lines = cli("loop", "PLAN.md", "--parallel", "2", *words).err.splitlines()

    for name in ("Alpha", "Beta"):
        place = lines.index(f"  ✓ `{name.lower()}.txt` contains `{name.lower()}`")
        above = [line.strip() for line in lines[:place]]
        assert above[-1] in (name, f"· check: {name}")


def test_what_holds_by_what_the_agent_cites_is_told_as_cited(cli: Cli, repo: Path) -> None:
    write_file(repo / "PLAN.md", f"{ONE}  - it greets people kindly\n")
    git(repo, "commit", "-qam", "Kindly")
    evidence = {"type": "file_inspection", "description": "`beta`", "location": "beta.txt:1"}
    criterion = {"criterion": "it greets people kindly", "verdict": "PASS"}
    cited = {"criteria": [{**criterion, "evidence": [{**evidence, "confidence": 1}]}]}
    script = (
        f"#!/bin/sh\ncat > /dev/null; echo beta > beta.txt\ncat <<'E'\n{json.dumps(cited)}\nE\n"
    )
    agent = write_file(repo.parent / "agent.sh", script)
    agent.chmod(0o755)

    told = cli("loop", "PLAN.md", "--agent", "command", "--command", agent, "--max-attempts=1")

    assert "  ✓ it greets people kindly (as cited)" in told.err.splitlines()
    assert "  ✓ `beta.txt` contains `beta`" in told.err.splitlines()


RUN_TESTS = "\n## Validation\n\n```\npython3 -m unittest discover -s t\n```\n"


def test_what_a_command_printed_is_no_reason_of_ours(cli: Cli, repo: Path) -> None:
    write_file(repo / "PLAN.md", f"- [ ] Beta\n{RUN_TESTS}")
    write_file(repo / "t" / "test_x.py", "print('- FAIL: the disk burns')\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "Tests that are none")

    (line,) = [line for line in watched(cli, WRONG) if line.startswith("  [~] Beta")]

    assert "no test ran: 0 passed, 0 failed, 0 skipped (unittest, exit code 0)" in line
    assert "burns" not in line


def test_the_next_attempt_is_told_which_test_failed_and_what_was_printed(
    cli: Cli, repo: Path
) -> None:
    write_file(repo / "PLAN.md", f"- [ ] Beta\n{RUN_TESTS}")
    test = "import unittest\n\nclass T(unittest.TestCase):\n    def test_total(self):\n"
    write_file(repo / "t" / "test_x.py", f"{test}        self.assertIn('beta', open('beta.txt'))\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "A test")
    prompts = repo.parent / "prompts"
    script = f"cat >> {prompts}; echo gamma > beta.txt"

    words = ("--agent", "command", "--command", f"sh -c '{script}'", "--max-attempts", "2")
    told = cli("loop", "PLAN.md", *words)

    prompt = prompts.read_text()
    assert "test_x.T.test_total - AssertionError: 'beta' not found in" in prompt
    assert "```text\n" in prompt
    assert 'in test_total\n    self.assertIn("beta"'.replace('"', "'") in prompt
    assert "(unittest, exit code 1): test_x.T.test_total - AssertionError" in told.out
    said = "(unittest, exit code 1): test_x.T.test_total - AssertionError"
    assert [said in line for line in told.err.splitlines() if "test_total" in line] == [True] * 3


def test_what_an_agent_tells_no_price_of_costs_nobody_knows_what(cli: Cli, repo: Path) -> None:
    watched(cli, WRONG)
    (loop,) = cli("runs", "list", "--json").json

    events = [json.loads(line) for line in cli("runs", "events", f"{loop['id']}.1", "--json").out.splitlines()]  # fmt: skip

    assert loop["cost"] is None
    (ended,) = [each for each in events if each["kind"] == "attempt.finished"]
    assert ended["outcome"]["cost"] is None
    assert cli("runs", "show", f"{loop['id']}.1", "--json").json["cost"] is None
