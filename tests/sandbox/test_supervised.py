"""What a supervised program started does not outlive its supervisor, not even one that is killed."""

import os
import signal
import subprocess
import sys
from uuid import uuid4

from sandbox.commands import alive, python
from support import until

SUPERVISOR = """
import asyncio, os, sys
from prowess.sandbox.process import supervise

asyncio.run(supervise(sys.argv[2:], cwd="/", environment={"PATH": sys.argv[1]}, wall=60))
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("nobody is left")
"""
SLEEPER = python("import time; time.sleep(60)")
# Itself, a child, one in a session of its own, and one in a session of its own whose parent is gone.
TREE = '"$@" & setsid "$@" & (setsid "$@" &) ; wait'


def supervisor(*words: str) -> "subprocess.Popen[str]":
    argv = [sys.executable, "-c", SUPERVISOR, os.environ["PATH"], *words]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)


def test_the_whole_tree_dies_when_its_supervisor_is_killed() -> None:
    token = uuid4().hex
    with supervisor("sh", "-c", TREE, "sh", *SLEEPER, token) as started:
        others = {started.pid}
        until(lambda: len(set(alive(token)) - others) == 4)

        started.send_signal(signal.SIGKILL)

        until(lambda: not alive(token))


def test_no_watcher_is_left_when_the_program_has_ended() -> None:
    with supervisor("true") as started:
        told, _ = started.communicate(timeout=60)

    assert told == "nobody is left\n"
