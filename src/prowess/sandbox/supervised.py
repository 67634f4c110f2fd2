"""
A watcher beside a supervised program: when its supervisor dies, by whatever death, the program's
whole tree is killed.

The watcher is a process of its own that reads a pipe which only the supervisor holds, and the pipe
ends when the supervisor does. The signal that Linux sends at a parent's death would reach the program
alone, and none of what it started.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from prowess.sandbox.tree import kill_tree

_LOOKS, _PAUSE = 500, 0.01  # how often, and after how many seconds, the tree is looked for again

Watch = Callable[[int, str], None]


@contextlib.contextmanager
def watcher() -> Iterator[Watch]:
    """What is named to the watcher, by its process and its mark, does not outlive this process."""
    read, write = os.pipe()
    try:
        popen = subprocess.Popen(  # noqa: S603 - ourselves
            (sys.executable, "-I", "-m", __name__),
            cwd="/",
            stdin=read,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # what ends our group must not end the watcher first
        )
    except OSError:  # no process to be had; whoever cannot start this one tells it better
        os.close(write)
        yield lambda pid, mark: None
        return
    finally:
        os.close(read)
    try:
        yield lambda pid, mark: _name(write, pid, mark)
    finally:
        popen.kill()
        popen.wait()
        os.close(write)


def _name(write: int, pid: int, mark: str) -> None:
    with contextlib.suppress(BrokenPipeError):  # somebody has killed the watcher
        os.write(write, f"{pid} {mark}\n".encode())


def main() -> None:
    """Wait for the end of the supervisor, then kill what it was watching over."""
    named = sys.stdin.read().split()
    if not named:
        return
    pid, mark = int(named[0]), named[1]
    for _ in range(_LOOKS):
        if not kill_tree(pid, mark=mark):
            return
        time.sleep(_PAUSE)


if __name__ == "__main__":
    main()
