"""Runs whose process died: put back, but not for ever; on either database."""
# ruff: noqa: S608  the names in statements are our own

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa

from postgres import server
from prowess.core.errors import InDoubtError
from prowess.core.ports import Json, Steps
from prowess.core.run import outcome_from_json
from prowess.durable.engine import GiveUp
from prowess.durable.fair import Limits, Ticket
from prowess.durable.kept import pack
from prowess.durable.opening import open_engine
from prowess.durable.postgres import _machine, open_postgres
from prowess.durable.queue import MOST_DEATHS, OWN, WAITING, Queue
from prowess.durable.sqlite import open_sqlite
from prowess.engine.house import House
from prowess.observe.log import SqliteLog

# The table as releases made it that did not count deaths.
OLDER = """
    create table prowess_queue (
        run text primary key, came bigint not null, kind text not null,
        "user" text not null, skill text not null, model text not null,
        project text not null, priority integer not null,
        begun bigint, cost double precision not null default 0
    )
"""


async def works(steps: Steps, request: Mapping[str, Any]) -> Json:
    return steps.run_id


class Place:
    """A database, and processes that take runs there and die."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.sql = open_postgres(place) if "://" in place else open_sqlite(place)
        self.rows = "dbos.workflow_status" if "://" in place else "workflow_status"
        self.steps = self.rows.replace("workflow_status", "operation_outputs")
        self.queue = Queue(self.sql, "living")

    def enqueue(self, *runs: str) -> None:
        async def enqueue() -> None:
            async with open_engine(self.place, {"works": works}) as engine:
                for run in runs:
                    await engine.enqueue("works", run, {}, Ticket(user="ann", project="/p"))

        asyncio.run(enqueue())

    def take(self, name: str) -> list[str]:
        return Queue(self.sql, name).take({"works"}, project="/p", limits=Limits(), room=100)

    def begin(self, name: str) -> None:
        """What the process has taken is at work there."""
        self.change(
            f"update {self.rows} set status = 'PENDING', executor_id = :name"
            " where queue_name = :own",
            name=name,
            own=OWN + name,
        )
        if "://" in self.place:  # it has not left, and is on this machine no more
            self.change(
                "insert into prowess_worker (name, machine, process) values (:name, :here, :gone)"
                " on conflict do nothing",
                name=name,
                here=_machine(),
                gone=2**30,
            )

    def dies_at_work(self, name: str = "dead") -> list[str]:
        self.take(name)
        self.begin(name)
        return self.queue.put_back(name)

    def waiting(self) -> set[str]:
        query = f"select workflow_uuid from {self.rows} where queue_name = :waiting and status = 'ENQUEUED'"
        with self.sql.connect() as connection:
            return set(connection.execute(sa.text(query), {"waiting": WAITING}).scalars())

    def asked(self, run: str) -> int:
        """How many questions the run has asked: the library has noted for how long it waits."""
        query = f"select count(*) from {self.steps} where workflow_uuid = :run and function_name = 'DBOS.sleep'"
        with self.sql.connect() as connection:
            return int(connection.execute(sa.text(query), {"run": run}).scalar_one())

    def change(self, statement: str, **values: Any) -> None:
        with self.sql.begin() as connection:
            connection.execute(sa.text(statement), values)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    is_shared = request.param == "postgres"
    place = Place(server().new_database() if is_shared else str(tmp_path / "runs.db"))
    yield place
    place.sql.dispose()


def test_a_run_at_which_three_processes_died_is_put_back_no_more(place: Place) -> None:
    place.enqueue("r1")

    assert [place.dies_at_work() for _ in range(MOST_DEATHS - 1)] == [[], []]
    assert place.waiting() == {"r1"}
    assert place.dies_at_work() == ["r1"]
    assert place.waiting() == set()


def test_it_is_told_again_until_somebody_has_ended_it(place: Place) -> None:
    place.enqueue("r1")
    for _ in range(MOST_DEATHS):
        place.dies_at_work()

    assert place.queue.owners() == ["dead"]
    assert place.queue.put_back("dead") == ["r1"]
    place.change(f"update {place.rows} set status = 'CANCELLED'")
    assert place.queue.put_back("dead") == []


def test_whoever_sees_to_the_queue_ends_it(place: Place) -> None:
    place.enqueue("r1", "r2")
    for _ in range(MOST_DEATHS - 1):
        place.dies_at_work()
    place.take("dead")
    place.begin("dead")

    async def story(give_up: GiveUp | None, run: str) -> Json:
        async with asyncio.timeout(60), open_engine(place.place, {"works": works}) as engine:
            engine.take_runs(project="/p", limits=Limits(), at_once=0, give_up=give_up)
            while await engine.state(run) != "ended":  # noqa: ASYNC110  another task ends it
                await asyncio.sleep(0.05)
            return await engine.result(run)

    ended = asyncio.run(story(lambda run, error: {"run": run, "why": str(error)}, "r1"))

    died = "3 processes died while they worked on the run r1, so no other takes it"
    assert ended == {"run": "r1", "why": died}


def test_without_another_result_it_ended_in_doubt(place: Place) -> None:
    place.enqueue("r1")
    for _ in range(MOST_DEATHS - 1):
        place.dies_at_work()
    place.take("dead")
    place.begin("dead")

    async def story() -> Json:
        async with asyncio.timeout(60), open_engine(place.place, {"works": works}) as engine:
            engine.take_runs(project="/p", limits=Limits(), at_once=0)
            while await engine.state("r1") != "ended":  # noqa: ASYNC110  another task ends it
                await asyncio.sleep(0.05)
            return await engine.result("r1")

    with pytest.raises(InDoubtError, match="3 processes died"):
        asyncio.run(story())


def test_a_run_that_is_given_up_tells_its_end_once(tmp_path: Path) -> None:
    log = SqliteLog(str(tmp_path / "log.db"))
    house = House(world=cast("Any", None), engine=cast("Any", None), log=log)
    error = InDoubtError("it killed three", hint="look")

    told = [house.give_up("r1", error) for _ in range(2)]

    (ended,) = log.run("r1")
    assert ended.event.payload["outcome"] == told[0] == told[1]
    assert outcome_from_json(told[0]).ending == "needs_attention"
    assert outcome_from_json(told[0]).reason == "it killed three (look)"
    log.close()


def test_the_others_of_the_same_process_wait_again(place: Place) -> None:
    place.enqueue("r1")
    for _ in range(MOST_DEATHS - 1):
        place.dies_at_work()
    place.enqueue("r2", "r3")

    assert place.dies_at_work() == ["r1"]
    assert place.waiting() == {"r2", "r3"}


def test_a_run_that_was_taken_and_did_not_begin_killed_nobody(place: Place) -> None:
    place.enqueue("r1")
    for _ in range(MOST_DEATHS):
        place.take("dead")

        assert place.queue.put_back("dead") == []
    assert place.waiting() == {"r1"}


def test_a_run_that_gets_further_between_two_deaths_is_not_what_they_died_of(place: Place) -> None:
    place.enqueue("r1")
    keep = f"insert into {place.steps} (workflow_uuid, function_id, function_name) values ('r1', :step, 'x')"
    for step in range(2 * MOST_DEATHS):
        place.take("dead")
        place.begin("dead")
        place.change(keep, step=step)

        assert place.queue.put_back("dead") == []
    assert [place.dies_at_work() for _ in range(MOST_DEATHS - 1)] == [[], ["r1"]]


def test_a_worker_that_is_replaced_in_order_did_not_die() -> None:
    place = Place(server().new_database())
    place.enqueue("r1")

    async def begun_and_replaced() -> list[str]:
        at_work = asyncio.Event()

        async def slow(steps: Steps, request: Mapping[str, Any]) -> Json:
            async def never() -> Json:
                at_work.set()
                await asyncio.Event().wait()

            return await steps.do("slow", never)

        async with asyncio.timeout(60), open_engine(place.place, {"works": slow}) as engine:
            engine.take_runs(project="/p", limits=Limits(), at_once=1)
            await at_work.wait()
            name = engine.name
        return place.queue.put_back(name)

    assert [asyncio.run(begun_and_replaced()) for _ in range(MOST_DEATHS)] == [[], [], []]
    assert place.waiting() == {"r1"}
    place.sql.dispose()


def test_a_run_that_waited_for_an_answer_killed_nobody(place: Place) -> None:
    async def asks(steps: Steps, request: Mapping[str, Any]) -> Json:
        await steps.answer("first")
        return await steps.answer("second")

    async def dies() -> list[str]:
        async with asyncio.timeout(60), open_engine(place.place, {"works": asks}) as engine:
            engine.take_runs(project="/p", limits=Limits(), at_once=1)
            if not await engine.steps("r1"):
                await engine.send_answer("r1", "first", "yes")
            while "r1" not in engine._here or place.asked("r1") < 2:  # noqa: ASYNC110  nobody tells
                await asyncio.sleep(0.02)
            name = engine.name
        place.begin(name)  # it did not leave in order
        return place.queue.put_back(name)

    place.enqueue("r1")

    assert [asyncio.run(dies()) for _ in range(MOST_DEATHS)] == [[], [], []]
    assert place.waiting() == {"r1"}


def test_what_a_run_that_is_given_up_has_spent_counts(place: Place) -> None:
    place.enqueue("r1")
    reply = pack({"reply": {"message": "hello", "usage": [10, 20, 0, 1.5]}})
    place.change(
        f"insert into {place.steps} (workflow_uuid, function_id, function_name, output)"
        " values ('r1', 1, 'model', :reply)",
        reply=reply,
    )
    for _ in range(MOST_DEATHS):
        place.dies_at_work()

    with place.sql.connect() as connection:
        assert connection.execute(sa.text("select cost from prowess_queue")).scalar() == 1.5


def test_who_died_beside_a_run_that_kills_is_not_given_up_with_it(place: Place) -> None:
    place.enqueue("kills", "beside")
    for _ in range(MOST_DEATHS - 1):
        place.dies_at_work()

    assert place.dies_at_work() == ["kills"]
    assert place.take("other") == ["beside"]
    place.enqueue("fresh")
    assert place.take("other") == ["fresh"]


def test_a_queue_of_an_older_release_is_taken_over_as_it_is(place: Place) -> None:
    place.enqueue("r1")
    place.change("drop table prowess_queue")
    place.change(OLDER)
    place.change(
        "insert into prowess_queue values ('r1', 1, 'works', 'ann', '', '', '/p', 0, null, 1.5)"
    )

    assert not place.queue.is_made()
    for _ in range(2):
        place.queue.make()

    assert place.queue.is_made()
    assert [place.dies_at_work() for _ in range(MOST_DEATHS)] == [[], [], ["r1"]]
    with place.sql.connect() as connection:
        assert connection.execute(sa.text("select cost from prowess_queue")).scalar() == 1.5
