"""Workflows as runs: on the durable engine, behind the gate, in the sandbox, told by events."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from prowess.core.event import Recorded
from prowess.core.ports import Engine, Log
from prowess.core.run import Outcome, Question, outcome_from_json
from prowess.core.skill import Skill
from prowess.core.workflow import Progress, WorkflowError
from prowess.durable.opening import open_engine
from prowess.engine.finding import discover
from prowess.engine.presenting import present
from prowess.engine.workflows import KIND, WorkflowRequest, load_workflow, run_workflow_skill
from prowess.engine.world import World, open_sandbox_for
from prowess.model.scripted import Scripted, final
from prowess.observe.follow import follow
from prowess.observe.log import SqliteLog
from prowess.settings import load_settings
from support import write_file, write_skill

T = TypeVar("T")


class Person:
    """A renderer with somebody behind it who has these answers."""

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.shown: list[str] = []
        self.wrong: list[str] = []
        self.steps: list[tuple[str, str]] = []

    async def show(self, text: str, *, step: str, format: str = "markdown") -> None:  # noqa: A002
        self.shown.append(text)

    async def ask(self, question: Question, *, step: str, wrong: str = "") -> str | None:
        self.wrong.append(wrong)
        return self.answers.pop(0)

    async def progress(self, progress: Progress) -> None:
        self.steps.append((progress.step, progress.state))


@dataclass
class Place:
    """A project with a data folder; each `within` is a process of its own."""

    project: Path
    data: Path
    script: Any = ()

    def workflow(self, text: str, name: str = "w") -> Path:
        head = f"name: {name}\ndescription: Does a thing.\n"
        folder = self.project / ".agents" / "skills" / name
        return write_file(folder / "skill.yaml", head + text).parent

    def within(self, work: Callable[[Engine, Log], Awaitable[T]]) -> T:
        async def go() -> T:
            environment = {"PATH": "/usr/bin:/bin"}
            settings = load_settings(
                project=str(self.project), data=str(self.data), environment=environment
            )
            log = SqliteLog(settings.log_file)
            sandbox, isolated = open_sandbox_for(settings)
            world = World(
                settings=settings,
                catalog=lambda: discover(settings, record=log.append),
                log=log,
                sandbox=sandbox,
                isolated=isolated,
                open_model=lambda name, skill: Scripted(self.script),
                environment=environment,
            )
            bodies = {KIND: partial(run_workflow_skill, world=world)}
            try:
                async with open_engine(settings.engine_file, bodies) as engine:
                    return await work(engine, log)
            finally:
                log.close()

        return asyncio.run(go())

    def run(self, person: Person | None = None, skill: str = "w", **asked: Any) -> "Ended":
        request = WorkflowRequest(
            skill=skill, workspace=str(self.project), answers=person is not None, **asked
        )

        async def work(engine: Engine, log: Log) -> Ended:
            await engine.start(KIND, "r1", request.as_json())
            if person:
                await present(log, engine, "r1", person)
            outcome = outcome_from_json(await engine.result("r1"))
            return Ended(outcome, list(log.run("r1")), list(await engine.steps("r1")))

        return self.within(work)


@dataclass
class Ended:
    outcome: Outcome
    events: list[Recorded]
    steps: list[str]

    def payloads(self, kind: str) -> list[Mapping[str, Any]]:
        return [each.event.payload for each in self.events if each.event.kind == kind]


@pytest.fixture
def place(tmp_path: Path, home: Path) -> Place:
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    return Place(project, tmp_path / "data")


def test_a_workflow_is_a_run_with_its_facts_in_the_log(place: Place) -> None:
    place.workflow("steps: [{id: a, command: echo hi, store: x}, {id: b, output: '{x}!'}]\n")

    ended = place.run()

    assert ended.outcome.ok
    assert ended.outcome.details == {"values": {"x": "hi"}}
    assert ended.steps == ["open", "a", "b"]
    assert [each.event.kind for each in ended.events] == [
        "run.started", "step.started", "step.finished", "step.started", "output.shown",
        "step.finished", "run.finished",
    ]  # fmt: skip
    assert ended.payloads("run.started")[0]["run_kind"] == "workflow"


def test_a_person_is_shown_what_it_says_and_asked_what_it_asks(place: Place) -> None:
    place.workflow("""\
inputs: {who: {prompt: Who are you?}}
steps:
  - {id: pick, question: 'Which, {who}?', options: [x, y], store: chosen}
  - {output: '{who} took {chosen}'}
""")
    person = Person("ada", "z", "y")

    ended = place.run(person)

    assert person.shown == ["ada took y"]
    assert person.wrong == ["", "", "'z' is not one of: x, y"]
    assert person.steps[:2] == [("pick", "started"), ("pick", "finished")]
    assert [each["answer"] for each in ended.payloads("question.answered")] == ["ada", "z", "y"]


@pytest.mark.parametrize("person", [None, Person(None)])
def test_where_nobody_can_answer_the_run_fails_and_names_what_to_pass(
    place: Place, person: Person | None
) -> None:
    place.workflow("steps: [{id: q, question: Which?, store: chosen}]\n")

    ended = place.run(person)

    assert ended.outcome.ending == "failed"
    assert "--set chosen=" in ended.outcome.reason


def test_commands_run_behind_the_walls_of_the_sandbox(place: Place, tmp_path: Path) -> None:
    place.workflow(
        f"steps: [{{command: 'ls {tmp_path}/data', optional: true, id: x}}, {{command: touch made}}]\n"
    )

    ended = place.run()

    assert ended.outcome.ok
    assert ended.payloads("step.finished")[0]["ok"] is False
    assert (place.project / "made").exists()


def test_a_command_that_the_file_does_not_allow_itself_is_not_run(place: Place) -> None:
    place.workflow(
        "allowed-tools: Bash(ls:*)\nsteps: [{command: ls}, {id: no, command: touch made}]\n"
    )

    ended = place.run()

    assert "the step 'no' failed: it may not be run" in ended.outcome.reason
    assert not (place.project / "made").exists()
    assert place.workflow("allowed-tools: Bash(ls:*)\nsteps: [{command: touch made}]\n", "other")
    assert place.run(skill="w").outcome.ending == "failed"


def test_what_is_not_granted_may_be_granted_by_a_person(place: Place) -> None:
    place.workflow("allowed-tools: Bash(ls:*)\nsteps: [{command: touch made}]\n")

    ended = place.run(Person("yes"), ask=True)

    assert ended.outcome.ok
    assert (place.project / "made").exists()


def test_a_function_beside_the_file_runs_in_the_sandbox(place: Place) -> None:
    folder = place.workflow("steps: [{python: 'tool:go', arguments: {n: 4}, store: x}]\n")
    write_file(folder / "tool.py", "def go(n):\n    return n * 2\n")

    assert place.run().outcome.details["values"] == {"x": 8}


def test_prowess_itself_runs_outside_the_sandbox_only_where_the_user_granted_it(
    place: Place,
) -> None:
    place.workflow("steps: [{command: prowess list --json, parse: json, store: x}]\n")

    refused = place.run()
    granted = Place(place.project, place.data.with_name("other")).run(allow=("Bash(prowess:*)",))

    assert refused.outcome.ending == "failed"
    assert "skills" in granted.outcome.details["values"]["x"]


def test_a_workflow_runs_another_and_its_questions_reach_the_same_person(place: Place) -> None:
    place.workflow(
        "steps: [{question: Inner?, store: a}, {output: 'inner {a} {given}'}]\ninputs: {given: {}}\n",
        "inner",
    )
    place.workflow(
        "steps: [{skill: inner, inputs: {given: '{user}'}, store: said}, {output: 'outer: {said}'}]\n"
    )
    person = Person("yes")

    ended = place.run(person, user="ada")

    assert ended.outcome.answer == "outer: inner yes ada"
    assert person.shown == ["inner yes ada", "outer: inner yes ada"]
    assert ended.payloads("agent.joined")[0]["child"] == "r1.1"


def test_a_workflow_runs_a_skill_that_a_model_follows(place: Place) -> None:
    write_skill(place.project / ".agents" / "skills", "thinker", body="Think.")
    place.workflow("steps: [{skill: thinker, arguments: now, store: x}, {output: 'It: {x}'}]\n")
    place.script = [final("a thought")]

    assert place.run().outcome.answer == "It: a thought"


def test_a_broken_file_fails_with_all_its_mistakes(place: Place) -> None:
    folder = place.workflow("steps: [{command: 'echo {a}'}, {comand: ls}]\n")
    skill = Skill(
        name="w", description="d", format="workflow", location="project", path=str(folder),
        files=("skill.yaml",), header={},
    )  # fmt: skip

    with pytest.raises(WorkflowError, match="2 mistakes"):
        load_workflow(skill)
    assert "has 2 mistakes" in place.run().outcome.reason


def test_a_run_that_was_interrupted_at_a_question_goes_on_there(place: Place) -> None:
    place.workflow("""\
steps:
  - {command: 'echo once >> done'}
  - {question: Go on?, store: a}
  - {output: '{a}'}
""")
    request = WorkflowRequest(skill="w", workspace=str(place.project), answers=True)

    async def begin(engine: Engine, log: Log) -> None:
        await engine.start(KIND, "r1", request.as_json())
        async for each in follow(log, "r1"):
            if each.event.kind == "question.asked":
                return

    async def go_on(engine: Engine, log: Log) -> tuple[Outcome, list[str]]:
        await engine.resume("r1")
        await present(log, engine, "r1", Person("yes"))
        kinds = [each.event.kind for each in log.run("r1")]
        return outcome_from_json(await engine.result("r1")), kinds

    place.within(begin)
    outcome, kinds = place.within(go_on)

    assert outcome.answer == "yes"
    assert (place.project / "done").read_text() == "once\n"
    assert kinds.count("run.started") == kinds.count("question.asked") == 1
