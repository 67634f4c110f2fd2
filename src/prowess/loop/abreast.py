"""
Several tasks side by side in one durable run.

Steps are numbered in the order in which they begin, and a replay must begin them in the same order.
So those who work abreast go in rounds: a round is the next step of each, begun in order and under
way at the same time, and what each does between two steps it does alone, in the same order.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from prowess.core.ports import Json

T = TypeVar("T")
Work = Callable[[], Awaitable[Json]]
Step = Callable[[str, Work], Coroutine[Any, Any, Json]]
Body = Callable[[Step], Awaitable[T]]


async def abreast(step: Step, bodies: Sequence[Body[T]]) -> list[T]:
    """What the bodies return. Each is handed its own way to do steps, and does one at a time."""
    ways: list[_Way[T]] = []
    try:
        for body in bodies:
            ways.append(_Way(body))
            await ways[-1].look()
        while waiting := [way for way in ways if way.wants]:
            works = [asyncio.create_task(step(*way.wants)) for way in waiting if way.wants]
            for way, seen in zip(waiting, await _all(works), strict=True):
                await way.go_on(seen)
        return [way.task.result() for way in ways]
    finally:
        for way in ways:
            way.task.cancel()
        await asyncio.gather(*(way.task for way in ways), return_exceptions=True)


async def _all(works: Sequence["asyncio.Task[Json]"]) -> list[Json]:
    """The steps of one round. An order to stop reaches each of them, and so does one's failure."""
    try:
        return await asyncio.gather(*works)
    finally:
        for work in works:
            work.cancel()
        await asyncio.gather(*works, return_exceptions=True)


@dataclass
class _Way(Generic[T]):
    """One body on its way: it works, or waits with the step that it `wants`, or has ended."""

    body: Body[T]
    wants: tuple[str, Work] | None = None
    task: "asyncio.Task[T]" = field(init=False)
    _asked: asyncio.Event = field(default_factory=asyncio.Event)
    _seen: "asyncio.Future[Any]" = field(init=False)

    def __post_init__(self) -> None:
        async def whole() -> T:
            return await self.body(self._step)

        self.task = asyncio.create_task(whole())

    async def _step(self, name: str, work: Work) -> Json:
        self.wants = name, work
        self._seen = asyncio.get_running_loop().create_future()
        self._asked.set()
        return await self._seen

    async def go_on(self, seen: Json) -> None:
        self.wants = None
        self._asked.clear()
        self._seen.set_result(seen)
        await self.look()

    async def look(self) -> None:
        """Wait until it wants a step or has ended; raises what it raised."""
        asked = asyncio.create_task(self._asked.wait())
        try:
            await asyncio.wait([self.task, asked], return_when=asyncio.FIRST_COMPLETED)
        finally:
            asked.cancel()
            with suppress(asyncio.CancelledError):
                await asked
        if self.task.done():
            self.task.result()
