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
