"""A named pipe in the place of a file that git reads keeps nobody waiting."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from loop.looping import Scripted, git, go_on, loop, writes
from loop.test_refs import ONE, warned
from prowess.core.agent import AgentOrder
from prowess.core.errors import OutsideError
from prowess.loop.git.running import run_git
from running import KilledError, Remembering

PLACES = ("sub/.gitignore", "sub/deep/.gitattributes", ".git/index", ".git/packed-refs")


@pytest.fixture(autouse=True)
def _no_longer() -> Iterator[None]:
    """What waits for ever is to fail here."""

    def fail(number: int, frame: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, fail)
    signal.alarm(90)
    yield
    signal.alarm(0)


def pipe(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)


@pytest.mark.parametrize("parallel", [1, 2])
@pytest.mark.parametrize("name", PLACES)
def test_a_pipe_that_an_agent_leaves_is_taken_away_and_told(
    repo: Path, name: str, parallel: int
) -> None:
    git(repo, "branch", "mine")
    git(repo, "pack-refs", "--all")
    before = git(repo, "rev-parse", "mine")

    def act(folder: Path, order: AgentOrder) -> str:
        pipe((repo if name.startswith(".git/") else folder) / name)
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([act]), parallel=parallel)

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "status", "--porcelain") == ""
    assert git(repo, "rev-parse", "mine") == before
    assert any(f"{name} was a pipe, and is taken away" in each for each in warned(ended))


def test_so_is_one_that_a_link_leads_to_and_one_that_was_left_by_a_kill(
    repo: Path, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")

    def dies(folder: Path, order: AgentOrder) -> str:
        pipe(folder / "sub/.gitignore")
        (folder / ".git/index").unlink()
        (folder / ".git/index").symlink_to(tmp_path / "pipe")
        raise KilledError

    steps = Remembering("loop")
    with suppress(KilledError):
        loop(repo, ONE, Scripted([dies]), steps)

    again = Remembering("loop", steps.kept)
    ended = go_on(repo, Scripted([writes("hello.txt", "hi")]), again)

    assert "- [R] Say hello" in ended.plan
    assert (tmp_path / "pipe").exists()
    assert len(warned(ended)) == 2


@pytest.fixture
def blocked(repo: Path) -> Path:
    """A repository in which `git status` never ends."""
    pipe(repo / "sub/.gitignore")
    return repo


def at_work(repo: Path) -> list[int]:
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            here = Path(os.readlink(each / "cwd")) == repo
            if here and b"\0status" in (each / "cmdline").read_bytes():
                found.append(int(each.name))
    return found


def wait_for(repo: Path, *, some: bool) -> bool:
    ends = time.monotonic() + 20
    while bool(at_work(repo)) != some and time.monotonic() < ends:
        time.sleep(0.02)
    return bool(at_work(repo)) == some


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="needs /proc")
def test_a_git_that_is_cancelled_ends(blocked: Path) -> None:
    async def cancelled() -> None:
        work = asyncio.create_task(run_git("status", cwd=str(blocked)))
        assert await asyncio.to_thread(wait_for, blocked, some=True)
        work.cancel()
        with suppress(asyncio.CancelledError):
            await work

    asyncio.run(cancelled())

    assert wait_for(blocked, some=False)


def test_a_git_that_does_not_end_is_ended(blocked: Path) -> None:
    with pytest.raises(OutsideError, match="does not come to an end"):
        asyncio.run(run_git("status", cwd=str(blocked), seconds=0.5))

    assert wait_for(blocked, some=False)


WAITS = """
import asyncio, sys
from prowess.loop.git.running import run_git
asyncio.run(run_git("status", cwd=sys.argv[1]))
"""


@pytest.mark.skipif(not shutil.which("setpriv"), reason="needs setpriv")
def test_a_git_ends_with_a_loop_that_is_killed(blocked: Path) -> None:
    looping = subprocess.Popen([sys.executable, "-c", WAITS, str(blocked)])
    assert wait_for(blocked, some=True)

    looping.send_signal(signal.SIGKILL)
    looping.wait()

    assert wait_for(blocked, some=False)


def test_nobody_waits_for_one_that_was_there_before(blocked: Path) -> None:
    ended = loop(blocked, ONE, Scripted([writes("hello.txt", "hi")]))

    assert "- [R] Say hello" in ended.plan


def test_an_order_to_stop_is_not_lost_where_a_git_has_just_ended(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes after it would go on for as long as an agent may work."""
    ends, went_on = asyncio.subprocess.Process.communicate, []

    async def work() -> None:
        me = asyncio.current_task()
        assert me

        async def ends_as_we_are_stopped(process: asyncio.subprocess.Process) -> object:
            said = await ends(process)
            asyncio.get_running_loop().call_soon(me.cancel)
            return said

        monkeypatch.setattr(asyncio.subprocess.Process, "communicate", ends_as_we_are_stopped)
        await run_git("rev-parse", "HEAD", cwd=str(repo))
        await asyncio.sleep(0)
        went_on.append(True)

    with suppress(asyncio.CancelledError):
        asyncio.run(work())

    assert went_on == []
