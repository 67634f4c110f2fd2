"""Stopping: a process that is told to end does, its runs clear away in peace, and a mistake ends no watch."""

import asyncio
import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from postgres import server
from prowess.core.errors import ConflictError
from prowess.core.ports import Json, Steps
from prowess.durable.engine import DurableEngine
from prowess.durable.fair import Limits, Ticket
from prowess.durable.opening import open_engine
from prowess.durable.postgres import PostgresWorkers
from prowess.durable.queue import Queue

PATIENCE = 60


async def works(steps: Steps, request: Mapping[str, Any]) -> Json:
    return steps.run_id


def take_runs(engine: DurableEngine) -> None:
    engine.take_runs(project="/p", limits=Limits(), at_once=2)


@pytest.fixture(params=["file", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return server().new_database() if request.param == "postgres" else str(tmp_path / "runs.db")


def test_an_engine_closes_also_when_something_happens_in_that_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prowess.durable.here.AGAIN", 2 * PATIENCE)  # told once is enough

    async def enqueue_and_close(run: str) -> None:
        async with open_engine(str(tmp_path / "runs.db"), {"works": works}) as engine:
            take_runs(engine)
            await asyncio.sleep(0.01)
            await engine.enqueue("works", run, {}, Ticket(project="/p"))

    async def many_times() -> None:
        for number in range(10):
            closing = asyncio.create_task(enqueue_and_close(f"r{number}"))
            done, _ = await asyncio.wait([closing], timeout=PATIENCE)
            assert done, "it never closes"
            await closing

    asyncio.run(many_times())


def test_a_run_whose_order_to_stop_got_lost_is_told_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prowess.durable.here.AGAIN", 0.1)
    hears = 0

    async def deaf(steps: Steps, request: Mapping[str, Any]) -> Json:
        nonlocal hears
        while True:
            try:
                await asyncio.sleep(PATIENCE)
            except asyncio.CancelledError:
                hears += 1
                if hears == 2:
                    raise

    async def start_and_close() -> None:
        async with open_engine(str(tmp_path / "runs.db"), {"deaf": deaf}) as engine:
            await engine.start("deaf", "r", {})
            await asyncio.sleep(0.1)

    asyncio.run(asyncio.wait_for(start_and_close(), PATIENCE))

    assert hears == 2


def test_a_run_that_is_cut_off_has_the_time_to_clear_away(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    at_work, stops = asyncio.Event(), asyncio.Event()

    async def clears_away(steps: Steps, request: Mapping[str, Any]) -> Json:
        async def work() -> Json:
            try:
                at_work.set()
                await asyncio.sleep(PATIENCE)
            finally:
                told.append("begins")
                stops.set()
                await asyncio.sleep(1)  # several looks of the guard
                told.append("done")

        return await steps.do("work", work)

    async def cut_off() -> None:
        async with open_engine(server().new_database(), {"clears_away": clears_away}) as engine:
            await engine.start("clears_away", "r", {})
            await at_work.wait()
            monkeypatch.setattr(PostgresWorkers, "is_cut_off", property(lambda it: True))
            await stops.wait()
            await asyncio.sleep(2)

    asyncio.run(asyncio.wait_for(cut_off(), PATIENCE))

    assert told == ["begins", "done"]


def test_a_run_that_stops_can_still_be_cancelled(tmp_path: Path) -> None:
    at_work, stops = asyncio.Event(), asyncio.Event()
    stopped: list[str] = []

    async def lingers(steps: Steps, request: Mapping[str, Any]) -> Json:
        async def work() -> Json:
            at_work.set()
            try:
                await asyncio.sleep(PATIENCE)
            except asyncio.CancelledError:
                stopped.append("once")
                stops.set()
                try:
                    await asyncio.sleep(PATIENCE)
                finally:
                    stopped.append("twice")
                raise

        return await steps.do("work", work)

    async def pause_and_cancel() -> str:
        async with open_engine(str(tmp_path / "runs.db"), {"lingers": lingers}) as engine:
            await engine.start("lingers", "r", {})
            await at_work.wait()
            pausing = asyncio.create_task(engine.pause("r"))
            await stops.wait()
            await engine.cancel("r")
            with pytest.raises(ConflictError, match="was cancelled"):
                await pausing
            return await engine.state("r")

    assert asyncio.run(asyncio.wait_for(pause_and_cancel(), PATIENCE)) == "cancelled"
    assert stopped == ["once", "twice"]


def test_an_unexpected_error_does_not_end_the_taking_of_runs(
    database: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    take, failures = Queue.take, 0

    def fails_twice(self: Queue, *words: Any, **more: Any) -> list[str]:
        nonlocal failures
        failures += 1
        if failures <= 2:
            raise RuntimeError("what nobody thought of")
        return take(self, *words, **more)

    monkeypatch.setattr(Queue, "take", fails_twice)

    async def enqueued() -> Json:
        async with open_engine(database, {"works": works}) as engine:
            take_runs(engine)
            await engine.enqueue("works", "r", {}, Ticket(project="/p"))
            return await engine.result("r")

    with caplog.at_level(logging.ERROR, logger="prowess.durable"):
        assert asyncio.run(asyncio.wait_for(enqueued(), PATIENCE)) == "r"
    (complaint,) = caplog.records
    assert complaint.getMessage() == (
        "prowess: taking runs from the queue failed and is tried again:"
        " RuntimeError: what nobody thought of"
    )


def test_an_unexpected_error_does_not_end_the_watch_over_runs(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work, looked_again = asyncio.Event(), threading.Event()
    worked_on, looks = Queue.worked_on, 0

    def fails_first(self: Queue) -> list[str]:
        nonlocal looks
        looks += 1
        if looks == 1:
            raise RuntimeError("what nobody thought of")
        looked_again.set()
        return worked_on(self)

    monkeypatch.setattr(Queue, "worked_on", fails_first)

    async def sleeps(steps: Steps, request: Mapping[str, Any]) -> Json:
        at_work.set()
        await asyncio.sleep(PATIENCE)

    async def looked_after() -> None:
        async with open_engine(database, {"sleeps": sleeps}) as engine:
            await engine.start("sleeps", "r", {})
            await at_work.wait()
            assert await asyncio.to_thread(looked_again.wait, PATIENCE / 2)

    asyncio.run(asyncio.wait_for(looked_after(), PATIENCE))
