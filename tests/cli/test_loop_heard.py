"""Who watches a loop sees what its agents say while they say it: line by line, or the newest words."""

import re
import shlex
from pathlib import Path

import pytest

from loop.looping import git
from support import Cli, write_file
from terminal import on_terminal

PLAN = """- [ ] Write alpha
  - files: alpha.txt
  - `alpha.txt` contains `a`
- [ ] Write beta
  - files: beta.txt
  - `beta.txt` contains `b`
"""
# It says two things, waits until the other one is at work too, and does both tasks.
SAYS = (
    'name=$(grep -o "Write [ab][a-z]*" | head -n 1); echo "I begin: $name"; echo; sleep 1.5;'
    ' printf "\\033[31mI am done\\n\\n"; echo a > alpha.txt; echo b > beta.txt'
)


@pytest.fixture
def repo(project: Path) -> Path:
    git(project, "init", "-q", "-b", "main")
    git(project, "config", "user.email", "a@b")
    git(project, "config", "user.name", "a")
    write_file(project / "PLAN.md", PLAN)
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "A plan")
    return project


def words(*more: str) -> list[str]:
    command = shlex.join(("sh", "-c", SAYS))
    given = ["loop", "PLAN.md", "--agent", "command", "--command", command, "--max-attempts", "1"]
    return [*given, *more]


def test_in_full_every_word_of_an_agent_is_told(cli: Cli, repo: Path) -> None:
    told = cli(*words("--visibility", "full")).err

    assert "    I begin: Write alpha" in told.splitlines()
    assert "     [31mI am done" in told.splitlines()
    assert "\x1b" not in told
    assert told.index("command works on: Write alpha") < told.index("I begin: Write alpha")
    assert told.index("I begin: Write alpha") < told.index("command: ended")


def test_of_several_at_work_it_is_said_who_says_it(cli: Cli, repo: Path) -> None:
    lines = cli(*words("--visibility", "full", "--parallel", "2")).err.splitlines()

    for name in ("Write alpha", "Write beta"):
        place = lines.index(f"    I begin: {name}")
        assert f"  {name}" in lines[place - 4 : place]


def test_in_summary_a_pipe_gets_none_of_it(cli: Cli, repo: Path) -> None:
    assert "I begin" not in cli(*words()).err


def test_on_a_terminal_the_newest_words_of_each_at_work_stand_in_the_status_line(
    cli: Cli, repo: Path
) -> None:
    shown = on_terminal(*words("--parallel", "2"), columns=40, beside=True, NO_COLOR="1")

    lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9?;]*[A-Za-z]", "", shown))
    assert "  Write alpha: I begin: Write alpha" in lines
    assert "  Write beta: I begin: Write beta" in lines
    assert not [line for line in lines if "I begin" in line and len(line) > 40]


def test_who_follows_it_from_elsewhere_hears_them_too(cli: Cli, repo: Path) -> None:
    cli(*words())
    (run,) = cli("runs", "list", "--json").json

    assert "I begin: Write alpha" in cli("runs", "events", run["id"], "--follow").out
    assert "I begin" not in cli("runs", "events", run["id"], "--follow", "--json").out
