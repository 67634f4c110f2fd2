"""Budgets hold while an agent works and while it is waited for, and what was done is kept."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from house import Home
from loop.looping import Looped, Scripted, git, go_on, loop, nothing, writes
from prowess.core.agent import AgentEnd, AgentOrder
from prowess.core.chat import Usage
from prowess.core.event import Event, Recorded
from prowess.core.ports import Log
from prowess.durable.straight import StraightSteps
from prowess.engine.house import House
from prowess.loop import limited
from prowess.loop.away import away
from prowess.loop.budget import Used
from prowess.loop.request import LoopRequest
from prowess.loop.telling.broken_off import broken_off

ONE = "- [ ] Say hello\n  - `test -f hello.txt` succeeds\n"
TWO = f"{ONE}- [ ] Say bye\n  - `test -f bye.txt` succeeds\n"


class KilledError(BaseException):
    """What a kill -9 is to the code above it."""


class Talkative(Scripted):
    """Tells what it uses as it goes, 10 tokens and 1 cent at a time, until somebody has enough."""

    async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
        end = await super().work(order, record=record)
        for told in range(1, 1000):
            usage = Usage(input_tokens=10 * told, cost=0.01 * told)
            if why := order.enough(usage):
                return AgentEnd(agent="scripted", trouble="budget", told=why, usage=usage)
            await asyncio.sleep(0)
        return end


class Limited(Scripted):
    """Its provider gives nothing until a time that is far."""

    async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
        self.prompts.append(order.prompt)
        far = datetime.now(UTC) + timedelta(hours=5)
        usage = Usage(input_tokens=7, cost=0.5)
        return AgentEnd(
            agent="x",
            trouble="usage_limit",
            told="limit",
            resets_at=far.isoformat(),
            usage=usage,
        )


class Slow(Scripted):
    """Works on until its time is up, as the order has it."""

    async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
        end = await super().work(order, record=record)
        if order.wall > 60:
            return end
        await asyncio.sleep(order.wall)
        return AgentEnd(agent="scripted", trouble="timeout", killed_by="timeout", told="stopped")


def left(ended: Looped, *labels: str) -> None:
    assert ended.outcome.ending == "partial"
    for label in labels:
        assert f"- [ ] {label}" in ended.plan


@pytest.mark.parametrize(
    ("budget", "told"),
    [({"tokens": 55}, "55 tokens"), ({"dollars": 0.045}, "0.045 dollars")],
)
def test_an_agent_at_work_is_stopped_when_the_budget_is_used_up(
    repo: Path, budget: Any, told: str
) -> None:
    agent = Talkative([writes("half.txt", "half")])

    ended = loop(repo, TWO, agent, **budget)

    left(ended, "Say hello", "Say bye")
    assert ended.outcome.reason == f"the budget of {told} is used up"
    assert len(agent.prompts) == 1
    (entry,) = ended.outcome.details["tasks"]
    assert git(repo, "show", f"{entry['branch']}:half.txt") == "half"
    assert git(repo, "status", "--porcelain") == ""
    assert "## Cut short\n\n### Say hello" in ended.outcome.answer
    assert f"`{entry['branch']}`" in ended.outcome.answer


def test_what_was_done_in_time_is_proven_all_the_same(repo: Path) -> None:
    ended = loop(repo, TWO, Talkative([writes("hello.txt", "hi")]), tokens=55)

    assert "- [R] Say hello" in ended.plan
    left(ended, "Say bye")
    assert ended.outcome.tokens == 60


def test_agents_that_work_at_the_same_time_share_the_budget(repo: Path) -> None:
    plan = "".join(
        f"- [ ] Write {name}\n  - files: {name}/**\n  - `test -f {name}/done` succeeds\n"
        for name in "ab"
    )

    ended = loop(repo, plan, Talkative([nothing]), parallel=2, tokens=1_000)

    left(ended, "Write a", "Write b")
    assert 1_000 <= ended.outcome.tokens < 1_100


def test_no_agent_is_asked_again_when_nothing_is_left(repo: Path) -> None:
    agent = Scripted([writes("half.txt", "half")])

    ended = loop(repo, ONE, agent, max_attempts=5, attempts=2)

    assert len(agent.prompts) == 2
    assert [each["attempt"] for each in ended.told("loop.same_task")] == [2]
    left(ended, "Say hello")
    assert ended.outcome.reason == "the budget of 2 attempts is used up"


def test_what_only_a_review_is_missing_of_is_implemented(repo: Path) -> None:
    ended = loop(repo, "- [ ] Say hello\n", Scripted([writes("hello.txt", "hi")]), attempts=1)

    assert "- [x] Say hello" in ended.plan
    assert ended.outcome.ending == "partial"
    assert "before it was reviewed" in ended.outcome.answer


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        ({"seconds": 600.0}, "600 seconds ends before the usage limit does"),
        ({"tokens": 5}, "5 tokens is used up"),
        ({"dollars": 0.2}, "0.2 dollars is used up"),
    ],
)
def test_a_usage_limit_is_not_waited_for_when_the_budget_ends_before_it(
    repo: Path, budget: Any, told: str
) -> None:
    ended = loop(repo, TWO, Limited([]), **budget)

    left(ended, "Say hello", "Say bye")
    assert told in ended.outcome.reason
    assert "loop.paused" not in ended.kinds()
    assert ended.outcome.iterations == 0
    assert ended.outcome.tokens == 7


def test_an_agent_has_no_more_time_than_the_loop(repo: Path) -> None:
    ended = loop(repo, ONE, Slow([writes("half.txt", "half")]), seconds=2.0)

    left(ended, "Say hello")
    assert ended.outcome.reason == "the budget of 2 seconds is used up"
    joined = ended.told("agent.joined")
    assert [each["end"]["trouble"] for each in joined] in ([], ["budget"])


@pytest.mark.parametrize(("asked", "given"), [(45.0, 45.0), (0.0, None)])
def test_an_agent_may_be_silent_and_at_work_for_so_long_and_no_longer(
    repo: Path, asked: float, given: float | None
) -> None:
    orders: list[AgentOrder] = []

    def act(folder: Path, order: AgentOrder) -> str:
        orders.append(order)
        return writes("hello.txt", "hi")(folder, order)

    loop(repo, ONE, Scripted([act]), idle=asked, wall=600.0)

    assert [(order.idle, order.wall) for order in orders] == [(given, 600.0)]


def test_a_budget_of_dollars_that_nobody_can_keep_is_told(repo: Path) -> None:
    class Unpriced(Scripted):
        async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
            await super().work(order, record=record)
            return AgentEnd(agent="scripted")

    ended = loop(repo, ONE, Unpriced([writes("hello.txt", "hi")]), dollars=1.0)

    assert ended.outcome.ok
    (warned,) = ended.told("run.warned")
    assert "Nobody tells what scripted costs" in warned["summary"]


def test_a_task_that_was_to_be_tried_again_is_told_with_its_branch(repo: Path) -> None:
    plan = (
        "- [ ] One\n  - files: a/**\n  - `test -f a/x` succeeds\n"
        "- [ ] Two\n  - files: b/**\n  - `test -f b/x` succeeds\n"
        "\n## Validation commands\n\n```sh\ntest ! -f a/x -o ! -f b/x\n```\n"
    )

    def act(folder: Path, order: AgentOrder) -> str:
        name = "a" if "One" in order.prompt else "b"
        return writes(f"{name}/x", name)(folder, order)

    ended = loop(repo, plan, Scripted([act]), parallel=2, attempts=2)

    assert "- [R] One" in ended.plan
    left(ended, "Two")
    cut = ended.outcome.details["tasks"][1]
    assert (cut["task"], cut["mark"]) == ("Two", " ")
    assert git(repo, "show", f"{cut['branch']}:b/x") == "b"
    assert f"`{cut['branch']}`" in ended.outcome.answer


def test_what_an_attempt_used_before_it_was_cut_off_counts(repo: Path) -> None:
    """The loop is killed at the end of the first attempt, whose step is then done again."""

    class Cut(StraightSteps):
        async def do(self, name: str, work: Any, **more: Any) -> Any:
            if name == "agent built-in":
                await work()
            return await super().do(name, work, **more)

    class Telling(Scripted):
        async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
            usage = {"input_tokens": 10, "output_tokens": 1, "cached_tokens": 0, "cost": 0.01}
            payload = {"summary": "", "visibility": "SUMMARY", "usage": usage}
            record(Event(run=order.run, kind="model.replied", payload=payload))
            return await super().work(order, record=record)

    ended = loop(repo, ONE, Telling([writes("hello.txt", "hi")]), Cut("loop"))

    assert ended.outcome.ok
    assert (ended.outcome.tokens, ended.outcome.cost) == (22, 0.02)


def test_time_is_counted_from_the_beginning_of_the_loop() -> None:
    request = LoopRequest(plan="PLAN.md", workspace=".", seconds=60)
    used = Used(started=1000.0)

    assert used.spent(request, 1059.9) == ""
    assert used.spent(request, 1060.0) == "the budget of 60 seconds is used up"


@pytest.mark.parametrize("parallel", [1, 2])
def test_an_attempt_that_a_budget_did_not_allow_is_not_counted(repo: Path, parallel: int) -> None:
    agent = Scripted([writes("other.txt", "x")])

    ended = loop(repo, ONE, agent, attempts=1, parallel=parallel)

    (entry,) = ended.outcome.details["tasks"]
    assert (len(agent.prompts), entry["attempts"], ended.outcome.iterations) == (1, 1, 1)
    assert "### Say hello\n\n1 attempt" in ended.outcome.answer


def test_an_agent_that_only_met_its_usage_limit_made_no_attempt(repo: Path) -> None:
    ended = loop(repo, ONE, Limited([nothing]), seconds=600.0)

    (entry,) = ended.outcome.details["tasks"]
    assert (entry["attempts"], ended.outcome.iterations) == (0, 0)


class Silent(Scripted):
    """It works, then its provider gives no more until a time that is far; it tells no tokens."""

    async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
        far = (datetime.now(UTC) + timedelta(hours=5)).isoformat()
        return AgentEnd(agent="x", trouble="usage_limit", told="limit", resets_at=far, calls=3)


def test_what_an_agent_cost_that_worked_up_to_its_usage_limit_and_did_not_tell_is_unknown(
    repo: Path,
) -> None:
    ended = loop(repo, ONE, Silent([nothing]), seconds=600.0)

    assert ended.outcome.cost is None
    assert "0 attempts, 0 tokens, an unknown price." in ended.outcome.answer


def test_a_pause_in_a_usage_limit_tells_of_no_attempt(repo: Path) -> None:
    class Paused(StraightSteps):
        async def do(self, name: str, work: Any, **more: Any) -> Any:
            if name == "pause":
                raise KilledError
            return await super().do(name, work, **more)

    async def told(house: House) -> str:
        return (await broken_off(house.world, "loop", ending="partial", reason="paused")).answer

    with pytest.raises(KilledError):
        loop(repo, ONE, Silent([nothing]), Paused("loop"))
    answer = Home(repo, repo.parent / "data", {"*": []}).within(told)

    assert "### Say hello\n\n0 attempts." in answer
    assert "0 attempts, 0 tokens, an unknown price." in answer


FOUR = "".join(
    f"- [ ] Make {name}\n  - files: {name}.txt\n  - `test -f {name}.txt` succeeds\n"
    for name in "abcd"
)


def makes(folder: Path, order: AgentOrder) -> str:
    name = order.prompt.partition("## Task\n\nMake ")[2][:1]
    return writes(f"{name}.txt", name)(folder, order)


@pytest.mark.parametrize("attempts", [1, 3])
def test_no_more_attempts_begin_side_by_side_than_the_budget_allows(
    repo: Path, attempts: int
) -> None:
    agent = Scripted([makes])

    ended = loop(repo, FOUR, agent, attempts=attempts, parallel=4)

    assert len(agent.prompts) == ended.outcome.iterations == attempts
    assert ended.plan.count("- [R]") == attempts
    left(ended, *(f"Make {name}" for name in "abcd"[attempts:]))
    number = "1 attempt" if attempts == 1 else "3 attempts"
    assert ended.outcome.reason == f"the budget of {number} is used up"


def test_an_attempt_that_met_a_usage_limit_gives_its_place_to_the_next_try(repo: Path) -> None:
    class Once(Scripted):
        async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
            if not self.prompts:
                self.prompts.append(order.prompt)
                soon = datetime.now(UTC).isoformat()
                return AgentEnd(agent="x", trouble="usage_limit", told="limit", resets_at=soon)
            return await super().work(order, record=record)

    ended = loop(repo, FOUR, Once([makes]), attempts=1, parallel=4)

    assert ended.plan.count("- [R]") == ended.outcome.iterations == 1


@pytest.mark.parametrize("budget", [{"attempts": 1}, {"tokens": 11}, {"dollars": 0.01}])
@pytest.mark.parametrize("parallel", [1, 2])
def test_a_plan_that_is_done_with_the_last_of_a_budget_is_done(
    repo: Path, budget: Any, parallel: int
) -> None:
    agent = Scripted([writes("hello.txt", "hi")])

    ended = loop(repo, ONE, agent, parallel=parallel, **budget)

    assert (ended.outcome.ending, "- [R] Say hello" in ended.plan) == ("done", True)
    assert "budget" not in ended.outcome.answer


class Replayed(StraightSteps):
    """Steps that are kept by their numbers; the process dies at one of this name, for the second time."""

    def __init__(self, kept: dict[int, Any], *, dies: str = "", times: int = 2) -> None:
        super().__init__("loop")
        self.kept, self.dies, self.left, self.number = kept, dies, times, 0

    async def do(self, name: str, work: Any, **more: Any) -> Any:
        self.number += 1
        number = self.number
        if number not in self.kept:
            self.left -= name == self.dies
            if not self.left:
                raise KilledError
            self.kept[number] = await super().do(name, work, **more)
        return self.kept[number]


def test_a_place_that_was_given_before_a_kill_is_given_to_nobody_else_after_it(repo: Path) -> None:
    kept: dict[int, Any] = {}
    agent = Scripted([makes])

    with pytest.raises(KilledError):
        loop(repo, FOUR, agent, Replayed(kept, dies="budget"), attempts=1, parallel=4)
    ended = go_on(repo, agent, Replayed(kept), attempts=1, parallel=4)

    assert len(agent.prompts) == ended.outcome.iterations == 1
    assert "- [R] Make a" in ended.plan


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """All that follows is so much later."""
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + seconds)


def test_a_night_in_which_nobody_works_on_a_loop_is_no_time_of_it(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[int, Any] = {}
    agent = Scripted([makes])
    with pytest.raises(KilledError):
        loop(repo, FOUR, agent, Replayed(kept, dies="budget"), seconds=600.0)

    later(monkeypatch, 8 * 3600)
    ended = go_on(repo, agent, Replayed(kept), seconds=600.0)

    assert ended.outcome.ok
    (told,) = ended.told("loop.taken_up")
    assert 8 * 3600 <= told["away"] < 8 * 3600 + 60


def test_the_time_at_work_before_a_kill_counts_up_to_the_last_word_of_an_agent() -> None:
    def fact(run: str, kind: str, at: int, **told: Any) -> Recorded:
        event = Event(run=run, kind=kind, payload=told)
        moment = datetime.fromtimestamp(at, UTC).isoformat()
        return Recorded(event=event, seq=at, position=at, at=moment)

    class Kept:
        def run(self, run: str) -> list[Recorded]:
            return [each for each in facts if each.event.run == run]

    facts = [
        fact("loop", "run.started", 100),
        fact("loop", "loop.taken_up", 200, away=50.0),
        fact("loop", "agent.forked", 300, child="loop.1"),
        fact("loop.1", "model.replied", 700),
    ]

    assert away(cast("Log", Kept()), "loop", now=1000.0) == (50.0, 300.0)
    assert away(cast("Log", Kept()), "another", now=1000.0) == (0.0, 0.0)


def test_a_pause_for_a_usage_limit_ends_when_it_would_have_without_a_kill(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Once(Scripted):
        async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
            if self.prompts:
                return await super().work(order, record=record)
            self.prompts.append(order.prompt)
            return AgentEnd(agent="x", trouble="usage_limit", told="limit")

    kept: dict[int, Any] = {}
    agent = Once([writes("hello.txt", "hi")])
    monkeypatch.setattr(limited, "UNTOLD", 120.0)
    with pytest.raises(KilledError):
        loop(repo, ONE, agent, Replayed(kept, dies="pause", times=1))

    later(monkeypatch, 120)
    began = time.monotonic()
    ended = go_on(repo, agent, Replayed(kept))

    assert ended.outcome.ok
    assert time.monotonic() - began < 100
