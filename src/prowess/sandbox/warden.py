"""
The parent of one command, and the heir of all that it starts.

A program of its own, run by its path in a bare interpreter, so that it is there in some hundredths of
a second; it knows nothing of the rest of the house. On Linux the kernel gives it every orphan among
the command's descendants, whatever session, group or environment that one has: when it has no child
left, nothing of the command is left. It ends them all when the command ends, when it is sent a
signal, and when who started it is gone, by whatever death: the pipe `life` ends then.

Does not hold: a command that kills its warden, which who started it will notice; a process that runs
as another user; and what a service of the machine starts on somebody's behalf. Where there is no
heir to be named, which is everywhere but on Linux, only the command and its group are known here.
"""

import contextlib
import marshal
import os
import select
import signal
import sys
import time
from collections.abc import Iterable

_PR_SET_NAME, _PR_SET_CHILD_SUBREAPER = 15, 36
_NAME = b"prowess-warden"  # no `killall python` of an agent means us
_ASKED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
_PATIENCE = 5.0  # seconds in which nothing new is found, and what was killed does not go
_PAUSE = 0.002
_NOT_STARTED = 127
GONE, LEFT = 100, 101  # how we end; any other end was not our own


def main(paper: int, life: int) -> int:
    """
    Run what is written on the paper, see it to its end, and write beneath what became of it:
    `pid`, `failed` with the reason, `code` (negative for a signal). Comes back with whether anything is
    left, as an exit code: the command can write on the paper, and not end us with one.
    """
    for descriptor in (paper, life):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - it takes no name
    is_heir, wakes = _become_heir(), _wake_on_signals()
    with open(paper, "rb", closefd=False) as file:
        argv, environment = marshal.loads(file.read())  # noqa: S302 - from ourselves
    try:
        tree = Tree(_start(argv, environment, paper))
    except OSError as error:  # no process to be had
        _tell(paper, "failed", error.strerror)
        return GONE
    _wait(tree, life, wakes)
    is_empty = tree.end()
    if tree.code is not None:
        _tell(paper, "code", tree.code)
    return GONE if is_heir and is_empty else LEFT


def _become_heir() -> bool:
    if sys.platform != "linux":
        return False
    import ctypes

    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_NAME, _NAME, 0, 0, 0)
    return bool(libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def _wake_on_signals() -> int:
    """A pipe in which the number of each signal is written that comes."""
    wakes, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, *_ASKED):
        signal.signal(number, lambda *_: None)
    return wakes


def _start(argv: list[bytes], environment: dict[bytes, bytes], paper: int) -> int:
    """The command, in a session of its own, with our three streams and no other descriptor."""
    if pid := os.fork():
        return pid
    try:
        os.setsid()
        for number in _IGNORED_BY_PYTHON:
            signal.signal(number, signal.SIG_DFL)
        _tell(paper, "pid", os.getpid())
        os.execvpe(argv[0], argv, environment)  # noqa: S606 - decided by who wrote the paper
    except (OSError, ValueError) as error:
        _tell(paper, "failed", getattr(error, "strerror", None) or error)
    finally:
        os._exit(_NOT_STARTED)


def _tell(paper: int, word: str, value: object = "") -> None:
    os.write(paper, f"{word} {value}\n".encode())


def _wait(tree: "Tree", life: int, wakes: int) -> None:
    """Until the command has ended, or is to be ended."""
    while tree.code is None:
        ready, _, _ = select.select([life, wakes], [], [])
        if life in ready or set(os.read(wakes, 4096)) != {signal.SIGCHLD}:
            return
        tree.reap()


class Tree:
    """The command, which is our first child, and what we have inherited from it."""

    def __init__(self, first: int) -> None:
        self._first = first
        self.code: int | None = None

    def reap(self) -> bool:
        """Take in the dead; whether any child is left, dead or alive."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if not pid:
                return True
            if pid == self._first:
                self.code = os.waitstatus_to_exitcode(status)

    def end(self) -> bool:
        """Kill until no child is left; False when some cannot be killed."""
        if self.code is None or sys.platform != "linux":  # else its number may be a stranger's
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._first, signal.SIGKILL)
        known: set[int] = set()
        patience = time.monotonic() + _PATIENCE
        while self.reap():
            found = self._stopped()
            _Signal(signal.SIGKILL).send(found)
            if not found <= known:
                known, patience = found, time.monotonic() + _PATIENCE
            if time.monotonic() > patience:
                return False
            time.sleep(_PAUSE)
        return True

    def _stopped(self) -> set[int]:
        """
        All there are, each stopped before its children are asked for: a stopped process starts no
        other and buries none, so that the numbers of its children stay theirs. Ours do, too, until
        we reap; no signal goes to a stranger who was given the number of somebody dead.
        """
        stop, found = _Signal(signal.SIGSTOP), set[int]()
        waiting = _children(os.getpid()) | ({self._first} if self.code is None else set())
        while waiting:
            pid = waiting.pop()
            found.add(pid)
            stop.send([pid])
            waiting |= _children(pid) - found
        return found


def _children(pid: int) -> set[int]:
    """Asked of the kernel by the parent: to look through all of /proc is too slow for a forker."""
    found: set[int] = set()
    with contextlib.suppress(OSError):  # gone by now
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found.update(map(int, file.read().split()))
    return found


class _Signal:
    """
    Sent to groups as such, once to each, which no fork can slip past, and then to each process. A
    group of the tree has no others in it: one can only join those of one's own session.
    """

    def __init__(self, number: signal.Signals) -> None:
        self._number = number
        self._groups = {os.getpgrp(), 0}

    def send(self, pids: Iterable[int]) -> None:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if (group := os.getpgid(pid)) not in self._groups:
                    self._groups.add(group)
                    os.killpg(group, self._number)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, self._number)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
