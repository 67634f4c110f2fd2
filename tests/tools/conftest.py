"""A place to work in, with a sandbox that really runs commands, though it holds nothing back."""

import asyncio
import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prowess.core.chat import Call, Observation
from prowess.core.process import Finished, Level, Order
from prowess.core.verdict import Verdict
from prowess.tools.place import Place
from prowess.tools.standard import standard_tools
from prowess.tools.toolbox import Toolbox

Act = Callable[..., Observation]


class PlainSandbox:
    """The port, as simply as it can be kept; it remembers what it was asked to run."""

    level: Level = "none"

    def __init__(self) -> None:
        self.orders: list[Order] = []

    def can_hide(self, folder: str) -> bool:
        return False

    async def run(self, order: Order) -> Finished:
        self.orders.append(order)
        began = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            *order.argv,
            cwd=order.cwd,
            env={"PATH": os.environ["PATH"], **order.environment},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            out, err = await asyncio.wait_for(process.communicate(), order.limits.seconds)
        except TimeoutError:
            os.killpg(process.pid, 9)
            await process.communicate()
            return Finished(
                code=-9, out=b"", err=b"", seconds=time.monotonic() - began, killed_by="timeout"
            )
        code = process.returncode or 0
        return Finished(code=code, out=out, err=err, seconds=time.monotonic() - began)

    @property
    def commands(self) -> list[str]:
        return [order.argv[2] for order in self.orders]


def yes(call: Call) -> Verdict:
    return Verdict(allowed=True, reason="granted")


@pytest.fixture
def sandbox() -> PlainSandbox:
    return PlainSandbox()


@pytest.fixture
def pauses() -> list[float]:
    """The seconds a tool waited before it tried again."""
    return []


@pytest.fixture
def place(tmp_path: Path, sandbox: PlainSandbox, pauses: list[float]) -> Place:
    for name in ("workspace", "skill", "run"):
        (tmp_path / name).mkdir()

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    return Place(
        workspace=str(tmp_path / "workspace"),
        skill_dir=str(tmp_path / "skill"),
        run_folder=str(tmp_path / "run"),
        sandbox=sandbox,
        gate=yes,
        sleep=sleep,
    )


@pytest.fixture
def workspace(place: Place) -> Path:
    return Path(place.workspace)


@pytest.fixture
def box(place: Place) -> Toolbox:
    return Toolbox(standard_tools(place), place)


@pytest.fixture
def act(place: Place) -> Act:
    """Make one call; keywords that begin with an underscore change the place."""

    def make(tool: str, /, *, _place: dict[str, Any] | None = None, **given: Any) -> Observation:
        here = replace(place, **(_place or {}))
        box = Toolbox(standard_tools(here), here)
        return asyncio.run(box.act(Call(id="call-1", tool=tool, input=given)))

    return make


@pytest.fixture
def only(tmp_path: Path, place: Place) -> Callable[..., dict[str, str]]:
    """An environment in which only these commands are installed."""

    def make(*names: str) -> dict[str, str]:
        folder = tmp_path / "bin"
        folder.mkdir()
        for name in ("bash", *names):
            found = sys.executable if name == "python3" else shutil.which(name)
            (folder / name).write_text(f'#!/bin/sh\nexec {found} "$@"\n')
            (folder / name).chmod(0o755)
        return {"PATH": str(folder)}

    return make
