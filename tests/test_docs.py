"""What the documents say is true."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
import typer

from prowess.cli.app import make_app
from prowess.core import event
from prowess.discover.agent_skill import LONGEST_DESCRIPTION
from prowess.discover.roots import DEFAULT_DIRS
from prowess.settings import Settings
from prowess.settings.fields import FIELDS
from support import Cli

ROOT = Path(__file__).parent.parent
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
INSTALLING = (
    "docs/installing.md",
    "docs/upgrading.md",
    "docs/serving.md",
    "docs/journeys/python.md",
)
COMMANDS = sorted(typer.main.get_command(make_app()).commands)  # type: ignore[attr-defined]


def test_every_setting_is_documented_with_its_default() -> None:
    text = (ROOT / "docs/settings.md").read_text()
    defaults = {field.name: field.default for field in fields(Settings)}

    for name, field in FIELDS.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| `{name}`"))
        assert ("*yours*" in row) == field.own, name
        assert ("*lower only*" in row) == field.lower, name
        if isinstance(default := defaults[name], float):
            assert f"`{default:g}s`" in row
        elif isinstance(default, bool | int):
            assert f"`{str(default).lower()}`" in row


def test_every_default_folder_is_documented_in_order() -> None:
    text = (ROOT / "docs/skills.md").read_text()
    places = [text.index(f"`{folder}`") for folder in DEFAULT_DIRS]

    assert places == sorted(places)
    assert f"{LONGEST_DESCRIPTION:,}" in text


def test_every_command_is_in_the_readme_and_the_table_of_commands() -> None:
    readme, table = (ROOT / "README.md").read_text(), (ROOT / "docs/commands.md").read_text()

    for command in COMMANDS:
        assert re.search(rf"\b(prowess|make) {command}\b", readme), command
        assert f"| `{command}" in table, command


def test_every_event_is_documented() -> None:
    text = (ROOT / "docs/events.md").read_text()

    for kind in (
        event.SKILLS_DISCOVERED,
        event.SKILLS_SELECTED,
        event.SKILLS_LOAD_FAILED,
        event.SKILLS_TRUNCATED,
    ):
        assert f"| `{kind}` |" in text


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", path.read_text()):
        if not target.startswith("http"):
            assert (path.parent / target).exists(), target


@pytest.mark.parametrize(
    "path", [*DOCS, *sorted((ROOT / "src/prowess/pack").rglob("*.md"))], ids=lambda path: path.name
)
def test_commands_named_in_text_exist_and_take_their_options(path: Path) -> None:
    known = dict(typer.main.get_command(make_app()).commands)  # type: ignore[attr-defined]
    for line in re.findall(r"`prowess ([^`]+)`", path.read_text()):
        words = line.split()
        if words[0].startswith("-") or words[0] == "COMMAND":
            continue
        assert words[0] in known, line
        command = known[words[0]]
        if len(words) > 1 and words[1] in getattr(command, "commands", {}):
            command = command.commands[words[1]]
        options = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        for word in words[1:]:
            if word.startswith("--"):
                assert word.partition("=")[0] in options, line


@pytest.mark.parametrize("name", ["README.md", *INSTALLING])
def test_nothing_is_installed_by_a_name_that_is_not_published(name: str) -> None:
    text = (ROOT / name).read_text()

    assert not re.search(r"\b(install|upgrade)\b[^`\n]* '?prowess\b(?![/-])", text)


def test_the_version_is_told(cli: Cli) -> None:
    assert cli("--version").out.startswith("prowess ")
