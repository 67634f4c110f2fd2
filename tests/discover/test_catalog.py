"""All roots together: the first of a name wins, and everything else is told."""

import itertools
import json
import os
from pathlib import Path

import pytest

from prowess.core.errors import UnknownSkillError
from prowess.discover.catalog import Catalog, open_catalog
from prowess.discover.dependencies import closure
from prowess.discover.roots import Root, search_order
from support import write_file, write_skill

LONG_AGO = 1_700_000_000_123_456_789


def catalog_of(*roots: Path) -> Catalog:
    return open_catalog([Root(str(root), "project") for root in roots])


def write_manifest(folder: Path, **fields: object) -> None:
    manifest = {"name": folder.name.title(), "version": "1.0.0", "description": "Does a thing."}
    write_file(folder / "manifest.json", json.dumps(manifest | fields))
    write_file(folder / "skill.md", "Instructions.")


def write_workflow(folder: Path, extra: str = "") -> None:
    text = f"name: {folder.name}\ndescription: Runs things.\n{extra}steps:\n  - output: hello\n"
    write_file(folder / "skill.yaml", text)


# Search order and shadows


def test_skills_come_in_search_order_and_then_by_path(tmp_path: Path) -> None:
    for root, name in [("two", "a"), ("one", "z"), ("one", "m"), ("two", "b")]:
        write_skill(tmp_path / root, name)

    assert list(catalog_of(tmp_path / "one", tmp_path / "two").skills) == ["m", "z", "a", "b"]


def test_the_first_of_a_name_wins_and_every_other_is_told_with_who_stands_before_it(
    tmp_path: Path,
) -> None:
    folders = [write_skill(tmp_path / root, "pdf") for root in ("one", "two", "three")]

    catalog = catalog_of(tmp_path / "one", tmp_path / "two", tmp_path / "three")

    assert catalog.get("pdf").path == str(folders[0])
    assert [(each.name, each.path, each.by) for each in catalog.shadowed] == [
        ("pdf", str(folders[1]), str(folders[0])),
        ("pdf", str(folders[2]), str(folders[0])),
    ]


def test_two_folders_of_one_root_may_shadow_each_other_by_the_name_in_their_header(
    tmp_path: Path,
) -> None:
    first = write_skill(tmp_path, "a-pdf")
    second = write_skill(tmp_path, "b-pdf")
    for folder in (first, second):
        write_file(folder / "SKILL.md", "---\nname: pdf\ndescription: Reads.\n---\n")

    catalog = catalog_of(tmp_path)

    assert catalog.get("pdf").path == str(first)
    assert [each.as_json() for each in catalog.shadowed] == [
        {"name": "pdf", "path": str(second), "by": str(first)}
    ]


def test_a_broken_skill_does_not_stand_in_the_way_of_a_good_one_behind_it(tmp_path: Path) -> None:
    write_file(tmp_path / "one" / "pdf" / "SKILL.md", "---\nname: pdf\n---\n")
    good = write_skill(tmp_path / "two", "pdf")

    catalog = catalog_of(tmp_path / "one", tmp_path / "two")

    assert catalog.get("pdf").path == str(good)
    assert catalog.failed == (("pdf", "no description"),)
    assert catalog.shadowed == ()


def test_a_skill_knows_the_location_of_its_root(home: Path, project: Path) -> None:
    write_skill(project / "skills", "mine")
    write_skill(home / "skills", "everywhere")
    write_skill(home / "pack", "builtin")
    roots = search_order(["skills", "~/skills"], project=str(project), builtin=str(home / "pack"))

    skills = open_catalog(roots).skills

    assert {name: skill.location for name, skill in skills.items()} == {
        "mine": "project",
        "everywhere": "global",
        "builtin": "builtin",
    }


def test_two_roots_that_are_the_same_folder_shadow_nothing(tmp_path: Path) -> None:
    write_skill(tmp_path / "skills", "pdf")
    (tmp_path / "again").symlink_to("skills")
    roots = search_order(["skills", "again", "./skills"], project=str(tmp_path), builtin=None)

    catalog = open_catalog(roots)

    assert list(catalog.skills) == ["pdf"]
    assert catalog.shadowed == ()
    assert catalog.problems == ()
    assert [root.path for root in catalog.roots] == [str(tmp_path / "skills")]


@pytest.mark.parametrize("order", list(itertools.permutations(["a", "b/x", "b/y", "c"])))
def test_the_catalog_is_the_same_whatever_the_order_in_which_files_were_created(
    tmp_path: Path, order: tuple[str, ...]
) -> None:
    for path in order:
        write_skill(tmp_path / os.path.dirname(path), os.path.basename(path))
        write_file(tmp_path / path / "SKILL.md", "---\nname: same\ndescription: Reads.\n---\n")

    catalog = catalog_of(tmp_path)

    assert catalog.get("same").path == str(tmp_path / "a")
    assert [each.path for each in catalog.shadowed] == [
        str(tmp_path / path) for path in ("b/x", "b/y", "c")
    ]


# Formats side by side


def test_three_formats_stand_side_by_side_and_share_a_dependency(tmp_path: Path) -> None:
    write_skill(tmp_path, "base")
    write_file(
        tmp_path / "plain" / "SKILL.md",
        "---\nname: plain\ndescription: Reads.\ndependencies: [base]\n---\n",
    )
    write_manifest(tmp_path / "listed", dependencies=["base"])
    write_workflow(tmp_path / "flow", "dependencies: [base]\n")

    catalog = catalog_of(tmp_path)

    assert {name: skill.format for name, skill in catalog.skills.items()} == {
        "base": "skill.md",
        "flow": "workflow",
        "listed": "manifest",
        "plain": "skill.md",
    }
    together = closure(["plain", "listed", "flow"], catalog.skills)
    assert [skill.name for skill in together.skills] == ["base", "plain", "listed", "flow"]
    assert catalog.problems == ()


def test_a_folder_of_three_formats_is_one_skill(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "all", description="What SKILL.md says.")
    write_manifest(folder, name="Its Title", assignTo=["worker"], version="2.0.0")
    write_workflow(folder, "version: 3.0.0\ncategory: daily\n")

    (skill,) = catalog_of(tmp_path).skills.values()

    assert skill.files == ("SKILL.md", "manifest.json", "skill.yaml")
    assert skill.format == "workflow"
    assert skill.description == "What SKILL.md says."
    assert (skill.title, skill.version, skill.assign_to) == ("Its Title", "2.0.0", ("worker",))
    assert skill.fields["category"] == "daily"


def test_a_broken_file_beside_a_good_one_is_a_problem_and_the_skill_is_there(
    tmp_path: Path,
) -> None:
    folder = write_skill(tmp_path, "pdf")
    write_file(folder / "manifest.json", "{")

    catalog = catalog_of(tmp_path)

    assert catalog.get("pdf").files == ("SKILL.md",)
    (problem,) = catalog.problems
    assert problem.path == str(folder / "manifest.json")
    assert problem.level == "error"
    assert catalog.failed == ()


# Problems


def test_a_missing_dependency_and_a_cycle_are_named_and_the_skills_are_there(
    tmp_path: Path,
) -> None:
    write_manifest(tmp_path / "a", dependencies=["b", "gone"])
    write_manifest(tmp_path / "b", dependencies=["a"])

    catalog = catalog_of(tmp_path)

    assert list(catalog.skills) == ["a", "b"]
    assert [(problem.path, problem.message) for problem in catalog.problems] == [
        (str(tmp_path / "a/manifest.json"), "a needs gone, and there is no such skill"),
        (str(tmp_path / "a/manifest.json"), "dependencies in a circle: a → b → a"),
    ]


def test_one_bad_folder_hides_no_good_one_and_is_named_with_its_reason(tmp_path: Path) -> None:
    write_skill(tmp_path, "good")
    write_file(tmp_path / "category" / "bad" / "SKILL.md", "no header")

    catalog = catalog_of(tmp_path)

    assert list(catalog.skills) == ["good"]
    assert catalog.failed == (("bad", "no header"),)
    assert [problem.path for problem in catalog.problems] == [
        str(tmp_path / "category/bad/SKILL.md")
    ]


@pytest.mark.parametrize("kind", ["fifo", "directory", "dangling link", "link outside", "huge"])
def test_a_definition_file_that_is_not_a_plain_file_of_bearable_size_is_a_problem(
    tmp_path: Path, kind: str
) -> None:
    write_skill(tmp_path / "root", "good")
    odd = tmp_path / "root" / "odd" / "SKILL.md"
    odd.parent.mkdir()
    match kind:
        case "fifo":
            os.mkfifo(odd)
        case "directory":
            odd.mkdir()
        case "dangling link":
            odd.symlink_to("nowhere")
        case "link outside":
            odd.symlink_to(write_file(tmp_path / "secret", "---\ndescription: Secret.\n---\n"))
        case "huge":
            odd.touch()
            os.truncate(odd, 200_000_000)

    catalog = catalog_of(tmp_path / "root")

    assert list(catalog.skills) == ["good"]
    ((name, why),) = catalog.failed
    assert name == "odd"
    assert why
    (problem,) = catalog.problems
    assert (problem.path, problem.level) == (str(odd), "error")


def test_a_skills_own_problems_are_found_by_its_name(tmp_path: Path) -> None:
    write_skill(tmp_path, "good")
    write_file(tmp_path / "odd" / "SKILL.md", "---\ndescription: Reads.\n---\n")

    catalog = catalog_of(tmp_path)

    assert catalog.problems_by_skill["good"] == ()
    assert [problem.message for problem in catalog.problems_by_skill["odd"]] == ["no name"]


def test_a_definition_file_that_gave_nothing_is_one_of_the_skills_problems(tmp_path: Path) -> None:
    write_file(tmp_path / "both" / "SKILL.md", "---\nname: [\n")
    write_file(tmp_path / "both" / "manifest.json", '{"name": "Both", "description": "Reads."}')

    catalog = catalog_of(tmp_path)

    told = [(p.path.removeprefix(f"{tmp_path}/both/"), p.message) for p in catalog.problems]
    assert ("SKILL.md", "the header never ends") in told
    assert catalog.problems_by_skill["both"] == catalog.problems


# Asking


def test_an_unknown_name_is_answered_with_the_nearest_ones(tmp_path: Path) -> None:
    write_skill(tmp_path, "code-review")

    with pytest.raises(UnknownSkillError) as unknown:
        catalog_of(tmp_path).get("code-reviews")

    assert str(unknown.value) == "no skill named 'code-reviews'"
    assert unknown.value.hint == "did you mean 'code-review'?"


def test_an_unknown_name_that_is_near_to_nothing_is_answered_with_where_to_look(
    tmp_path: Path,
) -> None:
    with pytest.raises(UnknownSkillError) as unknown:
        catalog_of(tmp_path).get("anything")

    assert unknown.value.hint == "`prowess list` shows what there is"


def test_no_roots_give_an_empty_catalog() -> None:
    catalog = open_catalog([])

    assert (catalog.skills, catalog.problems, catalog.failed) == ({}, (), ())


def test_a_catalog_in_hand_is_not_disturbed_by_a_later_look(tmp_path: Path) -> None:
    write_skill(tmp_path, "pdf", description="As it was.")
    before = catalog_of(tmp_path)
    write_skill(tmp_path, "pdf", description="As it is now.")

    after = catalog_of(tmp_path)

    assert before.get("pdf").description == "As it was."
    assert after.get("pdf").description == "As it is now."
