"""The folders that are searched, in the order that decides which skill wins."""

import os
from pathlib import Path

import pytest

from prowess.discover.roots import DEFAULT_DIRS, Root, search_order


def make(*folders: Path) -> None:
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)


def order(dirs: list[str], project: Path, builtin: Path | None = None) -> list[Root]:
    return search_order(dirs, project=str(project), builtin=str(builtin) if builtin else None)


def paths(roots: list[Root]) -> list[str]:
    return [root.path for root in roots]


def test_the_default_order_is_the_documented_one(home: Path, project: Path) -> None:
    expected = [
        project / ".agents/skills",
        project / ".agent/skills",
        home / ".agents/skills",
        home / ".agent/skills",
        project / ".claude/skills",
        home / ".claude/skills",
        project / ".opencode/skills",
        project / ".cursor/skills",
        project / ".codex/skills",
        project / ".github/skills",
        home / ".agents-ui/maestro-skills",
    ]
    pack = home / "pack"
    make(*reversed(expected), pack)

    roots = order(list(DEFAULT_DIRS), project, pack)

    assert paths(roots) == [str(path) for path in [*expected, pack]]


def test_a_root_says_whose_it_is(home: Path, project: Path) -> None:
    make(project / "skills", home / "skills", home / "pack")

    roots = order(["skills", "~/skills"], project, home / "pack")

    assert [root.location for root in roots] == ["project", "global", "builtin"]


def test_an_absolute_folder_inside_the_project_is_the_projects_and_any_other_is_global(
    tmp_path: Path,
) -> None:
    make(tmp_path / "project" / "skills", tmp_path / "project-two")

    roots = order(
        [str(tmp_path / "project" / "skills"), str(tmp_path / "project-two")],
        tmp_path / "project",
    )

    assert [root.location for root in roots] == ["project", "global"]


def test_a_folder_written_with_a_tilde_is_global_even_inside_the_project(home: Path) -> None:
    make(home / "skills")

    (root,) = order(["~/skills"], home)

    assert root == Root(str(home / "skills"), "global")


def test_relative_folders_are_looked_for_up_to_the_git_root_nearest_first(tmp_path: Path) -> None:
    repository, below = tmp_path / "repo", tmp_path / "repo" / "packages" / "web"
    make(repository / ".git", below / "s", repository / "packages" / "s", repository / "s")
    make(tmp_path / "s", below / "t")

    roots = order(["s", "t"], below)

    assert paths(roots) == [
        str(below / "s"),
        str(repository / "packages" / "s"),
        str(repository / "s"),
        str(below / "t"),
    ]


def test_a_git_file_of_a_worktree_marks_the_git_root_too(tmp_path: Path) -> None:
    make(tmp_path / "tree" / "below", tmp_path / "tree" / "s", tmp_path / "s")
    (tmp_path / "tree" / ".git").write_text("gitdir: /elsewhere\n")

    assert paths(order(["s"], tmp_path / "tree" / "below")) == [str(tmp_path / "tree" / "s")]


def test_outside_of_git_only_the_working_folder_is_looked_in(tmp_path: Path) -> None:
    make(tmp_path / "below", tmp_path / "s")

    assert order(["s"], tmp_path / "below") == []


def test_folders_that_do_not_exist_are_left_out(tmp_path: Path) -> None:
    make(tmp_path / "there")

    assert paths(order(["gone", "there"], tmp_path, tmp_path / "no-pack")) == [
        str(tmp_path / "there")
    ]


def test_a_plain_file_is_not_a_root(tmp_path: Path) -> None:
    (tmp_path / "skills").write_text("not a folder")

    assert order(["skills"], tmp_path) == []


def test_a_path_that_no_file_system_can_hold_is_left_out(tmp_path: Path) -> None:
    assert order(["a\0b"], tmp_path) == []


@pytest.mark.parametrize("again", ["skills", "./skills/", "skills/../skills", "link", "{abs}"])
def test_a_folder_reached_a_second_time_is_searched_once(tmp_path: Path, again: str) -> None:
    make(tmp_path / "skills")
    (tmp_path / "link").symlink_to("skills")

    roots = order(["skills", again.replace("{abs}", str(tmp_path / "skills"))], tmp_path)

    assert paths(roots) == [str(tmp_path / "skills")]


def test_a_pack_that_is_also_configured_keeps_its_place_in_the_configured_order(
    tmp_path: Path,
) -> None:
    make(tmp_path / "pack", tmp_path / "skills")

    roots = order(["pack", "skills"], tmp_path, tmp_path / "pack")

    assert paths(roots) == [str(tmp_path / "pack"), str(tmp_path / "skills")]


def test_a_relative_project_gives_absolute_roots(home: Path, project: Path) -> None:
    make(project / "skills")

    roots = search_order(["skills"], project=".", builtin=None)

    assert paths(roots) == [os.path.realpath(project / "skills")]
