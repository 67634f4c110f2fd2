"""What a person sees on terminals of any width, with colour or without."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from house import skill_file
from prowess.cli.output import words
from support import Cli, write_file
from terminal import on_terminal

TABLES = [["list"], ["log"], ["roles"], ["task", "list"], ["dashboard"], ["doctor"]]


@pytest.mark.parametrize("columns", [40, 60])
@pytest.mark.parametrize("typed", TABLES, ids=" ".join)
def test_no_line_of_a_table_is_wider_than_the_terminal(
    cli: Cli, project: Path, typed: list[str], columns: int
) -> None:
    cli("task", "create", "--role", "engineer", "--title", "Mend what is broken " * 5)
    cli("list")

    shown = on_terminal(*typed, columns=columns, NO_COLOR="1").splitlines()

    unbroken = [line for line in shown if " " in line.strip()]  # a path is never broken
    assert shown
    assert all(cell_len(line) <= columns for line in unbroken)


@pytest.mark.usefixtures("home")
def test_no_color_means_no_bold_either() -> None:
    assert "\x1b[" not in on_terminal("list", columns=80, NO_COLOR="1")
    assert "\x1b[" in on_terminal("list", columns=80)


def test_a_loaded_skill_cannot_drive_the_terminal(cli: Cli, project: Path) -> None:
    body = "Read \x1b]0;mine\x07 it."
    skill_file(project, "sly", body)

    assert body in cli("prompt", "sly", "--load", "sly").out
    assert "\x1b]" not in on_terminal("prompt", "sly", "--load", "sly", columns=80)


def test_a_skill_that_is_read_cannot_drive_the_terminal(cli: Cli, project: Path) -> None:
    body = "Read \x1b]0;mine\x07 it."
    folder = skill_file(project, "sly", body)
    (folder / "more.md").write_text(body)

    for typed in (("read", "sly"), ("read", "sly", "--file", "more.md")):
        assert body in cli(*typed).out
        assert "\x1b]" not in on_terminal(*typed, columns=80)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, ""),
        (True, "yes"),
        ({"a": 1, "b": None, "c": ["x", "y"]}, "a 1, c x; y"),
        (0.25, "0.25"),
        ([], ""),
    ],
)
def test_values_are_told_in_words(value: object, told: str) -> None:
    assert words(value) == told


def test_the_log_tells_events_in_words(cli: Cli) -> None:
    cli("list")

    shown = cli("log").out

    assert "names 12" in shown
    assert "['" not in shown


def test_a_skill_that_the_demo_model_cannot_play_is_no_success(cli: Cli, project: Path) -> None:
    skill_file(project, "mine", "Do it.")

    done = cli("run", "mine", "--model", "demo")

    assert done.code == 3
    assert done.err.count("only plays examples") == 1
    assert "--model sonnet" in done.err


def test_what_a_run_tells_is_broken_between_words(cli: Cli, project: Path) -> None:
    text = f"name: wf\ndescription: Does.\nsteps:\n  - output: {'seven ' * 20}\n"
    write_file(project / ".agents/skills/wf/skill.yaml", text)
    cli("run", "wf")
    run = cli("runs", "list", "--json").json[0]["id"]

    shown = on_terminal("runs", "events", run, columns=40, NO_COLOR="1").splitlines()

    told = [line.split() for line in shown if line.startswith("seven")]
    assert [len(words) for words in told] == [6, 6, 6, 2]
    assert {word for words in told for word in words} == {"seven"}
