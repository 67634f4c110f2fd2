"""A loop that was interrupted is gone on with, or given up; no other takes what its agent did for a person's."""

import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from loop.looping import git
from support import Cli, until, write_file

ONE = "- [ ] Say hello\n  - `test -f hello.txt` succeeds\n"


def shell(script: str) -> Sequence[str]:
    return (
        "--agent", "command", "--command", shlex.join(["sh", "-c", f"cat > /dev/null; {script}"])
    )  # fmt: skip


def test_a_loop_that_was_killed_is_gone_on_with_or_given_up_before_another_begins(
    cli: Cli, repo: Path
) -> None:
    plan, trace = write_file(repo / "PLAN.md", ONE), repo.parent / "trace"
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "A plan")
    cheats = (
        "sed -i 's/\\[ \\]/[R]/' PLAN.md; git commit -qam Mine;"
        f" touch {trace}; for i in $(seq 600); do sleep 0.1; done"
    )
    words = [sys.executable, "-m", "prowess", "loop", str(plan), *shell(cheats)]
    loop = subprocess.Popen(words, cwd=repo, stderr=subprocess.PIPE, text=True)
    until(trace.exists)
    other = write_file(repo.parent / "other" / "PLAN.md", ONE)
    loop.kill()
    _, told = loop.communicate()
    run = told.partition("run ")[2].split()[0]

    refused = cli("loop", plan, *shell("touch hello.txt"))
    elsewhere = cli("loop", other, *shell("true"), "--project", other.parent)
    cli("runs", "cancel", run)
    anew = cli("loop", plan, *shell("touch hello.txt"))

    assert refused.code == 2
    assert f"an earlier loop over PLAN.md was interrupted: {run}" in refused.err
    assert f"`prowess runs resume {run}` goes on with it" in refused.err
    assert f"`prowess runs cancel {run}` takes what lies here as yours" in refused.err
    assert "is not a git repository" in elsewhere.err
    assert anew.code == 0


def killed_at_work(repo: Path, trace: Path, *words: str) -> str:
    """A loop that was killed while its agent was at work, which had told what it used by then."""
    write_file(repo / "PLAN.md", ONE)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "A plan")
    slow = (
        f"echo half > half.txt; [ -e {trace} ] || {{ touch {trace}; sleep 60; }}; touch hello.txt"
    )
    command = [sys.executable, "-m", "prowess", "loop", "PLAN.md", *shell(slow), *words]
    loop = subprocess.Popen(command, cwd=repo, stderr=subprocess.PIPE, text=True)
    until(trace.exists)
    loop.kill()
    _, told = loop.communicate()
    return told.partition("run ")[2].split()[0]


def test_a_loop_that_is_resumed_on_another_branch_refuses_and_can_still_be_gone_on_with(
    cli: Cli, repo: Path
) -> None:
    run = killed_at_work(repo, repo.parent / "trace")
    git(repo, "switch", "-q", "-c", "other")

    refused = cli("runs", "resume", run)
    stands = cli("runs", "show", run, "--json").json["state"]
    git(repo, "switch", "-q", "main")
    done = cli("runs", "resume", run)

    assert refused.code == 2
    assert f"{repo} is on other, and the task was begun on main" in refused.err
    assert "`git switch main`" in refused.err
    assert stands == "interrupted"
    assert done.code == 0
    assert done.out.startswith("# PLAN.md\n")


def test_a_loop_whose_repository_is_elsewhere_just_now_stays_as_it_is(cli: Cli, repo: Path) -> None:
    run = killed_at_work(repo, repo.parent / "trace")
    away = repo.rename(repo.parent / "away")

    refused = cli("runs", "resume", run)
    away.rename(repo)

    assert refused.code == 2
    assert f"the folder {repo} is gone" in refused.err
    assert cli("runs", "resume", run).code == 0


def test_a_loop_whose_work_tree_was_taken_away_under_its_agent_can_only_be_given_up(
    cli: Cli, repo: Path
) -> None:
    run = killed_at_work(repo, repo.parent / "trace", "--parallel", "2")
    (tree,) = repo.parent.rglob(f"worktrees/{run}/task-1")
    git(repo, "worktree", "remove", "--force", str(tree))

    refused = cli("runs", "resume", run)
    given_up = cli("runs", "cancel", run)

    assert refused.code == 2
    assert (
        f"the work tree {tree} is gone, in which an agent was at work on: Say hello" in refused.err
    )
    assert f"`prowess runs cancel {run}` gives it up" in refused.err
    assert given_up.code == 0
    assert "lies in its work tree" not in given_up.out


def test_the_report_of_a_loop_that_fails_after_it_was_resumed_goes_to_stdout(
    cli: Cli, repo: Path
) -> None:
    run = killed_at_work(repo, repo.parent / "trace")
    (repo / "PLAN.md").rename(repo.parent / "PLAN.md")
    (repo / "PLAN.md").symlink_to(repo.parent / "PLAN.md")

    ended = cli("runs", "resume", run)

    assert ended.code == 3
    assert ended.out.startswith("# PLAN.md\n")
    assert "1 attempt, " in ended.out


def test_a_loop_over_another_plan_is_told_whose_the_changes_may_be(cli: Cli, repo: Path) -> None:
    run = killed_at_work(repo, repo.parent / "trace")
    write_file(repo / "OTHER.md", ONE)

    refused = cli("loop", "OTHER.md", *shell("true"))

    assert refused.code == 2
    assert f"may be the work of an agent whose loop has not ended: {run}" in refused.err
    assert f"`prowess runs resume {run}` goes on with that loop" in refused.err
    assert f"`prowess runs cancel {run}` takes what lies here as yours" in refused.err
