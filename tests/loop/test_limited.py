"""Usage limits: how long they are waited for, and when the loop ends rather than wait for ever."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from loop.looping import Looped, Scripted, git, loop, writes
from prowess.core.agent import AgentEnd, AgentOrder
from prowess.core.chat import Usage
from prowess.loop import limited
from prowess.loop.agents.base import Agent
from prowess.loop.agents.command import command_agent
from prowess.loop.limited import Limited

ONE = "- [ ] Say hello\n  - `test -f hello.txt` succeeds\n"
TWO = f"{ONE}- [ ] Say bye\n  - `test -f bye.txt` succeeds\n"


def says(words: str) -> Agent:
    return command_agent(("sh", "-c", f"cat > /dev/null; echo '{words}' >&2; exit 1"))


def ended_outside(ended: Looped, plan: str) -> None:
    assert (ended.outcome.ending, ended.outcome.details["outside"]) == ("partial", True)
    assert ended.plan == plan
    assert ended.outcome.iterations == 0
    assert ended.outcome.reason[1:] in ended.outcome.answer  # as a sentence there


def limit(*, resets: float | None = None, **facts: Any) -> AgentEnd:
    at = None if resets is None else (datetime.now(UTC) + timedelta(seconds=resets)).isoformat()
    return AgentEnd(agent="any", trouble="usage_limit", told="limit", resets_at=at, **facts)


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_limit_of_which_nobody_says_when_it_ends_ends_the_loop_after_some(
    repo: Path, parallel: int
) -> None:
    ended = loop(repo, TWO, says("Rate limit reached"), parallel=parallel)

    assert len(ended.told("agent.joined")) == limited.MOST
    assert len(ended.told("loop.paused")) == limited.MOST - 1
    ended_outside(ended, TWO)
    assert "met its usage limit 5 times in a row" in ended.outcome.reason
    assert "Rate limit reached; look after its account" in ended.outcome.reason


def test_what_only_money_ends_is_not_waited_for(repo: Path) -> None:
    words = "You exceeded your current quota, check your plan and billing (insufficient_quota)"

    ended = loop(repo, TWO, says(words))

    assert ended.told("loop.paused") == []
    ended_outside(ended, TWO)
    assert "gives no more until somebody pays" in ended.outcome.reason
    assert "look after the plan and billing of its account" in ended.outcome.reason


def test_what_was_done_before_the_provider_gave_no_more_is_kept(repo: Path) -> None:
    class Poor(Scripted):
        async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
            await super().work(order, record=record)
            return AgentEnd(agent="any", trouble="usage_limit", told="credit balance is too low")

    ended = loop(repo, ONE, Poor([writes("half.txt", "half")]))

    ended_outside(ended, ONE)
    (entry,) = ended.outcome.details["tasks"]
    assert git(repo, "show", f"{entry['branch']}:half.txt") == "half"
    assert git(repo, "status", "--porcelain") == ""


def test_limits_between_which_work_is_done_are_waited_for(repo: Path) -> None:
    class Slow(Scripted):
        async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
            if len(self.prompts) < 2 * limited.MOST:
                self.prompts.append(order.prompt)
                return limit(usage=Usage(input_tokens=10))
            return await super().work(order, record=record)

    ended = loop(repo, ONE, Slow([writes("hello.txt", "hi")]))

    assert ended.outcome.ok
    assert len(ended.told("loop.paused")) == 2 * limited.MOST


def test_no_pause_is_short_and_pauses_without_work_between_grow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    met, pauses = Limited(), []

    for _ in range(9):
        met.met("any", limit(resets=0.02), changed=False)
        pauses.append(met.pause(limit(resets=0.02)))

    assert pauses == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
    met.met("any", limit(resets=0.02), changed=True)
    assert met.pause(limit(resets=0.02)) == 60
    assert 9999 < met.pause(limit(resets=10_000)) <= 10_000
    untold = Limited()
    untold.met("any", limit(), changed=False)
    assert untold.pause(limit()) == 300
