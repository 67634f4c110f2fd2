"""
Every block of code in the documents is checked by what will read it, and run where that needs no more than Prowess.

The journeys and the README are walked as a whole elsewhere; workflows and skills have tests of their own.
"""

import json
import re
import shlex
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer

from journeys.walking import ROOT, Walk
from prowess.cli.app import make_app
from prowess.core.safe_yaml import read_mapping
from prowess.loop.phases import parse_phases
from prowess.model.demo_script import parse_script
from prowess.select.plan import read_plan
from prowess.settings import load_settings
from support import write_file

_BLOCK = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    page: str
    language: str
    text: str
    line: int

    @property
    def commands(self) -> list[str]:
        """The lines that call Prowess, without what stands before and behind them."""
        lines = (line.removeprefix("$ ") for line in self.text.splitlines())
        found = (re.search(r"(?:^|\| )(prowess .*)", line) for line in lines)
        return [match[1] for match in found if match]


def blocks() -> list[Block]:
    made = []
    for path in sorted((ROOT / "docs").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for found in _BLOCK.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            made.append(Block(path.name, found[2].strip(), found[3], line))
    return made


BLOCKS = blocks()
RUN = ("board.md",)  # needs nothing but Prowess; the journeys are walked elsewhere
# What the other pages need for their commands, or why nobody can wait for them.
NOT_RUN = {
    "checking.md": "work to be checked; docs/journeys/plan.md shows a check",
    "integrations.md": "a person who says yes; docs/journeys/engineer.md walks it",
    "loop.md": "an agent and its model; docs/journeys/plan.md walks one",
    "permissions.md": "a file of yours, and the answer is no",
    "postgres.md": "a server; tests/postgres.py starts one for tests of its own",
    "privacy.md": "a file that is followed without end",
}


def name(block: Block) -> str:
    return f"{block.page}:{block.line}"


def of(*languages: str) -> list[Block]:
    return [block for block in BLOCKS if block.language in languages]


def test_every_block_is_of_a_kind_that_somebody_checks() -> None:
    known = {"bash", "console", "json", "markdown", "toml", "yaml", "sh", ""}

    assert {block.language for block in BLOCKS} <= known


@pytest.mark.parametrize("block", of("toml"), ids=name)
def test_settings_are_such_that_are_taken(block: Block, home: Path) -> None:
    write_file(home / ".config" / "prowess" / "prowess.toml", block.text)

    assert tomllib.loads(block.text)
    load_settings(environment={})


@pytest.mark.parametrize("block", of("json"), ids=name)
def test_json_is_json_line_by_line(block: Block) -> None:
    for line in block.text.splitlines():
        json.loads(line)


READERS: dict[str, Callable[[str], object]] = {"loop.md": parse_phases, "models.md": parse_script}


@pytest.mark.parametrize("block", of("yaml"), ids=name)
def test_yaml_is_read_by_what_it_is_for(block: Block) -> None:
    assert READERS.get(block.page, read_mapping)(block.text)


def test_the_plan_of_the_page_about_plans_is_one() -> None:
    page = (ROOT / "docs" / "plans.md").read_text(encoding="utf-8")
    text = page.partition("```markdown\n")[2].partition("\n| mark |")[0]

    plan = read_plan(text.encode())

    assert [task.mark for task in plan.tasks][:2] == ["R", " "]


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.commands], ids=name)
def test_commands_take_the_words_they_are_given(block: Block) -> None:
    known = dict(typer.main.get_command(make_app()).commands)  # type: ignore[attr-defined]
    for line in block.commands:
        words = shlex.split(line, comments=True)[1:]
        if words[0].startswith("-"):
            continue
        command = known[words[0]]
        if words[1:] and words[1] in getattr(command, "commands", {}):
            command = command.commands[words[1]]
        options = {option for parameter in command.params for option in parameter.opts}
        given = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert given <= options, line


@pytest.mark.parametrize(
    "block",
    [block for block in of("bash", "console", "sh") if block.page in RUN],
    ids=name,
)
def test_commands_do_what_they_are_for(block: Block, tmp_path: Path) -> None:
    with Walk(tmp_path).shell() as shell:
        for line in block.text.splitlines():
            seen = shell.type(line)
            assert shell.code == 0, f"{name(block)}: {line}\n{seen}"


def test_what_is_run_and_what_is_not_are_pages_with_commands() -> None:
    assert {*RUN, *NOT_RUN} <= {block.page for block in BLOCKS if block.commands}
