"""Stopping in order: what must not be done twice is finished and kept, and nothing new begins."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from postgres import server
from prowess.core.errors import ConflictError, CutShortError
from prowess.core.ports import Json, Steps
from prowess.durable.engine import DurableEngine
from prowess.durable.opening import open_engine

PATIENCE = 60


class Story:
    """A run of two steps that must not be done twice; the first takes until `gate` is set."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.did: list[str] = []
        self.begun, self.gate = asyncio.Event(), asyncio.Event()

    async def body(self, steps: Steps, request: Mapping[str, Any]) -> Json:
        async def first() -> Json:
            self.begun.set()
            await self.gate.wait()
            self.did.append("first")
            return "first"

        async def second() -> Json:
            self.did.append("second")
            return "second"

        one = await steps.do("first", first, repeatable=False)
        return [one, await steps.do("second", second, repeatable=False)]

    async def within(self, part: Callable[[DurableEngine], Awaitable[Json]]) -> Json:
        async with (
            asyncio.timeout(PATIENCE),
            open_engine(self.place, {"kind": self.body}) as engine,
        ):
            return await part(engine)

    async def start(self, engine: DurableEngine) -> None:
        await engine.start("kind", "r", {})
        await self.begun.wait()

    async def resumed(self, engine: DurableEngine) -> Json:
        await engine.resume("r")
        return await engine.result("r")


@pytest.fixture(params=["file", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return server().new_database() if request.param == "postgres" else str(tmp_path / "runs.db")


def test_a_pause_waits_for_what_must_not_be_done_twice(place: str) -> None:
    async def paused() -> Json:
        story = Story(place)

        async def pause(engine: DurableEngine) -> Json:
            await story.start(engine)
            pausing = asyncio.create_task(engine.pause("r"))
            await asyncio.sleep(0.3)
            meanwhile = await engine.state("r"), list(story.did)
            story.gate.set()
            await pausing
            then = await engine.state("r"), list(story.did)
            return [meanwhile, then, await story.resumed(engine), story.did]

        return await story.within(pause)

    meanwhile, then, result, did = asyncio.run(paused())

    assert meanwhile == ("running", [])
    assert then == ("paused", ["first"])
    assert result == did == ["first", "second"]


def test_a_process_that_is_told_to_end_finishes_what_must_not_be_done_twice(place: str) -> None:
    async def closed() -> Json:
        story = Story(place)

        async def leave(engine: DurableEngine) -> None:
            await story.start(engine)
            asyncio.get_running_loop().call_later(0.3, story.gate.set)

        await story.within(leave)
        return [list(story.did), await story.within(story.resumed), story.did]

    left, result, did = asyncio.run(closed())

    assert left == ["first"]
    assert result == did == ["first", "second"]


@pytest.mark.parametrize("way", ["pause", "end"])
def test_what_takes_too_long_is_cut_short_and_kept_as_that(
    place: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prowess.durable.here.IN_ORDER", 0.1)

    async def cut() -> Json:
        story = Story(place)

        async def leave(engine: DurableEngine) -> None:
            await story.start(engine)
            if way == "pause":
                await engine.pause("r", within=0.1)

        await story.within(leave)
        assert not story.did
        return await story.within(story.resumed)

    with pytest.raises(CutShortError, match="was cut short when the run was told to stop"):
        asyncio.run(cut())


def test_who_does_not_want_to_wait_any_more_cuts_it_short(tmp_path: Path) -> None:
    async def cut() -> Json:
        story = Story(str(tmp_path / "runs.db"))
        left = asyncio.create_task(story.within(story.start))
        await story.begun.wait()
        await asyncio.sleep(0.3)
        left.cancel()
        await asyncio.wait([left])
        return await story.within(story.resumed)

    with pytest.raises(CutShortError):
        asyncio.run(asyncio.wait_for(cut(), 5))


def test_a_cancel_waits_for_nothing(place: str) -> None:
    async def cancelled() -> Json:
        story = Story(place)

        async def cancel(engine: DurableEngine) -> Json:
            await story.start(engine)
            pausing = asyncio.create_task(engine.pause("r"))
            await asyncio.sleep(0.3)
            await engine.cancel("r")
            with pytest.raises(ConflictError, match="was cancelled"):
                await pausing
            return await engine.state("r")

        return await story.within(cancel)

    assert asyncio.run(cancelled()) == "cancelled"
