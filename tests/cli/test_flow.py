"""`prowess run` with a workflow: attended or not, shown or planned, resumed where it was."""

import json
from pathlib import Path

import pytest

from support import Cli, write_file

GREET = """\
name: greet
version: "1.0"
description: Greet somebody by name.
inputs:
  - name: greeting
    default: Hello
steps:
  - id: who
    type: question
    prompt: Whom shall I greet?
    store: name
  - id: count
    type: command
    command: printf %s {name} | wc -c
    store: letters
  - id: say
    type: output
    output: "{greeting}, {name} ({letters} letters)!"
"""


@pytest.fixture
def greet(project: Path) -> Path:
    return write_file(project / ".agents/skills/greet/skill.yaml", GREET)


@pytest.mark.usefixtures("greet")
def test_answers_given_beforehand_let_a_workflow_run_unattended(cli: Cli) -> None:
    done = cli("run", "greet", "--set", "name=Ada")

    assert done.code == 0
    assert "Hello, Ada (3 letters)!" in done.out


@pytest.mark.usefixtures("greet")
def test_answers_may_come_from_a_file(cli: Cli, project: Path) -> None:
    write_file(project / "answers.yaml", "name: Grace\ngreeting: Good day\n")

    done = cli("run", "greet", "--answers", "answers.yaml")

    assert "Good day, Grace (5 letters)!" in done.out


@pytest.mark.usefixtures("greet")
def test_without_an_answer_the_input_to_pass_is_named(cli: Cli) -> None:
    done = cli("run", "greet")

    assert done.code == 4
    assert "--set name=..." in done.err


@pytest.mark.usefixtures("greet")
def test_arguments_that_no_step_would_see_are_refused_with_what_can_be_set(cli: Cli) -> None:
    done = cli("run", "greet", "extra", "args", "--set", "name=Ada")

    assert done.code == 2
    assert "greet takes no arguments: extra args" in done.err
    assert "set greeting, name with --set NAME=VALUE" in done.err
    assert cli("runs", "list", "--json").json == []


@pytest.mark.parametrize(
    "step",
    [
        'command: [echo, "{arguments}"]',
        "command: echo hi\n    when: arguments",
        "if: arguments == 'x'\n    then:\n      - output: hi",
    ],
)
def test_arguments_that_a_step_sees_are_taken(cli: Cli, project: Path, step: str) -> None:
    text = f"name: wf\ndescription: Does.\nsteps:\n  - {step}\n"
    write_file(project / ".agents/skills/wf/skill.yaml", text)

    assert cli("run", "wf", "x").code == 0


def test_where_nobody_is_there_the_default_is_taken_without_a_word(cli: Cli, project: Path) -> None:
    text = GREET.replace("    store: name", "    default: Ada\n    store: name")
    write_file(project / ".agents/skills/greet/skill.yaml", text)

    done = cli("run", "greet")

    assert done.code == 0
    assert "Hello, Ada (3 letters)!" in done.out
    assert "Nobody" not in done.out + done.err


@pytest.mark.usefixtures("greet")
def test_a_dry_run_tells_what_would_happen_and_does_nothing(cli: Cli, project: Path) -> None:
    planned = cli("run", "greet", "--set", "name=x; touch gone", "--dry-run", "--json").json

    assert [each["step"] for each in planned] == ["who", "count", "say"]
    assert not (project / "gone").exists()
    assert cli("runs", "list", "--json").json == []


@pytest.mark.usefixtures("greet")
def test_an_answer_is_never_shell(cli: Cli, project: Path) -> None:
    done = cli("run", "greet", "--set", "name=x; touch gone")

    assert "Hello, x; touch gone (13 letters)!" in done.out
    assert not (project / "gone").exists()


@pytest.mark.usefixtures("greet")
def test_json_ends_with_the_outcome(cli: Cli) -> None:
    done = cli("run", "greet", "--set", "name=Ada", "--json")

    last = json.loads(done.out.splitlines()[-1])
    assert last["kind"] == "run.finished"
    assert last["outcome"]["ending"] == "done"


def test_a_broken_workflow_is_refused_with_all_that_is_wrong(cli: Cli, project: Path) -> None:
    broken = GREET.replace("{letters}", "{leters}").replace("type: command", "type: comand")
    write_file(project / ".agents/skills/greet/skill.yaml", broken)

    done = cli("run", "greet", "--set", "name=Ada")

    assert done.code == 1
    assert "leters" in done.err
    assert "comand" in done.err


@pytest.mark.parametrize("words", [("--set", "name"), ("--answers", "absent.yaml")])
def test_answers_that_cannot_be_read_are_refused(
    cli: Cli, greet: Path, words: tuple[str, str]
) -> None:
    assert cli("run", "greet", *words).code in (2, 3)
