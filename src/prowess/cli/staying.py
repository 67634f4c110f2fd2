"""Commands that stay for a while: a run, a loop, a server."""

import signal
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import typer

Came = TypeVar("Came")
_UNREAD = 128 + signal.SIGPIPE  # as a shell tells it


def stay(work: Coroutine[Any, Any, Came]) -> Came:
    """
    What comes of it. Garbage is looked for again, unlike in a command that lives for a moment. Whoever
    reads it and goes away has not seen it end, so that it is not fine.
    """
    import asyncio
    import gc

    gc.enable()
    try:
        return asyncio.run(work)
    except BrokenPipeError:
        raise typer.Exit(_UNREAD) from None


@contextmanager
def ended_with(code: int) -> Iterator[None]:
    """Leave with this code after the result is told, whether or not anybody reads it."""
    with suppress(BrokenPipeError):
        yield
        sys.stdout.flush()
    if code:
        raise typer.Exit(code)
