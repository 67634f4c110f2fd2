"""A plan may grow while an agent is at work, but not by tasks that nobody has to do."""

from pathlib import Path

import pytest

from loop.looping import Scripted, loop, writes
from prowess.core.agent import AgentOrder
from prowess.loop.behind.guarding import tampered

PLAN = (
    "# Plan\n\n- [ ] Say hello\n  - `hello.txt` contains `hello`\n"
    "- [ ] Write the docs\n  - `docs.txt` contains `hello`\n"
)


@pytest.mark.parametrize(
    "added",
    [
        "- [R] Extra\n",
        "- [x] Extra\n",
        "- [ ] Write the docs\n",
        "- [R] Write the docs\n",
        "- [ ] write  the docs.\n",
        "- [ ] Write the docs @writer\n",
        "- [ ] Extra\n- [ ] Extra\n",
        "## Manual QA\n\n- [x] Write the docs\n",
    ],
)
def test_tasks_that_are_ticked_or_called_like_another_may_not_come_in(added: str) -> None:
    told = tampered(PLAN.encode(), (PLAN + added).encode())

    assert told
    assert "was added" in told[0]


@pytest.mark.parametrize(
    "added", ["", "- [ ] Extra\n", "- [ ] Extra\n- [ ] More\n", "## Manual QA\n\n- [x] Tried it\n"]
)
def test_other_tasks_may(added: str) -> None:
    assert tampered(PLAN.encode(), (PLAN + added).encode()) == []


def test_what_describes_a_task_may_not_be_reworded() -> None:
    before, after = (f"{PLAN}\n  In {words}.\n".encode() for words in ("ten pages", "one word"))

    assert tampered(before, after) == ["'Write the docs' was changed"]


def test_tasks_of_one_name_that_a_person_wrote_may_stay() -> None:
    twice = f"{PLAN}- [ ] Write the docs\n- [R] Done before\n"

    assert tampered(twice.encode(), f"{twice}- [ ] Extra\n".encode()) == []


def test_an_attempt_that_adds_them_has_failed_and_they_are_gone(repo: Path) -> None:
    def cheats(folder: Path, order: AgentOrder) -> str:
        plan = folder / "PLAN.md"
        weak = "- [R] Extra nobody did\n- [ ] Write the docs\n  - `PLAN.md` exists\n"
        first = plan.read_text().replace("- [ ] Write the docs", f"{weak}- [ ] Write the docs", 1)
        plan.write_text(first)
        return writes("hello.txt", "hello\n")(folder, order)

    honest = writes("hello.txt", "hello, again\n")
    agent = Scripted([cheats, honest, writes("docs.txt", "hello\n")])
    ended = loop(repo, PLAN, agent)

    assert ended.plan == PLAN.replace("[ ]", "[R]")
    assert "Extra nobody did" in agent.prompts[1]
    assert ended.outcome.details["tasks"][0]["attempts"] == 2


def test_a_task_that_is_blocked_for_it_says_why_though_all_its_criteria_hold(repo: Path) -> None:
    def cheats(folder: Path, order: AgentOrder) -> str:
        (folder / "PLAN.md").write_text(f"{PLAN}- [R] Extra nobody did\n")
        return writes("hello.txt", "hello\n")(folder, order)

    ended = loop(repo, PLAN, Scripted([cheats, cheats]), max_attempts=1)

    assert "Extra nobody did" in ended.outcome.answer
