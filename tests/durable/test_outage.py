"""Where Prowess keeps its runs goes away: a run stops and goes on later; it never ends because of that."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest

from house import skill_file
from postgres import server
from prowess.core.errors import OutsideError, StoreError
from prowess.core.event import Event
from prowess.core.ports import Json, Steps
from prowess.core.postgres import LOG
from prowess.core.run import Outcome
from prowess.durable.opening import open_engine
from prowess.engine.ending import to_its_end
from prowess.engine.house import open_house
from prowess.engine.pen import Pen
from prowess.engine.queueing import Queueing
from prowess.engine.request import RunRequest
from prowess.engine.world import World
from prowess.observe.opening import open_log
from prowess.settings import load_settings

PATIENCE = 120


def fact(number: int, run: str = "r") -> Event:
    return Event(run=run, kind=f"fact {number}", payload={})


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that waits for a server gives up, and looks for it again, sooner than it would."""
    monkeypatch.setattr("prowess.engine.pen.BRIEFLY", 0.5)
    monkeypatch.setattr("prowess.core.postgres.PATIENCE", 1)
    monkeypatch.setattr("prowess.durable.watching.IDLE", 2)


@pytest.mark.usefixtures("impatient")
def test_a_run_whose_database_was_away_goes_on_by_itself_without_a_gap(tmp_path: Path) -> None:
    stopped = asyncio.Event()
    begun = 0

    async def tells(steps: Steps, request: Mapping[str, Any], *, world: World) -> Json:
        nonlocal begun
        begun += 1
        record = world.recorder(steps.run_id)

        async def nothing() -> Json:
            return None

        async def journey() -> Outcome:
            for number in range(1, 7):
                await steps.do(f"step {number}", nothing)
                if number == 4 and begun == 1:
                    await asyncio.to_thread(server().stop)
                record(fact(number, steps.run_id))
            return Outcome(ending="done", answer="told", reason="answer")

        try:
            return (await to_its_end(journey(), run=steps.run_id, record=record)).as_json()
        except StoreError:
            stopped.set()
            raise

    async def outlast() -> tuple[Json, list[tuple[int, str]]]:
        environment = {"PROWESS_DATABASE_URL": server().new_database()}
        settings = load_settings(
            project=str(tmp_path), data=str(tmp_path / "data"), environment=environment
        )
        async with open_house(settings, environment=environment, more={"tells": tells}) as house:
            await house.begin("tells", "r", {})
            try:
                await stopped.wait()
                await asyncio.sleep(2)  # longer than anything here waits for the server
            finally:
                await asyncio.to_thread(server().start)
            result = await house.engine.result("r")
            return result, [(each.seq, each.event.kind) for each in house.log.run("r")]

    result, events = asyncio.run(asyncio.wait_for(outlast(), PATIENCE))

    assert (result["ending"], begun) == ("done", 2)
    assert events == [*((number, f"fact {number}") for number in range(1, 7)), (7, "run.finished")]


@pytest.mark.usefixtures("impatient")
def test_who_tells_something_waits_only_briefly_for_a_far_log() -> None:
    url = server().new_database()
    log = open_log(url)
    pen = Pen(log, far=True)
    first, other = pen.numbered(), pen.numbered()
    first(fact(1))
    with psycopg.connect(url) as somebody:
        somebody.execute("select pg_advisory_xact_lock(%s)", (LOG,))
        for record in (first, other):
            with pytest.raises(StoreError, match="has not answered"):
                record(fact(2))

    replayed = Pen(log, far=True).numbered()
    for number in (1, 2, 3):
        replayed(fact(number))
    with pytest.raises(StoreError):
        first(fact(3))  # never again: what it tells now would come after a gap
    assert [(each.seq, each.event.kind) for each in log.run("r")] == [
        (1, "fact 1"),
        (2, "fact 2"),
        (3, "fact 3"),
    ]
    log.close()


@pytest.mark.usefixtures("impatient")
def test_who_queues_a_run_while_the_log_is_away_is_told_that_it_is_queued(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prowess.engine.house.BRIEFLY", 0.3)
    skill_file(project, "greet", "Say hello.")
    url = server().new_database()
    environment = {"PROWESS_DATABASE_URL": url}
    settings = load_settings(
        project=str(project), data=str(tmp_path / "data"), environment=environment
    )

    async def story() -> str:
        async with (
            asyncio.timeout(60),
            open_house(
                settings, environment=environment, queueing=Queueing(everything=True)
            ) as house,
        ):
            house.world.catalog()  # which skills were found is told to the log as well
            with psycopg.connect(url) as somebody:
                somebody.execute("select pg_advisory_xact_lock(%s)", (LOG,))
                run = await house.start(RunRequest(skill="greet", workspace=str(project)))
            return await house.engine.state(run)

    assert asyncio.run(story()) == "queued"


def test_after_the_end_that_somebody_else_told_nothing_is_told(tmp_path: Path) -> None:
    log = open_log(str(tmp_path / "log.db"))
    record = Pen(log, far=False).numbered()
    record(fact(1))
    log.append(Event(run="r", kind="run.finished", payload={"by": "who cancelled it"}))

    record(fact(2))
    record(Event(run="r", kind="run.finished", payload={}))

    assert [each.event.kind for each in log.run("r")] == ["fact 1", "run.finished"]
    log.close()


def test_a_log_that_is_closed_is_a_store_that_cannot_be_used(tmp_path: Path) -> None:
    log = open_log(str(tmp_path / "log.db"))
    record = Pen(log, far=False).numbered()
    log.close()

    with pytest.raises(StoreError):
        record(fact(1))


def test_a_run_that_stops_because_nothing_can_be_kept_is_not_told_to_have_ended() -> None:
    told: list[Event] = []

    async def journey() -> Outcome:
        raise StoreError("the disk is full", hint="make room")

    with pytest.raises(StoreError):
        asyncio.run(to_its_end(journey(), run="r", record=told.append))
    assert told == []


def test_a_run_that_could_keep_nothing_stops_and_can_be_resumed(tmp_path: Path) -> None:
    broken = True

    async def keeps(steps: Steps, request: Mapping[str, Any]) -> Json:
        async def work() -> Json:
            if broken:
                raise StoreError("the disk is full", hint="make room")
            return "kept"

        return await steps.do("work", work)

    async def start() -> None:
        async with open_engine(str(tmp_path / "runs.db"), {"keeps": keeps}) as engine:
            await engine.start("keeps", "r", {})
            with pytest.raises(StoreError, match="the disk is full"):
                await engine.result("r")

    async def resume() -> tuple[str, Json]:
        async with open_engine(str(tmp_path / "runs.db"), {"keeps": keeps}) as engine:
            before = await engine.state("r")
            await engine.resume("r")
            return before, await engine.result("r")

    asyncio.run(asyncio.wait_for(start(), PATIENCE))
    broken = False
    assert asyncio.run(asyncio.wait_for(resume(), PATIENCE)) == ("interrupted", "kept")


def test_trouble_outside_that_is_not_ours_ends_a_run(tmp_path: Path) -> None:
    async def fails(steps: Steps, request: Mapping[str, Any]) -> Json:
        raise OutsideError("the network is away")

    async def start() -> None:
        async with open_engine(str(tmp_path / "runs.db"), {"fails": fails}) as engine:
            await engine.start("fails", "r", {})
            with pytest.raises(OutsideError, match="the network is away"):
                await engine.result("r")
            assert await engine.state("r") == "ended"

    asyncio.run(asyncio.wait_for(start(), PATIENCE))
