"""
Patience with a model that is busy: growing pauses, a little at random, and an end to them.

The model layer tries each request once; this is the only place that tries again.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence

from prowess.core.chat import Message, Reply, ToolCard
from prowess.core.errors import ModelError
from prowess.core.ports import Model

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
OnWait = Callable[[int, float, ModelError], object]  # the attempt that failed, the pause, and why


async def patient(
    model: Model,
    messages: Sequence[Message],
    tools: Sequence[ToolCard],
    *,
    attempts: int = 4,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    chance: Callable[[], float] = random.random,
    on_wait: OnWait | None = None,
) -> Reply:
    """
    The reply, or the last error. Only errors that may pass are waited for; each wait is told to `on_wait`.

    A provider that asks for minutes is not waited for: whoever started the run should know.
    """
    for attempt in range(1, attempts):
        try:
            return await model.reply(messages, tools)
        except ModelError as error:
            if not error.transient or (error.retry_after or 0) > LONGEST_PAUSE:
                raise
            pause = _pause(attempt, error, chance)
            if on_wait:
                on_wait(attempt, pause, error)
        await sleep(pause)
    return await model.reply(messages, tools)


def _pause(attempt: int, error: ModelError, chance: Callable[[], float]) -> float:
    """What the provider asked for and a little more, or 1, 2, 4 … seconds, give or take a fourth."""
    if error.retry_after is not None:
        return error.retry_after + chance() * FIRST_PAUSE
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1)) * (0.75 + chance() / 2)
