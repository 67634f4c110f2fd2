"""A command on a terminal of its own."""

import os
import pty
import subprocess
import sys


def on_terminal(*typed: str, columns: int, beside: bool = False, **environment: str) -> str:
    """What the command shows on a terminal of this width; `beside`: what it tells beside its result."""
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "prowess", *typed],
        stdin=slave,
        stdout=subprocess.DEVNULL if beside else slave,
        stderr=slave if beside else subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm", **environment},
    )
    os.close(slave)
    heard = b""
    try:
        while more := os.read(master, 65536):
            heard += more
    except OSError:  # the other end is closed
        pass
    child.wait()
    os.close(master)
    return heard.decode()
