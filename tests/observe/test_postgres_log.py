"""What only a log on a server can get wrong: the server goes, others are heard, tables are updated."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest

from postgres import server
from prowess.core.errors import OutsideError
from prowess.core.event import Event, Recorded
from prowess.core.postgres import connect
from prowess.observe import postgres_log, rows
from prowess.observe.follow import follow
from prowess.observe.postgres_log import PostgresLog

PATIENCE = 60  # seconds until a test that hears nothing gives up

WRITER = """
import sys
from prowess.core.event import Event
from prowess.observe.postgres_log import PostgresLog

log = PostgresLog(sys.argv[1])
log.append(Event(run="run", kind="kind", payload={"number": 1}))
log.close()
"""


@pytest.fixture
def url() -> str:
    return server().new_database()


@pytest.fixture
def log(url: str) -> Iterator[PostgresLog]:
    log = PostgresLog(url)
    yield log
    log.close()


def event(run: str = "run", **payload: Any) -> Event:
    return Event(run=run, kind="kind", payload=payload)


def numbers(log: PostgresLog, run: str = "run") -> list[int]:
    return [each.event.payload["number"] for each in log.run(run)]


# The server goes and comes


def test_a_log_is_found_again_when_its_server_was_restarted(log: PostgresLog) -> None:
    log.append(event(number=1))

    server().restart()
    assert numbers(log) == [1]

    server().restart()
    assert log.append(event(number=2)).seq == 2


def test_an_event_waits_for_a_server_that_is_away(log: PostgresLog) -> None:
    server().stop()
    writing = threading.Thread(target=log.append, args=(event(number=1),))
    writing.start()
    writing.join(0.5)
    waits = writing.is_alive()
    server().start()
    writing.join(PATIENCE)

    assert waits
    assert numbers(log) == [1]


def test_a_server_that_stays_away_is_an_outside_error(
    log: PostgresLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prowess.core.postgres.PATIENCE", 0.1)
    server().stop()
    try:
        with pytest.raises(OutsideError, match="cannot be reached") as failed:
            log.append(event())
    finally:
        server().start()

    assert "running" in failed.value.hint
    assert log.append(event()).seq == 1  # and it goes on when the server is there again


@pytest.mark.parametrize("seq", [None, 1], ids=["without a number", "with a number"])
@pytest.mark.parametrize("moment", ["after the commit", "before the commit"])
def test_an_event_whose_commit_was_not_heard_of_is_kept_once(
    log: PostgresLog, monkeypatch: pytest.MonkeyPatch, seq: int | None, moment: str
) -> None:
    """The connection is lost just after, or just before, the server has committed."""
    log.append(event("other"))
    keep, lost = postgres_log._keep, list[Any]()

    def unheard(connection: psycopg.Connection[Any], rows: Any) -> Any:
        if lost:
            return keep(connection, rows)
        lost.append(connection)
        if moment == "after the commit":
            keep(connection, rows)
        connection.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(postgres_log, "_keep", unheard)
    answer = log.append(event(number=1), seq=seq)

    assert lost
    assert list(log.run("run")) == [answer]
    assert answer.seq == 1


def test_threads_that_write_while_the_server_restarts_lose_and_double_nothing(
    log: PostgresLog, url: str
) -> None:
    other = PostgresLog(url)
    failures: list[BaseException] = []

    def work(log: PostgresLog, run: str) -> None:
        try:
            for number in range(150):
                log.append(event(run, number=number), seq=number + 1 if run == "a" else None)
        except BaseException as error:  # noqa: BLE001  seen below
            failures.append(error)

    writers = [
        threading.Thread(target=work, args=(each, run))
        for each, run in ((log, "a"), (log, "b"), (other, "c"))
    ]
    for writer in writers:
        writer.start()
    for _ in range(3):
        server().restart()
    for writer in writers:
        writer.join(PATIENCE)
    other.close()

    assert failures == []
    for run in "abc":
        assert numbers(log, run) == list(range(150))


def test_who_asks_when_all_patience_was_spent_is_told_at_once(
    log: PostgresLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or else everybody would wait for all the others before them, one after the other."""
    monkeypatch.setattr("prowess.core.postgres.PATIENCE", 1.0)
    tried: list[str] = []

    def try_it(url: str) -> Any:
        tried.append(url)
        return connect(url)

    server().stop()
    try:
        with pytest.raises(OutsideError):
            log.append(event())
        monkeypatch.setattr("prowess.core.database.connect", try_it)
        with pytest.raises(OutsideError):
            log.append(event())
    finally:
        server().start()

    assert len(tried) == 1
    assert log.append(event()).seq == 1


def test_the_event_loop_goes_on_while_a_log_waits_for_its_server(
    log: PostgresLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prowess.core.postgres.PATIENCE", 10 * PATIENCE)

    async def work() -> list[Recorded]:
        reading = asyncio.ensure_future(log.aside(lambda: list(log.run("run"))))
        for _ in range(100):
            await asyncio.sleep(0)
        waits = not reading.done()
        server().start()
        async with asyncio.timeout(PATIENCE):
            found = await reading
        assert waits
        return found

    kept = log.append(event())
    server().stop()

    assert asyncio.run(work()) == [kept]


# Hearing of others


def test_an_event_of_another_process_wakes_who_wants_to_know(log: PostgresLog, url: str) -> None:
    heard = threading.Event()
    with log.notify(heard.set):
        subprocess.run([sys.executable, "-c", WRITER, url], check=True)

        assert heard.wait(PATIENCE)


def test_a_follower_sees_at_once_what_another_process_writes(
    log: PostgresLog, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(log), "look", 10 * PATIENCE)

    async def watch() -> dict[str, Any]:
        events = follow(log, "run")
        seen = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0.05)  # it has looked, and found nothing
        script = [sys.executable, "-c", WRITER, url]
        await asyncio.to_thread(subprocess.run, script, check=True)
        async with asyncio.timeout(PATIENCE):
            found = await seen
        await events.aclose()
        return dict(found.event.payload)

    assert asyncio.run(watch()) == {"number": 1}


def test_a_follower_asks_nothing_while_nothing_happens(
    log: PostgresLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    ask = PostgresLog._all

    def counted(log: PostgresLog, query: str, *values: object) -> list[Any]:
        asked.append(query)
        return ask(log, query, *values)

    async def watch() -> None:
        following = asyncio.ensure_future(anext(follow(log, "run")))
        await asyncio.sleep(3)  # thirty looks of one who has to look
        following.cancel()

    monkeypatch.setattr(PostgresLog, "_all", counted)
    asyncio.run(watch())

    assert 1 <= len(asked) <= 3  # when it began, and when it was being told


def test_who_wants_to_know_waits_for_no_server_and_is_woken_when_it_is_there(
    log: PostgresLog,
) -> None:
    heard = threading.Event()
    with ExitStack() as stack:
        server().stop()
        try:
            stack.enter_context(log.notify(heard.set))
        finally:
            server().start()

        assert heard.wait(PATIENCE)


def test_others_are_heard_by_a_process_that_holds_more_than_a_thousand_files(url: str) -> None:
    crowded = """
import os, resource, sys, threading
from prowess.core.event import Event
from prowess.observe.postgres_log import PostgresLog

most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 4096), most))
files = [os.dup(0) for _ in range(1100)]
log, other = PostgresLog(sys.argv[1]), PostgresLog(sys.argv[1])
heard = threading.Event()
with log.notify(heard.set):
    assert heard.wait(60), "it does not listen"
    heard.clear()
    other.append(Event(run="run", kind="kind", payload={}))
    assert heard.wait(60), "it hears nothing"
log.close()
other.close()
"""
    subprocess.run([sys.executable, "-c", crowded, url], check=True)


def test_others_are_heard_again_after_the_server_was_restarted(log: PostgresLog, url: str) -> None:
    heard = threading.Event()
    with log.notify(heard.set):
        server().restart()
        assert heard.wait(PATIENCE)  # what was missed may be anything

        heard.clear()
        subprocess.run([sys.executable, "-c", WRITER, url], check=True)
        assert heard.wait(PATIENCE)


def test_a_log_is_closed_while_its_server_is_away(url: str) -> None:
    log = PostgresLog(url)
    with log.notify(lambda: None):
        server().stop()
        try:
            log.close()
        finally:
            server().start()


# Tables, and older and newer ones


def versions(url: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute("select * from prowess.version order by 1, 2").fetchall()


def test_processes_that_make_a_log_at_once_make_it_once(url: str) -> None:
    makers = [subprocess.Popen([sys.executable, "-c", WRITER, url]) for _ in range(4)]

    assert [maker.wait(PATIENCE) for maker in makers] == [0] * 4
    assert versions(url) == [("event log", 1)]


def test_a_log_of_an_older_version_is_brought_up_to_date_and_keeps_everything(
    log: PostgresLog, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append(event(number=1))
    newer = (*postgres_log.MIGRATIONS, ("create table more (a integer)",))
    monkeypatch.setattr(postgres_log, "MIGRATIONS", newer)

    again = PostgresLog(url)

    assert numbers(again) == [1]
    assert versions(url)[-1] == ("event log", len(newer))
    again.close()


def test_an_update_that_fails_leaves_the_database_as_it_was(
    log: PostgresLog, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = (*postgres_log.MIGRATIONS, ("create table more (a integer)", "no such statement"))
    monkeypatch.setattr(postgres_log, "MIGRATIONS", broken)

    with pytest.raises(OutsideError):
        PostgresLog(url)

    with psycopg.connect(url) as connection:
        found = connection.execute("select to_regclass('prowess.more')").fetchone()
    assert found == (None,)
    assert versions(url) == [("event log", 1)]


def test_a_log_of_a_newer_version_is_refused_and_left_alone(log: PostgresLog, url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("insert into prowess.version values ('event log', 999)")

    with pytest.raises(OutsideError, match="newer version"):
        PostgresLog(url)

    assert versions(url)[-1] == ("event log", 999)


def test_runs_are_listed_without_a_look_at_other_events(log: PostgresLog, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "insert into prowess.event (run, seq, kind, payload)"
            " select i / 100, i % 100, case i % 100 when 0 then 'run.started' else 'other' end, '{}'"
            " from generate_series(1, 20000) as i"
        )
        connection.execute("analyze prowess.event")
        connection.execute("set search_path to prowess")
        query = f"explain {rows.RUNS} order by position desc limit 5"
        plan = "\n".join(line for (line,) in connection.execute(query).fetchall())

    assert "Seq Scan" not in plan
