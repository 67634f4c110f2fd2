"""
What is left of an attempt whose loop was killed: an agent that goes on working for nobody.

An agent's warden ends it when the loop dies, and this waits until it has. Every program of an
attempt has the attempt's name in its environment and is found by it, the warden too; so one without
a warden is ended all the same, unless it has dropped its environment. Where there is no /proc
nothing is found.
"""

import asyncio
import os
import signal
from contextlib import suppress

NAME = "PROWESS_ATTEMPT"
_ROUNDS = 50
_PAUSE = 0.02  # seconds for what is dead to be gone


async def end_leftovers(attempt: str) -> None:
    """End them before the same attempt is begun again, so that two never work in one tree."""
    # A warden that is asked ends those who are found by nobody else; one that is killed cannot.
    for number in (signal.SIGTERM, signal.SIGKILL):
        for _ in range(_ROUNDS):
            found = _of(f"{NAME}={attempt}".encode())
            if not found:
                return
            for pid in found:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
            await asyncio.sleep(_PAUSE)


def _of(needle: bytes) -> list[int]:
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdecimal() and int(name) != os.getpid():
            with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                if needle in file.read().split(b"\0"):
                    found.append(int(name))
    return found
