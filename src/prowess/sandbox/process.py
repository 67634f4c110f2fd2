"""
One command from its start to the end of everything it started.

Both streams are read all the time, so a full pipe never stops the command; what is over the limit
is counted and dropped. Whatever ends the wait (the command's own end, a limit, a cancelled task, a
failing callback), the whole tree is dead before `attend` returns or raises.
"""

import asyncio
import contextlib
import errno
import marshal
import math
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Protocol

from prowess.core.errors import OutsideError
from prowess.core.process import Finished, KilledBy, Limits
from prowess.sandbox import warden
from prowess.sandbox.cgroup import Group
from prowess.sandbox.limits import Meter
from prowess.sandbox.output import OnLine, Tap
from prowess.sandbox.tree import MARK, kill_tree
from prowess.sandbox.warden import GONE, LEFT

_FLOOD = 64  # times the limit: no command that means well prints so much
_LOOK = 0.25  # seconds between two looks at a command whose use is not measured
_PATIENCE = 5.0  # seconds for what is dead to be gone, or for a pipe that somebody still holds
_LAST_WORDS = 1.0  # seconds for hearing what one that was stopped had said by then
_LONGEST_END = 60.0  # seconds that a warden may need to end its tree, be it a bomb
_KILLED = -9
_OURS = "PROWESS_"  # how the variables begin by which we know what somebody works on
_HINT = "check that the program and the working folder exist"
_NO_PROGRAM = "a script needs a first line that names its program, such as `#!/bin/sh`"


class Child(Protocol):
    """A command that was started: its pipes to read, and how it and all of its tree are ended."""

    pid: int  # of the process that all others come from, whose use is measured
    out: IO[bytes]
    err: IO[bytes]
    exited: "asyncio.Future[int]"

    async def end(self) -> None:
        """Kill what is left of the tree; nothing of it runs when this returns. May be called twice."""
        ...


async def supervise(
    argv: Sequence[str],
    *,
    cwd: str,
    environment: Mapping[str, str],
    stdin: bytes = b"",
    wall: float,
    idle: float | None = None,
    on_line: OnLine | None = None,
) -> Finished:
    """
    Run a program in no sandbox, with `environment` and nothing more, and hand each line of its
    output to `on_line` as it comes. It is killed with all it started after `wall` seconds, or after
    `idle` seconds without a word on stdout, and when this process dies. What its warden does not hold is told
    in warden.py.
    """
    child = start(argv, cwd=cwd, environment=environment, stdin=stdin)
    limits = Limits(seconds=wall)
    finished = await attend(child, limits=limits, idle=idle, on_line=on_line, measured=False)
    child.must_have_begun()
    return finished


async def attend(
    child: Child,
    *,
    limits: Limits,
    idle: float | None = None,
    on_line: OnLine | None = None,
    measured: bool = True,
    group: Group | None = None,
) -> Finished:
    """See a started command to its end within its limits. The limit on output is that of each stream."""
    started = time.monotonic()
    out, err = Tap(limits.output_bytes, on_line), Tap(limits.output_bytes)
    meter = Meter(child.pid, limits) if measured else None
    watch = asyncio.ensure_future(_watch((out, err), limits, idle, meter))
    taps = [asyncio.ensure_future(tap.drain(pipe)) for tap, pipe in _pairs(child, out, err)]
    try:
        killed_by = await _first(child.exited, watch, taps)
        await child.end()
        await _settle(taps, (out, err), within=_LAST_WORDS if killed_by else math.inf)
        if group and group.ran_out_of_memory():
            killed_by = "memory"
    finally:
        await child.end()
        for task in (watch, *taps):
            task.cancel()
        await asyncio.gather(watch, *taps, return_exceptions=True)
        child.out.close()
        child.err.close()
    return Finished(
        code=_KILLED if killed_by else child.exited.result(),
        out=bytes(out.kept),
        err=bytes(err.kept),
        seconds=time.monotonic() - started,
        killed_by=killed_by,
        dropped=out.dropped + err.dropped,
    )


def _pairs(child: Child, out: Tap, err: Tap) -> tuple[tuple[Tap, IO[bytes]], ...]:
    return (out, child.out), (err, child.err)


async def _first(
    exited: "asyncio.Future[int]",
    watch: "asyncio.Future[KilledBy]",
    taps: "Sequence[asyncio.Future[None]]",
) -> KilledBy:
    """Wait for the command's end or a limit's, whichever is first; raise what a callback raised."""
    waiting: set[asyncio.Future[object]] = {exited, watch, *taps}  # type: ignore[arg-type]
    while True:
        done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for tap in taps:
            if tap in done:
                tap.result()
        if exited in done:
            return ""
        if watch in done:
            return watch.result()


async def _watch(
    taps: Sequence[Tap], limits: Limits, idle: float | None, meter: Meter | None
) -> KilledBy:
    """Return once a limit is reached, with its name. Dots and retries on stderr are no sign of work."""
    out = taps[0]
    ends = time.monotonic() + limits.seconds
    while True:
        now = time.monotonic()
        silent = out.moved + idle if idle else ends
        await asyncio.sleep(max(0, min(meter.pause if meter else _LOOK, ends - now, silent - now)))
        now = time.monotonic()
        if now >= ends:
            return "timeout"
        if idle and now >= out.moved + idle:
            return "idle"
        if any(tap.dropped > _FLOOD * limits.output_bytes for tap in taps):
            return "output"
        if meter and (reason := meter.over()):
            return reason


async def _settle(
    reading: "Sequence[asyncio.Future[None]]", taps: Sequence[Tap], *, within: float
) -> None:
    """Read what is still in the pipes; give up on one that is held open and silent."""
    left, ends = set(reading), time.monotonic() + within
    while left:
        _, left = await asyncio.wait(left, timeout=min(within, _PATIENCE))
        now = time.monotonic()
        if now >= ends or now - max(tap.moved for tap in taps) > _PATIENCE:
            break
    for task in set(reading) - left:
        task.result()


def start(
    argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], stdin: bytes = b""
) -> "Warded":
    """Start a command in a session of its own, as the child of a warden of its own."""
    mark = secrets.token_hex(16)
    order = _written(argv, {**environment, MARK: mark})
    # Who looks for an attempt's programs by a name of ours finds the warden too. It has nothing
    # else of the command: neither what could harm it, nor the words by which an agent kills others.
    names = {name: value for name, value in environment.items() if name.startswith(_OURS)}
    read, write = os.pipe()
    life = open(write, "wb", buffering=0)  # noqa: SIM115 - held for as long as the command may live
    paper = tempfile.TemporaryFile()  # noqa: SIM115 - and this for as long as it is read
    try:
        paper.write(order)
        paper.seek(0)
        with given(stdin) as source:
            popen = spawn(
                (sys.executable, "-IS", warden.__file__, str(paper.fileno()), str(read)),
                cwd=cwd,
                environment=names,
                stdin=source,
                pass_fds=(paper.fileno(), read),
                name=argv[0],
            )
        return Warded(popen, name=argv[0], mark=mark, life=life, paper=paper, beneath=len(order))
    except BaseException:
        life.close()
        paper.close()
        raise
    finally:
        os.close(read)


def _written(argv: Sequence[str], environment: Mapping[str, str]) -> bytes:
    """What a warden is to run, in bytes: it may think differently of letters than we do."""
    try:
        words = [os.fsencode(word) for word in argv]
        variables = {os.fsencode(k): os.fsencode(v) for k, v in environment.items()}
    except ValueError as error:
        raise OutsideError(f"{argv[0]!r} could not be started: {error}", hint=_HINT) from None
    return marshal.dumps((words, variables))


class Warded:
    """
    A command without a namespace, by its warden: the warden ends when it has ended all the others.
    One that was killed, or is heir to nobody, leaves those to be found by session and mark.
    """

    def __init__(
        self,
        popen: "subprocess.Popen[bytes]",
        *,
        name: str,
        mark: str,
        life: IO[bytes],
        paper: IO[bytes],
        beneath: int,
    ) -> None:
        self.pid, (self.out, self.err) = popen.pid, pipes(popen)
        self._popen, self._name, self._mark = popen, name, mark
        self._life, self._paper, self._beneath = life, paper, beneath
        self._ended = False
        self.exited = exit_of(popen, self._code)  # last: a thread reads the paper from now on

    def must_have_begun(self) -> None:
        """`OutsideError` when there is no such program."""
        if self._failure:
            hint = _NO_PROGRAM if os.strerror(errno.ENOEXEC) in self._failure else _HINT
            raise OutsideError(f"{self._name} could not be started: {self._failure}", hint=hint)

    async def end(self) -> None:
        if self._ended:
            return
        self._life.close()
        await self._end_of_warden()
        if not self._gone:
            await self._search()
        self._popen.wait()
        self._paper.close()
        self._ended = True

    def _code(self, warden: int) -> int:
        """Of the command, by how the warden ended. What one has told that was killed may be forged."""
        told = os.pread(self._paper.fileno(), 4096, self._beneath).decode(errors="replace")
        said = [
            (word, value) for word, _, value in (line.partition(" ") for line in told.split("\n"))
        ]
        self._gone = warden == GONE
        # Its first line was written before the command began, its last one after it had ended.
        self._root = int(said[0][1]) if said[0][0] == "pid" else self.pid
        last = dict(said) if warden in (GONE, LEFT) else {}
        self._failure = last.get("failed", "")
        return int(last.get("code", _KILLED))

    async def _end_of_warden(self) -> None:
        self._popen.send_signal(signal.SIGCONT)  # the command may have stopped it
        done, _ = await asyncio.wait({self.exited}, timeout=_LONGEST_END)
        if not done:
            self._popen.kill()
            await asyncio.shield(self.exited)

    async def _search(self) -> None:
        patience = time.monotonic() + _PATIENCE
        while (killed := kill_tree(self._root, mark=self._mark)) and time.monotonic() < patience:
            await asyncio.sleep(0.005)
            reap(killed)


def spawn(
    argv: Sequence[str],
    *,
    cwd: str,
    environment: Mapping[str, str],
    stdin: IO[bytes] | int,
    pass_fds: Sequence[int] = (),
    name: str = "",
) -> "subprocess.Popen[bytes]":
    """
    Start a program in a new session; `OutsideError` when there is no such program or folder, about
    `name` if another is meant than the one that is started.
    """
    try:
        return subprocess.Popen(  # noqa: S603 - what may run was decided by the caller
            argv,
            cwd=cwd,
            env=environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=pass_fds,
        )
    except (OSError, ValueError) as error:
        raise OutsideError(f"{name or argv[0]} could not be started: {error}", hint=_HINT) from None


def pipes(popen: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes]]:
    assert popen.stdout
    assert popen.stderr
    return popen.stdout, popen.stderr


@contextlib.contextmanager
def given(stdin: bytes) -> Iterator[IO[bytes] | int]:
    """What a command reads: a file rather than a pipe, so that nobody has to write in time."""
    if not stdin:
        yield subprocess.DEVNULL
        return
    with tempfile.TemporaryFile() as file:
        file.write(stdin)
        file.seek(0)
        yield file


def exit_of(
    popen: "subprocess.Popen[bytes]", told: Callable[[int], int] | None = None
) -> "asyncio.Future[int]":
    """The exit code, once there is one: its own, or what it has `told` of another by its own."""

    def wait() -> int:
        code = _exit_code(popen)
        return told(code) if told else code

    try:
        return in_thread(wait)
    except RuntimeError as error:  # no thread to be had: a command that nobody watches must not run
        kill_tree(popen.pid)
        popen.communicate()
        raise OutsideError(
            f"a command could not be watched: {error}", hint="end some of what runs here"
        ) from None


def _exit_code(popen: "subprocess.Popen[bytes]") -> int:
    """Where the system can, the process stays to be reaped, and its number is nobody else's."""
    if not hasattr(os, "waitid"):
        return popen.wait()
    try:
        status = os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOWAIT)
    except ChildProcessError:  # somebody else in this process has reaped it
        return popen.wait()
    assert status
    return status.si_status if status.si_code == os.CLD_EXITED else -status.si_status


def in_thread(wait: Callable[[], int]) -> "asyncio.Future[int]":
    """A thread of its own for a wait that blocks: the shared ones would run out."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[int] = loop.create_future()

    def settle(code: int) -> None:
        if not future.done():
            future.set_result(code)

    def body() -> None:
        code = wait()
        with contextlib.suppress(RuntimeError):  # the loop is closed, and nobody waits any more
            loop.call_soon_threadsafe(settle, code)

    threading.Thread(target=body, daemon=True, name="prowess-wait").start()
    return future


def reap(pids: set[int]) -> None:
    """Collect dead orphans that fell to us, as they do when we are the first process of a container."""
    for pid in pids:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
