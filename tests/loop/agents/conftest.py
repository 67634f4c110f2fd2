"""A work tree, and fake agents that tell a story in it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agents_fakes import Ended, Work, fake, worked
from prowess.core.agent import AgentOrder
from prowess.loop.agents.base import Ways
from prowess.loop.agents.known import PROGRAMS


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work tree"
    folder.mkdir()
    return folder


@pytest.fixture
def work(tmp_path: Path, workspace: Path) -> Work:
    """Let a fake of this agent tell these lines."""

    def run(
        name: str | Ways,
        lines: Sequence[bytes],
        *,
        code: int = 0,
        before: str = "",
        after: str = "",
        **asked: Any,
    ) -> Ended:
        here = tmp_path / "fake"
        here.mkdir(exist_ok=True)
        (here / "stream").write_bytes(b"".join(line + b"\n" for line in lines))
        ways = PROGRAMS[name] if isinstance(name, str) else name
        program = fake(ways, here, code=code, before=before, after=after)
        given = {"run": "r1", "prompt": "Do it.", "workspace": str(workspace), "wall": 60}
        ended = worked(program, AgentOrder(**{**given, **asked}))
        if (noted := here / "noted.json").exists():  # one that hangs at its input notes nothing
            ended.noted = json.loads(noted.read_text())
        return ended

    return run
