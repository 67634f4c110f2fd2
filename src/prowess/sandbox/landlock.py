"""
Commands under Landlock and a system call filter, for where namespaces cannot be made.

Stops: reading or writing the content of files outside the programs of the machine and the places of
the order; connecting anywhere unless the order grants the network, to sockets of other daemons too;
signalling and tracing other processes; new privileges, mounts, keyrings, bpf and the like; our
environment; outliving the command; and, for all it starts together, more time, CPU, memory,
processes or file size than the limits say.

Does not stop: a bug in the kernel; what the writable places allow; learning that a file exists, its
size and its owner; seeing the numbers of other processes. A readable place inside a writable one
can be written: rules only add. There is no shared memory (/dev/shm), so programs that need it fail.
With the network granted, anything a program of ours could reach. The user inside is ours.
"""

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING

from prowess.core.errors import OutsideError
from prowess.core.process import Finished, Level, Order
from prowess.core.scratch import scratch
from prowess.sandbox.limits import SHELL, launch
from prowess.sandbox.places import (
    ETC_FILES,
    ETC_FOLDERS,
    NETWORK,
    SYSTEM,
    environment,
    pin,
    programs,
)
from prowess.sandbox.process import attend, in_thread
from prowess.sandbox.toolchains import Toolchains, toolchains

if TYPE_CHECKING:
    import sandlock  # type: ignore[import-untyped]

# It may not read the machine's settings, and fails where it finds some and may not.
_GIT = {"GIT_CONFIG_NOSYSTEM": "1"}
_DEVICES = ("/dev/random", "/dev/urandom", "/dev/zero")
# Of /proc only what tells of the machine as a whole and of the process that asks.
_PROC = tuple(
    f"/proc/{name}"
    for name in "self cpuinfo filesystems loadavg meminfo stat uptime version".split()
)


class Landlock:
    """A sandbox that needs neither namespaces nor rights, only a kernel with Landlock."""

    level: Level = "landlock"

    def can_hide(self, folder: str) -> bool:
        return False

    async def run(self, order: Order) -> Finished:
        with ExitStack() as stack:
            pin(order, stack)
            child = _start(order, stack.enter_context(scratch("landlock")))
            return await attend(child, limits=order.limits)


class Confined:
    """A command that sandlock watches from threads of ours, and whose whole tree it kills at the end."""

    def __init__(self, process: "sandlock.Process") -> None:
        self.pid: int = process.pid
        self.out: IO[bytes] = process.stdout
        self.err: IO[bytes] = process.stderr
        self._process = process
        self.exited = in_thread(self._wait)

    async def end(self) -> None:
        self._process.kill()
        await asyncio.shield(self.exited)

    def _wait(self) -> int:
        result = self._process.wait()
        code: int = result.exit_code
        return code if code >= 0 else -(result.signal if result.signal > 0 else signal.SIGKILL)


def _start(order: Order, place: str) -> Confined:
    from sandlock import Sandbox, SandlockError, StdioMode

    os.mkdir(home := os.path.join(place, "home"))
    tools = toolchains(order, home)
    _furnish(home, tools)
    box = Sandbox(
        fs_readable=_present(order.readable, SYSTEM, ETC_FOLDERS, ETC_FILES, _PROC, _DEVICES)
        + _present(programs(), [*tools.shown.values()], NETWORK if order.network else ()),
        fs_writable=[*order.writable, place, "/dev/null"],
        net_allow=["*:*"] if order.network else [],
        net_allow_bind=["*"] if order.network else [],
        max_processes=order.limits.processes,
        clean_env=True,
        env=environment(home, place, {**order.environment, **_GIT}, path=tools.path),
        cwd=order.cwd,
    )
    try:
        return Confined(
            box.popen(
                _command(order, place),
                stdin=StdioMode.NULL,
                stdout=StdioMode.PIPED,
                stderr=StdioMode.PIPED,
            )
        )
    except (SandlockError, RuntimeError, ValueError, OSError) as error:
        raise OutsideError(
            f"the sandbox could not be set up: {error}",
            hint="`prowess doctor` tells which sandbox runs here",
        ) from None


def _furnish(home: str, tools: Toolchains) -> None:
    for path in (*tools.links, *tools.files):
        os.makedirs(os.path.dirname(os.path.join(home, path)), exist_ok=True)
    for path, target in tools.links.items():
        os.symlink(target, os.path.join(home, path))
    for path, content in tools.files.items():
        with open(os.path.join(home, path), "wb") as file:
            file.write(content)


def _command(order: Order, place: str) -> list[str]:
    """What is to be read comes from a file, as everywhere, but sandlock opens none for us."""
    argv = launch(order.argv, order.limits, grouped=True)  # by sandlock
    if not order.stdin:
        return argv
    source = os.path.join(place, "stdin")
    with open(source, "wb") as file:
        file.write(order.stdin)
    return [SHELL, "-c", 'exec <"$0"; rm -- "$0"; exec "$@"', source, *argv]


def _present(*groups: Sequence[str]) -> list[str]:
    return [path for group in groups for path in group if os.path.exists(path)]
