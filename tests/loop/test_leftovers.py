"""An attempt is begun again only when nothing of its first time is at work any more."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from prowess.loop.behind.leftovers import NAME, end_leftovers
from prowess.sandbox.process import supervise
from sandbox.commands import alive, python
from sandbox.daemons import agent, is_held
from support import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing is found without /proc")


def test_a_deaf_program_of_the_attempt_is_killed_and_those_of_others_are_not() -> None:
    attempt, token = uuid4().hex, uuid4().hex
    deaf = (
        "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True); time.sleep(99)"
    )

    def started(name: str) -> "subprocess.Popen[bytes]":
        argv = python(deaf, token)
        return subprocess.Popen(argv, env={NAME: name}, stdout=subprocess.PIPE)

    with started(attempt) as mine, started("another") as other:
        for each in (mine, other):
            assert each.stdout
            each.stdout.readline()

        asyncio.run(end_leftovers(attempt))

        assert alive(token) == [other.pid]
        assert mine.wait() == -signal.SIGKILL
        other.kill()


def test_a_warden_is_not_killed_but_ends_what_only_it_can_find(tmp_path: Path) -> None:
    """Its agent, too, has dropped the name of its attempt."""
    attempt, lock, bare = uuid4().hex, tmp_path / "lock", tmp_path / "bare"
    environment = {"PATH": os.environ["PATH"], NAME: attempt}
    stays = f"import time; open({str(bare)!r}, 'w').close(); time.sleep(1000)"

    async def end_a_running_one() -> None:
        argv = agent(lock, then=f"os.execve(python, [python, '-ISc', {stays!r}], {{}})")
        running = asyncio.ensure_future(supervise(argv, cwd="/", environment=environment, wall=90))
        await asyncio.to_thread(until, bare.exists)

        await end_leftovers(attempt)

        assert not is_held(lock)
        assert (await running).code < 0

    asyncio.run(end_a_running_one())
