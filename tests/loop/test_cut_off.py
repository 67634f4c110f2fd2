"""An attempt that a kill cut off is made again, and what its agent did to the plan by then does not count."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from loop.looping import Act, Looped, Scripted, go_on, loop, writes
from prowess.core.agent import AgentEnd, AgentOrder
from prowess.loop import asking
from prowess.loop.behind.before import Before, look
from prowess.loop.git.repository import Repository
from running import KilledError, Remembering

TWO = (
    "# Plan\n\n- [ ] Say hello\n  - `test -f hello.txt` succeeds\n"
    "- [ ] Say bye\n  - files: bye.txt\n  - `test -f bye.txt` succeeds\n"
    "\n## Validation commands\n\n```sh\ntest -f README.md\n```\n"
)
CHANGES = '{"verdict": "CHANGES", "feedback": "look again"}'
HONEST = (writes("hello.txt", "hi"), writes("bye.txt", "bye"))


def rewrites(old: str, new: str) -> Act:
    def act(folder: Path, order: AgentOrder) -> str:
        plan = folder / "PLAN.md"
        plan.write_text(plan.read_text().replace(old, new))
        return ""

    return act


def cut_off(repo: Path, does: Act, **asked: Any) -> Remembering:
    """A loop that was killed while its first agent was at work and had done this."""

    def dies(folder: Path, order: AgentOrder) -> str:
        does(repo, order)
        raise KilledError

    steps = Remembering(run_id="loop")
    with suppress(KilledError):
        loop(repo, TWO, Scripted([dies]), steps, **asked)
    return Remembering(run_id="loop", kept=steps.kept)


def honest(order: AgentOrder) -> Act:
    return HONEST["## Task\n\nSay bye" in order.prompt]


def resumed(repo: Path, steps: Remembering, **asked: Any) -> Looped:
    return go_on(repo, Scripted([lambda *given: honest(given[1])(*given)]), steps, **asked)


@pytest.mark.parametrize("parallel", [1, 2])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("`test -f bye.txt` succeeds", "`true` succeeds"),
        ("- [ ] Say bye", "- [R] Say bye"),
        ("test -f README.md", "true"),
        (TWO, ""),
    ],
)
def test_a_plan_that_was_weakened_before_a_kill_is_put_back_after_it(
    repo: Path, old: str, new: str, parallel: int
) -> None:
    steps = cut_off(repo, rewrites(old, new), parallel=parallel)
    assert (repo / "PLAN.md").read_text() == TWO.replace(old, new)

    ended = resumed(repo, steps, parallel=parallel)

    assert ended.plan == TWO.replace("[ ]", "[R]")
    assert (repo / "bye.txt").read_text() == "bye"
    assert "The plan was put back: " in ended.told("run.warned")[0]["summary"]
    assert [each["attempts"] for each in ended.outcome.details["tasks"]] == [1, 1]


def test_what_was_found_in_its_place_is_kept_aside(repo: Path) -> None:
    steps = cut_off(repo, rewrites("files: bye.txt", "files: **"))

    resumed(repo, steps)

    kept = [path.read_text() for path in (repo / ".prowess" / "plans").iterdir()]
    assert kept == [TWO.replace("files: bye.txt", "files: **")]


def test_a_task_that_was_added_before_a_kill_stays(repo: Path) -> None:
    more = "- [ ] Say hello, too\n  - `test -f hello.txt` succeeds\n\n## Validation"
    steps = cut_off(repo, rewrites("\n## Validation", more))

    ended = resumed(repo, steps)

    assert "] Say hello, too" in ended.plan
    (told,) = ended.told("run.warned")
    assert told["summary"] == (
        "Added to the plan while an agent was at work: Say hello, too; its `files:` allow no tests or"
        " settings to be altered"
    )


def test_a_loop_that_an_older_version_began_goes_on(repo: Path) -> None:
    steps = cut_off(repo, rewrites("nothing", "at all"))
    for kept in steps.kept:
        if isinstance(kept, dict) and "marks" in kept:
            del kept["plan"]

    ended = resumed(repo, steps)

    assert ended.plan == TWO.replace("[ ]", "[R]")


def test_a_plan_that_is_weakened_by_an_agent_that_is_cancelled_is_put_back(repo: Path) -> None:
    class Cancelled(Scripted):
        async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
            rewrites("`test -f bye.txt` succeeds", "`true` succeeds")(repo, order)
            raise asyncio.CancelledError

    with suppress(asyncio.CancelledError):
        loop(repo, TWO, Cancelled([]))

    assert (repo / "PLAN.md").read_text() == TWO


def test_what_a_person_changes_while_a_usage_limit_lasts_stays(repo: Path) -> None:
    class Limited(Scripted):
        async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
            if self.prompts:
                return await super().work(order, record=record)
            self.prompts.append(order.prompt)
            ticks = rewrites("[ ] Say bye", "[x] Say bye")
            asyncio.get_running_loop().call_later(1.0, ticks, repo, order)
            return AgentEnd(agent="scripted", trouble="usage_limit", resets_at=_soon(2.0))

    ended = loop(repo, TWO, Limited([writes("hello.txt", "hi")]))

    assert ended.plan == TWO.replace("[ ] Say hello", "[R] Say hello").replace("[ ]", "[x]")
    assert "loop.plan_restored" not in ended.kinds()
    assert "loop.unticked" not in ended.kinds()


BESIDE = (
    "- [ ] Say hello\n  - files: hello.txt\n  - `test -f hello.txt` succeeds\n"
    "- [ ] Look around\n  - files: around.txt\n"
    "- [ ] Say bye\n  - after: Look around\n  - `test -f bye.txt` succeeds\n"
)


def test_who_is_asked_while_another_weakens_the_plan_does_not_take_it_for_a_persons(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One meets its usage limit until the other is asked for a second review, and weakens the plan then."""
    asked: list[str] = []
    weakened = asyncio.Event()

    class Beside(Scripted):
        async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
            name = "hello" if "## Task\n\nSay hello" in order.prompt else "around"
            asked.append(name)
            if name == "around":
                return await Scripted([writes("around.txt", "round", CHANGES)]).work(
                    order, record=record
                )
            if asked.count(name) < 4:
                return AgentEnd(agent="scripted", trouble="usage_limit", resets_at=_soon(0))
            if not weakened.is_set():
                rewrites("`test -f bye.txt` succeeds", "`true` succeeds")(repo, order)
                weakened.set()
                await asyncio.sleep(2)
            return await Scripted([writes("hello.txt", f"hi {len(asked)}")]).work(
                order, record=record
            )

    async def slowly(plan: str, repository: Repository, branch: str) -> Before:
        if branch.endswith("task-2") and asked.count("around") == 3:
            await asyncio.wait_for(weakened.wait(), 30)
        return await look(plan, repository, branch)

    monkeypatch.setattr(asking, "look", slowly)
    ended = loop(repo, BESIDE, Beside([]), parallel=2, max_attempts=2)

    assert weakened.is_set()
    assert [each["task"] for each in ended.told("loop.plan_restored")] == ["Say hello"]
    assert "run.warned" not in ended.kinds()
    assert "- [R] Say hello" in ended.plan
    assert "`test -f bye.txt` succeeds" in ended.plan


def _soon(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


def test_what_an_attempt_had_done_before_it_was_cut_off_is_a_change_of_the_attempt(
    repo: Path,
) -> None:
    steps = cut_off(repo, writes("hello.txt", "hi"))

    ended = resumed(repo, steps)

    assert ended.plan.count("[R]") == 2
    assert ended.told("loop.no_progress") == []
