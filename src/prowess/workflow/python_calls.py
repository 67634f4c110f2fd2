"""
Functions beside a skill.yaml, called in one sandboxed interpreter that lives as long as the run.

Calls and replies go through two named pipes in a folder that only the owner can enter. An
interpreter is started at the first call; a call that takes too long ends it, and the next call
starts another; the folder goes with it. Calls are made one after another. What the author's code
prints is dropped.

Stops: whatever the sandbox stops; the code never runs in our process. Does not stop: code of the
same skill from changing what a later call of the same run sees.
"""

import asyncio
import contextlib
import json
import os
import shutil
import sys
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from prowess.core.errors import ProwessError
from prowess.core.files import make_private
from prowess.core.ports import Json, Sandbox
from prowess.core.process import Finished, Limits, Order

_WORKER = Path(__file__).with_name("python_worker.py")
_LONGEST = 24 * 3600  # seconds that an interpreter may live
_LARGEST = 16 * 1024**2  # bytes of a reply
_FULL = 0.002  # seconds until a full pipe is tried again
_BOTH = os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC


class PythonError(ProwessError):
    """The function could not be called, or raised, or gave what is not JSON."""


@dataclass(kw_only=True)
class PythonCalls:
    """`order` says where the interpreter runs and what it may use; `skill_dir` has the modules."""

    sandbox: Sandbox
    order: Order
    skill_dir: str
    pipes: str
    _line: "_Line | None" = None
    _alone: asyncio.Lock = field(default_factory=asyncio.Lock)
    _number: int = 0

    async def __call__(
        self, module: str, function: str, arguments: Mapping[str, Any], *, seconds: float | None
    ) -> Json:
        limit = seconds or self.order.limits.seconds
        async with self._alone:
            line = self._line = self._line or self._begin()
            self._number += 1
            call = {"id": self._number, "module": module, "function": function, "arguments": dict(arguments)}  # fmt: skip
            try:
                async with asyncio.timeout(limit):
                    reply = await line.call(call)
            except TimeoutError:
                await self._end()
                raise PythonError(
                    f"{module}:{function} took longer than {limit:g} s",
                    hint="give the step a longer `timeout`",
                ) from None
            except BaseException:
                await self._end()
                raise
        if "error" in reply:
            raise PythonError(f"{module}:{function} failed: {reply['error']}")
        return reply.get("value")

    async def close(self) -> None:
        async with self._alone:
            await self._end()

    def _begin(self) -> "_Line":
        make_private(self.pipes)
        paths = [os.path.join(self.pipes, name) for name in ("calls", "replies")]
        for path in paths:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
            os.mkfifo(path, 0o600)
        argv = (sys.executable, "-I", "-c", _WORKER.read_text("utf-8"), self.skill_dir, *paths)
        limits: Limits = replace(self.order.limits, seconds=_LONGEST, cpu_seconds=_LONGEST)
        order = replace(
            self.order,
            argv=argv,
            limits=limits,
            writable=(*self.order.writable, self.pipes),
            readable=(*self.order.readable, self.skill_dir, *_interpreter()),
        )
        calls, replies = (os.open(path, _BOTH) for path in paths)
        return _Line(calls, replies, self.sandbox.run(order))

    async def _end(self) -> None:
        line, self._line = self._line, None
        if line:
            await line.close()
            shutil.rmtree(self.pipes, ignore_errors=True)


class _Line:
    """The pipes to one interpreter, opened before it starts, so that it cannot put others in their place."""

    def __init__(self, calls: int, replies: int, running: Coroutine[Any, Any, Finished]) -> None:
        self._loop = asyncio.get_running_loop()
        self._calls, self._replies = calls, replies
        self._received = b""
        self._line: asyncio.Future[bytes] = self._loop.create_future()
        self._loop.add_reader(replies, self._arrived)
        self._running = self._loop.create_task(running)
        self._running.add_done_callback(self._over)

    async def call(self, call: Mapping[str, Any]) -> dict[str, Any]:
        self._line = self._loop.create_future()
        if self._running.done():
            self._over(self._running)
        await self._write(json.dumps(call).encode() + b"\n")
        return _reply(await self._line, call["id"])

    async def _write(self, data: bytes) -> None:
        while data and not self._line.done():
            try:
                data = data[os.write(self._calls, data) :]
            except BlockingIOError:
                await asyncio.sleep(_FULL)

    def _arrived(self) -> None:
        self._received += os.read(self._replies, 65_536)
        if self._line.done():
            return
        if len(self._received) > _LARGEST:
            wrong = PythonError(f"the reply has more than {_LARGEST:,} bytes", hint="write a file")
            self._line.set_exception(wrong)
        elif b"\n" in self._received[-65_536:]:
            line, _, self._received = self._received.partition(b"\n")
            self._line.set_result(line)

    def _over(self, running: "asyncio.Task[Finished]") -> None:
        if running.cancelled() or self._line.done():
            return
        if broken := running.exception():
            self._line.set_exception(broken)
            return
        ended = running.result()
        said = ended.err.decode(errors="replace").strip().splitlines()
        why = ended.killed_by or (said[-1] if said else f"exit code {ended.code}")
        self._line.set_exception(PythonError(f"the interpreter ended: {why}"))

    async def close(self) -> None:
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)
        self._line.cancel()
        self._loop.remove_reader(self._replies)
        os.close(self._calls)
        os.close(self._replies)


def _reply(line: bytes, number: int) -> dict[str, Any]:
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict) or reply.get("id") != number:
        raise PythonError("the interpreter gave a reply that makes no sense")
    return reply


def _interpreter() -> tuple[str, ...]:
    """Where our own Python is installed; the sandbox shows nothing that it is not told of."""
    return tuple(dict.fromkeys(map(os.path.realpath, (sys.prefix, sys.base_prefix))))
