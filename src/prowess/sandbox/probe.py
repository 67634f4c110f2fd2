"""
Which sandbox runs on this machine, found out by attacking it.

A level counts only if a command in it has just failed to read a file that it was not given and to
reach a server of ours, while it could write where it may. What is found holds for the process.
"""

import asyncio
import json
import os
import socket
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Literal

from prowess.core.errors import OutsideError, ProwessError
from prowess.core.ports import Sandbox
from prowess.core.process import Finished, Level, Limits, Order
from prowess.sandbox.bubblewrap import Bubblewrap, binaries
from prowess.sandbox.cgroup import is_writable
from prowess.sandbox.landlock import Landlock
from prowess.sandbox.plain import Plain

Wanted = Literal["auto", "bubblewrap", "landlock", "none"]

_ISOLATED: tuple[Level, ...] = ("bubblewrap", "landlock")
HINT = (
    "allow user namespaces for this user or container, or use a kernel with Landlock (6.12);"
    " to run commands without any isolation, say so in the settings"
)
_ATTACK = """
import json, socket, sys
def tries(work):
    try:
        return work() or True
    except OSError:
        return False
print(json.dumps({
    "write": tries(lambda: open("made", "w").close()),
    "read": tries(lambda: open(sys.argv[1]).close()),
    "connect": tries(lambda: socket.create_connection(("127.0.0.1", int(sys.argv[2])), 2).close()),
}))
"""
_GROUPED = "limits: the kernel keeps those of a whole command (control groups)"
_WATCHED = "limits: the kernel keeps those of a process, we look after those of a whole command"
_EXPECTED = (
    ("write", True, "the workspace cannot be written"),
    ("read", False, "other files can be read"),
    ("connect", False, "the network can be reached"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """The strongest level that runs here ("none": no sandbox does), why, and what was tried."""

    level: Level
    reason: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Trial:
    sandbox: Sandbox
    name: str
    failure: str  # empty: it holds
    hides: bool = False  # a part of a folder, by an overlay

    def __str__(self) -> str:
        return f"{self.name}: {self.failure or self._how()}"

    def _how(self) -> str:
        return "runs and holds" if self.hides else "runs and holds, without overlays"


def probe() -> Probe:
    """Try the levels from the strongest down. Costs a tenth of a second once, then nothing."""
    details = [_GROUPED if is_writable() else _WATCHED]
    for level in _ISOLATED:
        details += map(str, _trials(level))
        if held := _held(level):
            return Probe(level=level, reason=str(held), details=tuple(details))
    return Probe(level="none", reason="no sandbox runs here", details=tuple(details))


def open_sandbox(level: Wanted = "auto") -> Sandbox:
    """The sandbox of a level, or the strongest; `OutsideError` when it does not run here."""
    if level == "none":
        return Plain()
    tried: list[str] = []
    for one in _ISOLATED if level == "auto" else (level,):
        if held := _held(one):
            return held.sandbox
        tried += map(str, _trials(one))
    raise OutsideError(
        f"no sandbox runs here ({'; '.join(tried) or 'there is none to try'})", hint=HINT
    )


def _held(level: Level) -> _Trial | None:
    """Of the sandboxes that hold, the first that can hide a part of a folder, or else the first."""
    held = [trial for trial in _trials(level) if not trial.failure]
    return next((trial for trial in held if trial.hides), held[0] if held else None)


@cache
def _trials(level: Level) -> tuple[_Trial, ...]:
    """The sandboxes of a level, up to the first that holds and can hide a part of a folder."""
    if sys.platform != "linux":
        return ()
    if level == "landlock":
        return (_tried(Landlock(), level),)
    trials = []
    for binary in binaries():
        trials.append(_tried(Bubblewrap(binary), f"{level} ({binary})"))
        if trials[-1].hides:
            break
    return tuple(trials)


def _tried(sandbox: Sandbox, name: str) -> _Trial:
    """Why a sandbox cannot be used, found by attacking it, or that it can."""
    with tempfile.TemporaryDirectory(prefix="prowess-") as folder, socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        order = _attack(os.path.realpath(folder), server.getsockname()[1])
        try:
            got = json.loads(_done(sandbox, order).out)
        except (ProwessError, ImportError, OSError, ValueError) as error:
            return _Trial(sandbox, name, f"does not run: {error}")
        wrong = [told for deed, may, told in _EXPECTED if got[deed] is not may]
        hides = not wrong and sandbox.can_hide(order.cwd)
    return _Trial(sandbox, name, ", ".join(wrong), hides)


def _attack(folder: str, port: int) -> Order:
    os.mkdir(inside := os.path.join(folder, "inside"))
    with open(outside := os.path.join(folder, "outside"), "w", encoding="ascii"):
        pass
    return Order(
        argv=[sys.executable, "-ISc", _ATTACK, outside, str(port)],
        cwd=inside,
        writable=[inside],
        limits=Limits(seconds=10),
    )


def _done(sandbox: Sandbox, order: Order) -> Finished:
    """In a thread with a loop of its own, so that it can be asked for with or without one running."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(sandbox.run(order))).result()
