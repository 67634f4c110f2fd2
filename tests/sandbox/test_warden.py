"""Nothing that a supervised program started runs when its supervisor has returned, or is dead."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from prowess.core.errors import OutsideError
from prowess.core.process import Finished, Limits
from prowess.sandbox.output import OnLine
from prowess.sandbox.plain import Plain
from prowess.sandbox.process import supervise
from sandbox.commands import Run, alive, python
from sandbox.daemons import KINDS, agent, is_held, was_held
from support import until

STAYS = "time.sleep(1000)"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no heir to be named")


async def supervised(
    *argv: str, wall: float = 90, idle: float | None = None, on_line: OnLine | None = None
) -> Finished:
    environment = {"PATH": os.environ["PATH"]}
    return await supervise(
        argv, cwd="/", environment=environment, wall=wall, idle=idle, on_line=on_line
    )


def seen_to(*argv: str, wall: float = 90, idle: float | None = None) -> Finished:
    return asyncio.run(supervised(*argv, wall=wall, idle=idle))


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "lock"


@pytest.mark.parametrize("kind", KINDS)
def test_a_daemon_without_environment_is_dead_when_its_agent_has_ended(
    kind: str, lock: Path
) -> None:
    done = seen_to(*agent(lock, kind=kind))

    assert (done.code, done.killed_by) == (0, "")
    assert was_held(lock)
    assert not is_held(lock)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_dead_when_its_agent_fell_silent(kind: str, lock: Path) -> None:
    done = seen_to(*agent(lock, kind=kind, then=STAYS), idle=1)

    assert done.killed_by == "idle"
    assert was_held(lock)
    assert not is_held(lock)


def test_it_is_dead_when_the_time_of_its_agent_is_up(lock: Path) -> None:
    done = seen_to(*agent(lock, then=STAYS), wall=4)

    assert done.killed_by == "timeout"
    assert was_held(lock)
    assert not is_held(lock)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_dead_when_a_listener_fails(kind: str, lock: Path) -> None:
    async def fail(line: bytes) -> None:
        if line == b"there it is":
            raise LookupError

    with pytest.raises(LookupError):
        asyncio.run(supervised(*agent(lock, kind=kind, then=STAYS), on_line=fail))
    assert not is_held(lock)


def test_it_is_dead_when_the_wait_is_cancelled(lock: Path) -> None:
    async def cancel() -> None:
        running = asyncio.ensure_future(supervised(*agent(lock, then=STAYS)))
        await asyncio.to_thread(until, lambda: was_held(lock))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancel())
    assert not is_held(lock)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_dead_when_a_command_without_a_sandbox_has_ended(
    kind: str, run: Run, workspace: Path
) -> None:
    lock = workspace / "lock"

    done = run(Plain(), *agent(lock, kind=kind))

    assert (done.code, done.killed_by) == (0, "")
    assert was_held(lock)
    assert not is_held(lock)


def test_what_a_daemon_uses_counts_as_its_commands_own(run: Run, workspace: Path) -> None:
    lock = workspace / "lock"

    done = run(
        Plain(),
        *agent(lock, kind="computes", then=STAYS),
        limits=Limits(seconds=90, cpu_seconds=1),
    )

    assert done.killed_by == "cpu"
    assert not is_held(lock)


SUPERVISOR = """
import asyncio, os, sys
from prowess.sandbox.process import supervise

asyncio.run(supervise(sys.argv[2:], cwd="/", environment={"PATH": sys.argv[1]}, wall=90))
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("nobody is left")
"""


@contextmanager
def supervisor(*words: str) -> Iterator["subprocess.Popen[str]"]:
    argv = [sys.executable, "-c", SUPERVISOR, os.environ["PATH"], *words]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as started:
        try:
            yield started
        finally:
            started.kill()


@pytest.mark.parametrize("kind", KINDS)
def test_it_dies_when_the_supervisor_is_killed(kind: str, lock: Path) -> None:
    with supervisor(*agent(lock, kind=kind, then=STAYS)) as started:
        until(lambda: was_held(lock))

        started.send_signal(signal.SIGKILL)

        until(lambda: not is_held(lock))


# Itself, a child, one in a session of its own, and one in a session of its own whose parent is gone.
TREE = '"$@" & setsid "$@" & (setsid "$@" &) ; wait'
SLEEPER = python("import time; time.sleep(60)")


def test_the_whole_tree_dies_when_its_supervisor_is_killed() -> None:
    token = uuid4().hex
    with supervisor("sh", "-c", TREE, "sh", *SLEEPER, token) as started:
        until(lambda: len(set(alive(token)) - {started.pid}) == 4)

        started.send_signal(signal.SIGKILL)

        until(lambda: not alive(token))


def test_no_warden_is_left_when_the_program_has_ended() -> None:
    with supervisor("true") as started:
        told, _ = started.communicate(timeout=60)

    assert told == "nobody is left\n"


def test_agents_at_work_together_keep_their_daemons_apart(tmp_path: Path) -> None:
    mine, other, go = (tmp_path / name for name in ("mine", "other", "go"))
    waits = f"while not os.path.exists({str(go)!r}): time.sleep(0.02)\n"

    async def one_after_the_other() -> None:
        longer = asyncio.ensure_future(supervised(*agent(other, then=waits)))
        await asyncio.to_thread(until, lambda: was_held(other))

        assert (await supervised(*agent(mine))).code == 0

        assert not is_held(mine)
        assert is_held(other)
        go.touch()
        assert (await longer).code == 0
        assert not is_held(other)

    asyncio.run(one_after_the_other())


def test_other_children_of_ours_go_on(lock: Path) -> None:
    ours = [subprocess.Popen(["sleep", "1000"], start_new_session=apart) for apart in (True, False)]
    try:
        seen_to(*agent(lock))

        assert [child.poll() for child in ours] == [None, None]
    finally:
        for child in ours:
            child.kill()
            child.wait()


@pytest.mark.parametrize("code", [0, 1, 7, 127, 255])
def test_an_exit_code_is_told_as_it_is(code: int) -> None:
    done = seen_to("sh", "-c", f"exit {code}")

    assert (done.code, done.killed_by) == (code, "")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGPIPE])
def test_a_signal_is_told_as_a_negative_number(number: signal.Signals, lock: Path) -> None:
    dies = f"signal.signal(signal.SIGPIPE, signal.SIG_DFL); os.kill(os.getpid(), {number.value})"

    done = seen_to(*agent(lock, then=dies))

    assert (done.code, done.killed_by) == (-number, "")
    assert not is_held(lock)


def test_a_program_ignores_and_blocks_no_signal_for_our_sake() -> None:
    done = seen_to("grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status")

    blocked, ignored = (int(line.split()[1], 16) for line in done.out.splitlines())
    assert blocked == 0
    # Who starts us in the background, or by `nohup`, may have others ignored, for all of us.
    assert not any(ignored >> (number - 1) & 1 for number in (signal.SIGPIPE, signal.SIGXFSZ))


def test_a_program_leads_its_session_and_is_given_three_streams() -> None:
    tells = """
import os
print(os.getsid(0) == os.getpgrp() == os.getpid(), *sorted(os.listdir("/proc/self/fd")))
"""

    assert seen_to(*python(tells)).out == b"True 0 1 2 3\n"  # the fourth is that of the listing


def test_a_warden_goes_by_its_own_name_and_by_no_word_of_its_command() -> None:
    """So that no agent kills it who kills others by `killall python` or `pkill -f word`."""
    token = uuid4().hex
    script = 'tr "\\0" " " <"/proc/$PPID/cmdline"; cat "/proc/$PPID/comm"'

    said = seen_to("sh", "-c", script, token).out.decode()

    assert said.endswith(" prowess-warden\n")
    assert token not in said


def test_a_program_that_is_not_there_leaves_nothing_open() -> None:
    before = len(os.listdir("/proc/self/fd"))

    with pytest.raises(OutsideError, match=r"no-such-agent .*No such file"):
        seen_to("no-such-agent")
    with pytest.raises(OutsideError, match=r"a\\udc00"):
        seen_to("a\udc00\ud800")

    assert len(os.listdir("/proc/self/fd")) == before


def test_orphans_that_die_while_the_agent_works_are_buried() -> None:
    """The agent ends once it is the only child of its parent."""
    orphans = """
import os, time
for _ in range(20):
    if not os.fork():
        if not os.fork():
            time.sleep(0.05)
        os._exit(0)
    os.wait()
parent = os.getppid()
while open(f"/proc/{parent}/task/{parent}/children").read().split() != [str(os.getpid())]:
    time.sleep(0.01)
"""

    done = seen_to(*python(orphans))

    assert (done.code, done.killed_by) == (0, "")


def test_a_warden_that_is_asked_to_end_ends_them_all(lock: Path) -> None:
    asks = "os.kill(os.getppid(), signal.SIGTERM)\n" + STAYS

    done = seen_to(*agent(lock, then=asks))

    assert (done.code, done.killed_by) == (-9, "")
    assert not is_held(lock)


def test_a_warden_that_is_stopped_goes_on_to_end_them_all(lock: Path) -> None:
    stops = "os.kill(os.getppid(), signal.SIGSTOP)\nprint('stopped', flush=True)\n" + STAYS

    async def fail(line: bytes) -> None:
        if line == b"stopped":
            raise LookupError

    with pytest.raises(LookupError):
        asyncio.run(supervised(*agent(lock, then=stops), on_line=fail))
    assert not is_held(lock)


def test_nobody_can_say_in_the_place_of_a_warden_that_all_went_well() -> None:
    token = uuid4().hex
    forges = f"""
import os, signal, subprocess, sys, time
subprocess.Popen({[*SLEEPER, token]!r}, start_new_session=True)
warden = os.getppid()
for name in os.listdir(f"/proc/{{warden}}/fd"):
    path = f"/proc/{{warden}}/fd/{{name}}"
    if "deleted" in os.readlink(path):
        with open(path, "ab") as paper:
            paper.write(b"code 0\\ngone \\npid 1\\n")
os.kill(warden, signal.SIGKILL)
time.sleep(1000)
"""

    done = seen_to(*python(forges))

    assert done.code == -9
    assert alive(token) == []


def test_when_its_warden_is_killed_an_agent_has_failed_and_the_marked_are_found() -> None:
    token = uuid4().hex

    async def kill(parent: bytes) -> None:
        await asyncio.to_thread(until, lambda: len(alive(token)) == 4)
        os.kill(int(parent), signal.SIGKILL)

    script = ["sh", "-c", f"echo $PPID; {TREE}", "sh", *SLEEPER, token]
    done = asyncio.run(supervised(*script, on_line=kill))

    assert (done.code, done.killed_by) == (-9, "")
    assert alive(token) == []
