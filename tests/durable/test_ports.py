"""The contract of `Steps` and `Engine`, held by the durable engine and by the straight one."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from prowess.core.errors import (
    CancelledRunError,
    ConflictError,
    ModelError,
    UnknownRunError,
    UsageError,
)
from prowess.core.ports import Body, Engine, Json, Steps
from prowess.durable.opening import open_engine
from prowess.durable.straight import StraightEngine

Open = Callable[[Mapping[str, Body]], AbstractAsyncContextManager[Engine]]


@pytest.fixture(params=["durable", "straight"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    if request.param == "durable":
        return lambda bodies: open_engine(str(tmp_path / "data" / "runs.db"), bodies)

    @asynccontextmanager
    async def straight(bodies: Mapping[str, Body]) -> AsyncIterator[Engine]:
        engine = StraightEngine(bodies=bodies)
        yield engine
        await engine.close()

    return straight


def ran(opened: Open, body: Body, request: Mapping[str, Any] | None = None) -> Json:
    """The result of one run."""

    async def story() -> Json:
        async with opened({"kind": body}) as engine:
            await engine.start("kind", "run", request or {})
            return await engine.result("run")

    return asyncio.run(story())


def giving(value: Json) -> Callable[[], Awaitable[Json]]:
    async def work() -> Json:
        return value

    return work


def failing(error: BaseException) -> Callable[[], Awaitable[Json]]:
    async def work() -> Json:
        raise error

    return work


async def eternity() -> Json:
    await asyncio.Event().wait()


async def waits(steps: Steps, request: Mapping[str, Any]) -> Json:
    return await steps.do("wait", eternity)


def test_a_run_gets_its_request_and_gives_its_result(opened: Open) -> None:
    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        return {"run": steps.run_id, "asked": request["words"]}

    result = ran(opened, body, {"words": ["a", 1, None, "\ud800", "🦉"]})

    assert result == {"run": "run", "asked": ["a", 1, None, "\ud800", "🦉"]}


def test_a_step_gives_what_its_work_gave(opened: Open) -> None:
    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        return [
            await steps.do("one", giving({"a": [1, 2.5, None, True]})),
            await steps.do("two", giving("\udcff\0 words"), repeatable=False),
            await steps.do("none", giving(None)),
        ]

    assert ran(opened, body) == [{"a": [1, 2.5, None, True]}, "\udcff\0 words", None]


def test_ten_million_characters_are_a_result_like_another(opened: Open) -> None:
    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        return len(await steps.do("large", giving("ü" * 10_000_000)))

    assert ran(opened, body) == 10_000_000


def test_what_a_steps_work_raises_reaches_the_run_with_its_hint(opened: Open) -> None:
    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        try:
            await steps.do(
                "model", failing(ModelError("busy", hint="wait", transient=True, retry_after=2.5))
            )
        except ModelError as error:
            return [str(error), error.hint, error.transient, error.retry_after]

    assert ran(opened, body) == ["busy", "wait", True, 2.5]


def test_a_timeout_of_a_steps_work_is_a_timeout_to_the_run(opened: Open) -> None:
    async def slow() -> Json:
        async with asyncio.timeout(0.01):
            await eternity()

    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        with pytest.raises(TimeoutError):
            await steps.do("slow", slow)
        return await steps.do("after", giving("went on"))

    assert ran(opened, body) == "went on"


def test_what_the_run_raises_reaches_whoever_waits_for_its_result(opened: Open) -> None:
    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        raise UsageError("no such thing", hint="try another")

    with pytest.raises(UsageError, match="no such thing") as failed:
        ran(opened, body)

    assert failed.value.hint == "try another"


def test_several_steps_may_be_under_way_at_once(opened: Open) -> None:
    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        all_there = asyncio.Barrier(5)

        async def meet() -> Json:
            return await all_there.wait()

        met = await asyncio.gather(*(steps.do(f"read {n}", meet) for n in range(5)))
        return sorted(met)

    assert ran(opened, body) == [0, 1, 2, 3, 4]


def test_a_step_inside_a_step_is_a_mistake_that_is_told(opened: Open) -> None:
    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        async def outer() -> Json:
            return await steps.do("inner", giving(1))

        return await steps.do("outer", outer)

    with pytest.raises(RuntimeError, match="'inner' was begun inside the step 'outer'"):
        ran(opened, body)


def test_a_second_start_of_a_run_changes_nothing(opened: Open) -> None:
    begun: list[str] = []

    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        begun.append(steps.run_id)
        return request["number"]

    async def story() -> Json:
        async with opened({"kind": body}) as engine:
            await engine.start("kind", "run", {"number": 1})
            await engine.start("kind", "run", {"number": 2})
            first = await engine.result("run")
            await engine.start("kind", "run", {"number": 3})
            return [first, await engine.result("run")]

    assert asyncio.run(story()) == [1, 1]
    assert begun == ["run"]


def test_two_runs_go_on_at_once(opened: Open) -> None:
    async def story() -> Json:
        both = asyncio.Barrier(2)

        async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
            await steps.do("meet", both.wait)
            return steps.run_id

        async with opened({"kind": body}) as engine:
            await engine.start("kind", "one", {})
            await engine.start("kind", "two", {})
            return [await engine.result("one"), await engine.result("two")]

    assert asyncio.run(story()) == ["one", "two"]


def test_a_run_may_start_another_and_wait_for_it(opened: Open) -> None:
    async def story() -> Json:
        async def child(steps: Steps, request: Mapping[str, Any]) -> Json:
            return await steps.do("work", giving(request["number"] + 1))

        async def parent(steps: Steps, request: Mapping[str, Any]) -> Json:
            async def fork() -> Json:
                await engine.start("child", "below", {"number": 41})
                return await engine.result("below")

            return [await steps.do("fork", fork), await steps.do("after", giving(0))]

        async with opened({"parent": parent, "child": child}) as engine:
            await engine.start("parent", "above", {})
            return await engine.result("above")

    assert asyncio.run(story()) == [42, 0]


# Questions


async def asks(steps: Steps, request: Mapping[str, Any]) -> Json:
    return await steps.answer("q1", seconds=request.get("seconds"))


def test_a_run_waits_for_its_answer(opened: Open) -> None:
    async def story() -> Json:
        async with opened({"asks": asks}) as engine:
            await engine.start("asks", "run", {})
            await asyncio.sleep(0.05)
            await engine.send_answer("run", "other", "not this")
            await engine.send_answer("run", "q1", "yes \udcff")
            await engine.send_answer("run", "q1", "too late")
            return await engine.result("run")

    assert asyncio.run(story()) == "yes \udcff"


def test_an_answer_that_came_before_the_question_is_not_lost(opened: Open) -> None:
    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        await steps.answer("first")
        return await steps.answer("second")

    async def story() -> Json:
        async with opened({"asks": body}) as engine:
            await engine.start("asks", "run", {})
            await engine.send_answer("run", "second", "2")
            await engine.send_answer("run", "first", "1")
            return await engine.result("run")

    assert asyncio.run(story()) == "2"


def test_no_answer_in_time_is_none(opened: Open) -> None:
    assert ran(opened, asks, {"seconds": 0.01}) is None


def test_a_run_that_has_ended_takes_no_answer(opened: Open) -> None:
    async def story() -> None:
        async with opened({"asks": asks}) as engine:
            await engine.start("asks", "run", {"seconds": 0.01})
            await engine.result("run")
            await engine.send_answer("run", "q1", "too late")

    with pytest.raises(ConflictError, match="has ended"):
        asyncio.run(story())


# Cancelling


@pytest.mark.parametrize("body", [waits, asks], ids=["in a step", "waiting for an answer"])
def test_a_cancelled_run_stops_at_once_and_says_so(opened: Open, body: Body) -> None:
    async def story() -> list[str]:
        async with opened({"kind": body}) as engine:
            await engine.start("kind", "run", {})
            await asyncio.sleep(0.05)
            states = [await engine.state("run")]
            await engine.cancel("run")
            with pytest.raises(CancelledRunError):
                await engine.result("run")
            await engine.cancel("run")
            return [*states, await engine.state("run")]

    assert asyncio.run(story()) == ["running", "cancelled"]


def test_a_step_that_is_cancelled_hears_it_and_the_run_sees_one_error(opened: Open) -> None:
    heard: list[str] = []

    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        async def work() -> Json:
            try:
                await eternity()
            except asyncio.CancelledError:
                heard.append("work")
                raise

        try:
            await steps.do("wait", work)
        except CancelledRunError:
            heard.append("run")
            raise

    async def story() -> None:
        async with opened({"kind": body}) as engine:
            await engine.start("kind", "run", {})
            await asyncio.sleep(0.05)
            await engine.cancel("run")

    asyncio.run(story())
    assert heard == ["work", "run"]


def test_a_run_that_has_ended_stays_ended_when_it_is_cancelled(opened: Open) -> None:
    async def story() -> list[Json]:
        async with opened({"asks": asks}) as engine:
            await engine.start("asks", "run", {"seconds": 0.01})
            result = await engine.result("run")
            await engine.cancel("run")
            return [result, await engine.state("run"), await engine.result("run")]

    assert asyncio.run(story()) == [None, "ended", None]


def test_a_run_that_waits_for_a_cancelled_one_has_not_been_cancelled_itself(opened: Open) -> None:
    async def story() -> list[str]:
        async def parent(steps: Steps, request: Mapping[str, Any]) -> Json:
            return await engine.result("below")

        async with opened({"parent": parent, "waits": waits}) as engine:
            await engine.start("waits", "below", {})
            await engine.start("parent", "above", {})
            await asyncio.sleep(0.05)
            await engine.cancel("below")
            with pytest.raises(CancelledRunError, match="below"):
                await engine.result("above")
            return [await engine.state("below"), await engine.state("above")]

    assert asyncio.run(story()) == ["cancelled", "ended"]


# Mistakes


@pytest.mark.parametrize("name", ["result", "state", "steps", "resume", "cancel"])
def test_a_run_that_is_not_there_is_unknown(opened: Open, name: str) -> None:
    async def story() -> None:
        async with opened({"asks": asks}) as engine:
            await getattr(engine, name)("nobody")

    with pytest.raises(UnknownRunError, match="nobody"):
        asyncio.run(story())


def test_nobody_can_be_answered_or_forked(opened: Open) -> None:
    async def story() -> None:
        async with opened({"asks": asks}) as engine:
            with pytest.raises(UnknownRunError):
                await engine.send_answer("nobody", "q1", "yes")
            with pytest.raises(UnknownRunError):
                await engine.fork("nobody", from_step=0, new_id="new")

    asyncio.run(story())


def test_a_kind_that_nobody_registered_is_refused_with_those_there_are(opened: Open) -> None:
    async def story() -> None:
        async with opened({"asks": asks, "waits": waits}) as engine:
            await engine.start("dance", "run", {})

    with pytest.raises(UsageError, match="dance") as refused:
        asyncio.run(story())

    assert "asks, waits" in refused.value.hint


def test_a_run_under_way_cannot_be_resumed(opened: Open) -> None:
    async def story() -> None:
        async with opened({"waits": waits}) as engine:
            await engine.start("waits", "run", {})
            await engine.resume("run")

    with pytest.raises(UsageError, match="run"):
        asyncio.run(story())


# Stopping


@pytest.mark.parametrize("how", ["left", "cancelled"])
def test_a_run_that_loses_the_order_to_stop_stops_at_its_next_step(opened: Open, how: str) -> None:
    done: list[str] = []
    begun = asyncio.Event()

    async def deaf() -> Json:
        begun.set()
        try:
            await eternity()
        except asyncio.CancelledError:
            return "went on"

    async def more() -> Json:
        done.append("more")

    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        done.append(await steps.do("deaf", deaf))
        await steps.do("more", more)

    async def story() -> None:
        async with opened({"kind": body}) as engine:
            await engine.start("kind", "run", {})
            await begun.wait()
            if how == "cancelled":
                await engine.cancel("run")

    asyncio.run(story())

    assert "more" not in done


def test_an_answer_is_not_waited_for_by_a_run_that_lost_the_order_to_stop(opened: Open) -> None:
    begun = asyncio.Event()

    async def deaf() -> Json:
        begun.set()
        try:
            await eternity()
        except asyncio.CancelledError:
            return "went on"

    async def body(steps: Steps, request: Mapping[str, Any]) -> Json:
        await steps.do("deaf", deaf)
        return await steps.answer("q")

    async def story() -> None:
        async with asyncio.timeout(20), opened({"kind": body}) as engine:
            await engine.start("kind", "run", {})
            await begun.wait()

    asyncio.run(story())
