"""The example skills are good ones: strict, described to the last file, and with a script that fits them."""

from pathlib import Path

import pytest

from prowess.core.chat import Call
from prowess.core.execution import read_execution
from prowess.discover.agent_skill import instructions
from prowess.discover.catalog import Catalog
from prowess.discover.resources import instructions_text, resources
from prowess.model.demo_script import FILES, read_script
from prowess.permit.rules import make_gate, parse_rules
from prowess.prompt.commands import find_commands
from prowess.prompt.variables import fill_instructions, values_for
from support import Cli

EXAMPLES = (
    "api-integration",
    "csv-report",
    "data-visualiser",
    "deep-analysis",
    "greeting",
    "pr-reviewer",
)
EVERY = pytest.mark.parametrize("name", EXAMPLES)


def test_all_examples_are_found_and_nothing_is_wrong_with_them(catalog: Catalog) -> None:
    assert tuple(catalog.skills) == EXAMPLES
    assert catalog.problems == ()


@EVERY
def test_an_example_breaks_no_rule(name: str, skills: Path, cli: Cli) -> None:
    found = cli("validate", skills / name, "--json")

    assert found.code == 0
    assert all("specification" in problem["message"] for problem in found.json["problems"])


@EVERY
def test_every_file_of_an_example_is_described(name: str, catalog: Catalog) -> None:
    listed = [each for each in resources(catalog.get(name)) if each.path not in FILES]

    assert all(each.description for each in listed)
    assert all(each.lines for each in listed)


@EVERY
def test_an_example_can_be_run_as_it_says(name: str, catalog: Catalog) -> None:
    skill = catalog.get(name)

    assert read_execution(skill.fields)[1] == []
    assert parse_rules(skill.fields.get("allowed_tools", "")).problem == ""


@EVERY
def test_an_example_brings_a_script_for_the_demo_model(name: str, skills: Path) -> None:
    assert read_script(str(skills / name)) is not None


@EVERY
def test_an_example_has_no_variable_that_nobody_fills(name: str, catalog: Catalog) -> None:
    skill = catalog.get(name)
    text = instructions(instructions_text(skill))
    values = values_for(
        skill, text, arguments="x", workspace="/ws", date="2025-03-04", session_id="s", user="u"
    )

    assert fill_instructions(text, values).warnings == ()


def test_the_reviewer_has_git_speak_and_may(catalog: Catalog) -> None:
    skill = catalog.get("pr-reviewer")
    gate = make_gate(allowed=parse_rules(skill.fields["allowed_tools"]), workspace="/ws")

    commands = [each.command for each in find_commands(instructions(instructions_text(skill)))]

    assert commands == [
        "git status --short --branch",
        "git log --oneline --no-decorate -n 30 main..HEAD",
        "git diff --stat main...HEAD",
        "git diff main...HEAD",
    ]
    for command in commands:
        assert gate(Call(id="", tool="Bash", input={"command": command})).allowed, command


@pytest.mark.parametrize(
    "command", ["git push", "git diff main > x", "git diff main && rm -r .", "git commit"]
)
def test_the_reviewer_may_change_nothing(command: str, catalog: Catalog) -> None:
    skill = catalog.get("pr-reviewer")
    gate = make_gate(allowed=parse_rules(skill.fields["allowed_tools"]), workspace="/ws")

    assert not gate(Call(id="", tool="Bash", input={"command": command})).allowed


def test_deep_analysis_runs_as_an_agent_that_explores(catalog: Catalog) -> None:
    execution, _ = read_execution(catalog.get("deep-analysis").fields)

    assert (execution.fork, execution.agent) == (True, "Explore")


def test_the_large_example_is_as_large_as_the_seed_says(catalog: Catalog) -> None:
    skill = catalog.get("api-integration")
    lines = {each.path: each.lines for each in resources(skill)}

    assert 400 <= len(instructions_text(skill).splitlines()) <= 500
    assert 1_150 <= lines["reference.md"] <= 1_250
    assert 750 <= lines["examples.md"] <= 850
    assert 280 <= lines["templates/response.json"] <= 320


def test_the_large_examples_script_reads_chapters_from_their_headings_on(skills: Path) -> None:
    folder = skills / "api-integration"
    script = read_script(str(folder))
    assert script is not None

    reads = [given for turn in script.turns for tool, given in turn.calls if tool == "Read"]

    assert len(reads) == 3
    for given in reads:
        lines = (folder / Path(given["file_path"]).name).read_text(encoding="utf-8").splitlines()
        after = given["offset"] - 1 + given["limit"]
        assert lines[given["offset"] - 1].startswith("## ")
        assert any(line.startswith("##") for line in lines[after : after + 2])
