"""
Who is alive on one machine: one locked file for every process that works on runs.

The kernel lets go of the lock when a process ends, however it ends, so a lock that can be taken is
proof that its owner is gone. Only then may somebody else go on with its runs.
"""

import asyncio
import fcntl
import os
import time
import uuid
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from typing import Protocol

from prowess.core.errors import OutsideError
from prowess.core.files import make_private
from prowess.core.locks import TURN, WORKERS, is_locked, lock, open_lock

PATIENCE = 30.0  # seconds to wait for another process to let go


class Workers(Protocol):
    """The processes that share one database. `name` is this one's, and never used again."""

    name: str

    @property
    def is_cut_off(self) -> bool:
        """Others may soon take this process for dead, so it must work on nothing."""
        ...

    def tick(self) -> None:
        """The event loop goes on; where it stands still, the process is as good as dead."""
        ...

    def alive(self, names: Collection[str]) -> set[str]:
        """Those of them that are."""
        ...

    def dead(self, names: Collection[str]) -> set[str]:
        """Those of them whose runs others may take up without being told to."""
        ...

    def enter(self) -> None:
        """Be alive from here on, and forget those who are not. To be called `alone`."""
        ...

    def alone(self) -> AbstractAsyncContextManager[None]:
        """While it lasts, no other process is in this same passage."""
        ...

    def close(self) -> None: ...


class FileWorkers:
    """Beside the database: a file to take turns with, and a folder with one file for each process."""

    def __init__(self, database: str) -> None:
        self.name = f"{os.getpid()}-{uuid.uuid4().hex[:12]}"
        self._turn = os.path.abspath(database) + TURN
        self._folder = os.path.abspath(database) + WORKERS
        self._held: int | None = None

    def enter(self) -> None:
        make_private(self._folder)
        self._held = open_lock(self._file(self.name))
        fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for name in os.listdir(self._folder):
            if not self._is_alive(name):
                with suppress(FileNotFoundError):
                    os.unlink(self._file(name))

    @property
    def is_cut_off(self) -> bool:
        return False

    def tick(self) -> None:
        """Nobody else goes on with the runs of a process that is there."""

    def alive(self, names: Collection[str]) -> set[str]:
        return {name for name in names if self._is_alive(name)}

    def dead(self, names: Collection[str]) -> set[str]:
        return set(names) - self.alive(names)

    def _is_alive(self, name: str) -> bool:
        if name == self.name:
            return self._held is not None
        return is_locked(self._file(name))

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        file = open_lock(self._turn)
        with _closing(file):
            until = time.monotonic() + PATIENCE
            while not lock(file):
                if time.monotonic() > until:
                    raise OutsideError(
                        f"another process has held {self._turn} for {PATIENCE:.0f} seconds",
                        hint="end the other `prowess` process, or name another folder with --data",
                    )
                await asyncio.sleep(0.01)
            yield

    def close(self) -> None:
        if self._held is not None:
            with suppress(FileNotFoundError):
                os.unlink(self._file(self.name))
            os.close(self._held)
            self._held = None

    def _file(self, name: str) -> str:
        return os.path.join(self._folder, name)


@contextmanager
def _closing(file: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.close(file)
