"""Commands that stay for a while: a run, a loop, a server."""

from collections.abc import Coroutine
from typing import Any, TypeVar

Came = TypeVar("Came")


def stay(work: Coroutine[Any, Any, Came]) -> Came:
    """What comes of it. Garbage is looked for again, unlike in a command that lives for a moment."""
    import asyncio
    import gc

    gc.enable()
    return asyncio.run(work)
