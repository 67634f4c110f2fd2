"""What a person sees on terminals of any width, with colour or without."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from house import skill_file
from prowess.cli.output import words
from support import Cli

TABLES = [["list"], ["log"], ["roles"], ["task", "list"], ["dashboard"], ["doctor"]]


def on_terminal(*typed: str, columns: int, **environment: str) -> str:
    """What the command shows on a terminal of this width."""
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "prowess", *typed],
        stdin=slave,
        stdout=slave,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm", **environment},
    )
    os.close(slave)
    heard = b""
    try:
        while more := os.read(master, 65536):
            heard += more
    except OSError:  # the other end is closed
        pass
    child.wait()
    os.close(master)
    return heard.decode()


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
    assert "only plays examples" in done.err
    assert "--model sonnet" in done.err
