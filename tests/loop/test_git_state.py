"""State of git by which a repository would hold, or show, something else than was checked."""

import os
import subprocess
from pathlib import Path

import pytest

from loop.looping import Act, Scripted, git, go_on, loop, writes
from loop.test_refs import ONE, cut_off, runs, warned
from prowess.core.agent import AgentOrder
from support import write_file

TWO = f"{ONE}- [ ] Say it again\n  - `test -f again.txt` succeeds\n"
STATES = ("shallow", "info/grafts", "objects/info/alternates", "objects/info/http-alternates")


def is_whole(repo: Path) -> bool:
    done = subprocess.run(
        ["git", "fsck", "--full"], cwd=repo, capture_output=True, text=True, check=False
    )
    return not done.returncode and "error" not in done.stderr


@pytest.mark.parametrize("name", STATES)
def test_what_an_agent_tells_git_of_its_objects_is_taken_away_and_told(
    repo: Path, name: str
) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "second")
    state = repo / ".git" / name

    def act(folder: Path, order: AgentOrder) -> str:
        write_file(state, "" if "alternates" in name else git(repo, "rev-parse", "HEAD"))
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([act]))

    assert not state.exists()
    assert "- [R] Say hello" in ended.plan
    assert str(state) in warned(ended)[0]
    assert len(git(repo, "log", "--oneline").splitlines()) == 4


def elsewhere(other: Path, *, commits: bool) -> Act:
    """An agent writes the objects of its work to another place, and has git borrow them from there."""

    def act(folder: Path, order: AgentOrder) -> str:
        said = writes("hello.txt", "hi")(folder, order)
        (other / "pack").mkdir(parents=True)
        mine = str(folder / ".git" / "objects")
        places = {"GIT_OBJECT_DIRECTORY": str(other), "GIT_ALTERNATE_OBJECT_DIRECTORIES": mine}
        orders = [
            ["add", "-A"],
            *([["commit", "-qm", "mine"], ["branch", "new"]] if commits else []),
        ]
        for each in orders:
            subprocess.run(["git", *each], cwd=folder, env={**os.environ, **places}, check=True)
        write_file(folder / ".git" / "objects" / "info" / "alternates", f"{other}\n")
        return said

    return act


@pytest.mark.parametrize("commits", [True, False])
def test_what_is_committed_lies_in_the_repository_itself(
    repo: Path, tmp_path: Path, *, commits: bool
) -> None:
    ways = [elsewhere(tmp_path / "other", commits=commits), writes("again.txt", "hi")]

    ended = loop(repo, TWO, Scripted(ways), max_attempts=1)

    assert ended.plan.count("[R]") == 2
    assert git(repo, "show", "main:hello.txt") == "hi"
    assert is_whole(repo)
    assert any("is not in the repository" in each for each in warned(ended)) == commits


def test_a_clone_that_borrows_its_objects_goes_on_borrowing(repo: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(repo, "clone", "-q", "-s", str(repo), str(clone))
    git(clone, "config", "user.email", "a@b")
    git(clone, "config", "user.name", "a")
    borrowed = clone / ".git" / "objects" / "info" / "alternates"
    before = borrowed.read_bytes()

    def act(folder: Path, order: AgentOrder) -> str:
        borrowed.write_bytes(before + b"/nowhere\n")
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(
        clone, ONE.replace("`test -f hello.txt` succeeds", "`hello.txt` exists"), Scripted([act])
    )

    assert "- [R] Say hello" in ended.plan
    assert borrowed.read_bytes() == before


def test_new_replacements_are_taken_away_and_a_persons_stay(repo: Path) -> None:
    one, two, three = (
        subprocess.run(
            ["git", "hash-object", "-w", "--stdin"],
            check=True,
            cwd=repo,
            input=text,
            text=True,
            capture_output=True,
        ).stdout.strip()
        for text in ("one", "two", "three")
    )
    git(repo, "replace", one, two)
    lines = (f"replace -f {one} {three}", f"replace {two} {three}")

    ended = loop(repo, ONE, Scripted([runs(*lines)]))

    assert git(repo, "replace", "-l").split() == [one]
    assert git(repo, "cat-file", "blob", one) == "two"
    assert len(warned(ended)) == 2


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_branch_that_was_made_to_stand_for_another_is_one_again(
    repo: Path, parallel: int
) -> None:
    git(repo, "branch", "mine")
    lines = ["branch evil"]
    lines += [f"symbolic-ref refs/heads/{name} refs/heads/evil" for name in ("mine", "main")]

    ended = loop(repo, ONE, Scripted([runs(*lines)]), parallel=parallel)

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "for-each-ref", "--format=%(symref)").split() == []
    assert git(repo, "show", "main:hello.txt") == "hi"
    assert git(repo, "log", "-1", "--format=%s", "evil").strip() == "plan"
    named = ["The branch main" if parallel == 2 else "main", "The branch mine"]
    told = [each.partition(" was made to stand")[0] for each in warned(ended)]
    assert sorted(told) == sorted(named)


def test_so_it_is_after_a_kill(repo: Path) -> None:
    steps = cut_off(repo, "branch evil", "symbolic-ref refs/heads/main refs/heads/evil")

    ended = go_on(repo, Scripted([writes("hello.txt", "hi")]), steps)

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "show", "main:hello.txt") == "hi"
    assert "main was made to stand for evil, and is a branch again" in warned(ended)


def test_notes_and_remote_branches_that_an_agent_deletes_come_back(repo: Path) -> None:
    git(repo, "notes", "add", "-m", "mine")
    git(repo, "update-ref", "refs/remotes/origin/main", "HEAD")
    names = ("refs/notes/commits", "refs/remotes/origin/main")
    before = git(repo, "rev-parse", *names)

    ended = loop(repo, ONE, Scripted([runs(*(f"update-ref -d {name}" for name in names))]))

    assert git(repo, "rev-parse", *names) == before
    assert warned(ended) == [
        "The ref of notes commits was deleted, and is put back",
        "The remote branch origin/main was deleted, and is put back",
    ]


def test_remote_branches_may_move(repo: Path) -> None:
    git(repo, "update-ref", "refs/remotes/origin/main", "HEAD")
    other = git(repo, "commit-tree", "-m", "other", "HEAD^{tree}").strip()

    ended = loop(repo, ONE, Scripted([runs(f"update-ref refs/remotes/origin/main {other}")]))

    assert git(repo, "rev-parse", "origin/main").strip() == other
    assert warned(ended) == []
