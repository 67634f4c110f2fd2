"""A fork begins where it was asked to: before an iteration of a skill, before a step of a workflow."""

from pathlib import Path

import pytest

from house import Home, skill_file
from prowess.core.errors import UsageError
from prowess.core.event import Event
from prowess.core.run import Outcome, Question
from prowess.core.workflow import Progress, TextFormat
from prowess.engine.forking import fork
from prowess.engine.house import House, new_run
from prowess.engine.presenting import present
from prowess.engine.workflows import KIND, WorkflowRequest
from prowess.model.scripted import call, final
from support import write_file

WORKFLOW = """\
name: count
version: "1.0"
description: Count what runs.
inputs:
  - name: greeting
    default: Hello
steps:
  - id: first
    type: command
    command: echo first >> ran
  - id: each
    foreach: [a, b]
    as: item
    steps:
      - id: one
        type: command
        command: echo {item} >> ran
  - id: who
    type: question
    prompt: Who?
    store: name
  - id: sure
    type: question
    prompt: Sure?
    store: sure
  - id: deep
    type: skill
    skill: inner
  - id: again
    type: question
    prompt: Once more?
    store: more
  - id: last
    type: command
    command: echo last >> ran
"""


@pytest.fixture
def at(home: Path, project: Path) -> Path:
    write_file(project / ".agents/skills/count/skill.yaml", WORKFLOW)
    skill_file(project, "inner", "Think.")
    skill_file(project, "note", "Take notes.")
    skill_file(project, "deep", "Dig.", context="fork")
    return project


@pytest.fixture
def house(at: Path, tmp_path: Path) -> Home:
    note = [call("Bash", command="echo one >> ran"), call("Bash", command="echo two >> ran")]
    parent = [call("Skill", name="deep"), call("Bash", command="echo own >> ran"), final("done")]
    return Home(
        at,
        tmp_path / "data",
        {"note": [*note, final("noted")], "inner": [final("thought")], "deep": [final("dug")], "*": parent},
    )  # fmt: skip


def ran(at: Path) -> list[str]:
    return (at / "ran").read_text().split()


class Person:
    """Says yes to everything."""

    async def show(self, text: str, *, step: str, format: TextFormat = "markdown") -> None:  # noqa: A002
        """Nobody looks."""

    async def progress(self, progress: Progress) -> None:
        """Nobody looks."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def ask(self, question: Question, *, step: str, wrong: str = "") -> str | None:
        self.asked.append(step)
        return "yes"


def forked(home: Home, run: str, at: str, person: Person | None = None) -> Outcome:
    async def work(house: House) -> Outcome:
        new = await fork(house.log, house.engine, run, at=at)
        await present(house.log, house.engine, new, person or Person())
        return await house.outcome(new)

    return home.within(work)


def counted(home: Home) -> str:
    """The workflow, run to its end with a person who answers."""

    async def work(house: House) -> str:
        run = new_run()
        request = WorkflowRequest(skill="count", answers=True, workspace=str(home.project))
        await house.engine.start(KIND, run, request.as_json())
        await present(house.log, house.engine, run, Person())
        assert (await house.outcome(run)).ok
        return run

    return home.within(work)


def test_a_skill_is_tried_again_from_an_iteration(house: Home, at: Path) -> None:
    ended = house.run("note")

    house.models.clear()
    assert forked(house, ended.run, "2").ok
    assert ran(at) == ["one", "two", "two"]


def test_the_iterations_of_a_sub_agent_do_not_count_as_the_parents(house: Home, at: Path) -> None:
    skill_file(at, "parent", "Delegate.")
    ended = house.run("parent")

    house.models.clear()
    assert forked(house, ended.run, "2").ok
    assert ran(at) == ["own", "own"]


def test_an_iteration_that_was_not_there_is_refused_with_those_that_were(house: Home) -> None:
    ended = house.run("note")

    with pytest.raises(UsageError, match="no iteration 9") as refused:
        forked(house, ended.run, "9")
    assert refused.value.hint == "it has 1 to 3"


@pytest.mark.parametrize(
    ("step", "again", "asked"),
    [
        ("first", ["first", "a", "b", "last"], ["who", "sure", "again"]),
        ("each", ["a", "b", "last"], ["who", "sure", "again"]),
        ("who", ["last"], ["who", "sure", "again"]),
        ("sure", ["last"], ["sure", "again"]),
        ("deep", ["last"], ["again"]),
        ("last", ["last"], []),
    ],
)
def test_a_workflow_goes_its_own_way_from_a_step_and_asks_only_what_comes_then(
    house: Home, at: Path, step: str, again: list[str], asked: list[str]
) -> None:
    run, person = counted(house), Person()
    (at / "ran").write_text("")

    house.models.clear()
    ended = forked(house, run, step, person)
    assert ended.ok
    assert ran(at) == again
    assert person.asked == asked


def test_a_step_behind_a_skill_that_leaves_no_mark_of_its_own_is_not_guessed(house: Home) -> None:
    run = counted(house)

    with pytest.raises(UsageError, match="not certain") as refused:
        forked(house, run, "again")
    assert refused.value.hint == "name one of: first, each, who, sure, deep, last"


def test_a_step_that_the_run_did_not_come_to_is_refused(house: Home) -> None:
    run = counted(house)

    with pytest.raises(UsageError, match="did not come to a step 'nowhere'"):
        forked(house, run, "nowhere")


def test_a_loop_is_not_forked_and_the_way_on_is_told(house: Home) -> None:
    async def work(house: House) -> None:
        house.log.append(Event(run="r", kind="run.started", payload={"run_kind": "loop"}))
        await fork(house.log, house.engine, "r", at="1")

    with pytest.raises(UsageError, match="a loop is not forked") as refused:
        house.within(work)
    assert "not ticked" in refused.value.hint
