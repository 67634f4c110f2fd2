"""Real repositories, and the sandbox that the check works in."""

from pathlib import Path

import pytest

from check.repository import Repository
from prowess.core.ports import Sandbox
from prowess.sandbox.probe import open_sandbox, probe


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "work")
    made.put("README.md", "# Work\n")
    made.put("lib/a.py", "A = 1\n")
    made.commit("base")
    return made


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return open_sandbox("auto" if probe().level != "none" else "none")
