"""Followers: everything once, in order, whoever writes and whenever they came."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Iterator

import pytest

from prowess.core.event import Event, Recorded
from prowess.core.ports import Log
from prowess.observe import follow as following
from prowess.observe.follow import follow, follow_loop
from prowess.observe.opening import open_log

PATIENCE = 60  # seconds until a test that hears nothing gives up

WRITER = """
import sys
from prowess.core.event import Event
from prowess.observe.opening import open_log

path, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
log = open_log(path)
for number in range(first, last + 1):
    log.append(Event(run="run", kind="written", payload={"number": number}))
log.close()
"""


@pytest.fixture
def log(where: str) -> Iterator[Log]:
    log = open_log(where)
    yield log
    log.close()


def write(log: Log, *numbers: int, run: str = "run") -> None:
    for number in numbers:
        log.append(Event(run=run, kind="written", payload={"number": number}))


async def take(events: AsyncGenerator[Recorded, None], count: int) -> list[int]:
    """The numbers of the next events."""
    async with asyncio.timeout(PATIENCE):
        return [(await anext(events)).event.payload["number"] for _ in range(count)]


def test_what_is_there_comes_first_and_then_what_is_written(log: Log) -> None:
    async def watch() -> list[int]:
        write(log, 1, 2)
        events = follow(log, "run")
        before = await take(events, 2)
        write(log, 3, 4)
        return before + await take(events, 2)

    assert asyncio.run(watch()) == [1, 2, 3, 4]


def test_one_run_is_followed_and_no_other(log: Log) -> None:
    async def watch() -> list[int]:
        events = follow(log, "run")
        write(log, 1)
        write(log, 8, 9, run="other")
        write(log, 2)
        return await take(events, 2)

    assert asyncio.run(watch()) == [1, 2]


def test_all_runs_are_followed_in_the_order_they_were_written(log: Log) -> None:
    async def watch() -> list[int]:
        events = follow(log)
        write(log, 1, run="a")
        write(log, 2, run="b")
        seen = await take(events, 2)
        write(log, 3, run="a")
        return seen + await take(events, 1)

    assert asyncio.run(watch()) == [1, 2, 3]


def test_who_comes_back_goes_on_after_the_last_event_they_saw(log: Log) -> None:
    async def watch(run: str | None, after: int) -> list[int]:
        return await take(follow(log, run, after=after), 2)

    write(log, 0, run="other")
    write(log, 1, 2, 3, 4)

    assert asyncio.run(watch("run", 2)) == [3, 4]
    assert asyncio.run(watch(None, 2)) == [2, 3]


def test_more_than_a_page_comes_whole_and_in_order(log: Log) -> None:
    many = range(1, 2 * following.PAGE + 8)
    write(log, *many)

    async def watch() -> list[int]:
        return await take(follow(log, "run"), len(many))

    assert asyncio.run(watch()) == list(many)


def test_a_follower_sees_at_once_what_its_own_process_writes(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(log), "look", 10 * PATIENCE)

    async def watch() -> list[int]:
        events = follow(log, "run")
        seen = asyncio.create_task(take(events, 1))
        await asyncio.sleep(0.05)  # it has looked, and found nothing
        writer = threading.Thread(target=write, args=(log, 1))
        writer.start()
        result = await seen
        writer.join()
        return result

    assert asyncio.run(watch()) == [1]


def test_what_other_processes_write_is_seen_once_and_in_order(log: Log, where: str) -> None:
    async def watch() -> list[int]:
        seen = asyncio.create_task(take(follow(log, "run"), 600))
        for first in (1, 301):
            script = [sys.executable, "-c", WRITER, where, str(first), str(first + 299)]
            process = await asyncio.to_thread(subprocess.run, script, check=True)
            assert process.returncode == 0
        return await seen

    assert asyncio.run(watch()) == list(range(1, 601))


def test_ten_followers_miss_and_repeat_nothing_while_threads_write(log: Log) -> None:
    async def watch() -> list[list[int]]:
        followers = [asyncio.create_task(take(follow(log), 400)) for _ in range(10)]
        writers = [
            asyncio.to_thread(write, log, *range(100 * n, 100 * n + 100), run=str(n))
            for n in range(4)
        ]
        await asyncio.gather(*writers)
        return await asyncio.gather(*followers)

    seen = asyncio.run(watch())

    kept = [each.event.payload["number"] for each in log.tail()]
    assert sorted(kept) == list(range(400))
    assert seen == [kept] * 10


def test_a_follower_that_stops_is_no_longer_told(log: Log) -> None:
    async def watch() -> None:
        events = follow(log, "run")
        write(log, 1)
        await take(events, 1)
        await events.aclose()

    asyncio.run(watch())

    write(log, 2)  # the loop is closed, so that telling it would fail


def test_a_slow_follower_holds_up_neither_writers_nor_itself(log: Log) -> None:
    async def watch() -> list[int]:
        events = follow(log, "run")
        write(log, 1)
        seen = await take(events, 1)
        write(log, *range(2, 1_000))
        return seen + await take(events, 998)

    assert asyncio.run(watch()) == list(range(1, 1_000))


def test_agents_of_a_loop_are_heard_between_their_beginning_and_their_end(log: Log) -> None:
    def told(kind: str, run: str = "run", **payload: object) -> None:
        log.append(Event(run=run, kind=kind, payload=payload))

    async def watch() -> list[tuple[str, str]]:
        told("agent.forked", child="run.1", task="Say it")
        told("one", run="run.1")
        told("one", run="other.1")
        told("agent.joined", child="run.1")
        told("agent.forked", child="run.2", task="Say it again")
        told("agent.forked", child="run.3")  # of no task: it is no agent of a loop
        told("three", run="run.3")
        events = follow_loop(log, "run")
        async with asyncio.timeout(PATIENCE):
            heard = [await anext(events) for _ in range(5)]
            told("two", run="run.2")
            heard.append(await anext(events))
            told("more", run="run.2")
            told("agent.joined", child="run.2")
            heard += [await anext(events) for _ in range(2)]
        return [(each.event.run, each.event.kind) for each in heard]

    assert asyncio.run(watch()) == [
        ("run", "agent.forked"),
        ("run.1", "one"),
        ("run", "agent.joined"),
        ("run", "agent.forked"),
        ("run", "agent.forked"),
        ("run.2", "two"),
        ("run.2", "more"),
        ("run", "agent.joined"),
    ]
