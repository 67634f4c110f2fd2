"""What the tests share: skills written in a line, what a command leaves behind, and waiting."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prowess.core.skill import Skill

PATIENCE = 90  # seconds, of which a busy machine may need most
HEADER = "---\nname: {name}\ndescription: {description}\n---\n\n{body}\n"


def write_skill(
    root: Path,
    name: str,
    *,
    description: str = "Does a thing. Use when testing.",
    body: str = "# Body",
) -> Path:
    """Write a plain, valid SKILL.md skill and return its folder."""
    return write_file(
        root / name / "SKILL.md", HEADER.format(name=name, description=description, body=body)
    ).parent


def write_file(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def a_skill(name: str, description: str = "Does a thing.", **header: object) -> Skill:
    """A skill as a value, without a folder."""
    return Skill(
        name=name,
        description=description,
        format="skill.md",
        location="project",
        path=f"/skills/{name}",
        files=("SKILL.md",),
        header=header,
        state=1,
    )


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Cli = Callable[..., Result]


def until(holds: Callable[[], object]) -> None:
    """Wait for what another process or thread is to make true."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)
