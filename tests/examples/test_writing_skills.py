"""What docs/writing-skills.md tells authors is true."""

import asyncio
import re
from pathlib import Path

import pytest

from prowess.core.chat import Call
from prowess.core.process import Finished
from prowess.core.skill import Skill
from prowess.discover.agent_skill import instructions
from prowess.discover.catalog import open_catalog
from prowess.discover.resources import described, instructions_text
from prowess.discover.roots import Root
from prowess.permit.rules import make_gate, parse_rules
from prowess.prompt.commands import fill_commands
from prowess.prompt.variables import fill_instructions, values_for
from support import Cli, write_file

TEXT = (Path(__file__).parents[2] / "docs/writing-skills.md").read_text(encoding="utf-8")
BLOCKS = [found[2] for found in re.finditer(r"(?ms)^(`{3,4})markdown\n(.*?)^\1$", TEXT)]
SKILLS = {
    found[1]: block
    for block in BLOCKS
    if block.startswith("---\n") and (found := re.search(r"(?m)^name: (\S+)$", block))
}


def load(name: str, folder: Path) -> Skill:
    write_file(folder / name / "SKILL.md", SKILLS[name])
    return open_catalog([Root(path=str(folder), location="project")]).get(name)


def test_the_document_has_skills_to_check() -> None:
    assert list(SKILLS) == ["greeting", "compare", "release-notes", "deep-look"]


@pytest.mark.parametrize("name", SKILLS)
def test_a_skill_of_the_document_is_valid(name: str, tmp_path: Path, cli: Cli) -> None:
    load(name, tmp_path)

    assert cli("validate", tmp_path / name).code == 0


def test_the_smallest_is_the_one_among_the_examples(skills: Path) -> None:
    assert (skills / "greeting/SKILL.md").read_text(encoding="utf-8") == SKILLS["greeting"]


def test_arguments_are_found_by_name_and_by_number(tmp_path: Path) -> None:
    skill = load("compare", tmp_path)
    text = instructions(instructions_text(skill))

    filled = fill_instructions(text, values_for(skill, text, arguments='a.csv "b c.csv"'))

    assert filled.text.strip() == (
        "Compare a.csv with b c.csv. What is only in b c.csv, what is only in a.csv?"
    )


def test_both_forms_of_commands_are_run_and_are_granted(tmp_path: Path) -> None:
    skill = load("release-notes", tmp_path)
    gate = make_gate(allowed=parse_rules(skill.fields["allowed_tools"]), workspace="/ws")

    async def run(command: str) -> Finished:
        return Finished(code=0, out=f"<{command}>".encode(), err=b"", seconds=0.1)

    done = asyncio.run(
        fill_commands(
            instructions(instructions_text(skill)),
            run=run,
            judge=lambda command: gate(Call(id="", tool="Bash", input={"command": command})),
        )
    )

    assert all(each.ok for each in done.audit)
    assert "folder: <git status --short>\n" in done.text
    assert "\n<git log --oneline --no-decorate -n 50>\n" in done.text


def test_a_command_may_use_the_arguments_from_its_environment() -> None:
    (command,) = re.findall(r"`` !`([^`]*ARGUMENTS[^`]*)` ``", TEXT)
    gate = make_gate(allowed=parse_rules("Bash(git log:*)"), workspace="/ws")

    assert gate(Call(id="", tool="Bash", input={"command": command})).allowed


def test_files_are_described_as_the_document_shows() -> None:
    (listed,) = [block for block in BLOCKS if block.startswith("- reference.md")]

    assert described("reference.md", listed) == "every call with its fields, answers and errors"
    assert described("templates/report.md", listed) == "the form of the report"


def test_the_large_example_is_as_long_as_the_document_says(skills: Path) -> None:
    text = (skills / "api-integration/SKILL.md").read_text(encoding="utf-8")

    assert f"SKILL.md), {len(text.splitlines())} lines" in TEXT
