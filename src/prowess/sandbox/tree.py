"""
A command and everything it has started, as /proc tells it.

A process belongs to a tree when its parent does, when it is in the command's session or
group, or when it carries the command's mark in its environment. The three together hold a child
that outlives its parent, starts a session of its own, or both; one that has dropped its environment
as well is found by its warden alone (warden.py). Where there is no /proc only the process group is
known.
"""

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MARK = "PROWESS_COMMAND"  # names the variable that marks the processes of one command
_ROUNDS = 100
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of /proc/PID/stat: whose child it is, and what it uses."""

    state: str
    parent: int
    group: int
    session: int
    threads: int
    cpu: float  # its own and that of the children it has waited for
    resident: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a whole tree uses at one moment. Threads count as processes, as they do for the kernel."""

    processes: int
    memory_bytes: int
    cpu_seconds: float


def usage(root: int, *, memory_limit: int) -> Usage:
    """
    What `root` and its descendants use. Pages shared between them are counted once, but only when
    the cheap sum is over `memory_limit`: the exact one costs milliseconds a process.
    """
    table = dict(_table())
    tree = {pid: table[pid] for pid in _descendants(_kin(root, table), table)}
    memory = sum(entry.resident for entry in tree.values())
    if memory > memory_limit:
        memory = sum(map(_proportional, tree))
    return Usage(
        processes=sum(entry.threads for entry in tree.values() if entry.state != "Z"),
        memory_bytes=memory,
        cpu_seconds=sum(entry.cpu for entry in tree.values()),
    )


def tasks_of(user: int) -> int:
    """How many processes and threads a user has."""
    total = 0
    for pid, entry in _table():
        with contextlib.suppress(OSError):
            total += entry.threads if os.stat(f"/proc/{pid}").st_uid == user else 0
    return total


def kill_tree(root: int, *, mark: str = "") -> set[int]:
    """
    Kill the command that leads session `root`, whether it still runs or not, and all it started.
    Returns those that were found alive.
    """
    killed = _kill(root, "")
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(root, signal.SIGKILL)
    # Only now by the mark: to read the environment of a process that forks is to wait for it.
    return killed | _kill(root, mark) if mark else killed


def _kill(root: int, mark: str) -> set[int]:
    """
    Everything is stopped before anything is killed: a stopped process starts no other, and one
    whose parent lives can still be found. Groups are stopped as such, which no fork can slip past.
    """
    stopped: dict[int, Entry] = {}
    for _ in range(_ROUNDS):
        found = _members(root, mark, stopped)
        if found.keys() <= stopped.keys():
            break
        _signal(found, signal.SIGSTOP)
        stopped |= found
    _signal(stopped, signal.SIGKILL)
    return set(stopped)


def _members(root: int, mark: str, known: Iterable[int]) -> dict[int, Entry]:
    table = {pid: entry for pid, entry in _table() if entry.state != "Z" and pid != os.getpid()}
    kin = _kin(root, table)
    if mark:
        needle = f"{MARK}={mark}".encode()
        kin += [pid for pid in table if needle in _environment(pid)]
    return {pid: table[pid] for pid in _descendants([*kin, *known], table)}


def _kin(root: int, table: dict[int, Entry]) -> list[int]:
    return [pid for pid, entry in table.items() if root in (pid, entry.group, entry.session)]


def _descendants(roots: Iterable[int], table: dict[int, Entry]) -> list[int]:
    children: dict[int, list[int]] = {}
    for pid, entry in table.items():
        children.setdefault(entry.parent, []).append(pid)
    found: dict[int, None] = {}
    waiting = [pid for pid in roots if pid in table]
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found[pid] = None
            waiting += children.get(pid, ())
    return list(found)


def _table() -> Iterator[tuple[int, Entry]]:
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        if name.isdigit():
            with contextlib.suppress(OSError):
                yield int(name), _parsed(_read(f"/proc/{name}/stat"))


def _parsed(stat: bytes) -> Entry:
    # The command's name stands in parentheses and may hold any character, parentheses too.
    words = stat[stat.rindex(b")") + 2 :].split()
    return Entry(
        state=words[0].decode(),
        parent=int(words[1]),
        group=int(words[2]),
        session=int(words[3]),
        threads=int(words[17]),
        cpu=sum(map(int, words[11:15])) / _TICKS,
        resident=int(words[21]) * _PAGE,
    )


def _proportional(pid: int) -> int:
    """Resident bytes, with each shared page divided by those who share it; 0 when it is gone."""
    try:
        for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:  # not to be told here, or just gone
        pass
    try:
        return _parsed(_read(f"/proc/{pid}/stat")).resident
    except OSError:
        return 0


def _environment(pid: int) -> bytes:
    try:
        return _read(f"/proc/{pid}/environ")
    except OSError:
        return b""


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = []
        while part := os.read(descriptor, 65536):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _signal(members: dict[int, Entry], number: signal.Signals) -> None:
    # A process can only join groups of its session, so these are the tree's own.
    for group in {entry.group for entry in members.values()} - {os.getpgrp(), 0}:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)
    for pid in members:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
