"""No way around the limits of the queue, and nothing that holds it up for long: on either database."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from postgres import server
from prowess.core.errors import CancelledRunError
from prowess.core.ports import Json, Steps
from prowess.durable.costs import Cost, cost_of, cost_of_steps
from prowess.durable.engine import DurableEngine
from prowess.durable.fair import Limit, Limits, Ticket
from prowess.durable.kept import pack, pack_error
from prowess.durable.opening import open_engine
from prowess.durable.postgres import LOCKS, TAKING, PostgresWorkers, open_postgres
from prowess.durable.queue import TURNS
from prowess.durable.standing import standing, why_waiting
from prowess.durable.tallying import DAY

ONE = Limits(user={"ann": Limit(at_once=1)})
DOLLAR = Limits(user={"ann": Limit(per_day=1.0)})
ANN = Ticket(user="ann", project="/p")
Story = Callable[[DurableEngine], Awaitable[Json]]


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return server().new_database() if request.param == "postgres" else str(tmp_path / "runs.db")


def reply(cost: float | None) -> Json:
    """What a step keeps of a reply of a model."""
    return {"reply": {"message": "hello", "usage": [10, 20, 0, cost]}, "waits": []}


async def works(steps: Steps, request: Mapping[str, Any]) -> Json:
    async def ask() -> Json:
        return reply(request.get("asked", 0.0))

    await steps.do("model", ask)
    if request.get("waits"):
        await steps.answer("go on")
    if request.get("fails"):
        raise ValueError("it fails")
    return {"cost": request.get("cost", 0.0)}


def within(place: str, story: Story) -> Json:
    async def go() -> Json:
        async with asyncio.timeout(120), open_engine(place, {"works": works}) as engine:
            return await story(engine)

    return asyncio.run(go())


def take(engine: DurableEngine, limits: Limits) -> None:
    engine.take_runs(project="/p", limits=limits, at_once=4)


async def until_it_waits(engine: DurableEngine, run: str) -> None:
    """At work, for an answer."""
    while not await engine.steps(run):  # noqa: ASYNC110  nobody tells
        await asyncio.sleep(0.02)


# No way around


def test_a_queued_run_that_is_resumed_stays_in_the_queue(place: str) -> None:
    async def story(engine: DurableEngine) -> Json:
        take(engine, ONE)
        await engine.enqueue("works", "first", {"waits": True}, ANN)
        await until_it_waits(engine, "first")
        await engine.enqueue("works", "second", {}, ANN)
        await engine.resume("second")
        held = await engine.state("second"), await engine.why_waiting("second", ONE)
        await engine.send_answer("first", "go on", "yes")
        await engine.result("second")
        return held

    assert within(place, story) == ("queued", "1 of 1 runs of the user ann are under way")


def test_a_paused_run_that_is_resumed_waits_as_others_do(place: str) -> None:
    async def story(engine: DurableEngine) -> Json:
        take(engine, ONE)
        await engine.enqueue("works", "first", {"waits": True}, ANN)
        await until_it_waits(engine, "first")
        await engine.pause("first")
        await engine.enqueue("works", "second", {"waits": True}, ANN)
        await until_it_waits(engine, "second")
        await engine.resume("first")
        held = await engine.state("first")
        for run in ("second", "first"):
            await engine.send_answer(run, "go on", "yes")
            await engine.result(run)
        return held

    assert within(place, story) == "queued"


def test_a_fork_of_a_queued_run_is_held_back_and_what_it_cost_counts(place: str) -> None:
    two = Limits(user={"ann": Limit(per_day=2.0)})

    async def story(engine: DurableEngine) -> Json:
        take(engine, two)
        await engine.enqueue("works", "r1", {"cost": 1.5}, ANN)
        await engine.result("r1")
        await engine.fork("r1", from_step=0, new_id="fork")
        await engine.result("fork")
        await engine.fork("r1", from_step=0, new_id="another")
        return await engine.state("another"), await engine.why_waiting("another", two)

    assert within(place, story) == (
        "queued",
        "$3.00 of $2.00 were spent today for the user ann",
    )


def test_a_fork_by_another_counts_for_the_other_and_hurries_no_more_than_that_one_may(
    place: str,
) -> None:
    async def story(engine: DurableEngine) -> Json:
        take(engine, Limits())
        await engine.enqueue("works", "r1", {}, replace(ANN, priority=50))
        await engine.result("r1")
        await engine.fork("r1", from_step=0, new_id="same")
        await engine.fork("r1", from_step=0, new_id="other", user="bob", most=0)
        await engine.fork("r1", from_step=0, new_id="more", user="bob", most=70)
        with engine._database.connect() as connection:
            rows = connection.execute(sa.text('select run, "user", priority from prowess_queue'))
            return {run: [user, priority] for run, user, priority in rows}

    assert within(place, story) == {
        "r1": ["ann", 50],
        "same": ["ann", 50],
        "other": ["bob", 0],
        "more": ["bob", 50],
    }


def test_a_fork_has_not_spent_what_its_original_spent(place: str) -> None:
    async def story(engine: DurableEngine) -> Json:
        take(engine, Limits())
        await engine.enqueue("works", "r1", {"asked": 1.5, "cost": 1.5}, ANN)
        await engine.result("r1")
        for run, step, of in (("anew", 0, "r1"), ("fork", 1, "r1"), ("again", 1, "fork")):
            await engine.fork(of, from_step=step, new_id=run)
            await engine.result(run)
        with engine._database.connect() as connection:
            rows = connection.execute(sa.text("select run, cost from prowess_queue"))
            return {run: cost for run, cost in rows}  # noqa: C416  rows are no pairs for mypy

    assert within(place, story) == {"r1": 1.5, "anew": 1.5, "fork": 0.0, "again": 0.0}


@pytest.mark.parametrize("told", [None, 0.25])
def test_a_run_with_a_reply_of_unknown_price_has_spent_what_is_known(
    place: str, told: float | None
) -> None:
    async def story(engine: DurableEngine) -> Json:
        take(engine, DOLLAR)
        await engine.enqueue("works", "r1", {"asked": 1.5, "cost": told}, ANN)
        await engine.result("r1")
        await engine.enqueue("works", "r2", {}, ANN)
        return await engine.why_waiting("r2", DOLLAR)

    spent = "$1.50 of $1.00 were spent today for the user ann"
    more = ", and more in 1 run with replies whose price is not known"
    assert within(place, story) == (spent if told else spent + more)


def unnamed_at(model: str, limit: Limit) -> Limits:
    """Of a process in which runs that name no model have this one."""
    return Limits(model={"large": limit}, unnamed=model)


def test_a_run_that_names_no_model_counts_for_the_one_of_the_process_that_took_it(
    place: str,
) -> None:
    here, elsewhere = (unnamed_at(model, Limit(at_once=1)) for model in ("large", "small"))

    async def story(engine: DurableEngine) -> Json:
        take(engine, here)
        await engine.enqueue("works", "first", {"waits": True}, ANN)
        await until_it_waits(engine, "first")
        for run, model in (("unnamed", ""), ("named", "large")):
            await engine.enqueue("works", run, {}, replace(ANN, model=model))
        told = [
            await engine.why_waiting("unnamed", here),
            await engine.why_waiting("named", elsewhere),  # the first one stays what it was here
            "under way" in await engine.why_waiting("unnamed", elsewhere),
        ]
        await engine.send_answer("first", "go on", "yes")
        for run in ("unnamed", "named"):
            await engine.result(run)
        return told

    held = "1 of 1 runs of the model large are under way"
    assert within(place, story) == [held, held, False]


def test_what_a_run_that_names_no_model_spent_is_the_model_s(place: str) -> None:
    limits = unnamed_at("large", Limit(per_day=1.0))

    async def story(engine: DurableEngine) -> Json:
        take(engine, limits)
        await engine.enqueue("works", "r1", {"cost": 1.5}, ANN)
        await engine.result("r1")
        await engine.enqueue("works", "r2", {}, replace(ANN, model="large"))
        return await engine.why_waiting("r2", limits)

    assert within(place, story) == "$1.50 of $1.00 were spent today for the model large"


def test_a_run_that_named_no_model_and_that_nobody_took_counts_too(place: str) -> None:
    limits = unnamed_at("large", Limit(per_day=1.0))

    async def story(engine: DurableEngine) -> Json:
        await engine.enqueue("works", "r1", {"cost": 1.5}, ANN)
        await engine.resume("r1")  # by a process that takes none: it works on it itself
        await engine.result("r1")
        await engine.enqueue("works", "r2", {}, replace(ANN, model="large"))
        return await engine.why_waiting("r2", limits)

    assert within(place, story) == "$1.50 of $1.00 were spent today for the model large"


def test_runs_that_came_through_no_queue_go_on_where_they_are_resumed(place: str) -> None:
    async def story(engine: DurableEngine) -> Json:
        await engine.start("works", "r1", {"waits": True})
        await until_it_waits(engine, "r1")
        await engine.pause("r1")
        await engine.resume("r1")
        await engine.send_answer("r1", "go on", "yes")
        await engine.result("r1")
        await engine.fork("r1", from_step=2, new_id="fork")
        return await engine.result("fork")

    assert within(place, story) == {"cost": 0.0}


@pytest.mark.parametrize("ending", ["cancelled", "cancelled when paused", "failed"])
def test_what_was_spent_counts_however_a_run_ends(place: str, ending: str) -> None:
    fails = ending == "failed"

    async def story(engine: DurableEngine) -> Json:
        take(engine, DOLLAR)
        await engine.enqueue("works", "r1", {"asked": 1.5, "fails": fails, "waits": not fails}, ANN)
        if not fails:
            await until_it_waits(engine, "r1")
            if ending.endswith("paused"):
                await engine.pause("r1")
            await engine.cancel("r1")
        with pytest.raises(ValueError if fails else CancelledRunError):
            await engine.result("r1")
        await engine.enqueue("works", "r2", {}, ANN)
        return await engine.why_waiting("r2", DOLLAR)

    assert within(place, story) == "$1.50 of $1.00 were spent today for the user ann"


@pytest.mark.parametrize("cost", ["much", [1], True, -2.0, pytest.param(10**400, id="huge")])
def test_a_result_whose_cost_is_no_sum_of_money_is_a_result(place: str, cost: Json) -> None:
    async def story(engine: DurableEngine) -> Json:
        await engine.start("works", "r1", {"cost": cost})
        return await engine.result("r1")

    assert within(place, story) == {"cost": cost}


def test_the_cost_of_steps_is_what_replies_and_programs_tell() -> None:
    program = pack({"ok": True, "usage": {"input_tokens": 5, "cost": 0.5}})
    odd = [pack(reply(float("nan"))), pack({"usage": []}), pack([1]), pack_error(ValueError()), "{"]

    assert cost_of_steps([pack(reply(1.5)), program, *odd]) == Cost(money=2.0)
    assert cost_of({"reply": "text", "cost": 3}) == Cost(money=3.0)


def test_a_reply_of_unknown_price_is_told_and_the_others_count() -> None:
    unknown = pack(reply(None))

    assert cost_of_steps([pack(reply(1.5)), unknown]) == Cost(money=1.5, known=False)
    assert cost_of({"cost": None}) == Cost(known=False)


# Nothing that holds it up


def test_a_clock_that_was_ahead_holds_nothing_up(place: str) -> None:
    limits = Limits(user={"ann": Limit(per_minute=1)})

    async def story(engine: DurableEngine) -> Json:
        take(engine, limits)
        await engine.enqueue("works", "r1", {}, ANN)
        await engine.result("r1")
        with engine._database.begin() as connection:
            connection.execute(sa.text("update prowess_queue set begun = begun + 3600000"))
        await engine.enqueue("works", "r2", {}, ANN)
        await engine.result("r2")
        await engine.enqueue("works", "r3", {}, ANN)
        return await engine.why_waiting("r3", limits)

    assert within(place, story) == "1 of 1 runs of the user ann began within the last minute"


def test_money_of_a_clock_that_was_days_ahead_is_not_spent_every_day(place: str) -> None:
    async def story(engine: DurableEngine) -> Json:
        take(engine, DOLLAR)
        await engine.enqueue("works", "r1", {"cost": 1.5}, ANN)
        await engine.result("r1")
        with engine._database.begin() as connection:
            ahead = sa.text("update prowess_queue set begun = begun + :days")
            connection.execute(ahead, {"days": 30 * DAY})
        await engine.enqueue("works", "r2", {}, ANN)
        return await engine.result("r2")

    assert within(place, story) == {"cost": 0.0}


def test_a_process_that_stopped_in_its_turn_holds_up_no_run() -> None:
    place = server().new_database()

    async def story(engine: DurableEngine) -> Json:
        database = open_postgres(place)
        async with PostgresWorkers(database).alone():
            take(engine, Limits())
            await engine.enqueue("works", "r1", {}, ANN)
            told = await engine.result("r1")
        database.dispose()
        return told

    assert within(place, story) == {"cost": 0.0}


def test_while_another_process_takes_runs_none_is_taken_and_that_is_said() -> None:
    place = server().new_database()
    lock = sa.text(f"select pg_advisory_xact_lock({LOCKS}, {TAKING})")

    async def story(engine: DurableEngine) -> Json:
        database = open_postgres(place)
        await engine.enqueue("works", "r1", {}, ANN)
        with database.begin() as connection:
            connection.execute(lock)
            taken = engine._queue.take({"works"}, project="/p", limits=Limits(), room=4)
            why = await engine.why_waiting("r1", Limits())
        database.dispose()
        take(engine, Limits())
        await engine.result("r1")
        return taken, why

    assert within(place, story) == ([], "for another process, which is taking runs from the queue")


def test_who_had_a_turn_very_long_ago_is_forgotten(place: str) -> None:
    async def story(engine: DurableEngine) -> Json:
        with engine._database.begin() as connection:
            for user, turn in (("old", 1), ("bob", TURNS), ("ann", 5)):
                had = sa.text("insert into prowess_turn values (:user, :turn)")
                connection.execute(had, {"user": user, "turn": turn})
        await engine.enqueue("works", "r1", {}, ANN)
        take(engine, Limits())
        await engine.result("r1")
        with engine._database.connect() as connection:
            left = connection.execute(sa.text('select "user", turn from prowess_turn order by 2'))
            return [tuple(row) for row in left]

    assert within(place, story) == [("bob", TURNS), ("ann", TURNS + 1)]


def test_what_began_today_is_found_without_a_look_at_all_that_ever_did() -> None:
    limits = Limits(user={"ann": Limit(per_minute=1, per_day=1.0)})

    async def story(engine: DurableEngine) -> Json:
        asked: list[str] = []
        with engine._database.connect() as connection:
            sa.event.listen(connection, "before_cursor_execute", lambda *it: asked.append(it[2]))
            engine._queue._tally(connection, limits)
            connection.execute(sa.text("set enable_seqscan = off"))
            counts = [statement for statement in asked if "begun" in statement]
            plans = [connection.execute(sa.text(f"explain {each}")) for each in counts]
            return ["prowess_queue_begun" in str(plan.scalars().all()) for plan in plans]

    assert within(server().new_database(), story) == [True, True]


def test_a_user_whose_name_no_database_keeps_can_queue_runs(place: str) -> None:
    async def story(engine: DurableEngine) -> Json:
        odd = Ticket(user="ann\udce4\0", project="/p\udce4")
        await engine.enqueue("works", "r1", {}, odd)
        engine.take_runs(project="/p\udce4", limits=Limits(), at_once=1)
        return await engine.result("r1")

    assert within(place, story) == {"cost": 0.0}


def test_whoever_only_looks_makes_no_tables(tmp_path: Path) -> None:
    place = str(tmp_path / "runs.db")

    async def story(engine: DurableEngine) -> None:
        await engine.enqueue("works", "r1", {}, ANN)

    within(place, story)
    with sqlite3.connect(place) as before:
        before.execute("drop table prowess_queue")
        before.execute("drop table prowess_turn")
    before.close()

    assert standing(place) == {"r1": "queued"}
    assert why_waiting(place, "r1", Limits()) == ""
    after = sqlite3.connect(place)
    tables = {name for (name,) in after.execute("select name from sqlite_master")}
    after.close()
    assert not tables & {"prowess_queue", "prowess_turn"}


def test_whoever_works_on_a_queued_run_by_itself_is_counted(place: str) -> None:
    async def queues(engine: DurableEngine) -> None:
        await engine.enqueue("works", "r1", {"cost": 1.5}, ANN)

    async def works_itself(engine: DurableEngine) -> Json:
        await engine.resume("r1")
        await engine.result("r1")
        await engine.enqueue("works", "r2", {}, ANN)
        return await engine.why_waiting("r2", DOLLAR)

    within(place, queues)

    assert within(place, works_itself) == "$1.50 of $1.00 were spent today for the user ann"
