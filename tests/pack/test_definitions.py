"""The built-in workflows as files: right, complete, and in step with the commands they call."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import typer

from prowess.cli.app import make_app
from prowess.core.board import ROLES
from prowess.core.workflow import CommandStep, QuestionStep, Step, Workflow
from prowess.workflow.check import read_workflow
from support import Cli

PACK = Path(__file__).parent.parent.parent / "src" / "prowess" / "pack"
NAMES = ("session-start", "session-end", "handoff-workflow", "task-management", "tasks-report")
KNOWN = typer.main.get_command(make_app()).commands  # type: ignore[attr-defined]


@pytest.fixture(params=NAMES)
def workflow(request: pytest.FixtureRequest) -> Workflow:
    return read_workflow((PACK / request.param / "skill.yaml").read_text())


def steps_of(steps: tuple[Step, ...]) -> Iterator[Step]:
    for step in steps:
        yield step
        for inner in (getattr(step, "then", ()), getattr(step, "otherwise", ())):
            yield from steps_of(inner)


def commands_of(workflow: Workflow) -> Iterator[tuple[str, ...]]:
    for step in steps_of(workflow.steps):
        if isinstance(step, CommandStep):
            assert isinstance(step.command, tuple)
            yield step.command
        if isinstance(step, QuestionStep) and step.options_command:
            assert isinstance(step.options_command, tuple)
            yield step.options_command


def test_a_new_user_finds_the_workflows(cli: Cli) -> None:
    found = cli("list", "--json").json

    workflows = {each["name"]: each for each in found["skills"] if each["format"] == "workflow"}
    assert set(NAMES) <= set(workflows)
    assert {workflows[name]["location"] for name in NAMES} == {"builtin"}
    assert found["problems"] == []


def test_a_workflow_calls_commands_that_exist_with_options_they_take(workflow: Workflow) -> None:
    for program, *words in commands_of(workflow):
        assert program == "prowess"
        command, rest = KNOWN[words[0]], words[1:]
        if hasattr(command, "commands"):
            command, rest = command.commands[rest[0]], rest[1:]
        options = {option for parameter in command.params for option in parameter.opts}
        asked = {word.partition("=")[0] for word in rest if word.startswith("--")}
        assert asked <= options, (words, asked - options)


def test_a_value_of_a_workflow_can_never_be_taken_for_an_option(workflow: Workflow) -> None:
    """`--title={title}` keeps a title that begins with a hyphen; `--title {title}` would not."""
    for command in commands_of(workflow):
        for before, word in pairwise(command):
            assert not (word.startswith("{") and before.startswith("--")), command


@pytest.mark.parametrize("name", ["session-start", "handoff-workflow", "task-management"])
def test_every_role_of_the_board_can_be_chosen(name: str) -> None:
    workflow = read_workflow((PACK / name / "skill.yaml").read_text())

    (question,) = [
        step
        for step in steps_of(workflow.steps)
        if isinstance(step, QuestionStep) and step.validate == "role-exists"
    ]
    assert question.options == tuple(f"{{roles.{place}.name}}" for place in range(len(ROLES)))


def test_every_answer_can_be_given_beforehand(workflow: Workflow) -> None:
    for step in steps_of(workflow.steps):
        if isinstance(step, QuestionStep):
            assert step.store
