"""The loop begins what is to do, in the order of the plan, and nothing that is somebody else's."""

import asyncio
from collections.abc import Collection
from pathlib import Path

import pytest

from loop.looping import Scripted, loop, writes
from prowess.core.agent import AgentOrder
from prowess.core.errors import UsageError
from prowess.loop.choosing import choose, chosen_from_json, name_of
from support import write_file


def chosen(folder: Path, plan: str, *, tried: Collection[str] = (), most: int = 1) -> list[str]:
    """The labels of the tasks that are begun next."""
    path = write_file(folder / "PLAN.md", plan)
    found = asyncio.run(choose(str(path), tried, most))
    return [] if found is None else [task.label for task in chosen_from_json(found).plan.tasks]


def test_the_first_task_to_do_is_chosen_and_no_mark_but_that_is_to_do(tmp_path: Path) -> None:
    plan = "- [x] one\n- [R] two\n- [~] three\n- [ ] four\n- [ ] five\n"

    assert chosen(tmp_path, plan) == ["four"]
    assert chosen(tmp_path, "- [x] one\n- [R] two\n- [~] three\n") == []


@pytest.mark.parametrize(
    "people",
    [
        "- [ ]? no\n",
        "## Verification\n- [ ] no\n",
        "## Release checklist\n### Before\n- [ ] no\n",
        "## Manual QA\n- [ ] no\n",
        "```\n- [ ] no\n```\n",
    ],
)
def test_what_is_for_people_is_never_begun(tmp_path: Path, people: str) -> None:
    assert chosen(tmp_path, f"{people}## Tasks\n- [ ] yes\n", most=9) == ["yes"]
    assert chosen(tmp_path, f"## Tasks\n- [x] yes\n{people}") == []


def test_a_task_that_was_tried_is_not_begun_again(tmp_path: Path) -> None:
    path = write_file(tmp_path / "PLAN.md", "- [ ] one\n- [ ] two\n")
    first = chosen_from_json(asyncio.run(choose(str(path), (), 1))).plan.tasks[0]

    assert chosen(tmp_path, path.read_text(), tried=[name_of(first)]) == ["two"]


def test_a_plan_that_has_lost_its_tasks_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no task any more"):
        chosen(tmp_path, "# Nothing\n")


def test_a_loop_leaves_what_is_for_people_as_it_is(repo: Path) -> None:
    mine = "- [ ] Say hello\n  - `test -f hello.txt` succeeds\n"
    people = "- [ ]? Try it in a browser\n\n## Release checklist\n\n- [ ] Tell everybody\n"
    agent = Scripted([writes("hello.txt", "hi")])

    ended = loop(repo, mine + people, agent)

    assert ended.outcome.ok
    assert len(agent.prompts) == 1
    assert ended.plan == mine.replace("[ ]", "[R]") + people


@pytest.mark.parametrize("parallel", [1, 2])
def test_each_prompt_is_about_its_own_task_and_no_other(repo: Path, parallel: int) -> None:
    tasks = {"Begin": "1", "Go on": "2"}
    plan = "".join(
        f"- [ ] {label}\n  - files: {file}\n  - `test -f {file}` succeeds\n"
        for label, file in tasks.items()
    )

    def does(folder: Path, order: AgentOrder) -> str:
        write_file(folder / ("2" if "test -f 2" in order.prompt else "1"), "")
        return "Done."

    agent = Scripted([does])
    ended = loop(repo, plan, agent, parallel=parallel)

    about = [[each for each in tasks if f"## Task\n\n{each}\n" in said] for said in agent.prompts]
    asked = [[each for each in "12" if f"test -f {each}" in said] for said in agent.prompts]
    assert sorted(about) == [["Begin"], ["Go on"]]
    assert sorted(asked) == [["1"], ["2"]]
    assert ended.outcome.ok


def test_a_loop_with_nothing_but_tasks_for_people_says_why_it_does_nothing(repo: Path) -> None:
    done = loop(repo, "## Email verification\n\n- [ ] Send it\n- [ ] Read it\n", Scripted([]))

    assert "there was nothing to do: 2 open tasks are left to people" in done.outcome.reason
