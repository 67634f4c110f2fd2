"""
Lines that somebody types or pipes in, awaited without a thread: when a run is stopped while it waits,
nothing is left behind that still reads.
"""

import asyncio
import os


class Lines:
    """None for a descriptor: nobody is there."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        self._kept = b""

    async def next(self) -> str | None:
        """The next line without its end, or None when there is none any more."""
        while b"\n" not in self._kept:
            part = await self._read()
            if not part:
                return self._rest()
            self._kept += part
        line, _, self._kept = self._kept.partition(b"\n")
        return line.decode("utf-8", "replace").removesuffix("\r")

    def _rest(self) -> str | None:
        rest, self._kept = self._kept, b""
        return rest.decode("utf-8", "replace") if rest else None

    async def _read(self) -> bytes:
        if self._descriptor is None:
            return b""
        try:
            await self._readable(self._descriptor)
            return os.read(self._descriptor, 64 * 1024)
        except OSError:  # closed, or the terminal is gone
            return b""

    @staticmethod
    async def _readable(descriptor: int) -> None:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        try:
            loop.add_reader(descriptor, ready.set)
        except PermissionError:  # a plain file, which can always be read
            return
        try:
            await ready.wait()
        finally:
            loop.remove_reader(descriptor)
