"""
A control group for one command, where this system lets us make one.

It is the only hold the kernel has on the number of processes that root starts, and on the memory of
a whole tree; counting them ourselves loses against a fork bomb. Version 2 is used, or the `pids`
controller of version 1; where neither can be written there is no group, and the caller knows it.
"""

import contextlib
import itertools
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache

from prowess.core.process import Limits
from prowess.sandbox.limits import SHELL

_NAMES = itertools.count(1)
_ROUNDS = 100
_JOIN = 'echo 0 > "$0/cgroup.procs" && exec "$@"'


class Group:
    """Limits of a tree, kept by the kernel from its first process to its last."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def joined(self, argv: Sequence[str]) -> list[str]:
        """The same command, run in this group or not at all."""
        return [SHELL, "-c", _JOIN, self._folder, *argv]

    def ran_out_of_memory(self) -> bool:
        with contextlib.suppress(OSError), open(f"{self._folder}/memory.events") as file:
            return any(line.startswith("oom_kill ") and line.split()[1] != "0" for line in file)
        return False

    def kill(self) -> None:
        """Kill what is in it, until nothing is."""
        for _ in range(_ROUNDS):
            with contextlib.suppress(OSError), open(f"{self._folder}/cgroup.procs") as file:
                if not (pids := file.read().split()):
                    return
                for pid in pids:
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(int(pid), signal.SIGKILL)

    def close(self) -> None:
        """Remove it. One that still has a zombie in it stays, empty, until the next is made."""
        with contextlib.suppress(OSError):
            os.rmdir(self._folder)


@contextlib.contextmanager
def make_group(limits: Limits) -> Iterator[Group | None]:
    """A group for as long as its command runs, or None where there can be none."""
    made = _make(limits)
    try:
        yield made
    finally:
        if made:
            made.close()


def is_writable() -> bool:
    """Whether commands get a group here."""
    return _parent() is not None


def _make(limits: Limits) -> Group | None:
    parent = _parent()
    if parent is None:
        return None
    folder = os.path.join(parent, _name(os.getpid()))
    try:
        os.mkdir(folder)
        _write(folder, "pids.max", limits.processes)
        with contextlib.suppress(FileNotFoundError):  # version 1 keeps memory elsewhere
            _write(folder, "memory.max", limits.memory_bytes)
            _write(folder, "memory.oom.group", 1)
            _write(folder, "memory.swap.max", 0)
    except OSError:
        Group(folder).close()
        return None
    return Group(folder)


@cache
def _parent() -> str | None:
    """The folder beneath which groups can be made, tried by making one."""
    for folder in _candidates():
        trial = os.path.join(folder, _name(os.getpid()))
        try:
            os.mkdir(trial)
        except OSError:
            continue
        try:
            if _holds(trial):
                _sweep(folder)
                return folder
        finally:
            Group(trial).close()
    return None


def _holds(folder: str) -> bool:
    """Whether a group has the limits that we want, and lets processes of ours in."""
    if not os.access(os.path.join(folder, "pids.max"), os.W_OK):
        return False
    joined = subprocess.run(  # noqa: S603 - our own two words
        Group(folder).joined([SHELL, "-c", ":"]), check=False, stderr=subprocess.DEVNULL
    )
    return joined.returncode == 0


def _name(owner: int) -> str:
    """Whose group it is. The number of a process means nothing in another namespace of processes."""
    space = os.stat("/proc/self/ns/pid").st_ino
    return f"prowess-{space}-{owner}-{next(_NAMES)}"


def _sweep(folder: str) -> None:
    """End and remove what a Prowess that was killed has left: its commands have no limits any more."""
    ours = _name(0).split("-")[:2]
    for name in os.listdir(folder):
        if name.split("-")[:2] == ours and not os.path.exists(f"/proc/{name.split('-')[2]}"):
            group = Group(os.path.join(folder, name))
            group.kill()
            group.close()


def _candidates() -> Iterator[str]:
    """Our own group, and in version 2 the one above: a group with processes gives nothing further."""
    mounts = dict(_mounts())
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        own = dict(line.rstrip("\n").split(":", 2)[1:] for line in file)
    for controller in ("", "pids"):
        if controller in mounts and controller in own:
            folder = mounts[controller] + own[controller].rstrip("/")
            yield folder
            if not controller and own[controller] != "/":
                yield os.path.dirname(folder)


def _mounts() -> Iterator[tuple[str, str]]:
    """Where the controllers are mounted; version 2 has no name, as in /proc/self/cgroup."""
    with open("/proc/self/mounts", encoding="utf-8") as file:
        for line in file:
            _, folder, kind, options, *_ = line.split()
            if kind == "cgroup2":
                yield "", folder
            elif kind == "cgroup" and "pids" in options.split(","):
                yield "pids", folder


def _write(folder: str, name: str, value: int) -> None:
    # Not to be created: on a file system of control groups a file that is not there has no meaning.
    descriptor = os.open(os.path.join(folder, name), os.O_WRONLY)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)
