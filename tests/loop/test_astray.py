"""What an agent, a command or a person does to the repository meanwhile, and what is never touched."""

import errno
import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from loop.looping import Scripted, git, loop, nothing, writes
from loop.test_git import BRANCH, ran
from prowess.core.agent import AgentOrder
from prowess.core.errors import StaysError, UsageError
from prowess.loop.beforehand.place import check_place
from prowess.loop.behind import guarding
from prowess.loop.behind.guarding import alone_in
from prowess.loop.git.repository import Repository
from prowess.loop.git.worktrees import Worktree
from prowess.loop.request import LoopRequest
from running import KilledError, Remembering
from support import write_file

ONE = "# Plan\n\n- [ ] Say hello\n  - `test -f hello.txt` succeeds\n"


def on_no_branch(repo: Path) -> str:
    """A person's branch on top of the plan, and HEAD on no branch; the branch's commit."""
    write_file(repo / "PLAN.md", ONE)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "plan")
    git(repo, "checkout", "-q", "-b", "feature")
    write_file(repo / "precious.txt", "precious\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "precious")
    git(repo, "checkout", "-q", "--detach", "main")
    return git(repo, "rev-parse", "feature")


@pytest.mark.parametrize("does", [nothing, writes("hello.txt", "hi")])
def test_a_branch_that_an_agent_went_to_is_not_moved(repo: Path, does: object) -> None:
    feature = on_no_branch(repo)

    def wanders(folder: Path, order: AgentOrder) -> str:
        git(folder, "checkout", "-q", "feature")
        return does(folder, order)  # type: ignore[operator,no-any-return]

    loop(repo, ONE, Scripted([wanders]), max_attempts=1)

    assert git(repo, "rev-parse", "feature") == feature
    with pytest.raises(subprocess.CalledProcessError):
        git(repo, "symbolic-ref", "-q", "HEAD")


def test_a_branch_that_an_agent_went_to_in_a_work_tree_of_its_own_is_not_moved(
    repo: Path, tmp_path: Path
) -> None:
    feature = on_no_branch(repo)
    home = Repository(folder=str(repo))
    tree = Worktree(home=home, folder=str(tmp_path.resolve() / "tree"), branch=BRANCH)
    base = ran(home.head())
    ran(tree.make(base))
    git(Path(tree.folder), "checkout", "-q", "feature")
    write_file(Path(tree.folder) / "new.txt", "new")

    ran(tree.keep(base, "work"))

    assert git(repo, "rev-parse", "feature") == feature
    assert git(repo, "show", f"{BRANCH}:new.txt") == "new"


@pytest.mark.parametrize("parallel", [1, 2])
@pytest.mark.parametrize("then", [(), ("rm", "-rq", "--cached", ".")])
def test_work_on_a_branch_without_a_commit_counts(
    repo: Path, then: tuple[str, ...], parallel: int
) -> None:
    """As after `git checkout --orphan`, with which HEAD names nothing."""

    def orphans(folder: Path, order: AgentOrder) -> str:
        git(folder, "checkout", "-q", "--orphan", "fresh")
        if then:
            git(folder, *then)
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([orphans]), parallel=parallel)

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "symbolic-ref", "HEAD").strip() == "refs/heads/main"
    assert git(repo, "show", "main:hello.txt") == "hi"
    assert git(repo, "status", "--porcelain") == ""


def test_an_agent_that_only_went_to_a_branch_without_a_commit_is_blocked_as_any(
    repo: Path,
) -> None:
    def orphans(folder: Path, order: AgentOrder) -> str:
        git(folder, "checkout", "-q", "--orphan", f"fresh-{len(agent.prompts)}")
        return "done"

    agent = Scripted([orphans])

    ended = loop(repo, ONE, agent, max_attempts=2)

    assert "- [~] Say hello" in ended.plan
    assert len(ended.told("loop.no_progress")) == 2
    assert git(repo, "symbolic-ref", "HEAD").strip() == "refs/heads/main"


def test_a_plan_with_signs_in_its_name_is_no_pattern(repo: Path) -> None:
    for name in ("plan[1].md", "plan1.md"):
        write_file(repo / name, "keep\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "plans")
    write_file(repo / "new.txt", "new")

    ran(Repository(folder=str(repo), own=("plan[1].md",)).commit("work"))

    assert git(repo, "ls-tree", "-r", "--name-only", "HEAD").split() == [
        "README.md",
        "new.txt",
        "plan1.md",
        "plan[1].md",
    ]


def test_a_work_tree_puts_back_only_the_plan_itself(repo: Path, tmp_path: Path) -> None:
    for name in ("plan[1].md", "plan1.md"):
        write_file(repo / name, "keep\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "plans")
    home = Repository(folder=str(repo), own=("plan[1].md",))
    tree = Worktree(home=home, folder=str(tmp_path.resolve() / "tree"), branch=BRANCH)
    base = ran(home.head())
    ran(tree.make(base))
    write_file(Path(tree.folder) / "plan1.md", "worked on\n")

    ran(tree.keep(base, "work"))

    assert git(repo, "show", f"{BRANCH}:plan1.md") == "worked on\n"


def test_a_grafted_history_is_no_history(repo: Path) -> None:
    def grafts(folder: Path, order: AgentOrder) -> str:
        old = git(folder, "rev-parse", "HEAD").strip()
        new = git(folder, "commit-tree", "HEAD^{tree}", "-m", "rewritten").strip()
        write_file(folder / ".git" / "info" / "grafts", f"{new} {old}\n")
        git(folder, "-c", "advice.graftFileDeprecated=false", "update-ref", "refs/heads/main", new)
        return writes("hello.txt", "hi")(folder, order)

    loop(repo, ONE, Scripted([grafts]))

    assert not (repo / ".git" / "info" / "grafts").exists()
    assert git(repo, "log", "--format=%s").split("\n")[:3] == ["Say hello", "plan", "first"]


@pytest.mark.parametrize(
    "command",
    [
        "rm README.md && mkdir README.md && touch README.md/inside",
        "rm -r deep && touch deep",
    ],
)
def test_what_a_command_makes_of_files_and_folders_is_undone(repo: Path, command: str) -> None:
    write_file(repo / "deep" / "file.txt", "deep\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "deep")

    ended = loop(repo, ONE + f"  - `{command}` succeeds\n", Scripted([writes("hello.txt", "hi")]))

    assert "- [R] Say hello" in ended.plan
    assert (repo / "README.md").read_text() == "hello\n"
    assert (repo / "deep" / "file.txt").read_text() == "deep\n"


def test_a_name_that_is_no_text_is_taken_away_again(repo: Path) -> None:
    command = "touch $(printf 'left-\\377')"

    ended = loop(repo, ONE + f"  - `{command}` succeeds\n", Scripted([writes("hello.txt", "hi")]))

    assert "- [R] Say hello" in ended.plan
    assert not [name for name in os.listdir(os.fsencode(repo)) if name.startswith(b"left-")]
    assert git(repo, "status", "--porcelain") == ""


def test_work_under_a_name_that_is_no_text_is_kept(repo: Path) -> None:
    def odd(folder: Path, order: AgentOrder) -> str:
        Path(os.fsdecode(os.fsencode(folder) + b"/od\xff")).write_text("odd")
        return writes("hello.txt", "hi")(folder, order)

    loop(repo, ONE, Scripted([odd]))

    assert '"od\\377"' in git(repo, "ls-tree", "--name-only", "HEAD")


def test_a_repository_that_an_agent_removed_is_told_with_what_was_done_before(repo: Path) -> None:
    def removes(folder: Path, order: AgentOrder) -> str:
        subprocess.run(["rm", "-rf", str(folder / ".git")], check=True)
        return "done"

    two = ONE + "- [ ] Say bye\n  - `test -f bye.txt` succeeds\n"

    ended = loop(repo, two, Scripted([writes("hello.txt", "hi"), removes]))

    assert ended.outcome.ending == "failed"
    assert "the repository itself is gone" in ended.outcome.reason
    assert "## Proven\n\n### Say hello" in ended.outcome.answer


def test_a_plan_that_became_a_pipe_is_put_back(repo: Path) -> None:
    def pipes(folder: Path, order: AgentOrder) -> str:
        (folder / "PLAN.md").unlink()
        os.mkfifo(folder / "PLAN.md")
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([pipes, nothing]))

    assert "- [R] Say hello" in ended.plan
    assert "loop.plan_restored" in ended.kinds()


def test_a_pipe_that_git_would_wait_for_is_taken_away(repo: Path) -> None:
    def pipes(folder: Path, order: AgentOrder) -> str:
        os.mkfifo(folder / ".gitattributes")
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([pipes]), max_attempts=1)

    assert "- [R] Say hello" in ended.plan
    assert ".gitattributes was a pipe" in ended.told("run.warned")[0]["summary"]


def test_a_folder_that_cannot_be_locked_can_be_worked_in(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(file: int) -> bool:
        raise OSError(errno.EBADF, "no locks here")

    monkeypatch.setattr(guarding, "lock", unknown)

    ended = loop(repo, ONE, Scripted([writes("hello.txt", "hi")]))

    assert "- [R] Say hello" in ended.plan


def test_a_second_loop_in_one_work_tree_is_refused(repo: Path) -> None:
    plan = write_file(repo / "PLAN.md", ONE)
    request = LoopRequest(plan=str(plan), workspace=str(repo))

    with alone_in(str(repo)), pytest.raises(UsageError, match="another loop is at work"):
        ran(check_place(request))
    with alone_in(str(repo)):
        ended = loop(repo, ONE, Scripted([writes("hello.txt", "hi")]))
    assert ended.outcome.ending == "failed"
    assert ended.plan == ONE
    ran(check_place(request))


@pytest.mark.parametrize("dies_after", range(6, 17))
def test_a_loop_does_not_go_on_in_the_tree_of_another_branch(repo: Path, dies_after: int) -> None:
    """Whichever step it died before, a person who went to another branch finds nothing of it on theirs."""
    git(repo, "checkout", "-q", "-b", "other")
    write_file(repo / "secret.txt", "secret\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "secret")
    git(repo, "checkout", "-q", "main")
    agent = Scripted([writes("hello.txt", "hi")])
    steps = Remembering(run_id="loop", dies_after=dies_after)
    with suppress(KilledError):
        loop(repo, ONE, agent, steps)
    (repo / "hello.txt").unlink(missing_ok=True)
    git(repo, "checkout", "-q", "--", ".")
    git(repo, "checkout", "-q", "other")
    other = git(repo, "rev-parse", "other")

    write_file(repo / "PLAN.md", git(repo, "show", "main:PLAN.md"))
    resumed = Remembering(run_id="loop", kept=steps.kept)
    with suppress(StaysError):  # it can be gone on with on the branch of its own
        loop_without_plan(repo, agent, resumed)

    assert "secret.txt" not in git(repo, "ls-tree", "--name-only", "main")
    assert git(repo, "rev-parse", "other") == other


def loop_without_plan(repo: Path, agent: Scripted, steps: Remembering) -> None:
    """Go on, with the plan as it lies there."""
    from house import Home
    from prowess.engine.house import House
    from prowess.loop.run import run_loop

    home = Home(repo, repo.parent / "data", {"*": []})
    request = LoopRequest(plan=str(repo / "PLAN.md"), workspace=str(repo))

    async def work(house: House) -> None:
        await run_loop(steps, request.as_json(), world=house.world, agents=lambda name: agent)

    home.within(work)
