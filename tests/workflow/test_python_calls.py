"""Functions beside a skill.yaml run in an interpreter of their own, behind the walls of the sandbox."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prowess.core.errors import OutsideError
from prowess.core.ports import Sandbox
from prowess.core.process import Limits, Order
from prowess.sandbox.probe import open_sandbox
from prowess.workflow.python_calls import PythonCalls, PythonError
from support import write_file

TOOL = """\
import os, sys, time
COUNT = 0

def add(a, b):
    return a + b

def count():
    global COUNT
    COUNT += 1
    print("said" * 1000)
    return [COUNT, os.getpid()]

def wait(seconds):
    time.sleep(seconds)

def broken():
    raise ValueError("on purpose")

def strange():
    return object()

def dies():
    os._exit(7)

def leaves():
    sys.exit("bye")

def large(n):
    return "x" * n

def writes(path):
    open(path, "w").write("x")
"""


def sandboxes() -> list[Sandbox]:
    found = []
    for level in ("none", "bubblewrap"):
        try:
            found.append(open_sandbox(level))
        except OutsideError:
            continue
    return found


@pytest.fixture(params=sandboxes(), ids=lambda sandbox: sandbox.level)
def calls(request: pytest.FixtureRequest, tmp_path: Path) -> PythonCalls:
    skill, work = tmp_path / "skill", tmp_path / "work"
    write_file(skill / "tool.py", TOOL)
    work.mkdir()
    order = Order(argv=(), cwd=str(work), writable=(str(work),), limits=Limits(seconds=30))
    return PythonCalls(
        sandbox=request.param, order=order, skill_dir=str(skill), pipes=str(tmp_path / "pipes")
    )


def within(calls: PythonCalls, work: Callable[[PythonCalls], Awaitable[Any]]) -> Any:
    async def go() -> Any:
        try:
            return await work(calls)
        finally:
            await calls.close()

    return asyncio.run(go())


def call(calls: PythonCalls, function: str, seconds: float | None = None, **arguments: Any) -> Any:
    return within(calls, lambda it: it("tool", function, arguments, seconds=seconds))


def test_a_function_is_called_by_name_and_gives_json(calls: PythonCalls) -> None:
    assert call(calls, "add", a=[1], b=["é\n"]) == [1, "é\n"]


def test_the_pipes_are_gone_when_the_run_has_ended(calls: PythonCalls) -> None:
    assert call(calls, "count")
    assert not os.path.exists(calls.pipes)


def test_one_interpreter_serves_all_calls_of_a_run(calls: PythonCalls) -> None:
    async def work(it: PythonCalls) -> Any:
        return [await it("tool", "count", {}, seconds=None) for _ in range(3)]

    (one, pid), (two, _), (three, last) = within(calls, work)
    assert (one, two, three) == (1, 2, 3)
    assert pid == last != os.getpid()


@pytest.mark.parametrize(
    ("function", "arguments", "told"),
    [
        ("broken", {}, "ValueError: on purpose"),
        ("strange", {}, "TypeError: Object of type object is not JSON serializable"),
        ("add", {"a": 1}, "TypeError: add() missing"),
        ("nope", {}, "AttributeError"),
        ("leaves", {}, "SystemExit: bye"),
        ("dies", {}, "the interpreter ended: exit code 7"),
    ],
)
def test_what_goes_wrong_is_told_and_the_next_call_works(
    calls: PythonCalls, function: str, arguments: dict[str, Any], told: str
) -> None:
    async def work(it: PythonCalls) -> Any:
        with pytest.raises(PythonError) as caught:
            await it("tool", function, arguments, seconds=None)
        return str(caught.value), await it("tool", "add", {"a": 1, "b": 2}, seconds=None)

    message, after = within(calls, work)
    assert told in message
    assert after == 3


def test_a_call_that_takes_too_long_is_ended_with_all_it_started(calls: PythonCalls) -> None:
    async def work(it: PythonCalls) -> Any:
        with pytest.raises(PythonError, match=r"took longer than 0\.5 s"):
            await it("tool", "wait", {"seconds": 60}, seconds=0.5)
        return await it("tool", "add", {"a": 1, "b": 2}, seconds=None)

    assert within(calls, work) == 3


def test_large_values_pass_both_ways(calls: PythonCalls) -> None:
    text = call(calls, "add", a="x" * 400_000, b="y" * 400_000)

    assert len(text) == 800_000


def test_calls_made_at_once_are_answered_each_with_its_own(calls: PythonCalls) -> None:
    async def work(it: PythonCalls) -> Any:
        return await asyncio.gather(
            *(it("tool", "add", {"a": n, "b": n}, seconds=None) for n in range(20))
        )

    assert within(calls, work) == [2 * n for n in range(20)]


def test_the_code_is_behind_the_walls_of_the_sandbox(calls: PythonCalls, tmp_path: Path) -> None:
    if calls.sandbox.level == "none":
        pytest.skip("there are no walls without a sandbox")
    outside, inside = tmp_path / "outside.txt", tmp_path / "work" / "inside.txt"

    call(calls, "writes", path=str(outside))  # to a /tmp of its own
    call(replace(calls), "writes", path=str(inside))

    assert not outside.exists()
    assert inside.read_text() == "x"
