"""A newcomer follows each of the five pages to its end and sees what it says."""

import os
import shutil
from pathlib import Path

import pytest

from journeys.page import Typed, is_as_shown, read_page
from journeys.walking import ROOT, Walk

PAGES = ROOT / "docs" / "journeys"
OWN = {"project", "prowess", ".gitconfig", ".config", ".cache", ".local"}  # what a home may have


@pytest.fixture(autouse=True)
def tools() -> None:
    """What the pages take for granted."""
    for name in ("git", "curl"):
        if shutil.which(name) is None:
            pytest.skip(f"there is no {name} on this machine")


def test_a_python_user_runs_a_skill_and_asks_a_catalog(tmp_path: Path) -> None:
    Walk(tmp_path).through(PAGES / "python.md")


def test_an_engineer_gives_opencode_a_skill(tmp_path: Path) -> None:
    opencode = ROOT / ".peers/agents/node_modules/.bin/opencode"
    if not opencode.exists():
        why = "opencode is not installed: run `make peers`"
        pytest.fail(why) if os.environ.get("PROWESS_REQUIRE_ALL") else pytest.skip(why)
    offline = {f"OPENCODE_DISABLE_{name}": "1" for name in ("AUTOUPDATE", "MODELS_FETCH")}

    Walk(tmp_path, folders=[opencode.parent], **offline).through(PAGES / "engineer.md")


def test_an_author_writes_mends_runs_and_measures_a_skill(tmp_path: Path) -> None:
    Walk(tmp_path).through(PAGES / "author.md")


def test_a_plan_is_worked_through_and_a_task_is_sent_back(tmp_path: Path) -> None:
    Walk(tmp_path).through(PAGES / "plan.md")


def test_a_platform_owner_serves_three_roles_and_sees_the_same_on_the_next_day(
    tmp_path: Path,
) -> None:
    walk = Walk(tmp_path)
    walk.through(PAGES / "platform.md")
    walk.through(PAGES / "platform.md")

    assert not (walk.home / ".config/prowess/prowess.toml").exists(), "the tokens are still there"
    assert {path.name for path in walk.home.iterdir()} <= OWN, "the page leaves files in the home"


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.name)
def test_a_page_keeps_its_runs_apart_and_says_what_it_takes_for_granted(page: Path) -> None:
    commands = [step.command for step in read_page(page) if isinstance(step, Typed)]
    commits = any("git commit" in command for command in commands)

    assert commands[0] == "export PROWESS_DATA=$(mktemp -d)"
    assert ("git config --global user.email" in page.read_text(encoding="utf-8")) == commits


def test_a_page_that_says_something_else_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo one; echo two\none\nthree\n```\n", encoding="utf-8")

    with pytest.raises(AssertionError, match=r"page\.md:2: \$ echo one; echo two"):
        Walk(tmp_path).through(page)


@pytest.mark.parametrize(
    ("shown", "seen", "same"),
    [
        ("a\n...\nz", "a\nb\nc\nz\n", True),
        ("a\n...\nz", "a\nz", True),
        ("a\n...\nz", "a\nb", False),
        ("run ... done", "run 3f2a done", True),
        ("run ... done", "run 3f2a\nis done", False),
        ("", "anything", False),
        ("...", "anything", True),
    ],
)
def test_three_dots_stand_for_what_varies(shown: str, seen: str, same: object) -> None:
    assert is_as_shown(shown, seen) is same


def test_a_command_goes_on_with_its_continued_lines(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ cat <<END\n> two\n> END\ntwo\n```\n", encoding="utf-8")

    assert read_page(page) == [Typed("cat <<END\ntwo\nEND", "two", 2)]
    Walk(tmp_path).through(page)


def test_the_shell_remembers_variables_and_the_last_exit_code(tmp_path: Path) -> None:
    with Walk(tmp_path).shell() as shell:
        shell.type("NAME=Ada; (exit 3)")

        assert shell.type("echo $NAME $?").strip() == "Ada 3"
