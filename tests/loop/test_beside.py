"""Files of a person's that git ignores have no copy, so who loses them is told."""

import shutil
from pathlib import Path

import pytest

from loop.looping import Scripted, git, loop, writes
from loop.test_refs import warned
from prowess.core.agent import AgentOrder
from support import write_file

TWO = "- [ ] Say hello\n  - `hello.txt` exists\n- [ ] Say it again\n  - `again.txt` exists\n"
MADE = (
    "lib/__pycache__/a.pyc",
    "node_modules/.cache/x",
    ".pytest_cache/v",
    "target/debug/a",
    "a.log",
)
MINE = (".env", "notes/mine.md", "notes/kept.md", "local.db")


@pytest.fixture
def full(repo: Path) -> Path:
    names = (
        ".env",
        "notes/",
        "local.db",
        "__pycache__/",
        "node_modules/",
        ".pytest_cache/",
        "target/",
        "*.log",
    )
    write_file(repo / ".gitignore", "".join(f"{name}\n" for name in names))
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "ignore")
    for name in (*MADE, *MINE):
        write_file(repo / name, "mine\n")
    return repo


@pytest.mark.parametrize("parallel", [1, 2])
def test_what_is_gone_or_changed_is_told_once(full: Path, parallel: int) -> None:
    def spoils(folder: Path, order: AgentOrder) -> str:
        (full / ".env").unlink()
        (full / "notes/mine.md").unlink()
        write_file(full / "local.db", "another\n")
        for name in MADE:
            write_file(full / name, "another\n")
        shutil.rmtree(full / "target")
        write_file(full / "node_modules/new/index.js", "new\n")
        write_file(full / "notes/new.md", "new\n")
        return writes("hello.txt", "hi")(folder, order)

    agent = Scripted([spoils, writes("again.txt", "hi")])
    ended = loop(full, TWO, agent, max_attempts=1, parallel=parallel)

    assert ended.plan.count("[R]") == 2
    assert warned(ended) == ["Gone or changed beside the work: .env, local.db, notes/mine.md"]


def test_where_nothing_of_theirs_is_touched_nothing_is_told(full: Path) -> None:
    agent = Scripted([writes("hello.txt", "hi"), writes("again.txt", "hi")])

    assert warned(loop(full, TWO, agent)) == []
