"""A command on a terminal of its own."""

import os
import pty
import subprocess
import sys


def on_terminal(*typed: str, columns: int, **environment: str) -> str:
    """What the command shows on a terminal of this width."""
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "prowess", *typed],
        stdin=slave,
        stdout=slave,
        stderr=subprocess.DEVNULL,
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
