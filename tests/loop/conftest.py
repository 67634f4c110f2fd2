"""What the tests of the loop have: a repository with one commit."""

from pathlib import Path

import pytest

from loop.looping import git
from prowess.loop import limited
from support import write_file


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited, "FLOOR", 0.001)
    monkeypatch.setattr(limited, "UNTOLD", 0.001)


@pytest.fixture
def repo(home: Path, project: Path) -> Path:
    git(project, "init", "-q", "-b", "main")
    git(project, "config", "user.email", "a@b")
    git(project, "config", "user.name", "a")
    write_file(project / "README.md", "hello\n")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "first")
    return project
