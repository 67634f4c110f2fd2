"""What only the durable engine promises: runs that outlive their process, and belong to one at a time."""

import asyncio
import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from postgres import server
from prowess.core.errors import (
    CancelledRunError,
    InDoubtError,
    ModelError,
    OutsideError,
    ProwessError,
    UsageError,
)
from prowess.core.ports import Body, Engine, Json, Steps
from prowess.durable.opening import open_engine

# Another process, with bodies that leave their traces in a file.
CHILD = """
import asyncio, os, sys
from prowess.durable.opening import open_engine

database, traces, order, run, kind, resumed = sys.argv[1:7]

def trace(text):
    with open(traces, "a") as file:
        file.write(f"{os.getpid()} {text}\\n")

async def counts(steps, request):
    for number in range(request["steps"]):
        async def work():
            await asyncio.sleep(0.005)
            trace(f"done {number}")
            return number
        assert await steps.do(f"step {number}", work) == number
    return "counted"

async def hangs(steps, request):
    async def hang():
        trace("hanging")
        await asyncio.Event().wait()
    trace(f"before {await steps.do('before', quick)}")
    await steps.do("hang", hang, repeatable=request["repeatable"])

async def asks(steps, request):
    trace("asking")
    return await steps.answer("q1")

async def loops(steps, request):
    while True:
        await steps.do("tick", quick)
        await asyncio.sleep(0.01)

async def quick():
    return 1

async def main():
    bodies = {"counts": counts, "hangs": hangs, "asks": asks, "loops": loops}
    async with open_engine(database, bodies) as engine:
        if order == "start":
            await engine.start(kind, run, {"steps": 50, "repeatable": resumed == "repeatable"})
        if order == "resume":
            await engine.resume(run)
        print("ready", flush=True)
        try:
            print(await engine.result(run), flush=True)
        except Exception as error:
            print(type(error).__name__, error, flush=True)

asyncio.run(main())
"""


class Place:
    """A database, the traces that runs leave, and every process that a test began there."""

    def __init__(self, folder: Path, database: str = "") -> None:
        self.database = database or str(folder / "data" / "runs.db")
        self._traces = folder / "traces"
        self._children: list[subprocess.Popen[str]] = []

    def child(
        self, order: str, run: str, kind: str = "counts", *, repeatable: bool = True
    ) -> subprocess.Popen[str]:
        words = [self.database, str(self._traces), order, run, kind]
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, *words, "repeatable" if repeatable else "once"],
            stdout=subprocess.PIPE,
            text=True,
        )
        self._children.append(child)
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
        return child

    def traces(self) -> list[str]:
        """What was done, in order, without who did it."""
        if not self._traces.exists():
            return []
        return [line.partition(" ")[2] for line in self._traces.read_text().splitlines()]

    def wait_for(self, trace: str) -> None:
        until = time.monotonic() + 60
        while trace not in self.traces():
            assert time.monotonic() < until, f"{trace} never came"
            time.sleep(0.01)

    def racers(self, count: int, order: str, run: str, kind: str) -> list[subprocess.Popen[str]]:
        """Several that begin at once; `{}` in `run` is the number of each."""
        words = [self.database, str(self._traces), order]
        racers = [
            subprocess.Popen(
                [sys.executable, "-c", CHILD, *words, run.format(number), kind, "repeatable"],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for number in range(count)
        ]
        self._children += racers
        return racers

    def kill(self, child: subprocess.Popen[str]) -> None:
        child.kill()
        child.wait()

    def close(self) -> None:
        for child in self._children:
            with child:
                child.kill()


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """On either database: the promises are the same."""
    url = server().new_database() if request.param == "postgres" else ""
    place = Place(tmp_path, url)
    yield place
    place.close()


@pytest.fixture
def on_a_file(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path)
    yield place
    place.close()


def told(child: subprocess.Popen[str]) -> str:
    assert child.stdout
    return child.stdout.readline().strip()


def giving(value: Json) -> Callable[[], Awaitable[Json]]:
    async def work() -> Json:
        return value

    return work


async def eternity() -> Json:
    await asyncio.Event().wait()


async def waits(steps: Steps, request: Mapping[str, Any]) -> Json:
    return await steps.do("wait", eternity)


def interrupted(
    place: Place,
    body: Body,
    *,
    request: Mapping[str, Any] | None = None,
    kept: int = 0,
    until: Callable[[], bool] = lambda: True,
) -> None:
    """Begin the run `run` and leave it where it waits, with so many steps behind it."""

    async def story() -> None:
        async with open_engine(place.database, {"kind": body}) as engine:
            await engine.start("kind", "run", request or {})
            end = time.monotonic() + 60
            while len(await engine.steps("run")) < kept or not until():
                assert time.monotonic() < end
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)

    asyncio.run(story())


def resumed(place: Place, body: Body) -> Json:
    async def story() -> Json:
        async with open_engine(place.database, {"kind": body}) as engine:
            await engine.resume("run")
            return await engine.result("run")

    return asyncio.run(story())


# Going on


def test_a_resumed_run_goes_on_after_its_last_finished_step(place: Place) -> None:
    done: list[str] = []
    gate = asyncio.Event()

    def noting(name: str) -> Callable[[], Awaitable[Json]]:
        async def work() -> Json:
            done.append(name)
            return name

        return work

    async def wait() -> Json:
        done.append("waiting")
        await gate.wait()

    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        found = [await steps.do(name, noting(name)) for name in ("one", "two")]
        await steps.do("wait", wait)
        return [*found, await steps.do("three", noting("three")), request["number"]]

    interrupted(place, body, request={"number": 7}, kept=2)
    gate.set()

    assert resumed(place, body) == ["one", "two", "three", 7]
    assert done == ["one", "two", "waiting", "waiting", "three"]


def test_a_step_gives_after_a_restart_what_json_kept_of_it_the_first_time(place: Place) -> None:
    seen: list[Json] = []
    gate = asyncio.Event()

    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        seen.append(await steps.do("odd", giving({"tuple": (1, 2), "text": "\udcff\0"})))
        await steps.do("wait", gate.wait)

    interrupted(place, body, kept=1)
    gate.set()
    resumed(place, body)

    assert seen == [{"tuple": [1, 2], "text": "\udcff\0"}] * 2


class StrangeError(ModelError):
    """Not ours to find again after a restart."""


@pytest.mark.parametrize(
    ("error", "kind", "fields"),
    [
        (ModelError("busy", hint="wait", transient=True, retry_after=1.5), ModelError, True),
        (StrangeError("busy", hint="wait", transient=True, retry_after=1.5), ModelError, True),
        (TimeoutError("too slow"), TimeoutError, False),
        (KeyError("name"), KeyError, False),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), UnicodeError, False),
        (FileNotFoundError(2, "no such file"), FileNotFoundError, False),
        (json.JSONDecodeError("no", "{", 0), ValueError, False),
        (sqlite3.OperationalError("disk"), OutsideError, False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_an_error_of_a_step_is_the_same_error_after_a_restart(
    place: Place, error: Exception, kind: type[Exception], *, fields: bool
) -> None:
    seen: list[Exception] = []
    gate = asyncio.Event()

    async def fail() -> Json:
        raise error

    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        try:
            await steps.do("fail", fail)
        except Exception as caught:  # noqa: BLE001  to be compared
            seen.append(caught)
        await steps.do("wait", gate.wait)

    interrupted(place, body, kept=1)
    gate.set()
    resumed(place, body)

    first, second = seen
    assert type(first) is type(second) is kind
    assert str(first) == str(second)
    assert vars(first) == vars(second)
    if fields:
        assert vars(second) == {"hint": "wait", "transient": True, "retry_after": 1.5}


def test_steps_that_were_under_way_at_once_keep_their_own_results(place: Place) -> None:
    gate = asyncio.Event()
    done: list[int] = []

    def slower(number: int) -> Callable[[], Awaitable[Json]]:
        async def work() -> Json:
            await asyncio.sleep((4 - number) * 0.005)  # the last to begin is the first to end
            if number == 2:
                await gate.wait()
            done.append(number)
            return number

        return work

    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        return await asyncio.gather(*(steps.do("read", slower(n)) for n in range(5)))

    interrupted(place, body, kept=4)
    gate.set()

    assert resumed(place, body) == [0, 1, 2, 3, 4]
    assert sorted(done) == [0, 1, 2, 3, 4]
    assert done[-1] == 2


def test_an_answer_is_given_once_and_kept(place: Place) -> None:
    answered, gate = asyncio.Event(), asyncio.Event()

    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        answer = await steps.answer("q1")
        answered.set()
        await steps.do("wait", gate.wait)
        return answer

    async def first() -> None:
        async with open_engine(place.database, {"kind": body}) as engine:
            await engine.start("kind", "run", {})
            await engine.send_answer("run", "q1", "blue")
            await answered.wait()
            assert await engine.steps("run") == ["answer"]

    asyncio.run(first())
    gate.set()

    assert resumed(place, body) == "blue"


def test_an_answer_reaches_a_run_that_is_interrupted_when_it_goes_on(place: Place) -> None:
    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        return await steps.answer("q1")

    async def answering() -> None:
        async with open_engine(place.database, {"kind": body}) as engine:
            await engine.send_answer("run", "q1", "blue")

    interrupted(place, body)
    asyncio.run(answering())

    assert resumed(place, body) == "blue"


def test_the_first_of_two_answers_counts_also_while_nobody_works_on_the_run(place: Place) -> None:
    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        return await steps.answer("q1")

    async def answering() -> list[bool]:
        async with open_engine(place.database, {"kind": body}) as engine:
            return [await engine.send_answer("run", "q1", each) for each in ("blue", "red")]

    interrupted(place, body)

    assert asyncio.run(answering()) == [True, False]
    assert resumed(place, body) == "blue"


def test_a_run_that_is_only_left_hears_no_cancelled_run_error(place: Place) -> None:
    heard: list[BaseException] = []

    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        try:
            await steps.do("wait", eternity)
        except BaseException as error:
            heard.append(error)
            raise

    interrupted(place, body)

    assert [type(error) for error in heard] == [asyncio.CancelledError]


# Killed


def test_a_killed_run_resumes_and_repeats_no_finished_step(place: Place) -> None:
    first = place.child("start", "run")
    place.wait_for("done 9")
    place.kill(first)
    before = place.traces()

    second = place.child("resume", "run")

    assert told(second) == "counted"
    after = place.traces()
    assert set(after) == {f"done {number}" for number in range(50)}
    # Only the step that was under way may have been done twice.
    assert len(after) <= 51
    assert after[: len(before)] == before


def test_a_killed_run_is_unfinished_and_waits_for_somebody(place: Place) -> None:
    child = place.child("start", "run", "hangs")
    place.wait_for("hanging")

    async def look() -> tuple[list[str], str]:
        async with open_engine(place.database, {"hangs": waits}) as engine:
            await asyncio.sleep(0.5)
            return list(await engine.standing()), await engine.state("run")

    alive = asyncio.run(look())
    place.kill(child)
    dead = asyncio.run(look())

    assert alive == ([], "running")
    assert dead == (["run"], "interrupted")
    assert place.traces().count("hanging") == 1


def test_waiting_for_a_run_whose_process_was_killed_ends_with_how_to_resume_it(
    place: Place,
) -> None:
    child = place.child("start", "run", "hangs")
    place.wait_for("hanging")

    async def wait() -> None:
        async with open_engine(place.database, {"hangs": waits}) as engine:
            waiting = asyncio.create_task(engine.result("run"))
            await asyncio.sleep(0.2)
            assert not waiting.done()
            child.kill()
            await waiting

    with pytest.raises(UsageError, match="ended before") as left:
        asyncio.run(wait())

    assert "runs resume run" in left.value.hint


def test_a_run_of_a_living_process_is_refused_to_others(place: Place) -> None:
    child = place.child("start", "run", "hangs")
    place.wait_for("hanging")

    with pytest.raises(UsageError, match=f"process {child.pid}"):
        resumed_as(place, "hangs", waits)

    assert place.traces().count("hanging") == 1


def resumed_as(place: Place, kind: str, body: Body) -> None:
    async def story() -> None:
        async with open_engine(place.database, {kind: body}) as engine:
            await engine.resume("run")

    asyncio.run(story())


def test_of_two_that_resume_a_run_at_once_one_gets_it(place: Place) -> None:
    first = place.child("start", "run", "hangs")
    place.wait_for("hanging")
    place.kill(first)
    both = place.racers(2, "resume", "run", "hangs")

    until = time.monotonic() + 60
    while sum(child.poll() is not None for child in both) < 1:
        assert time.monotonic() < until
        time.sleep(0.02)
    time.sleep(0.3)

    (refused,) = [child for child in both if child.poll() is not None]
    assert refused.stderr
    assert "is being worked on by process" in refused.stderr.read()
    assert place.traces().count("hanging") == 2


def test_a_step_that_must_not_be_repeated_is_in_doubt_after_a_kill(place: Place) -> None:
    child = place.child("start", "run", "hangs", repeatable=False)
    place.wait_for("hanging")
    place.kill(child)

    second = place.child("resume", "run", "hangs")

    assert told(second).startswith("InDoubtError the step 'hang' of the run run")
    assert place.traces().count("hanging") == 1


def test_a_step_that_may_be_repeated_is_done_again_after_a_kill(place: Place) -> None:
    child = place.child("start", "run", "hangs")
    place.wait_for("hanging")
    place.kill(child)

    place.child("resume", "run", "hangs")

    until = time.monotonic() + 60
    while place.traces().count("hanging") < 2:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_doubt_stays_doubt_however_often_it_is_asked(place: Place) -> None:
    heard: list[InDoubtError] = []
    paying: list[bool] = []
    gate = asyncio.Event()

    async def pay() -> Json:
        paying.append(True)
        await eternity()

    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        try:
            await steps.do("pay", pay, repeatable=False)
        except InDoubtError as error:
            heard.append(error)
        return await steps.do("wait", gate.wait)

    async def again() -> None:
        async with open_engine(place.database, {"kind": body}) as engine:
            await engine.resume("run")
            end = time.monotonic() + 60
            while not heard:
                assert time.monotonic() < end
                await asyncio.sleep(0.01)

    interrupted(place, body, until=lambda: bool(paying))
    asyncio.run(again())
    gate.set()

    assert resumed(place, body) is True
    assert len(heard) == 2
    assert {str(error) for error in heard} == {str(heard[0])}
    assert "'pay'" in str(heard[0])
    assert "`prowess runs fork run --from PLACE`" in heard[1].hint


# Other processes


def test_an_answer_comes_from_another_process(place: Place) -> None:
    child = place.child("start", "run", "asks")
    place.wait_for("asking")

    async def answering() -> None:
        async with open_engine(place.database, {"other": waits}) as engine:
            await engine.send_answer("run", "q1", "yes")

    asyncio.run(answering())

    assert told(child) == "yes"


@pytest.mark.parametrize("kind", ["loops", "hangs", "asks"])
def test_a_run_is_cancelled_from_another_process(place: Place, kind: str) -> None:
    child = place.child("start", "run", kind)

    async def cancelling() -> str:
        async with open_engine(place.database, {"other": waits}) as engine:
            await engine.cancel("run")
            return await engine.state("run")

    assert asyncio.run(cancelling()) == "cancelled"
    assert told(child) == "CancelledRunError the run run was cancelled"


def test_many_processes_make_one_new_database_at_once(place: Place) -> None:
    racers = place.racers(4, "start", "run {}", "counts")

    assert [child.communicate() for child in racers] == [("ready\ncounted\n", "")] * 4


# Cancelled and ended runs


def test_a_cancelled_run_never_goes_on(place: Place) -> None:
    async def story() -> None:
        async with open_engine(place.database, {"kind": waits}) as engine:
            await engine.start("kind", "run", {})
            await engine.cancel("run")
            await engine.resume("run")

    with pytest.raises(UsageError, match="was cancelled") as refused:
        asyncio.run(story())

    assert "fork" in refused.value.hint


def test_an_interrupted_run_can_be_cancelled(place: Place) -> None:
    interrupted(place, waits)

    async def story() -> tuple[str, list[str]]:
        async with open_engine(place.database, {"kind": waits}) as engine:
            await engine.cancel("run")
            with pytest.raises(CancelledRunError):
                await engine.result("run")
            return await engine.state("run"), list(await engine.standing())

    assert asyncio.run(story()) == ("cancelled", [])


def test_the_result_of_a_run_is_there_for_later_processes(place: Place) -> None:
    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        if request["fails"]:
            raise ProwessError("no", hint="because")
        return {"fine": True}

    async def first() -> None:
        async with open_engine(place.database, {"kind": body}) as engine:
            for run, fails in (("good", False), ("bad", True)):
                await engine.start("kind", run, {"fails": fails})
                with suppress(ProwessError):
                    await engine.result(run)

    async def later() -> Json:
        async with open_engine(place.database, {}) as engine:
            with pytest.raises(ProwessError, match="no") as failed:
                await engine.result("bad")
            assert failed.value.hint == "because"
            return await engine.result("good")

    asyncio.run(first())
    assert asyncio.run(later()) == {"fine": True}


def test_a_run_is_not_resumed_by_who_cannot_work_on_its_kind(place: Place) -> None:
    interrupted(place, waits)

    with pytest.raises(UsageError, match="'kind' can be worked on"):
        resumed_as(place, "other", waits)

    async def look() -> str:
        async with open_engine(place.database, {"kind": waits}) as engine:
            return await engine.state("run")

    assert asyncio.run(look()) == "interrupted"


# Forks


@pytest.mark.parametrize(("kept", "again"), [(0, [0, 1, 2, 3]), (2, [2, 3]), (4, [])])
def test_a_fork_has_the_first_steps_behind_it_and_does_the_rest(
    place: Place, kept: int, again: list[int]
) -> None:
    done: list[int] = []

    def noting(number: int) -> Callable[[], Awaitable[Json]]:
        async def work() -> Json:
            done.append(number)
            return len(done)

        return work

    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        found = [await steps.do(f"step {n}", noting(n), repeatable=n != 3) for n in range(2)]
        await steps.answer("q1", seconds=0.01)
        found += [await steps.do(f"step {n}", noting(n), repeatable=n != 3) for n in (2, 3)]
        return [steps.run_id, found]

    async def story() -> Json:
        async with open_engine(place.database, {"kind": body}) as engine:
            await engine.start("kind", "run", {})
            old = await engine.result("run")
            names = await engine.steps("run")
            assert names == ["step 0", "step 1", "answer", "step 2", "step 3"]
            done.clear()
            await engine.fork("run", from_step=kept if kept < 3 else kept + 1, new_id="another")
            new = await engine.result("another")
            assert await engine.result("run") == old
            return new

    name, found = asyncio.run(story())

    assert name == "another"
    assert found[:kept] == [1, 2, 3, 4][:kept]
    assert done == again


@pytest.mark.parametrize("from_step", [-1, 2])
def test_a_fork_from_a_step_that_is_not_there_is_refused(place: Place, from_step: int) -> None:
    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        return await steps.do("only", giving(1))

    async def story() -> None:
        async with open_engine(place.database, {"kind": body}) as engine:
            await engine.start("kind", "run", {})
            await engine.result("run")
            await engine.fork("run", from_step=from_step, new_id="another")

    with pytest.raises(UsageError, match="1 finished step"):
        asyncio.run(story())


def test_a_fork_needs_an_id_that_is_free(place: Place) -> None:
    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        return 1

    async def story() -> None:
        async with open_engine(place.database, {"kind": body}) as engine:
            await engine.start("kind", "run", {})
            await engine.result("run")
            await engine.fork("run", from_step=0, new_id="run")

    with pytest.raises(UsageError, match="there is a run run already"):
        asyncio.run(story())


# Opening and closing


def test_only_its_owner_can_read_what_runs_remember(on_a_file: Place) -> None:
    async def story() -> None:
        async with open_engine(on_a_file.database, {"kind": waits}) as engine:
            await engine.start("kind", "run", {"secret": "words"})
            folder = os.path.dirname(on_a_file.database)
            modes = {
                name: stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode)
                for name in os.listdir(folder)
            }
            assert modes.pop("runs.db.workers") == 0o700
            assert set(modes) >= {"runs.db", "runs.db-wal"}
            assert set(modes.values()) == {0o600}
            assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700

    asyncio.run(story())


def test_nothing_is_left_behind_when_the_engine_is_closed(place: Place) -> None:
    before = set(threading.enumerate())

    async def story() -> int:
        async with open_engine(place.database, {"kind": waits}) as engine:
            await engine.start("kind", "run", {})
        return await asyncio.to_thread(lambda: 42)

    assert asyncio.run(story()) == 42
    until = time.monotonic() + 10
    while set(threading.enumerate()) - before:
        assert time.monotonic() < until, threading.enumerate()
        time.sleep(0.01)


def test_a_process_that_ends_leaves_no_file_that_says_it_lives(on_a_file: Place) -> None:
    interrupted(on_a_file, waits)

    assert os.listdir(on_a_file.database + ".workers") == []


def test_the_engine_says_nothing_on_the_terminal(
    place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    interrupted(place, waits)

    assert capfd.readouterr() == ("", "")


def test_the_files_of_dead_processes_are_cleared_away(on_a_file: Place) -> None:
    child = on_a_file.child("start", "run", "hangs")
    workers = Path(on_a_file.database + ".workers")
    (name,) = os.listdir(workers)
    on_a_file.kill(child)
    assert os.listdir(workers) == [name]

    async def story() -> list[str]:
        async with open_engine(on_a_file.database, {"kind": waits}) as engine:
            assert list(await engine.standing()) == ["run"]
            return os.listdir(workers)

    (alive,) = asyncio.run(story())
    assert alive.startswith(f"{os.getpid()}-")


def test_a_second_engine_in_one_process_is_refused(place: Place) -> None:
    async def story() -> None:
        async with open_engine(place.database, {}), open_engine(place.database, {}):
            pass

    with pytest.raises(RuntimeError, match="already open"):
        asyncio.run(story())

    interrupted(place, waits)


@pytest.mark.parametrize("kind", ["no database", "a folder", "below a file"])
def test_a_place_that_cannot_be_used_is_an_outside_error_with_a_hint(
    on_a_file: Place, kind: str
) -> None:
    folder = Path(on_a_file.database).parent
    if kind == "below a file":
        folder.write_text("")
    elif kind == "a folder":
        Path(on_a_file.database).mkdir(parents=True)
    else:
        folder.mkdir()
        Path(on_a_file.database).write_bytes(b"not a database" * 100)

    with pytest.raises(OutsideError, match=r"runs\.db") as failed:
        interrupted(on_a_file, waits)

    assert "--data" in failed.value.hint


def test_an_interrupt_of_the_process_leaves_its_runs_to_be_resumed(place: Place) -> None:
    child = place.child("start", "run", "hangs")
    place.wait_for("hanging")
    child.send_signal(signal.SIGINT)
    child.wait(timeout=60)

    async def look(engine: Engine) -> tuple[str, list[str]]:
        return await engine.state("run"), list(await engine.standing())

    async def story() -> tuple[str, list[str]]:
        async with open_engine(place.database, {"hangs": waits}) as engine:
            return await look(engine)

    assert asyncio.run(story()) == ("interrupted", ["run"])
