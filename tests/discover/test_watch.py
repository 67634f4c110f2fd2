"""A live catalog stays true while skills come, change and go."""

import os
import shutil
from pathlib import Path

import pytest

from prowess.discover.roots import search_order
from prowess.discover.watch import Change, LiveCatalog
from support import HEADER, write_file, write_skill

SECOND = 1_000_000_000
LONG_AGO = 1_700_000_000 * SECOND + 123_456_789


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with two skills that have long been there."""
    write_skill(tmp_path / "skills", "git", description="As it was.")
    write_skill(tmp_path / "skills", "pdf", description="As it was.")
    age(tmp_path / "skills")
    return tmp_path / "skills"


@pytest.fixture
def live(root: Path) -> LiveCatalog:
    """The live catalog of that folder, and of another that is not there yet."""
    return LiveCatalog(
        lambda: search_order(["first", "skills"], project=str(root.parent), builtin=None)
    )


def age(tree: Path) -> None:
    for path in [tree, *tree.rglob("*")]:
        os.utime(path, ns=(LONG_AGO, LONG_AGO))


def rewrite(file: Path, **fields: str) -> None:
    """Write a SKILL.md in place with a later time, as an editor does a second after."""
    words = {"name": file.parent.name, "description": "As it was.", "body": "# Body"} | fields
    later = file.stat().st_mtime_ns + SECOND
    file.write_text(HEADER.format(**words))
    os.utime(file, ns=(later, later))


def told(change: Change | None) -> dict[str, tuple[str, ...]]:
    """What a change says, without the parts that are empty."""
    assert change is not None
    parts = {"added": change.added, "removed": change.removed, "edited": change.edited}
    return {part: names for part, names in parts.items() if names}


def test_it_begins_with_what_is_there(live: LiveCatalog) -> None:
    assert list(live.current.skills) == ["git", "pdf"]


def test_nothing_changed_is_told_as_nothing(live: LiveCatalog) -> None:
    before = live.current

    assert live.refresh() is None
    assert live.current is before


def test_an_added_skill_is_there_and_told_once(live: LiveCatalog, root: Path) -> None:
    write_skill(root, "new")

    assert told(live.refresh()) == {"added": ("new",)}
    assert list(live.current.skills) == ["git", "new", "pdf"]
    assert live.refresh() is None


def test_an_edited_header_is_told(live: LiveCatalog, root: Path) -> None:
    rewrite(root / "pdf/SKILL.md", description="As it is.")

    assert told(live.refresh()) == {"edited": ("pdf",)}
    assert live.current.get("pdf").description == "As it is."
    assert live.refresh() is None


def test_an_edited_body_is_told_though_the_header_is_as_it_was(
    live: LiveCatalog, root: Path
) -> None:
    rewrite(root / "pdf/SKILL.md", body="# BODY")

    assert told(live.refresh()) == {"edited": ("pdf",)}
    assert live.refresh() is None


def test_edited_instructions_of_a_manifest_are_told(live: LiveCatalog, root: Path) -> None:
    folder = root / "listed"
    write_file(folder / "manifest.json", '{"name": "L", "version": "1.0.0", "description": "D"}')
    write_file(folder / "skill.md", "As it was.")
    age(folder)
    live.refresh()
    (folder / "skill.md").write_text("As it is!!")
    os.utime(folder / "skill.md", ns=(LONG_AGO + SECOND, LONG_AGO + SECOND))

    assert told(live.refresh()) == {"edited": ("listed",)}


def test_a_removed_skill_is_told(live: LiveCatalog, root: Path) -> None:
    shutil.rmtree(root / "pdf")

    assert told(live.refresh()) == {"removed": ("pdf",)}
    assert list(live.current.skills) == ["git"]
    assert live.refresh() is None


def test_a_renamed_skill_is_one_gone_and_one_come(live: LiveCatalog, root: Path) -> None:
    rewrite(root / "pdf/SKILL.md", name="paper")

    assert told(live.refresh()) == {"added": ("paper",), "removed": ("pdf",)}


def test_several_changes_between_two_looks_are_told_together(live: LiveCatalog, root: Path) -> None:
    write_skill(root, "new")
    rewrite(root / "git/SKILL.md", description="As it is.")
    shutil.rmtree(root / "pdf")

    assert told(live.refresh()) == {"added": ("new",), "removed": ("pdf",), "edited": ("git",)}


def test_a_skill_that_breaks_is_gone_until_it_is_mended(live: LiveCatalog, root: Path) -> None:
    mended = (root / "pdf/SKILL.md").read_text()
    write_file(root / "pdf/SKILL.md", "no header any more, and of another length")

    assert told(live.refresh()) == {"removed": ("pdf",)}
    assert list(live.current.failed) == [("pdf", "no header")]
    write_file(root / "pdf/SKILL.md", mended)
    assert told(live.refresh()) == {"added": ("pdf",)}
    assert list(live.current.failed) == []


def test_a_new_root_folder_that_appears_is_searched(live: LiveCatalog, root: Path) -> None:
    write_skill(root.parent / "first", "new")

    assert told(live.refresh()) == {"added": ("new",)}
    assert [os.path.basename(each.path) for each in live.current.roots] == ["first", "skills"]


def test_a_root_folder_that_disappears_takes_its_skills_along(
    live: LiveCatalog, root: Path
) -> None:
    shutil.rmtree(root)

    assert told(live.refresh()) == {"removed": ("git", "pdf")}
    assert live.refresh() is None


def test_a_skill_that_comes_to_stand_before_another_is_told_as_an_edit(
    live: LiveCatalog, root: Path
) -> None:
    nearer = write_skill(root.parent / "first", "pdf", description="Nearer.")

    assert told(live.refresh()) == {"edited": ("pdf",)}
    assert live.current.get("pdf").path == str(nearer)
    assert [each.path for each in live.current.shadowed] == [str(root / "pdf")]
    shutil.rmtree(nearer.parent)
    assert told(live.refresh()) == {"edited": ("pdf",)}
    assert live.current.get("pdf").path == str(root / "pdf")


def test_a_new_problem_is_a_change_though_no_skill_is_touched(
    live: LiveCatalog, root: Path
) -> None:
    (root / "link").symlink_to("nowhere")

    change = live.refresh()

    assert told(change) == {}
    assert [problem.path for problem in live.current.problems] == [str(root / "link")]


def test_a_file_that_has_nothing_to_do_with_skills_is_no_change(
    live: LiveCatalog, root: Path
) -> None:
    write_file(root / "README.md", "About these skills.")

    assert live.refresh() is None


def test_a_catalog_in_hand_is_not_disturbed(live: LiveCatalog, root: Path) -> None:
    before = live.current
    shutil.rmtree(root / "pdf")

    change = live.refresh()

    assert change is not None
    assert change.catalog is live.current is not before
    assert list(before.skills) == ["git", "pdf"]


def test_a_reload_reads_everything_again_and_leaves_nothing_to_tell(
    live: LiveCatalog, root: Path
) -> None:
    write_skill(root, "new")

    assert list(live.reload().skills) == ["git", "new", "pdf"]
    assert live.current.get("new")
    assert live.refresh() is None


def test_changes_yields_each_change_until_the_caller_leaves(live: LiveCatalog, root: Path) -> None:
    write_skill(root, "new")

    for change in live.changes(every=0):
        assert told(change) == {"added": ("new",)}
        break
