"""
Waiting for work on the database so that nothing is left of it when nobody waits any more.

A thread cannot be told to stop. Who is cancelled while one works for them stays until it is done,
within reason: with a server that is away that may be never.
"""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

REASON = 5.0  # seconds


async def settled(work: "asyncio.Future[T]") -> T:
    """What `work` gives."""
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        work.add_done_callback(lambda it: it.cancelled() or it.exception())  # seen by nobody else
        if not work.done():
            await asyncio.wait([work], timeout=REASON)
        raise


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `work` gives when it is done on another thread."""
    return await settled(asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs)))
