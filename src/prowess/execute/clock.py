"""How much time an iteration has left. Asked inside steps only, so that a replay never sees it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Deadline:
    def __init__(self, seconds: float | None) -> None:
        self._until = None if seconds is None else time.monotonic() + seconds
        self.seconds = seconds

    def left(self) -> float | None:
        """Seconds, never negative; None when there is no limit."""
        return None if self._until is None else max(0.0, self._until - time.monotonic())

    @contextmanager
    def paused(self) -> Iterator[None]:
        """What happens meanwhile takes nothing of the time."""
        began = time.monotonic()
        try:
            yield
        finally:
            if self._until is not None:
                self._until += time.monotonic() - began

    @staticmethod
    def now() -> float:
        return time.monotonic()
