"""The queue on either database: who takes what, and what becomes of what the dead had."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from postgres import server
from prowess.core.errors import CancelledRunError, ConflictError
from prowess.core.ports import Json, Steps
from prowess.durable.engine import DurableEngine
from prowess.durable.fair import Limit, Limits, Ticket
from prowess.durable.opening import open_engine
from prowess.durable.queue import OWN, Queue
from prowess.durable.row import hand_over
from prowess.durable.standing import standing, why_waiting

# A process that takes runs: each leaves a line when it begins and one when it is told to go on.
WORKER = """
import asyncio, os, sys, time
from prowess.durable.fair import Limits
from prowess.durable.opening import open_engine

database, traces = sys.argv[1:]

def trace(text):
    with open(traces, "a") as file:
        file.write(text + "\\n")

async def works(steps, request):
    async def first():
        trace(f"first {steps.run_id} {os.getpid()}")
        return 1
    await steps.do("first", first)
    async def second():
        trace(f"second {steps.run_id} {os.getpid()}")
        if "PROWESS_TEST_HANG" in os.environ:
            time.sleep(600)
        while not os.path.exists(request["gate"]):
            await asyncio.sleep(0.05)
        return 2
    await steps.do("second", second, repeatable=request["repeatable"])
    return steps.run_id

async def main():
    async with open_engine(database, {"works": works}) as engine:
        engine.take_runs(project="/p", limits=Limits(), at_once=4)
        print("ready", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


class Place:
    def __init__(self, folder: Path, url: str) -> None:
        self.database = url or str(folder / "runs.db")
        self.gate, self._traces = folder / "gate", folder / "traces"
        self._workers: list[subprocess.Popen[str]] = []

    def worker(self, **environment: str) -> subprocess.Popen[str]:
        words = [sys.executable, "-c", WORKER, self.database, str(self._traces)]
        worker = subprocess.Popen(
            words, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
        )
        self._workers.append(worker)
        assert worker.stdout
        assert worker.stdout.readline() == "ready\n"
        return worker

    def traces(self, beginning: str) -> list[list[str]]:
        lines = self._traces.read_text().splitlines() if self._traces.exists() else []
        return [line.split() for line in lines if line.startswith(beginning)]

    def wait_for(self, beginning: str, *, count: int = 1) -> None:
        until = time.monotonic() + 60
        while len(self.traces(beginning)) < count:
            assert time.monotonic() < until, f"{beginning} never came"
            time.sleep(0.02)

    def request(self, *, repeatable: bool = True) -> dict[str, Any]:
        return {"gate": str(self.gate), "repeatable": repeatable}

    def within(self, work: Callable[[DurableEngine], Awaitable[Json]]) -> Json:
        async def story() -> Json:
            async with asyncio.timeout(120), open_engine(self.database, {"works": works}) as engine:
                return await work(engine)

        return asyncio.run(story())

    def close(self) -> None:
        for worker in self._workers:
            with worker:
                worker.kill()


async def works(steps: Steps, request: Mapping[str, Any]) -> Json:
    """What the workers do, without waiting for anything."""

    async def one() -> Json:
        return 1

    await steps.do("first", one)
    await steps.do("second", one)
    return {"run": steps.run_id, "cost": request.get("cost", 0)}


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path, server().new_database() if request.param == "postgres" else "")
    yield place
    place.close()


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path, server().new_database())
    yield place
    place.close()


def ticket(user: str = "ann", skill: str = "pdf", **more: Any) -> Ticket:
    return Ticket(user=user, skill=skill, model="m", project="/p", **more)


def take(engine: DurableEngine, limits: Limits | None = None, *, at_once: int = 4) -> None:
    engine.take_runs(project="/p", limits=limits or Limits(), at_once=at_once)


# Taking


def test_a_queued_run_waits_until_somebody_takes_runs(place: Place) -> None:
    async def story(engine: DurableEngine) -> Json:
        await engine.enqueue("works", "r1", {}, ticket())
        before = await engine.state("r1")
        take(engine)
        return before, (await engine.result("r1"))["run"], await engine.state("r1")

    assert place.within(story) == ("queued", "r1", "ended")


def test_a_second_enqueue_of_the_same_run_changes_nothing(place: Place) -> None:
    async def story(engine: DurableEngine) -> Json:
        for _ in range(2):
            await engine.enqueue("works", "r1", {}, ticket())
        take(engine)
        await engine.result("r1")
        await engine.enqueue("works", "r1", {}, ticket())
        return await engine.state("r1")

    assert place.within(story) == "ended"


def test_runs_of_other_projects_are_left_to_their_workers(place: Place) -> None:
    async def story(engine: DurableEngine) -> Json:
        other = Ticket(user="ann", project="/elsewhere")
        await engine.enqueue("works", "theirs", {}, other)
        await engine.enqueue("works", "ours", {}, ticket())
        take(engine)
        await engine.result("ours")
        return await engine.state("theirs")

    assert place.within(story) == "queued"


def test_a_limit_holds_back_what_says_so_and_what_was_spent_counts(place: Place) -> None:
    limits = Limits(user={"ann": Limit(per_day=1.0)}, skill={"default": Limit(per_minute=5)})

    async def story(engine: DurableEngine) -> Json:
        await engine.enqueue("works", "r1", {"cost": 1.5}, ticket())
        take(engine, limits)
        await engine.result("r1")
        await engine.enqueue("works", "r2", {}, ticket())
        await engine.enqueue("works", "r3", {}, ticket(user="bob"))
        await engine.result("r3")
        return await engine.state("r2"), await engine.why_waiting("r2", limits)

    state, why = place.within(story)

    assert state == "queued"
    assert why == "$1.50 of $1.00 were spent today for the user ann"
    assert standing(place.database) == {"r2": "queued"}
    assert why_waiting(place.database, "r2", limits) == why


def test_no_more_are_under_way_at_once_than_a_limit_allows(place: Place) -> None:
    gate, two, at_work, most = asyncio.Event(), asyncio.Event(), set[str](), 0

    async def slow(steps: Steps, request: Mapping[str, Any]) -> Json:
        async def wait() -> Json:
            nonlocal most
            at_work.add(steps.run_id)
            most = max(most, len(at_work))
            if len(at_work) == 2:
                two.set()
            await gate.wait()
            await asyncio.sleep(0.01)
            at_work.discard(steps.run_id)

        return await steps.do("wait", wait)

    async def story() -> str:
        limits = Limits(skill={"pdf": Limit(at_once=2)})
        async with asyncio.timeout(120), open_engine(place.database, {"slow": slow}) as engine:
            for number in range(6):
                await engine.enqueue("slow", f"r{number}", {}, ticket(user=f"u{number}"))
            take(engine, limits, at_once=5)
            await two.wait()
            await asyncio.sleep(0.7)  # time enough for one more look, which must take nothing
            why = await engine.why_waiting("r5", limits)
            gate.set()
            for number in range(6):
                await engine.result(f"r{number}")
            return why

    assert asyncio.run(story()) == "2 of 2 runs of the skill pdf are under way"
    assert most == 2


def test_a_run_that_waits_for_an_answer_takes_no_place_from_others(place: Place) -> None:
    async def asks(steps: Steps, request: Mapping[str, Any]) -> Json:
        return await steps.answer("q1")

    async def story() -> Json:
        bodies = {"asks": asks, "works": works}
        async with asyncio.timeout(120), open_engine(place.database, bodies) as engine:
            await engine.enqueue("asks", "asking", {}, ticket(priority=1))
            await engine.enqueue("works", "other", {}, ticket())
            take(engine, at_once=1)
            await engine.result("other")
            await engine.send_answer("asking", "q1", "yes")
            return await engine.result("asking")

    assert asyncio.run(story()) == "yes"


# Stopping


def test_a_queued_run_is_cancelled_and_never_begins(place: Place) -> None:
    async def story(engine: DurableEngine) -> Json:
        await engine.enqueue("works", "r1", {}, ticket())
        await engine.cancel("r1")
        await engine.enqueue("works", "r2", {}, ticket())
        take(engine)
        await engine.result("r2")
        with pytest.raises(CancelledRunError):
            await engine.result("r1")
        return await engine.steps("r1")

    assert place.within(story) == []


def test_a_paused_run_leaves_its_worker_and_goes_on_where_it_is_resumed(place: Place) -> None:
    place.worker()

    async def story(engine: DurableEngine) -> Json:
        await engine.enqueue("works", "r1", place.request(), ticket())
        await asyncio.to_thread(place.wait_for, "second r1")
        await engine.pause("r1")
        place.gate.touch()
        paused = await engine.state("r1")
        await asyncio.sleep(1.0)  # the worker has looked by then, and its step is over
        kept = await engine.steps("r1")
        await engine.resume("r1")
        await engine.result("r1")
        return paused, kept

    paused, kept = place.within(story)

    assert paused == "paused"
    assert kept == ["first"]


def test_a_pause_from_elsewhere_waits_for_what_must_not_be_done_twice(place: Place) -> None:
    place.worker()

    async def story(engine: DurableEngine) -> Json:
        await engine.enqueue("works", "r1", place.request(repeatable=False), ticket())
        await asyncio.to_thread(place.wait_for, "second r1")
        pausing = asyncio.create_task(engine.pause("r1"))
        await asyncio.sleep(2.0)  # the worker has looked by then
        meanwhile = await engine.state("r1"), standing(place.database)
        place.gate.touch()
        await pausing
        then = await engine.state("r1"), await engine.steps("r1"), standing(place.database)
        await engine.resume("r1")
        return [meanwhile, then, await engine.result("r1")]

    meanwhile, then, result = place.within(story)

    assert meanwhile == ("running", {})
    assert then == ("paused", ["first", "second"], {"r1": "paused"})
    assert result == {"run": "r1", "cost": 0}
    assert len(place.traces("second")) == 1


def test_a_paused_run_whose_worker_dies_before_it_stopped_stays_paused(place: Place) -> None:
    worker = place.worker()

    async def story(engine: DurableEngine) -> Json:
        await engine.enqueue("works", "r1", place.request(repeatable=False), ticket())
        await asyncio.to_thread(place.wait_for, "second r1")
        pausing = asyncio.create_task(engine.pause("r1"))
        await asyncio.sleep(0.5)
        worker.kill()
        worker.wait()
        await pausing
        return await engine.state("r1"), standing(place.database)

    assert place.within(story) == ("paused", {"r1": "paused"})


def test_what_has_ended_cannot_be_paused(place: Place) -> None:
    async def story(engine: DurableEngine) -> None:
        await engine.start("works", "r1", {})
        await engine.result("r1")
        await engine.pause("r1")

    with pytest.raises(ConflictError, match="has ended"):
        place.within(story)


# The dead


def test_the_runs_of_a_killed_worker_are_taken_up_by_another(place: Place) -> None:
    first = place.worker()

    async def story(engine: DurableEngine) -> Json:
        for number in range(3):
            await engine.enqueue("works", f"r{number}", place.request(), ticket())
        await asyncio.to_thread(place.wait_for, "second", count=3)
        first.kill()
        await asyncio.to_thread(place.worker)
        await asyncio.to_thread(place.wait_for, "second", count=6)
        place.gate.touch()
        return [await engine.result(f"r{number}") for number in range(3)]

    assert place.within(story) == ["r0", "r1", "r2"]
    assert len(place.traces("first")) == 3


# Several workers, on a shared database


def test_workers_share_what_there_is_and_none_takes_more_than_it_can(shared: Place) -> None:
    both = {str(shared.worker().pid) for _ in range(2)}

    async def story(engine: DurableEngine) -> Json:
        for number in range(9):
            await engine.enqueue("works", f"r{number}", shared.request(), ticket())
        await asyncio.to_thread(shared.wait_for, "second", count=8)
        left = [run for run, state in standing(shared.database).items() if state == "queued"]
        shared.gate.touch()
        for number in range(9):
            await engine.result(f"r{number}")
        return left

    left = shared.within(story)

    assert len(left) == 1
    began = [process for _, run, process in shared.traces("second") if run not in left]
    assert {process: began.count(process) for process in both} == dict.fromkeys(both, 4)
    assert len(shared.traces("second")) == 9


def test_a_step_that_must_not_be_repeated_is_in_doubt_for_the_worker_that_takes_over(
    shared: Place,
) -> None:
    first = shared.worker()

    async def story(engine: DurableEngine) -> Json:
        await engine.enqueue("works", "r1", shared.request(repeatable=False), ticket())
        await asyncio.to_thread(shared.wait_for, "second")
        first.kill()
        await asyncio.to_thread(shared.worker)
        return await engine.result("r1")

    with pytest.raises(Exception, match="may or may not have been done"):
        shared.within(story)
    assert len(shared.traces("second")) == 1


def test_a_worker_that_is_taken_for_dead_writes_nothing_more(shared: Place) -> None:
    shared.worker()

    async def story(engine: DurableEngine) -> Json:
        await engine.enqueue("works", "r1", shared.request(), ticket())
        await asyncio.to_thread(shared.wait_for, "second")
        (owner,) = engine._queue.owners()
        engine._queue.put_back(owner)  # as another would who sees no sign of life
        await asyncio.to_thread(shared.wait_for, "second", count=2)
        shared.gate.touch()
        await engine.result("r1")
        return await engine.steps("r1")

    assert shared.within(story) == ["first", "second"]
    assert len(shared.traces("first")) == 1


@pytest.mark.parametrize("silent", ["frozen", "hung"])
def test_the_runs_of_a_worker_that_is_there_and_does_nothing_are_taken_up(
    shared: Place, silent: str
) -> None:
    worker = shared.worker(**({"PROWESS_TEST_HANG": "1"} if silent == "hung" else {}))

    async def story(engine: DurableEngine) -> Json:
        await engine.enqueue("works", "r1", shared.request(), ticket())
        await asyncio.to_thread(shared.wait_for, "second")
        if silent == "frozen":
            worker.send_signal(signal.SIGSTOP)
        await asyncio.to_thread(shared.worker)
        await asyncio.to_thread(shared.wait_for, "second", count=2)
        if silent == "frozen":  # it comes back, and finds that it has nothing any more
            worker.send_signal(signal.SIGCONT)
        shared.gate.touch()
        await engine.result("r1")
        return await engine.steps("r1")

    assert shared.within(story) == ["first", "second"]
    assert len(shared.traces("first")) == 1


def test_a_run_that_somebody_took_since_it_was_looked_at_is_not_handed_over(shared: Place) -> None:
    async def story(engine: DurableEngine) -> Json:
        await engine.enqueue("works", "r1", shared.request(), ticket())
        seen = await engine._row("r1")
        taken = Queue(engine._database, "other").take(
            {"works"}, project="/p", limits=Limits(), room=1
        )
        late = hand_over(engine._database, seen, OWN + "me")
        (owner,) = engine._queue.owners()
        now = hand_over(engine._database, await engine._row("r1"), OWN + "me")
        return [taken, late, owner, now]

    assert shared.within(story) == [["r1"], False, "other", True]


def test_runs_under_way_outlast_a_restart_of_the_database(shared: Place) -> None:
    shared.worker()

    async def story(engine: DurableEngine) -> Json:
        for number in range(3):
            await engine.enqueue("works", f"r{number}", shared.request(), ticket())
        await asyncio.to_thread(shared.wait_for, "second", count=3)
        await asyncio.to_thread(server().restart)
        shared.gate.touch()
        return [await engine.result(f"r{number}") for number in range(3)]

    assert shared.within(story) == ["r0", "r1", "r2"]
    assert len(shared.traces("first")) == len(shared.traces("second")) == 3
