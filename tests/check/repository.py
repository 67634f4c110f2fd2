"""A real git repository for a test to work in."""

import subprocess
from pathlib import Path

from support import write_file


class Repository:
    """A git repository with one commit, in which work is done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "t")
        self.git("config", "user.email", "t@example.org")

    def git(self, *words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout.strip()

    def put(self, name: str, text: str = "text\n") -> Path:
        return write_file(self.folder / name, text)

    def commit(self, message: str = "work") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")
