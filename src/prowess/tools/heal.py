"""
Trouble that passes: try again a few times, with growing pauses, and say so.

Only what changes nothing by being repeated is tried again; the callers see to that.
"""

import errno
from collections.abc import Awaitable, Callable
from typing import TypeVar

PAUSES = (0.05, 0.2, 0.8)  # seconds before each further try
_FLEETING = frozenset(
    {errno.EAGAIN, errno.EBUSY, errno.EINTR, errno.EMFILE, errno.ENFILE, errno.ESTALE}
    | {errno.ETXTBSY, errno.ECONNRESET, errno.ECONNREFUSED, errno.EPIPE, errno.ETIMEDOUT}
)

T = TypeVar("T")


def fleeting(error: object) -> bool:
    """Whether the system itself may give another answer in a moment."""
    return isinstance(error, OSError) and error.errno in _FLEETING


async def persist(
    work: Callable[[], Awaitable[T]],
    *,
    passes: Callable[[object], bool],
    sleep: Callable[[float], Awaitable[None]],
) -> tuple[T, int]:
    """
    What `work` returned in the end, and how often it was tried again. `passes` says of a result
    or an exception that it may be another one next time; the last one stands.
    """
    for again, pause in enumerate(PAUSES):
        try:
            outcome = await work()
        except Exception as error:
            if not passes(error):
                raise
        else:
            if not passes(outcome):
                return outcome, again
        await sleep(pause)
    return await work(), len(PAUSES)
