"""Git in the loop's hands: it looks, it keeps, and nobody's work is lost."""

import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from loop.looping import git
from prowess.core.errors import OutsideError, UsageError
from prowess.loop.git.repository import Repository
from prowess.loop.git.worktrees import Worktree
from support import write_file

T = TypeVar("T")
BRANCH = "prowess/r/task-1"


def ran(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


@pytest.fixture
def ours(repo: Path) -> Repository:
    """With a plan that is the loop's own to write."""
    write_file(repo / "PLAN.md", "- [ ] One\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "plan")
    return Repository(folder=str(repo), own=("PLAN.md", ".prowess/"))


def test_a_folder_that_is_no_repository_is_refused(home: Path, project: Path) -> None:
    with pytest.raises(UsageError, match="not a git repository"):
        ran(Repository(folder=str(project)).must_be_clean())


def test_a_folder_inside_a_repository_is_refused(repo: Path) -> None:
    (repo / "inner").mkdir()

    with pytest.raises(UsageError, match="the folder inner/ of a repository"):
        ran(Repository(folder=str(repo / "inner")).must_be_clean())


def test_a_repository_without_a_commit_is_refused(home: Path, project: Path) -> None:
    git(project, "init", "-q")

    with pytest.raises(UsageError, match="no commit yet"):
        ran(Repository(folder=str(project)).must_be_clean())


@pytest.mark.parametrize("name", ["new.txt", "README.md", "a name\nwith a line", "ümlaut.txt"])
def test_changes_of_others_are_seen_whatever_their_name(ours: Repository, name: str) -> None:
    write_file(Path(ours.folder) / name, "changed\n")

    assert ran(ours.changed()) == [name]
    with pytest.raises(UsageError, match="uncommitted changes"):
        ran(ours.must_be_clean())


def test_a_file_that_was_moved_is_seen_at_both_ends(ours: Repository, repo: Path) -> None:
    git(repo, "mv", "README.md", "READ.md")

    assert sorted(ran(ours.changed())) == ["READ.md", "README.md"]


def test_what_the_loop_itself_writes_is_nobodys_change(ours: Repository, repo: Path) -> None:
    write_file(repo / "PLAN.md", "- [R] One\n")
    write_file(repo / ".prowess" / "check" / "report.json", "{}")

    assert ran(ours.changed()) == []


def test_hooks_of_the_repository_are_not_run(ours: Repository, repo: Path) -> None:
    for name in ("pre-commit", "post-commit", "post-checkout", "post-merge"):
        hook = write_file(repo / ".git" / "hooks" / name, f"#!/bin/sh\ntouch {repo.parent}/ran\n")
        hook.chmod(0o755)
    write_file(repo / "a.txt", "a")

    ran(ours.commit("a"))

    assert git(repo, "log", "-1", "--format=%s").strip() == "a"
    assert not (repo.parent / "ran").exists()


def test_a_commit_needs_no_identity_and_does_not_replace_one(ours: Repository, repo: Path) -> None:
    write_file(repo / "a.txt", "a")
    ran(ours.commit("theirs"))
    git(repo, "config", "--unset", "user.email")
    git(repo, "config", "--unset", "user.name")
    write_file(repo / "b.txt", "b")
    ran(ours.commit("nobody's"))

    assert git(repo, "log", "-2", "--format=%an").split() == ["Prowess", "a"]


def test_a_commit_of_nothing_is_none(ours: Repository) -> None:
    assert ran(ours.commit("nothing")) == ran(ours.head())


def test_a_failing_git_says_what_it_said(ours: Repository) -> None:
    with pytest.raises(OutsideError, match=r"git rev-parse failed: .*nowhere"):
        ran(ours.git("rev-parse", "nowhere"))


def test_what_git_advises_those_who_type_is_not_in_its_errors(ours: Repository, repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "other")
    write_file(repo / "a.txt", "theirs")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "theirs")
    git(repo, "checkout", "-q", "main")
    write_file(repo / "a.txt", "ours")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "ours")

    with pytest.raises(OutsideError) as raised:
        ran(ours.git("cherry-pick", "other"))

    assert "could not apply" in str(raised.value)
    assert "hint:" not in str(raised.value)
    assert "graft" not in str(raised.value)


def set_aside(ours: Repository) -> str:
    return ran(ours.set_aside(git(Path(ours.folder), "rev-parse", "main~0").strip(), BRANCH))


def test_work_is_set_aside_whole_and_the_tree_is_as_it_was(ours: Repository, repo: Path) -> None:
    write_file(repo / "new.txt", "new")
    (repo / "README.md").unlink()
    write_file(repo / "PLAN.md", "- [ ] One\n- [ ] A person's\n")

    assert set_aside(ours) == BRANCH

    assert git(repo, "show", f"{BRANCH}:new.txt") == "new"
    assert "README.md" not in git(repo, "ls-tree", "--name-only", BRANCH).split()
    assert (repo / "README.md").read_text() == "hello\n"
    assert not (repo / "new.txt").exists()
    assert (repo / "PLAN.md").read_text() == "- [ ] One\n- [ ] A person's\n"


def test_what_the_agent_committed_is_set_aside_too(ours: Repository, repo: Path) -> None:
    base = ran(ours.head())
    write_file(repo / "new.txt", "new")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "the agent's own")

    branch = ran(ours.set_aside(base, BRANCH))

    assert git(repo, "log", "--format=%s", branch).count("the agent's own") == 1
    assert ran(ours.head()) == base


def test_nothing_to_set_aside_makes_no_branch(ours: Repository, repo: Path) -> None:
    assert set_aside(ours) == ""
    assert BRANCH not in git(repo, "branch")


def test_setting_aside_again_after_a_crash_takes_nothing_out_of_the_branch(
    ours: Repository, repo: Path
) -> None:
    write_file(repo / "new.txt", "precious")
    set_aside(ours)

    assert set_aside(ours) == BRANCH
    assert git(repo, "show", f"{BRANCH}:new.txt") == "precious"


def test_what_came_between_a_crash_and_the_second_try_is_kept_beside(
    ours: Repository, repo: Path
) -> None:
    write_file(repo / "new.txt", "precious")
    set_aside(ours)
    write_file(repo / "mine.txt", "a person's")

    assert set_aside(ours) == BRANCH
    assert git(repo, "show", f"{BRANCH}:new.txt") == "precious"
    assert git(repo, "show", f"{BRANCH}-2:mine.txt") == "a person's"


def test_a_picture_tells_whether_anything_changed(ours: Repository, repo: Path) -> None:
    before = ran(ours.picture())
    write_file(repo / "PLAN.md", "- [R] One\n")
    same = ran(ours.picture())
    write_file(repo / "new.txt", "new")
    other = ran(ours.picture())

    assert same == before != other
    assert git(repo, "diff", "--cached", "--name-only") == ""


def test_only_the_plan_is_committed_where_only_the_plan_is_meant(
    ours: Repository, repo: Path
) -> None:
    write_file(repo / "PLAN.md", "- [R] One\n")
    write_file(repo / "mine.txt", "mine")
    git(repo, "add", "mine.txt")

    ran(ours.commit_only("PLAN.md", "ticked"))

    assert git(repo, "show", "--name-only", "--format=%s", "HEAD").split() == ["ticked", "PLAN.md"]
    assert git(repo, "diff", "--cached", "--name-only").split() == ["mine.txt"]


@pytest.fixture
def tree(ours: Repository, tmp_path: Path) -> Worktree:
    made = Worktree(home=ours, folder=str(tmp_path.resolve() / "trees" / "t"), branch=BRANCH)
    ran(made.make(ran(ours.head())))
    return made


def test_a_work_tree_that_was_half_made_is_made_anew(tree: Worktree, ours: Repository) -> None:
    os.unlink(os.path.join(tree.folder, ".git"))

    ran(tree.make(ran(ours.head())))

    assert ran(tree.tree.changed()) == []


def test_a_branch_with_unmerged_work_outlives_its_tree(tree: Worktree, repo: Path) -> None:
    base = ran(tree.tree.head())
    write_file(Path(tree.folder) / "new.txt", "precious")
    ran(tree.keep(base, "work"))

    assert ran(tree.remove()) == BRANCH
    assert git(repo, "show", f"{BRANCH}:new.txt") == "precious"
    assert not os.path.exists(tree.folder)


def test_work_on_a_branch_of_the_agents_own_is_kept_as_well(tree: Worktree, repo: Path) -> None:
    base = ran(tree.tree.head())
    git(Path(tree.folder), "checkout", "-q", "-b", "my-own")
    write_file(Path(tree.folder) / "new.txt", "precious")

    ran(tree.keep(base, "work"))

    assert git(repo, "show", f"{BRANCH}:new.txt") == "precious"


def test_a_conflict_leaves_both_sides_as_they_were(tree: Worktree, ours: Repository) -> None:
    base = ran(ours.head())
    write_file(Path(tree.folder) / "README.md", "theirs\n")
    kept = ran(tree.keep(base, "theirs"))
    write_file(Path(ours.folder) / "README.md", "mine\n")
    ran(ours.commit("mine"))

    merge = ran(tree.merge("merge"))

    assert merge.conflicts == ("README.md",)
    assert merge.commit == ""
    assert git(Path(ours.folder), "rev-parse", BRANCH).strip() == kept
    assert (Path(ours.folder) / "README.md").read_text() == "mine\n"
    assert git(Path(tree.folder), "status", "--porcelain") == ""  # nor is half a merge left


def test_a_merge_lands_only_on_what_it_was_made_for(tree: Worktree, ours: Repository) -> None:
    base = ran(ours.head())
    write_file(Path(tree.folder) / "new.txt", "new")
    ran(tree.keep(base, "work"))
    merge = ran(tree.merge("merge"))
    write_file(Path(ours.folder) / "mine.txt", "mine")
    moved = ran(ours.commit("meanwhile"))

    assert ran(tree.land(merge)) != ""
    assert ran(ours.head()) == moved
    assert ran(tree.land(ran(tree.merge("again")))) == ""
    assert (Path(ours.folder) / "new.txt").exists()


@pytest.mark.parametrize("rule", [".prowess/", "*.md", "PLAN.md\n.prowess"])
def test_what_the_loop_writes_may_be_ignored(ours: Repository, repo: Path, rule: str) -> None:
    before = ran(ours.picture())
    write_file(repo / ".gitignore", f"{rule}\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "rule")
    write_file(repo / ".prowess" / "check" / "report.json", "{}")
    write_file(repo / "a.txt", "a")

    changed = git(repo, "diff-tree", "-r", "--name-only", before, ran(ours.picture()))

    assert changed.split() == [".gitignore", "a.txt"]
