"""Skills in a work tree that belongs to somebody."""

import subprocess
from pathlib import Path

import pytest

from prowess.core.agent import AgentOrder
from prowess.loop.agents.handover import FOLDER, handed_over
from support import write_file, write_skill


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    return write_skill(tmp_path / "elsewhere", "csv-tools")


def order(workspace: Path, **skills: Path) -> AgentOrder:
    given = {name.replace("_", "-"): str(path) for name, path in skills.items()}
    return AgentOrder(run="r1", prompt="", workspace=str(workspace), skills=given)


def test_what_a_person_has_there_stays_as_it_is(workspace: Path, skill: Path) -> None:
    mine = write_skill(workspace / ".agents" / "skills", "csv-tools", body="mine")

    with handed_over(order(workspace, csv_tools=skill), links=True):
        assert (mine.parent / FOLDER / "csv-tools").resolve() == skill
    assert [path.name for path in mine.parent.iterdir()] == ["csv-tools"]
    assert "mine" in (mine / "SKILL.md").read_text()


def test_a_skill_that_is_there_already_is_not_laid_again(workspace: Path) -> None:
    mine = write_skill(workspace / ".agents" / "skills", "csv-tools")

    with handed_over(order(workspace, csv_tools=mine), links=True):
        assert not (mine.parent / FOLDER / "csv-tools").exists()


def test_what_a_killed_process_left_is_cleared_by_the_next(workspace: Path, skill: Path) -> None:
    left = workspace / ".agents" / "skills" / FOLDER
    write_file(left / ".gitignore", "*\n")
    (left / "old").symlink_to(skill)

    with handed_over(order(workspace, csv_tools=skill), links=True):
        assert sorted(path.name for path in left.iterdir()) == [".gitignore", "csv-tools"]
    assert not left.exists()


def test_what_an_agent_wrote_among_the_links_is_kept(workspace: Path, skill: Path) -> None:
    own = workspace / ".agents" / "skills" / FOLDER

    with handed_over(order(workspace, csv_tools=skill), links=True):
        write_file(own / "notes.md", "work")

    assert [path.name for path in own.iterdir()] == ["notes.md"]


def test_a_folder_that_leads_out_of_the_work_tree_is_left_alone(
    workspace: Path, skill: Path, tmp_path: Path
) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (workspace / ".agents").symlink_to(away)

    with handed_over(order(workspace, csv_tools=skill), links=True):
        assert not any(away.iterdir())
    assert (workspace / ".agents").is_symlink()


def test_an_error_on_the_way_clears_all_the_same(workspace: Path, skill: Path) -> None:
    with pytest.raises(RuntimeError), handed_over(order(workspace, csv_tools=skill), links=True):
        raise RuntimeError

    assert not any(workspace.iterdir())


def test_not_even_an_agent_that_adds_everything_commits_them(workspace: Path, skill: Path) -> None:
    """In a linked work tree too, where the exclusions of git are those of all."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@localhost", "-C"]
    main = workspace / "main"
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    subprocess.run([*git, str(main), "commit", "-q", "--allow-empty", "-m", "1"], check=True)
    subprocess.run([*git, str(main), "worktree", "add", "-q", str(workspace / "two")], check=True)
    tree = workspace / "two"

    with handed_over(order(tree, csv_tools=skill), links=True):
        subprocess.run([*git, str(tree), "add", "-A"], check=True)
        added = subprocess.run(
            [*git, str(tree), "diff", "--cached", "--name-only"], capture_output=True, check=True
        ).stdout

    assert added == b""
