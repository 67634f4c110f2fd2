"""An agent that a budget stopped in its last attempt has not failed: its task stays to do."""

from pathlib import Path
from typing import Any

import pytest

from loop.looping import Scripted, git, loop, writes
from prowess.core.agent import AgentEnd, AgentOrder
from prowess.core.chat import Usage

PLAN = "- [ ] Say hello\n  - `hello.txt` contains `hello`\n"


class Stopped(Scripted):
    """Uses more tokens than there are, and all the time that an attempt may take."""

    async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
        await super().work(order, record=record)
        usage = Usage(input_tokens=1_000, cost=1.0)
        if why := order.enough(usage):
            return AgentEnd(agent="scripted", trouble="budget", told=why, usage=usage)
        return AgentEnd(agent="scripted", trouble="timeout", killed_by="timeout", told="stopped")


@pytest.mark.parametrize("parallel", [1, 2])
@pytest.mark.parametrize(
    ("budget", "told"), [({"tokens": 50}, "50 tokens"), ({"seconds": 900.0}, "900 seconds")]
)
def test_what_it_left_undone_stays_to_do_and_is_kept(
    repo: Path, budget: Any, told: str, parallel: int
) -> None:
    agent = Stopped([writes("half.txt", "half")])

    ended = loop(repo, PLAN, agent, max_attempts=1, parallel=parallel, **budget)

    assert ended.plan == PLAN
    assert ended.outcome.reason == f"the budget of {told} is used up"
    assert "## Cut short\n\n### Say hello" in ended.outcome.answer
    (entry,) = ended.outcome.details["tasks"]
    assert git(repo, "show", f"{entry['branch']}:half.txt") == "half"
    assert git(repo, "status", "--porcelain") == ""


def test_what_it_had_done_by_then_is_proven(repo: Path) -> None:
    ended = loop(repo, PLAN, Stopped([writes("hello.txt", "hello\n")]), max_attempts=1, tokens=50)

    assert "- [R] Say hello" in ended.plan
