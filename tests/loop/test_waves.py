"""Tasks side by side: each in a tree of its own, merged in order, and nobody's work is lost."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from loop.looping import Act, Looped, git, loop, writes
from prowess.core.agent import AgentEnd, AgentOrder
from prowess.core.chat import Usage
from prowess.core.ports import Json
from prowess.core.task import Task
from prowess.loop.abreast import Step, abreast
from prowess.loop.choosing import apart, together
from support import write_file

TWO = (
    "- [ ] Make one\n  - files: one.txt\n  - `test -f one.txt` succeeds\n"
    "- [ ] Make two\n  - files: two.txt\n  - `test -f two.txt` succeeds\n"
)


@dataclass
class Named:
    """An agent that knows what to do by the task in its prompt; `meets` waits for so many at once."""

    acts: dict[str, list[Act]]
    meets: int = 1
    name: str = "named"
    prompts: dict[str, list[str]] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    here: int = 0
    all_here: asyncio.Event = field(default_factory=asyncio.Event)

    async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
        self.here += 1
        if self.here >= self.meets:
            self.all_here.set()
        async with asyncio.timeout(30):
            await self.all_here.wait()
        task = next(name for name in self.acts if name in order.prompt)
        tries = self.prompts.setdefault(task, [])
        act = self.acts[task][min(len(tries), len(self.acts[task]) - 1)]
        tries.append(order.prompt)
        self.folders.append(order.workspace)
        said = act(Path(order.workspace), order)
        return AgentEnd(agent="named", answer=said, usage=Usage(input_tokens=1, cost=0.0))


def both(first: Act, second: Act, **asked: Any) -> Named:
    return Named({"Make one": [first], "Make two": [second]}, **asked)


def branches(repo: Path) -> list[str]:
    return git(repo, "branch", "--format=%(refname:short)").split()


def test_independent_tasks_are_worked_on_at_the_same_time(repo: Path) -> None:
    agent = both(writes("one.txt", "1"), writes("two.txt", "2"), meets=2)

    ended = loop(repo, TWO, agent, parallel=2)

    assert ended.plan.count("[R]") == 2
    assert ended.outcome.ok
    assert len(set(agent.folders)) == 2
    assert str(repo) not in agent.folders


def test_what_is_done_is_in_the_persons_branch_in_the_order_of_the_plan(repo: Path) -> None:
    agent = both(writes("one.txt", "1"), writes("two.txt", "2"))

    loop(repo, TWO, agent, parallel=2)

    assert (repo / "one.txt").read_text() + (repo / "two.txt").read_text() == "12"
    subjects = git(repo, "log", "--reverse", "--first-parent", "--format=%s").splitlines()
    made = [each for each in subjects if each.startswith(("Make", "Plan:"))]
    assert made == ["Make one", "Plan: [R] Make one", "Make two", "Plan: [R] Make two"]
    assert git(repo, "status", "--porcelain") == ""


def test_nothing_is_left_of_the_work_trees_of_merged_tasks(repo: Path) -> None:
    loop(repo, TWO, both(writes("one.txt", "1"), writes("two.txt", "2")), parallel=2)

    assert branches(repo) == ["main"]
    assert len(git(repo, "worktree", "list").splitlines()) == 1
    assert not any((repo.parent / "data" / "worktrees").iterdir())


def test_a_conflict_costs_an_attempt_and_is_told_to_the_next(repo: Path) -> None:
    """Both create a file that is nobody's, so that git cannot merge them."""
    plan = (
        "- [ ] Make one\n  - files: one.txt, shared.txt\n  - `test -f one.txt` succeeds\n"
        "- [ ] Make two\n  - files: two.txt, shared.txt\n  - `test -f two.txt` succeeds\n"
    )

    def clash(mine: str) -> Act:
        def act(folder: Path, order: AgentOrder) -> str:
            if not (folder / "shared.txt").exists():
                write_file(folder / "shared.txt", mine)
            write_file(folder / mine, mine)
            return "Done."

        return act

    agent = both(clash("one.txt"), clash("two.txt"), meets=2)
    ended = together_whatever_globs_say(lambda: loop(repo, plan, agent, parallel=2))

    assert ended.plan.count("[R]") == 2
    first, second = agent.prompts["Make two"]
    assert ended.outcome.details["tasks"][1]["attempts"] == 2
    lost = next(each for each in branches(repo) if each != "main")
    told = f"kept in the branch `{lost}`. These files were changed by both and could not be merged:"
    assert f"{told}\n\n- shared.txt\n" in second
    assert "could not be merged" not in first
    assert git(repo, "show", f"{lost}:shared.txt") == "two.txt"
    assert ended.outcome.details["tasks"][1]["earlier"] == [lost]
    assert f"not taken in, is kept in the branch `{lost}`" in ended.outcome.answer


def together_whatever_globs_say(work: Callable[[], Looped]) -> Looped:
    """As if the files had not been seen to overlap: what a plan says of files may be wrong."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("prowess.loop.choosing.apart", lambda ours, theirs: True)
        return work()


def test_a_conflict_in_the_last_attempt_blocks_the_task_and_keeps_its_branch(repo: Path) -> None:
    agent = both(writes("same.txt", "1"), writes("same.txt", "2"), meets=2)
    plan = TWO.replace("one.txt", "same.txt").replace("two.txt", "same.txt")

    ended = together_whatever_globs_say(lambda: loop(repo, plan, agent, parallel=2, max_attempts=1))

    assert "- [R] Make one" in ended.plan
    assert "- [~] Make two" in ended.plan
    entry = ended.outcome.details["tasks"][1]
    assert git(repo, "show", f"{entry['branch']}:same.txt") == "2"
    assert (repo / "same.txt").read_text() == "1"
    assert len(git(repo, "worktree", "list").splitlines()) == 1


def test_what_holds_alone_and_not_together_is_not_taken_in(repo: Path) -> None:
    plan = TWO + "\n## Validation commands\n\n```sh\n! test -f one.txt || ! test -f two.txt\n```\n"
    agent = both(writes("one.txt", "1"), writes("two.txt", "2"), meets=2)

    ended = loop(repo, plan, agent, parallel=2, max_attempts=1)

    assert "- [R] Make one" in ended.plan
    assert "- [~] Make two" in ended.plan
    assert not (repo / "two.txt").exists()
    assert "does not go together" in ended.outcome.details["tasks"][1]["reason"]


def test_unfinished_work_of_a_blocked_task_stays_as_a_branch(repo: Path) -> None:
    agent = both(writes("one.txt", "1"), writes("elsewhere.txt", "precious"))

    ended = loop(repo, TWO, agent, parallel=2, max_attempts=1)

    assert "- [~] Make two" in ended.plan
    branch = ended.outcome.details["tasks"][1]["branch"]
    assert git(repo, "show", f"{branch}:elsewhere.txt") == "precious"
    assert branch in ended.outcome.answer


def test_what_the_person_does_meanwhile_is_left_alone(repo: Path) -> None:
    def with_a_person_at_work(folder: Path, order: AgentOrder) -> str:
        write_file(repo / "mine.txt", "committed")
        git(repo, "add", "mine.txt")
        git(repo, "commit", "-q", "-m", "mine")
        write_file(repo / "README.md", "not yet committed\n")
        return writes("one.txt", "1")(folder, order)

    loop(repo, TWO, both(with_a_person_at_work, writes("two.txt", "2")), parallel=2)

    assert (repo / "mine.txt").read_text() == "committed"
    assert (repo / "README.md").read_text() == "not yet committed\n"
    assert git(repo, "status", "--porcelain").strip() == "M README.md"
    assert (repo / "one.txt").exists()


def test_changes_of_the_person_that_are_in_the_way_are_not_overwritten(repo: Path) -> None:
    def with_a_person_in_the_way(folder: Path, order: AgentOrder) -> str:
        write_file(repo / "one.txt", "the person's")
        return writes("one.txt", "1")(folder, order)

    agent = both(with_a_person_in_the_way, writes("two.txt", "2"))
    ended = loop(repo, TWO, agent, parallel=2, max_attempts=1)

    assert (repo / "one.txt").read_text() == "the person's"
    assert "- [ ] Make one" in ended.plan
    assert "- [R] Make two" in ended.plan
    branch = ended.outcome.details["tasks"][0]["branch"]
    assert git(repo, "show", f"{branch}:one.txt") == "1"


def test_an_agent_that_rewrites_the_plan_in_its_tree_changes_no_plan(repo: Path) -> None:
    def ticks_all(folder: Path, order: AgentOrder) -> str:
        plan = folder / "PLAN.md"
        plan.write_text(plan.read_text().replace("[ ]", "[R]"))
        write_file(folder / ".prowess" / "mine.txt", "x")
        return writes("one.txt", "1")(folder, order)

    ended = loop(repo, TWO, both(ticks_all, writes("no.txt", "")), parallel=2, max_attempts=1)

    assert "- [R] Make one" in ended.plan
    assert "- [~] Make two" in ended.plan


def task(label: str, *files: str) -> Task:
    return Task(label=label, line=1, mark=" ", files=files)


def test_a_task_without_files_works_alone() -> None:
    free, bound = task("a"), task("b", "src/b.py")

    assert together([free, bound], 4) == [free]
    assert together([bound, free], 4) == [bound]


def test_no_more_work_at_once_than_was_asked_for() -> None:
    tasks = [task(name, f"{name}.py") for name in "abc"]

    assert together(tasks, 2) == tasks[:2]


@pytest.mark.parametrize(
    ("ours", "theirs", "are"),
    [
        ("src/a.py", "src/b.py", True),
        ("src/a/**", "src/b/**", True),
        ("src/**", "src/b.py", False),
        ("src/b.py", "src/b.py", False),
        ("src/a*.py", "src/ab.py", False),
        ("**/a.py", "src/b.py", False),
        ("./src/a.py", "src/a.py", False),
        ("src/", "src/b.py", False),
        ("src/x/../b.py", "src/b.py", False),
        ("{a,b}.py", "b.py", False),
    ],
)
def test_files_are_apart_only_where_no_path_can_be_in_both(
    ours: str, theirs: str, are: object
) -> None:
    assert apart([ours], [theirs]) is are
    assert apart([theirs], [ours]) is are


@pytest.mark.parametrize("seed", range(5))
def test_those_abreast_begin_their_steps_in_the_same_order_however_long_each_takes(
    seed: int,
) -> None:
    chance = random.Random(seed)  # noqa: S311
    begun: list[str] = []
    between: list[tuple[str, Json]] = []

    async def step(name: str, work: Callable[[], Awaitable[Json]]) -> Json:
        begun.append(name)
        await asyncio.sleep(chance.random() / 50)
        return await work()

    def body(who: str, steps: int) -> Callable[[Step], Awaitable[str]]:
        async def work(step: Step) -> str:
            for number in range(steps):

                async def result(number: int = number) -> Json:
                    return number

                between.append((who, await step(f"{who}{number}", result)))
            return who

        return work

    ended = asyncio.run(abreast(step, [body("a", 3), body("b", 1), body("c", 2)]))

    assert ended == ["a", "b", "c"]
    assert begun == ["a0", "b0", "c0", "a1", "c1", "a2"]
    assert between == [("a", 0), ("b", 0), ("c", 0), ("a", 1), ("c", 1), ("a", 2)]


def test_when_one_of_those_abreast_fails_the_others_are_stopped() -> None:
    stopped = []

    async def step(name: str, work: Callable[[], Awaitable[Json]]) -> Json:
        return await work()

    async def fails(step: Step) -> None:
        async def wrong() -> Json:
            raise ValueError("wrong")

        await step("wrong", wrong)

    async def lasts(step: Step) -> None:
        async def long() -> Json:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                stopped.append("long")
                raise

        await step("long", long)

    with pytest.raises(ValueError, match="wrong"):
        asyncio.run(abreast(step, [lasts, fails]))

    assert stopped == ["long"]


class KeptSteps:
    """Steps that are kept by the order in which they begin, as the durable engine keeps them."""

    def __init__(self, kept: dict[int, tuple[str, Json]]) -> None:
        self.run_id = "loop"
        self.kept = kept
        self.begun = 0

    async def do(
        self, name: str, work: Callable[[], Awaitable[Json]], *, repeatable: bool = True
    ) -> Json:
        number = self.begun = self.begun + 1
        if number not in self.kept:
            self.kept[number] = name, await work()
        kept_name, result = self.kept[number]
        assert kept_name == name, f"step {number} was {kept_name} and is now {name}"
        return result

    async def answer(self, question_id: str, *, seconds: float | None = None) -> str | None:
        raise AssertionError("a loop asks nothing")


def test_a_replayed_wave_asks_for_the_same_steps_and_tells_the_same_story(repo: Path) -> None:
    kept: dict[int, tuple[str, Json]] = {}
    wrong_first = Named(
        {
            "Make one": [writes("no.txt", ""), writes("one.txt", "1")],
            "Make two": [writes("two.txt", "2")],
        }
    )
    first = loop(repo, TWO, wrong_first, KeptSteps(kept), parallel=2)

    replay = KeptSteps(kept)
    second = loop(repo, first.plan, Named({}), replay, parallel=2)

    assert replay.begun == len(kept)
    assert second.events == first.events
    assert second.outcome.details == first.outcome.details


def test_nothing_is_taken_into_another_branch_that_a_person_went_to_meanwhile(repo: Path) -> None:
    def goes_elsewhere(folder: Path, order: AgentOrder) -> str:
        git(repo, "checkout", "-q", "-b", "other")
        return writes("one.txt", "1")(folder, order)

    ended = loop(repo, TWO, both(goes_elsewhere, writes("two.txt", "2")), parallel=2)

    assert ended.outcome.ending == "failed"
    assert "is on other, and the task was begun on main" in ended.outcome.reason
    assert git(repo, "rev-parse", "other") == git(repo, "rev-parse", "main")


TESTED = """# Plan

- [ ] Make one
  - `one.txt` contains `one`
- [ ] Make two
  - `two.txt` contains `two`

## Validation commands

```sh
python -m pytest -q
```
"""


def test_what_an_agent_commits_to_the_persons_branch_does_not_judge_its_next_attempt(
    repo: Path,
) -> None:
    """Its work is in conflict with what it committed there, so that it is tried again on top of that."""
    write_file(repo / "lib.py", "def double(x):\n    return 2 * x\n")
    good = "from lib import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
    write_file(repo / "test_lib.py", good)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "tested")

    def commits(folder: Path, order: AgentOrder) -> str:
        write_file(repo / "test_lib.py", "def test_double():\n    assert True\n")
        write_file(repo / "clash.txt", "theirs")
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", "by nobody")
        write_file(folder / "clash.txt", "ours")
        return writes("two.txt", "two")(folder, order)

    def spoils(folder: Path, order: AgentOrder) -> str:
        write_file(folder / "lib.py", "def double(x):\n    return x\n")
        return writes("two.txt", "two")(folder, order)

    agent = Named({"Make one": [writes("one.txt", "one")], "Make two": [commits, spoils]})
    ended = loop(repo, TESTED, agent, parallel=2, max_attempts=2)

    assert len(agent.prompts["Make two"]) == 2
    assert "- [R] Make one" in ended.plan
    assert "- [~] Make two" in ended.plan


def told_of(ended: Looped, label: str) -> list[str]:
    """What is told of a task's way into the person's branch, and of its mark."""
    kinds = ("loop.merged", "check.finished", "loop.taken_in", "loop.recorded")
    each = [payload for kind, payload in ended.events if kind in kinds]
    return [payload["summary"] for payload in each if payload.get("task") == label]


def test_merged_is_told_of_what_is_in_the_branch_and_of_nothing_else(repo: Path) -> None:
    plan = TWO + "\n## Validation commands\n\n```sh\n! test -f one.txt || ! test -f two.txt\n```\n"
    agent = both(writes("one.txt", "1"), writes("two.txt", "2"), meets=2)

    ended = loop(repo, plan, agent, parallel=2, max_attempts=1)

    merged = ["Merging: Make one", "Merged: Make one", "[R] Make one"]
    assert told_of(ended, "Make one")[1:] == merged
    refused = "Not taken in: Make two: it does not hold on top of what came before it"
    begins, checked, *ends = told_of(ended, "Make two")[1:]
    assert [begins, *ends] == ["Merging: Make two", refused, "[~] Make two"]
    assert "Merged" not in checked
    (first, second) = ended.told("loop.taken_in")
    assert first["commit"]
    assert not first["why"]
    assert second["branch"] == ended.outcome.details["tasks"][1]["branch"]


def test_of_a_conflict_it_is_told_what_others_changed(repo: Path) -> None:
    agent = both(writes("same.txt", "1"), writes("same.txt", "2"), meets=2)
    plan = TWO.replace("one.txt", "same.txt").replace("two.txt", "same.txt")

    ended = together_whatever_globs_say(lambda: loop(repo, plan, agent, parallel=2, max_attempts=1))

    assert told_of(ended, "Make two")[1:] == [
        "Conflict: Make two",
        "Not taken in: Make two: others changed same.txt too",
        "[~] Make two",
    ]


def test_a_commit_that_a_person_takes_out_meanwhile_does_not_come_back(repo: Path) -> None:
    def takes_out(folder: Path, order: AgentOrder) -> str:
        git(repo, "reset", "-q", "--hard", "HEAD~1")
        return writes("one.txt", "1")(folder, order)

    write_file(repo / "PLAN.md", TWO)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "plan")
    write_file(repo / "secret.txt", "a secret")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "oops")
    ended = loop(repo, TWO, both(takes_out, writes("two.txt", "2")), parallel=2)

    assert ended.outcome.ending == "failed"
    assert "no longer holds" in ended.outcome.reason
    assert "[R]" not in ended.plan
    assert git(repo, "log", "--format=%s", "main").split() == ["plan", "first"]
    assert git(repo, "show", "prowess/loop/task-1:one.txt") == "1"
