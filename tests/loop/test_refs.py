"""An agent that loses a person's branches, tags and stashes: they come back, and the person is told."""

import asyncio
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from loop.looping import Act, Looped, Scripted, git, go_on, loop, writes
from prowess.core.agent import AgentEnd, AgentOrder
from prowess.loop.git.refs import look_at_refs, put_refs_back, refs_from_bytes
from prowess.loop.git.repository import Repository
from running import KilledError, Remembering
from support import write_file

ONE = "# Plan\n\n- [ ] Say hello\n  - `test -f hello.txt` succeeds\n"


@pytest.fixture
def mine(repo: Path) -> Path:
    """The repository with a branch, two tags and two stashes of a person's."""
    git(repo, "checkout", "-q", "-b", "team/other")
    for text in ("one", "two"):
        write_file(repo / "other.txt", text)
        git(repo, "add", "other.txt")
        git(repo, "commit", "-q", "-m", text)
    git(repo, "tag", "light")
    git(repo, "tag", "-a", "-m", "words", "told")
    git(repo, "checkout", "-q", "main")
    for text in ("first", "second"):
        write_file(repo / "README.md", text)
        git(repo, "stash", "push", "-q", "-m", text)
    return repo


def there(repo: Path) -> list[str]:
    listed = git(repo, "for-each-ref", "--format=%(objectname) %(refname)").splitlines()
    kept = [line for line in listed if not line.endswith(("/main", "refs/stash"))]
    return [*kept, *git(repo, "stash", "list", "--format=%H %gs").splitlines()]


def runs(*lines: str) -> Act:
    """An agent that gives git these orders, and does what it was asked to besides."""

    def act(folder: Path, order: AgentOrder) -> str:
        for line in lines:
            git(folder, *line.split())
        return writes("hello.txt", "hi")(folder, order)

    return act


def warned(ended: Looped) -> list[str]:
    return [each["summary"] for each in ended.told("run.warned")]


LOSSES = {
    "branch": (("branch -D team/other",), ["The branch team/other was deleted, and is put back"]),
    "ref": (("update-ref -d refs/heads/team/other",), ["The branch team/other was deleted"]),
    "tags": (("tag -d light told",), ["The tag light was deleted", "The tag told was deleted"]),
    "stash": (
        ("stash drop -q stash@{0}",),
        ["The stash 'On main: second' was dropped, and is put"],
    ),
    "stashes": (("stash clear",), ["The stash 'On main: first'", "The stash 'On main: second'"]),
}


@pytest.mark.parametrize("parallel", [1, 2])
@pytest.mark.parametrize(("lines", "told"), LOSSES.values(), ids=LOSSES.keys())
def test_what_an_agent_deletes_of_a_persons_comes_back(
    mine: Path, lines: tuple[str, ...], told: list[str], parallel: int
) -> None:
    before = there(mine)

    ended = loop(mine, ONE, Scripted([runs(*lines)]), parallel=parallel)

    assert "- [R] Say hello" in ended.plan
    assert there(mine) == before
    assert all(each.startswith(start) for each, start in zip(warned(ended), told, strict=True))


@pytest.mark.parametrize(
    "line", ["branch -f team/other main", "update-ref refs/heads/team/other main"]
)
def test_what_a_branch_held_that_is_moved_elsewhere_is_kept_in_another(
    mine: Path, line: str
) -> None:
    tip = git(mine, "rev-parse", "team/other")

    ended = loop(mine, ONE, Scripted([runs(line)]))

    assert git(mine, "rev-parse", "prowess/loop/was-team-other") == tip
    assert warned(ended) == [
        "The branch team/other was moved; what it held is in prowess/loop/was-team-other"
    ]


@pytest.mark.parametrize("name", ["light", "told"])
def test_so_is_what_a_tag_named_with_its_words(mine: Path, name: str) -> None:
    tip = git(mine, "rev-parse", name)

    ended = loop(mine, ONE, Scripted([runs(f"tag -f {name} main")]))

    assert git(mine, "rev-parse", f"prowess/loop/was-{name}") == tip
    assert len(warned(ended)) == 1


def test_a_branch_that_moves_forward_loses_nothing_and_a_new_one_is_left_alone(mine: Path) -> None:
    git(mine, "branch", "behind", "team/other~1")

    ended = loop(mine, ONE, Scripted([runs("branch -f behind team/other", "branch new")]))

    assert git(mine, "rev-parse", "behind", "new").split() == [
        git(mine, "rev-parse", "team/other").strip(),
        git(mine, "rev-parse", "main~1").strip(),
    ]
    assert warned(ended) == []


def test_where_something_else_is_in_its_place_a_branch_is_kept_beside_it(mine: Path) -> None:
    tip = git(mine, "rev-parse", "team/other")

    ended = loop(
        mine, ONE, Scripted([runs("branch -D team/other", "branch team/other/x", "stash clear")])
    )

    assert git(mine, "rev-parse", "prowess/loop/was-team-other") == tip
    assert "was deleted; what it held is in prowess/loop/was-team-other" in warned(ended)[0]


def test_what_git_has_no_longer_is_told_plainly(mine: Path) -> None:
    git(mine, "tag", "-d", "light", "told")
    tip = git(mine, "rev-parse", "team/other").strip()
    prunes = ("branch -D team/other", "reflog expire --expire=now --all", "gc -q --prune=now")

    ended = loop(mine, ONE, Scripted([runs(*prunes)]))

    assert any(
        f"git has no longer what it held ({tip}): only a clone or a backup" in each
        for each in warned(ended)
    )
    assert "- [R] Say hello" in ended.plan


def cut_off(repo: Path, *lines: str) -> Remembering:
    """A loop that was killed when its agent had given git these orders."""

    def dies(folder: Path, order: AgentOrder) -> str:
        runs(*lines)(folder, order)
        raise KilledError

    steps = Remembering(run_id="loop")
    with suppress(KilledError):
        loop(repo, ONE, Scripted([dies]), steps)
    return Remembering(run_id="loop", kept=steps.kept)


def test_they_come_back_after_a_kill_too(mine: Path) -> None:
    before = there(mine)
    steps = cut_off(mine, "branch -D team/other", "tag -d told", "stash clear")
    assert there(mine) != before

    ended = go_on(mine, Scripted([writes("hello.txt", "hi again")]), steps)

    assert there(mine) == before
    assert len(warned(ended)) == 4


def test_a_loop_that_an_older_version_began_does_not_look(mine: Path) -> None:
    steps = cut_off(mine, "branch -D team/other")
    for kept in steps.kept:
        if isinstance(kept, dict) and "marks" in kept:
            del kept["refs"]

    ended = go_on(mine, Scripted([writes("hello.txt", "hi again")]), steps)

    assert "- [R] Say hello" in ended.plan
    assert warned(ended) == []


def test_they_come_back_when_the_agent_is_cancelled(mine: Path) -> None:
    before = there(mine)

    class Cancelled(Scripted):
        async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
            runs("stash clear", "branch -D team/other")(mine, order)
            raise asyncio.CancelledError

    with suppress(asyncio.CancelledError):
        loop(mine, ONE, Cancelled([]))

    assert there(mine) == before


def test_a_persons_own_branch_is_looked_after_where_tasks_have_trees_of_their_own(
    mine: Path,
) -> None:
    write_file(mine / "README.md", "mine\n")
    git(mine, "commit", "-q", "-a", "-m", "mine")
    tips = []

    def rewinds(folder: Path, order: AgentOrder) -> str:
        tips.append(git(mine, "rev-parse", "main"))
        return runs("update-ref refs/heads/main main~1")(folder, order)

    loop(mine, ONE, Scripted([rewinds]), parallel=2)

    assert git(mine, "rev-parse", "prowess/loop/was-main") == tips[0]


def test_names_that_are_no_text_are_kept_and_a_second_branch_takes_nothing_from_the_first(
    mine: Path,
) -> None:
    name = b"odd\xff/\xe2\x80\xa8x"
    subprocess.run([b"git", b"branch", name, b"team/other"], cwd=mine, check=True)
    repository = Repository(folder=str(mine))
    before = asyncio.run(look_at_refs(repository))
    again = refs_from_bytes(before.as_bytes())
    assert again == before

    for onto in ("main", "main"):
        git(mine, "branch", "-f", "team/other", onto)
        told = asyncio.run(put_refs_back(repository, again, "loop"))

    assert told == [
        "The branch team/other was moved; what it held is in prowess/loop/was-team-other"
    ]
    subprocess.run([b"git", b"branch", b"-q", b"-D", name], cwd=mine, check=True)
    assert len(asyncio.run(put_refs_back(repository, again, "loop"))) == 2
    assert asyncio.run(look_at_refs(repository)).tips.keys() == before.tips.keys()
