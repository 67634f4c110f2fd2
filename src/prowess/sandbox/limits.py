"""
What holds a command to its limits, whatever sandbox it runs in.

The kernel holds each process to its own: a small shell sets them and becomes the command, so that
nothing runs before they are set. The tree as a whole is looked at every twentieth of a second, or
seldomer where a look costs much, and told what it has too much of.
"""

import os
import time
from collections.abc import Sequence

from prowess.core.errors import RefusedError
from prowess.core.process import KilledBy, Limits
from prowess.sandbox.tree import tasks_of, usage

SHELL = "/bin/sh"
LONGEST_WORD = 32 * 4096 - 1  # bytes of one argument, or of one variable with its name, on Linux
# Shells disagree on the letter for processes. A limit that is lower already stays as it is.
_LAUNCH = """
{ ulimit -c 0; ulimit -t "$1"; ulimit -f "$2"; ulimit -d "$3"
  [ "$4" = 0 ] || ulimit -u "$4" || ulimit -p "$4"; } 2>/dev/null
gently=$5
shift 5
[ "$gently" = 0 ] || set -- nice -n "$gently" "$@"
exec "$@"
"""
_BLOCK = 512  # what `ulimit -f` counts in, by POSIX
_SHORTEST_PAUSE, _SHARE = 0.05, 20  # at most a twentieth of the time is spent looking
_LEAST_URGENT = 19


def launch(
    argv: Sequence[str], limits: Limits, *, grouped: bool, namespaced: bool = False
) -> list[str]:
    """
    The same command, started through a shell that sets its limits first.

    Data rather than address space is limited: many programs reserve far more than they use.
    `grouped`: the kernel limits the processes of the tree. Where it does not, and we are root, only
    our own looking does, and the command gives way to it: a fork bomb would leave us no time.
    `RefusedError` for a word that is longer than the kernel gives to any program.
    """
    longest = max(map(size, argv))
    if longest > LONGEST_WORD:
        raise RefusedError(
            f"a word of the command is {longest:,} bytes long, and no program is given more than "
            f"{LONGEST_WORD:,}",
            hint="write it to a file, and run or read that",
        )
    numbers = (
        limits.cpu_seconds + 1,  # behind the look at the whole tree, which tells what happened
        -(-limits.file_bytes // _BLOCK),
        -(-limits.memory_bytes // 1024),
        _most_processes(limits, namespaced=namespaced),
        _LEAST_URGENT if os.geteuid() == 0 and not grouped else 0,
    )
    return [SHELL, "-c", _LAUNCH, SHELL, *map(str, numbers), *argv]


def size(word: str) -> int:
    """Its bytes, as a program is given it."""
    return len(word.encode("utf-8", "surrogatepass"))


def _most_processes(limits: Limits, *, namespaced: bool) -> int:
    """
    For RLIMIT_NPROC, 0 for none. It does not hold root. Others it holds by all they run, except in
    a user namespace of a newer kernel, where those of the namespace are counted alone.
    """
    if os.geteuid() == 0:
        return 0
    if namespaced and _kernel() >= (5, 14):
        return limits.processes
    return tasks_of(os.geteuid()) + limits.processes


def _kernel() -> tuple[int, int]:
    major, minor = os.uname().release.split(".")[:2]
    return int(major), int("".join(filter(str.isdigit, minor)))


class Meter:
    """Tells what a tree uses too much of. `pause` is how long to wait before the next look."""

    def __init__(self, pid: int, limits: Limits) -> None:
        self._pid = pid
        self._limits = limits
        self.pause = _SHORTEST_PAUSE

    def over(self) -> KilledBy:
        limits, started = self._limits, time.perf_counter()
        used = usage(self._pid, memory_limit=limits.memory_bytes)
        self.pause = max(_SHORTEST_PAUSE, _SHARE * (time.perf_counter() - started))
        if used.processes > limits.processes:
            return "processes"
        if used.memory_bytes > limits.memory_bytes:
            return "memory"
        if used.cpu_seconds > limits.cpu_seconds:
            return "cpu"
        return ""
