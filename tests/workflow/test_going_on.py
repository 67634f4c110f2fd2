"""What a person does when a workflow did not go as they wished: the advice is followed to the letter."""

import re
from pathlib import Path

import pytest

from support import Cli, write_file

FLOW = """
name: flow
description: Greets from a file.
steps:
  - {id: who, command: [echo, Ada], store: who}
  - {id: read, command: [cat, greeting.txt], store: greeting}
  - {id: say, output: "{greeting}, {who}"}
"""
ASKS = """
name: asks
description: Asks for a name.
steps:
  - {id: name, question: Which name?, default: "{user}", store: name}
  - {id: say, output: "Hello {name}"}
"""


@pytest.fixture
def flows(home: Path, project: Path) -> Path:
    for name, text in (("flow", FLOW), ("asks", ASKS)):
        write_file(project / ".agents" / "skills" / name / "skill.yaml", text)
    return project


def test_the_advice_after_a_failure_leads_to_the_end(flows: Path, cli: Cli) -> None:
    failed = cli("run", "flow")
    advice = re.search(r"prowess (runs fork \w+ --from read)", failed.err)

    assert failed.code == 1
    assert advice
    write_file(flows / "greeting.txt", "Good morning")
    done = cli(*advice[1].split())
    assert done.code == 0, done.err
    assert "Good morning, Ada" in done.out


@pytest.mark.parametrize(
    ("words", "near"),
    [(["--set", "whoo=Bob"], "who"), (["--from", "reed"], "read")],
)
def test_a_wrong_name_is_refused_before_there_is_a_run(
    words: list[str], near: str, flows: Path, cli: Cli
) -> None:
    refused = cli("run", "flow", *words)

    assert refused.code == 2
    assert near in refused.err
    assert cli("runs", "list", "--json").json == []


def test_a_default_is_taken_where_nobody_can_answer(flows: Path, cli: Cli) -> None:
    done = cli("run", "asks")

    assert done.code == 0, done.err
    assert "Hello " in done.out


def test_every_command_tells_a_mistake_with_its_line_and_column(flows: Path, cli: Cli) -> None:
    file = flows / ".agents" / "skills" / "flow" / "skill.yaml"
    write_file(file, FLOW.replace("{greeting}", "{nobody}"))

    for command in (["validate", file.parent], ["list", "--problems"]):
        assert f"{file}:7:24: error: nothing is called 'nobody'" in cli(*command).out
    for command in (["validate", file.parent], ["list"]):
        (problem,) = cli(*command, "--json").json["problems"]
        assert (problem["line"], problem["column"]) == (7, 24)
    assert "line 7, column 24" in cli("run", "flow").err
