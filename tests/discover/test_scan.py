"""One root is walked the same way on every machine, links are followed once, and limits hold."""

import os
from pathlib import Path

import pytest

from prowess.discover.index import NAME
from prowess.discover.scan import MAX_CATEGORIES, MAX_DEPTH, definitions, scan
from support import write_skill

LONG_AGO = 1_700_000_000_123_456_789


def age(tree: Path) -> None:
    """Let the whole tree look as if it had been untouched for long."""
    for path in [tree, *tree.rglob("*")]:
        os.utime(path, ns=(LONG_AGO, LONG_AGO), follow_symlinks=False)


def found(root: Path) -> list[str]:
    """The paths below `root` that gave a skill, in the order of the walk."""
    return [below for below, row in scan(str(root), {}).rows.items() if row[NAME] is not None]


def problems(root: Path) -> list[tuple[str, str]]:
    """Where and what, for each problem of the walk."""
    return [
        (os.path.relpath(problem.path, root), problem.message)
        for problem in scan(str(root), {}).problems
    ]


# What defines a skill


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["README.md"], []),
        (["SKILL.md", "README.md"], ["SKILL.md"]),
        (["Skill.md"], ["Skill.md"]),
        (["skill.md"], ["skill.md"]),
        (["skill.md", "Skill.md"], ["Skill.md"]),
        (["skill.md", "SKILL.md"], ["SKILL.md"]),
        (["manifest.json"], ["manifest.json"]),
        (["skill.md", "manifest.json"], ["manifest.json", "skill.md"]),
        (["Skill.md", "manifest.json"], ["manifest.json"]),
        (["skill.yaml"], ["skill.yaml"]),
        (["skill.yaml", "skill.md"], ["skill.md", "skill.yaml"]),
        (
            ["skill.yaml", "skill.md", "manifest.json", "SKILL.md"],
            ["SKILL.md", "manifest.json", "skill.md", "skill.yaml"],
        ),
    ],
)
def test_skill_md_speaks_first_then_the_manifest_then_the_workflow(
    names: list[str], chosen: list[str]
) -> None:
    assert definitions(names) == chosen


def test_a_folder_without_a_definition_file_is_not_a_skill(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "skill.md.bak").write_text("---\nname: notes\n---\n")

    assert found(tmp_path) == []
    assert problems(tmp_path) == []


# The walk


def test_category_folders_are_walked(tmp_path: Path) -> None:
    write_skill(tmp_path / "office", "pdf")
    write_skill(tmp_path / "office" / "mail", "outlook")
    write_skill(tmp_path, "git")

    assert found(tmp_path) == ["git", "office/mail/outlook", "office/pdf"]


def test_folders_are_visited_by_name(tmp_path: Path) -> None:
    for name in ("b", "a10", "a-b", "B", "a", "ä", "a_b"):
        write_skill(tmp_path, name)

    assert found(tmp_path) == sorted(["b", "a10", "a-b", "B", "a", "ä", "a_b"])


def test_a_skill_is_not_searched_for_further_skills(tmp_path: Path) -> None:
    outer = write_skill(tmp_path, "outer")
    write_skill(outer / "examples", "inner")

    assert found(tmp_path) == ["outer"]


def test_a_root_that_is_a_skill_itself_is_searched_all_the_same(tmp_path: Path) -> None:
    root = write_skill(tmp_path, "root")
    write_skill(root, "inner")

    assert found(root) == ["", "inner"]


@pytest.mark.parametrize("name", [".git", "node_modules", "__pycache__", ".venv", "venv", ".hg"])
def test_folders_of_other_tools_are_passed_over(tmp_path: Path, name: str) -> None:
    write_skill(tmp_path / name, "hidden")
    write_skill(tmp_path, "seen")

    assert found(tmp_path) == ["seen"]


def test_a_root_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    ((path, message),) = problems(tmp_path / "gone")

    assert path == "."
    assert "cannot be entered" in message


# Limits


def test_a_skill_at_the_depth_limit_is_found_and_one_below_it_is_named_as_unsearched(
    tmp_path: Path,
) -> None:
    deepest = tmp_path.joinpath(*"abcde")
    write_skill(deepest, "just")
    write_skill(deepest / "category", "beyond")

    assert len(deepest.relative_to(tmp_path).parts) == MAX_DEPTH - 1
    assert found(tmp_path) == ["a/b/c/d/e/just"]
    assert problems(tmp_path) == [
        ("a/b/c/d/e/category", f"folders more than {MAX_DEPTH} deep are not searched")
    ]


def test_a_deep_folder_with_nothing_to_search_in_it_is_no_problem(tmp_path: Path) -> None:
    (tmp_path.joinpath(*"abcdef")).mkdir(parents=True)

    assert problems(tmp_path) == []


def test_a_tree_of_too_many_folders_without_a_skill_is_searched_only_in_part_and_says_so(
    tmp_path: Path,
) -> None:
    write_skill(tmp_path / "aaa", "early")
    for number in range(MAX_CATEGORIES):
        (tmp_path / f"empty-{number:05}").mkdir()
    write_skill(tmp_path, "top-level")
    write_skill(tmp_path / "zzz", "late")

    assert found(tmp_path) == ["aaa/early", "top-level"]
    assert problems(tmp_path) == [
        (".", "more than 2,000 folders without a skill, the rest is not searched")
    ]


def test_skills_do_not_count_as_folders_without_a_skill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prowess.discover.scan.MAX_CATEGORIES", 2)
    for number in range(10):
        write_skill(tmp_path / "category", f"skill-{number}")

    assert len(found(tmp_path)) == 10
    assert problems(tmp_path) == []


# Links


def test_a_linked_skill_folder_is_followed(tmp_path: Path) -> None:
    write_skill(tmp_path / "elsewhere", "pdf")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "pdf").symlink_to(tmp_path / "elsewhere" / "pdf")

    assert found(tmp_path / "root") == ["pdf"]
    assert problems(tmp_path / "root") == []


def test_a_linked_category_is_walked(tmp_path: Path) -> None:
    write_skill(tmp_path / "elsewhere", "pdf")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "office").symlink_to("../elsewhere")

    assert found(tmp_path / "root") == ["office/pdf"]


def test_what_lies_deeper_behind_a_linked_category_is_found_and_so_are_links_in_it(
    tmp_path: Path,
) -> None:
    write_skill(tmp_path / "company" / "team", "tool")
    write_skill(tmp_path / "store", "pdf")
    (tmp_path / "company" / "pdf").symlink_to("../store/pdf")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "company").symlink_to("../company")

    assert found(tmp_path / "root") == ["company/team/tool", "company/pdf"]
    assert problems(tmp_path / "root") == []


def test_the_depth_limit_holds_behind_a_link_and_is_told_once_of_the_link(tmp_path: Path) -> None:
    deepest = tmp_path.joinpath("elsewhere", *"abcd")
    write_skill(deepest, "just")
    write_skill(deepest / "one", "beyond")
    write_skill(deepest / "two", "beyond")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "link").symlink_to("../elsewhere")

    assert found(tmp_path / "root") == ["link/a/b/c/d/just"]
    assert problems(tmp_path / "root") == [
        ("link", f"folders more than {MAX_DEPTH} deep are not searched")
    ]


def test_the_limit_of_folders_holds_behind_a_link_and_is_told_of_the_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prowess.discover.scan.MAX_CATEGORIES", 3)
    for name in ("aaa", "bbb", "ccc"):
        write_skill(tmp_path / "elsewhere" / name, f"in-{name}")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "link").symlink_to("../elsewhere")

    assert found(tmp_path / "root") == ["link/aaa/in-aaa"]
    assert problems(tmp_path / "root") == [
        ("link", "more than 3 folders without a skill, the rest is not searched")
    ]


def test_a_link_to_the_folder_above_the_root_ends(tmp_path: Path) -> None:
    write_skill(tmp_path / "root", "pdf")
    write_skill(tmp_path / "other", "mail")
    (tmp_path / "root" / "up").symlink_to("..")

    assert found(tmp_path / "root") == ["pdf", "up/other/mail"]
    assert problems(tmp_path / "root") == [
        ("up/root", "this folder was visited before, by another path")
    ]


def test_two_links_to_one_skill_give_it_once_and_the_second_is_a_problem(tmp_path: Path) -> None:
    write_skill(tmp_path / "elsewhere", "pdf")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "two").symlink_to(tmp_path / "elsewhere" / "pdf")
    (tmp_path / "root" / "one").symlink_to(tmp_path / "elsewhere" / "pdf")

    assert found(tmp_path / "root") == ["one"]
    assert problems(tmp_path / "root") == [
        ("two", "this folder was visited before, by another path")
    ]


def test_the_real_folder_wins_over_a_link_to_it_that_sorts_before_it(tmp_path: Path) -> None:
    write_skill(tmp_path, "real")
    (tmp_path / "a-link").symlink_to("real")

    assert found(tmp_path) == ["real"]
    assert problems(tmp_path) == [("a-link", "this folder was visited before, by another path")]


def test_the_real_folder_wins_over_a_link_to_it_in_an_earlier_category(tmp_path: Path) -> None:
    write_skill(tmp_path / "b", "real")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "link").symlink_to("../b/real")

    assert found(tmp_path) == ["b/real"]
    assert problems(tmp_path) == [("a/link", "this folder was visited before, by another path")]


def test_a_link_in_a_circle_ends_the_walk_there_with_a_problem(tmp_path: Path) -> None:
    write_skill(tmp_path / "category", "pdf")
    (tmp_path / "category" / "up").symlink_to("..")

    assert found(tmp_path) == ["category/pdf"]
    assert problems(tmp_path) == [
        ("category/up", "this folder was visited before, by another path")
    ]


@pytest.mark.parametrize("target", ["nowhere", "self"])
def test_a_link_that_leads_nowhere_is_a_problem_and_the_rest_is_found(
    tmp_path: Path, target: str
) -> None:
    write_skill(tmp_path, "pdf")
    (tmp_path / "self").symlink_to(target)

    ((path, message),) = problems(tmp_path)
    assert path == "self"
    assert message.startswith("cannot be entered")
    assert found(tmp_path) == ["pdf"]


def test_a_link_to_a_plain_file_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")

    assert found(tmp_path) == []
    assert problems(tmp_path) == []


def test_several_links_to_a_plain_file_are_nothing_either(tmp_path: Path) -> None:
    write_skill(tmp_path, "pdf")
    (tmp_path / "file").write_text("text")
    for name in ("one", "two", "three"):
        (tmp_path / name).symlink_to("file")

    assert found(tmp_path) == ["pdf"]
    assert problems(tmp_path) == []


def test_a_link_mended_after_the_first_walk_is_followed_in_the_second(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "pdf").symlink_to(tmp_path / "elsewhere" / "pdf")
    age(tmp_path)
    known = scan(str(tmp_path / "root"), {}).rows
    write_skill(tmp_path / "elsewhere", "pdf")

    again = scan(str(tmp_path / "root"), known)

    assert list(again.rows) == ["", "pdf"]
    assert again.problems == []


# What is known already


def test_an_unchanged_tree_gives_the_known_rows_and_no_change(tmp_path: Path) -> None:
    write_skill(tmp_path / "category", "pdf")
    write_skill(tmp_path, "mail")
    age(tmp_path)
    known = scan(str(tmp_path), {}).rows

    again = scan(str(tmp_path), known)

    assert again.rows == known
    assert not again.changed


def test_a_folder_that_is_gone_is_a_change(tmp_path: Path) -> None:
    write_skill(tmp_path, "pdf")
    age(tmp_path)
    known = scan(str(tmp_path), {}).rows
    (tmp_path / "pdf" / "SKILL.md").unlink()
    (tmp_path / "pdf").rmdir()

    again = scan(str(tmp_path), known)

    assert list(again.rows) == [""]
    assert again.changed


def test_problems_of_the_walk_are_told_again_though_nothing_changed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    age(tmp_path)
    first = scan(str(tmp_path), {})

    again = scan(str(tmp_path), first.rows)

    assert not again.changed
    assert again.problems == first.problems != []
