"""What a command prints: read as it comes, kept up to a limit, told line by line to who wants it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import IO

OnLine = Callable[[bytes], Awaitable[None]]  # gets a line without its end

_CHUNK = 64 * 1024
_LONGEST_LINE = 16 * 1024**2  # a longer one is told in pieces
_SPELL = (
    0.02  # seconds of telling, after which others have their turn: the watch over limits, for one
)


class Tap:
    """One stream. `dropped` counts what was over the limit, `moved` is when something last came."""

    def __init__(self, limit: int, on_line: OnLine | None = None) -> None:
        self.kept = bytearray()
        self.dropped = 0
        self.moved = time.monotonic()
        self._limit = limit
        self._on_line = on_line
        self._line = bytearray()

    async def drain(self, pipe: IO[bytes]) -> None:
        """Read to the end; a slow `on_line` holds the command back, a full `kept` does not."""
        reader = asyncio.StreamReader(limit=_CHUNK)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), pipe
        )
        try:
            while chunk := await reader.read(_CHUNK):
                self._keep(chunk)
                await self._tell(chunk)
            if self._line:
                await self._tell(b"\n")
        finally:
            transport.close()

    def _keep(self, chunk: bytes) -> None:
        room = self._limit - len(self.kept)
        self.kept += chunk[:room]
        self.dropped += max(0, len(chunk) - room)

    async def _tell(self, chunk: bytes) -> None:
        self.moved = time.monotonic()
        if not self._on_line:
            return
        first, *rest = chunk.split(b"\n")
        self._line += first
        for start in rest:
            await self._on_line(bytes(self._line))
            self._line = bytearray(start)
            await self._pause()
        if len(self._line) > _LONGEST_LINE:
            await self._on_line(bytes(self._line))
            self._line = bytearray()
        self.moved = time.monotonic()

    async def _pause(self) -> None:
        """A listener that never waits would keep everybody else waiting."""
        now = time.monotonic()
        if now - self.moved > _SPELL:
            self.moved = now
            await asyncio.sleep(0)
