"""What a person commits while a loop is dead is theirs: it stays, and the task is begun again on top of it."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from loop.looping import Act, Looped, Scripted, git, go_on, loop, writes
from prowess.core.agent import AgentOrder
from prowess.core.errors import StaysError
from prowess.loop.git.repository import Repository
from running import KilledError, Remembering
from support import write_file

PLAN = "- [ ] Say hello\n  - files: hello.txt\n  - `hello.txt` contains `hi`\n"
REVIEWED = "- [ ] Say hello\n  - files: hello.txt\n"
APPROVED = (
    '{"verdict": "APPROVED", "evidence": [{"type": "file_inspection",'
    ' "description": "it says `hi, all of you`", "location": "hello.txt:1"}]}'
)


def killed(repo: Path, plan: str, acts: list[Act], **asked: Any) -> Remembering:
    """The steps that were kept of a loop until it was killed."""
    steps = Remembering(run_id="loop")
    with suppress(KilledError):
        loop(repo, plan, Scripted(acts), steps, **asked)
    long_ago(repo)
    return Remembering(run_id="loop", kept=steps.kept)


def long_ago(repo: Path) -> None:
    """What an agent could do before it was gone with its loop, it has done by now."""
    for sign in (repo.parent / "data" / "looks").glob("*"):
        os.utime(sign, (0, 0))


def dies(*before: Act) -> Act:
    def act(folder: Path, order: AgentOrder) -> str:
        for each in before:
            each(folder, order)
        raise KilledError

    return act


def commits(path: str, text: str, *words: str) -> Act:
    def act(folder: Path, order: AgentOrder) -> str:
        write_file(folder / path, text)
        git(folder, "add", path)
        git(folder, "commit", "-q", "-m", f"An agent's {path}", *words)
        return ""

    return act


def a_person_commits(repo: Path) -> str:
    """A file of theirs, and a change of one that was there; the commit."""
    write_file(repo / "mine.txt", "precious\n")
    write_file(repo / "README.md", "hello, and mine\n")
    git(repo, "add", "mine.txt", "README.md")
    git(repo, "commit", "-q", "-m", "The person's own", "--", "mine.txt", "README.md")
    return git(repo, "rev-parse", "HEAD").strip()


def is_untouched(repo: Path, commit: str) -> bool:
    """It is on the branch, and nothing on top of it undoes it."""
    git(repo, "merge-base", "--is-ancestor", commit, "main")
    return git(repo, "show", "main:mine.txt", "main:README.md") == "precious\nhello, and mine\n"


def at_the_commit(monkeypatch: pytest.MonkeyPatch, *, before: str) -> None:
    """The loop is killed where it is about to have git do this."""
    real = Repository.git
    met: list[tuple[str, ...]] = []

    async def git_or_die(self: Repository, *words: str, **given: Any) -> str:
        if words[0] == before and not met:
            met.append(words)
            raise KilledError
        return await real(self, *words, **given)

    monkeypatch.setattr(Repository, "git", git_or_die)


def told_of(ended: Looped) -> list[str]:
    return [each["summary"] for each in ended.told("run.warned")]


def test_what_came_while_an_agent_was_cut_off_is_no_work_of_the_agents(repo: Path) -> None:
    steps = killed(repo, PLAN, [dies(writes("hello.txt", "half"))])
    mine = a_person_commits(repo)

    ended = go_on(repo, Scripted([writes("hello.txt", "hi")]), steps)

    assert ended.outcome.ok, ended.outcome.answer
    assert not list((repo.parent / "data" / "looks").iterdir())
    assert is_untouched(repo, mine)
    assert git(repo, "log", "--format=%s").split("\n")[:2] == ["Say hello", "The person's own"]
    assert [each["attempts"] for each in ended.outcome.details["tasks"]] == [1]
    (told,) = told_of(ended)
    assert "Your branch was moved while no loop was at work" in told
    assert "The person's own" in told


@pytest.mark.parametrize("before", ["commit-tree", "update-ref"])
def test_what_came_before_the_loops_own_commit_is_not_undone_by_it(
    repo: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    at_the_commit(monkeypatch, before=before)
    steps = killed(repo, PLAN, [writes("hello.txt", "hi")])
    mine = a_person_commits(repo)

    ended = go_on(repo, Scripted([writes("hello.txt", "hi")]), steps)

    assert ended.outcome.ok, ended.outcome.answer
    assert is_untouched(repo, mine)
    assert git(repo, "show", "main:hello.txt") == "hi"
    assert "[R] Say hello" in git(repo, "show", "main:PLAN.md")


def test_what_came_on_top_of_the_loops_own_commit_stays_and_nothing_is_done_again(
    repo: Path,
) -> None:
    steps = Remembering(run_id="loop")
    loop(repo, PLAN, Scripted([writes("hello.txt", "hi")]), steps)
    recorded = next(at for at, kept in enumerate(steps.kept) if "'ticked'" in str(kept))
    mine, agent = a_person_commits(repo), Scripted([writes("hello.txt", "hi")])

    ended = go_on(repo, agent, Remembering(run_id="loop", kept=steps.kept[:recorded]))

    assert ended.outcome.ok
    assert agent.prompts == []
    assert is_untouched(repo, mine)
    assert git(repo, "rev-parse", "main").strip() == mine


def test_what_came_while_a_reviewer_looked_makes_no_review_void(repo: Path) -> None:
    says = writes("hello.txt", "hi, all of you\n")
    steps = killed(repo, REVIEWED, [says, dies()], reviewer="another")
    mine = a_person_commits(repo)

    again = Scripted([says, lambda *given: APPROVED])
    ended = go_on(repo, again, steps, reviewer="another")

    assert "[R] Say hello" in ended.plan, ended.outcome.answer
    assert is_untouched(repo, mine)
    assert ended.told("loop.left_behind") == []


def test_what_came_before_a_blocked_task_is_set_aside_is_not_set_aside_with_it(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_the_commit(monkeypatch, before="commit-tree")
    steps = killed(repo, PLAN, [writes("hello.txt", "ho")], max_attempts=1)
    mine, agent = a_person_commits(repo), Scripted([writes("hello.txt", "hi")])

    ended = go_on(repo, agent, steps, max_attempts=1)

    assert agent.prompts == []
    assert "[~] Say hello" in ended.plan
    assert is_untouched(repo, mine)
    assert git(repo, "show", "prowess/loop/task-1:hello.txt") == "ho"
    assert git(repo, "status", "--porcelain") == ""


def test_what_an_agent_committed_below_is_taken_back_and_lies_in_the_tree(repo: Path) -> None:
    write_file(repo / "other.txt", "other\n")
    git(repo, "add", "other.txt")
    steps = killed(repo, PLAN, [dies(commits("hello.txt", "half"), commits("other.txt", "bad"))])
    mine = a_person_commits(repo)
    seen: list[str] = []

    def mends(folder: Path, order: AgentOrder) -> str:
        seen.append((folder / "hello.txt").read_text())
        write_file(folder / "other.txt", "other\n")
        return writes("hello.txt", "hi")(folder, order)

    ended = go_on(repo, Scripted([mends]), steps)

    assert ended.outcome.ok, ended.outcome.answer
    assert seen == ["half"]
    assert is_untouched(repo, mine)
    assert git(repo, "show", "main:other.txt") == "other\n"


def test_what_both_have_committed_to_is_told_and_the_loop_stays_as_it_is(repo: Path) -> None:
    steps = killed(repo, PLAN, [dies(commits("README.md", "the agent's\n"))])
    mine = a_person_commits(repo)

    with pytest.raises(
        StaysError, match=r"what the agent of the task has committed too: README\.md"
    ):
        go_on(repo, Scripted([writes("hello.txt", "hi")]), steps)
    again = Remembering(run_id="loop", kept=steps.kept)
    with pytest.raises(StaysError):
        go_on(repo, Scripted([writes("hello.txt", "hi")]), again)

    assert git(repo, "rev-parse", "main").strip() == mine


def test_commits_of_an_agent_that_was_cut_off_are_its_own(repo: Path) -> None:
    steps = killed(repo, PLAN, [dies(commits("beyond.txt", "out of scope"))])

    ended = go_on(repo, Scripted([writes("hello.txt", "hi")]), steps, max_attempts=1)

    assert "[~] Say hello" in ended.plan
    assert told_of(ended) == []


def test_a_loop_that_began_again_so_is_taken_up_again_as_well(repo: Path) -> None:
    steps = killed(repo, PLAN, [dies(writes("hello.txt", "half"))])
    first = a_person_commits(repo)
    again = Scripted([dies(commits("hello.txt", "more"))])
    with suppress(KilledError):
        go_on(repo, again, steps)
    git(repo, "commit", "-q", "--allow-empty", "-m", "One more")

    ended = go_on(
        repo, Scripted([writes("hello.txt", "hi")]), Remembering(run_id="loop", kept=steps.kept)
    )

    assert ended.outcome.ok, ended.outcome.answer
    assert is_untouched(repo, first)
    assert "One more" in git(repo, "log", "--format=%s")
    assert ended.outcome.details["tasks"][0]["attempts"] == 1


def test_a_commit_that_comes_while_the_loop_makes_its_own_ends_it_and_undoes_nothing(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, mine = Repository.restore, []

    async def restore(self: Repository, tree: str, aside: str) -> list[str]:
        done = await real(self, tree, aside)
        if aside.endswith("-1-left") or "task-1" in aside:
            mine.append(a_person_commits(repo))
        return done

    monkeypatch.setattr(Repository, "restore", restore)
    ended = loop(repo, PLAN, Scripted([writes("hello.txt", "hi")]))

    assert not ended.outcome.ok
    assert is_untouched(repo, mine[0])
    assert "[ ] Say hello" in ended.plan
    assert (repo / "hello.txt").read_text() == "hi"
