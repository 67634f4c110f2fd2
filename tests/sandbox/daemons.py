"""
Programs that leave something behind, and a look at whether it is still there.

A daemon here forks twice, begins a session of its own, closes its streams and drops its whole
environment. It holds the lock of a file, and so does all it forks: nobody holds it when all are dead.
"""

import fcntl
import sys
from pathlib import Path

from sandbox.commands import python

# The busy ones are bounded: who runs a test that fails needs their machine.
_UNTIL = "ready()\nends = time.monotonic() + 100\nwhile time.monotonic() < ends:\n    "
KINDS = {
    "sleeps": "ready(); time.sleep(1000)",
    "computes": _UNTIL + "pass",
    "dies slowly": "memory = bytearray(os.urandom(1 << 20) * 300); ready(); time.sleep(1000)",
    "is deaf": """
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
ready()
time.sleep(1000)
""",
    "is continued": """
sleeper = os.getpid()
if os.fork():
    time.sleep(1000)
os.setsid()
"""
    + _UNTIL
    + "os.kill(sleeper, signal.SIGCONT)",
    "forks and dies": _UNTIL + "os.fork() and os._exit(0); os.setsid()",
    "breeds": """
ready()
for _ in range(400):
    if not os.fork():
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(100)
    os.waitpid(-1, 0)
    time.sleep(0.001)
time.sleep(1000)
""",
}
_DAEMON = """
import fcntl, os, signal, sys, time
lock = open(sys.argv[1], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
def ready():
    lock.write("held")
    lock.flush()
"""
_AGENT = """
import os, signal, sys, time
python, lock, daemon = sys.argv[1:]
if not os.fork():
    os.setsid()
    if not os.fork():
        for stream in range(3):
            os.close(stream)
        os.execve(python, [python, "-ISc", daemon, lock], {})
    os._exit(0)
os.wait()
while not (os.path.exists(lock) and os.path.getsize(lock)):
    print("not yet", flush=True)
    time.sleep(0.02)
print("there it is", flush=True)
"""


def agent(lock: Path, *, kind: str = "sleeps", then: str = "") -> list[str]:
    """A program that says so when its daemon is there, and does something `then`."""
    return [*python(_AGENT + then), sys.executable, str(lock), _DAEMON + KINDS[kind]]


def was_held(lock: Path) -> bool:
    return lock.exists() and lock.read_text() == "held"


def is_held(lock: Path) -> bool:
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False
