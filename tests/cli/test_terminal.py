"""What a person sees on terminals of any width, with colour or without."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from house import skill_file
from prowess.cli.output import words
from prowess.core.board import ROLES
from support import Cli, write_file
from terminal import on_terminal

TASK = "review my code change for bugs and correctness"
TABLES = [
    ["list"],
    ["log"],
    ["roles"],
    ["task", "list"],
    ["dashboard"],
    ["doctor"],
    ["match", TASK, "--explain"],
]


@pytest.mark.parametrize("columns", [40, 60])
@pytest.mark.parametrize("typed", TABLES, ids=" ".join)
def test_no_line_of_a_table_is_wider_than_the_terminal(
    cli: Cli, project: Path, typed: list[str], columns: int
) -> None:
    cli("task", "create", "--role", "engineer", "--title", "Mend what is broken " * 5)
    cli("list")

    shown = on_terminal(*typed, columns=columns, NO_COLOR="1").splitlines()

    # A path is never broken, nor parted from its mark.
    unbroken = [line for line in shown if " " in line.removeprefix("  ok").strip()]
    assert shown
    assert all(cell_len(line) <= columns for line in unbroken)


@pytest.mark.parametrize("columns", [30, 60, 80])
def test_why_a_skill_was_chosen_is_shown_whole(cli: Cli, project: Path, columns: int) -> None:
    (match,) = cli("match", TASK, "--json").json["skills"]

    shown = on_terminal("match", TASK, columns=columns, NO_COLOR="1")

    assert match["reason"] in " ".join(shown.split())
    assert "…" not in shown


@pytest.mark.parametrize("columns", [30, 60, 80])
@pytest.mark.usefixtures("home")
def test_what_a_role_does_is_shown_whole(columns: int) -> None:
    shown = " ".join(on_terminal("roles", columns=columns, NO_COLOR="1").split())

    assert all(f"{role.prefix} {role.about}" in shown for role in ROLES)


@pytest.mark.usefixtures("home")
def test_what_is_well_stands_beside_its_mark_however_long_it_is(project: Path) -> None:
    write_file(project / "prowess.toml", "")

    shown = on_terminal("doctor", columns=30, NO_COLOR="1").splitlines()

    assert f"  ok      {project}/prowess.toml" in shown
    assert "ok" not in map(str.strip, shown)


def test_prose_is_broken_between_words_below_where_it_begins(cli: Cli, project: Path) -> None:
    code = f"echo {'seven ' * 10}".strip()
    body = f"- {'seven ' * 10}\n\n```sh\n{code}\n```\n\n| {'cell ' * 12}|"
    skill_file(project, "long", body, description="nine " * 12)

    shown = on_terminal("show", "long", columns=40, NO_COLOR="1").splitlines()

    assert f"description:      {' '.join(['nine'] * 4)}" in shown
    assert shown.count(" " * 18 + " ".join(["nine"] * 4)) == 2
    assert f"- {' '.join(['seven'] * 6)}" in shown
    assert f"  {' '.join(['seven'] * 4)}" in shown
    assert code in shown
    assert f"| {'cell ' * 12}|" in shown
    assert f"\n{code}\n" in cli("show", "long").out
    assert f"- {'seven ' * 10}\n" in cli("show", "long").out


def test_an_empty_board_says_how_to_begin_in_lines_that_fit(cli: Cli) -> None:
    said = cli("dashboard").err.splitlines()

    assert any("prowess task create --role engineer" in line for line in said)
    assert all(len(line) <= 60 for line in said)


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


def test_the_log_is_limited_as_other_lists_are(cli: Cli) -> None:
    for number in range(3):
        cli("task", "create", "--role", "engineer", "--title", f"Task {number}")

    newest = cli("log", "--limit", "2", "--json").json

    assert len(newest) == 2
    assert cli("log", "--last", "2", "--json").json == newest
    assert "--limit" in cli("log", "--help").out
    assert "--last" not in cli("log", "--help").out


def test_the_log_tells_events_in_words(cli: Cli) -> None:
    cli("list")

    shown = cli("log").out

    assert "names 12" in shown
    assert "['" not in shown


def test_a_skill_that_the_demo_model_cannot_play_is_no_success(cli: Cli, project: Path) -> None:
    skill_file(project, "mine", "Do it.")

    done = cli("run", "mine", "--model", "demo")

    assert done.code == 2
    assert done.err.count("only plays examples") == 1
    assert "--model sonnet" in done.err
    assert cli("runs", "list", "--json").json == []


def test_what_a_run_tells_is_broken_between_words(cli: Cli, project: Path) -> None:
    text = f"name: wf\ndescription: Does.\nsteps:\n  - output: {'seven ' * 20}\n"
    write_file(project / ".agents/skills/wf/skill.yaml", text)
    cli("run", "wf")
    run = cli("runs", "list", "--json").json[0]["id"]

    shown = on_terminal("runs", "events", run, columns=40, NO_COLOR="1").splitlines()

    told = [line.split() for line in shown if line.startswith("seven")]
    assert [len(words) for words in told] == [6, 6, 6, 2]
    assert {word for words in told for word in words} == {"seven"}
