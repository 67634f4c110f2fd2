"""What the loop keeps is what was checked, whatever an agent did to git, and nobody's work is lost."""

import asyncio
import subprocess
from pathlib import Path
from typing import Any

import pytest

from loop.looping import Looped, Scripted, git, loop, nothing, writes
from prowess.core.agent import AgentOrder
from prowess.core.errors import UsageError
from prowess.durable.straight import StraightSteps
from prowess.loop.git import running as git_run
from prowess.loop.git.repository import Repository
from support import write_file

ONE = "# Plan\n\n- [ ] Say hello\n  - `test -f hello.txt` succeeds\n"
TWO = ONE + "- [ ] Say bye\n  - `test -f bye.txt` succeeds\n"
FLAGS = ["--assume-unchanged", "--skip-worktree"]


@pytest.mark.parametrize("flag", FLAGS)
def test_work_that_git_was_told_to_pass_over_is_seen_before_anything_begins(
    repo: Path, flag: str
) -> None:
    git(repo, "update-index", flag, "README.md")
    write_file(repo / "README.md", "a person's\n")

    with pytest.raises(UsageError, match=r"pass over files that differ.*README\.md"):
        asyncio.run(Repository(folder=str(repo)).must_be_clean())


def flags(flag: str) -> Any:
    def act(folder: Path, order: AgentOrder) -> str:
        write_file(folder / "README.md", "precious\n")
        git(folder, "update-index", flag, "README.md")
        return writes("hello.txt", "hi")(folder, order)

    return act


@pytest.mark.parametrize("parallel", [1, 2])
@pytest.mark.parametrize("flag", FLAGS)
def test_a_flag_keeps_no_work_out_of_the_commit(repo: Path, flag: str, parallel: int) -> None:
    ended = loop(repo, TWO, Scripted([flags(flag), nothing]), max_attempts=1, parallel=parallel)

    assert "[R] Say hello" in ended.plan
    assert git(repo, "show", "main:README.md") == "precious\n"
    assert (repo / "README.md").read_text() == "precious\n"


@pytest.mark.parametrize("flag", FLAGS)
def test_work_under_a_flag_is_set_aside_and_not_lost(repo: Path, flag: str) -> None:
    plan = "- [ ] Say hello\n  - `test -f other.txt` succeeds\n"

    ended = loop(repo, plan, Scripted([flags(flag)]), max_attempts=1)

    assert "[~] Say hello" in ended.plan
    assert git(repo, "show", "prowess/loop/task-1:README.md") == "precious\n"
    assert (repo / "README.md").read_text() == "hello\n"
    assert git(repo, "status", "--porcelain") == ""


@pytest.mark.parametrize("parallel", [1, 2])
def test_an_exclude_file_of_the_agents_keeps_nothing_out_of_the_commit(
    repo: Path, parallel: int
) -> None:
    def excludes(folder: Path, order: AgentOrder) -> str:
        write_file(repo / ".git" / "info" / "exclude", "hello.txt\n")
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([excludes]), parallel=parallel)

    assert "[R] Say hello" in ended.plan
    assert git(repo, "show", "main:hello.txt") == "hi"


@pytest.mark.parametrize(("parallel", "before"), [(1, "record"), (2, "keep")])
def test_what_is_changed_after_the_check_is_not_committed_with_the_task(
    repo: Path, parallel: int, before: str
) -> None:
    places: list[Path] = []

    class Meddled(StraightSteps):
        async def do(self, name: str, work: Any, **more: Any) -> Any:
            if name == before:
                write_file(places[0] / "hello.txt", "evil")
                write_file(places[0] / "evil.txt", "evil")
            return await super().do(name, work, **more)

    def remembers(folder: Path, order: AgentOrder) -> str:
        places.append(folder)
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([remembers]), Meddled("loop"), parallel=parallel)

    assert "[R] Say hello" in ended.plan
    assert git(repo, "show", "main:hello.txt") == "hi"
    assert (repo / "hello.txt").read_text() == "hi"
    assert "evil.txt" not in git(repo, "ls-tree", "-r", "--name-only", "main")
    assert git(repo, "show", "prowess/loop/task-1-left:evil.txt") == "evil"


def test_an_ignored_file_that_was_added_by_name_is_kept(repo: Path) -> None:
    write_file(repo / ".gitignore", "*.txt\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "ignore")

    def adds(folder: Path, order: AgentOrder) -> str:
        said = writes("hello.txt", "hi")(folder, order)
        git(folder, "add", "-f", "hello.txt")
        return said

    loop(repo, ONE, Scripted([adds]))

    assert git(repo, "show", "main:hello.txt") == "hi"


def test_a_lock_that_was_left_does_not_end_the_loop(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_run, "_HELD", 0.2)

    def locks(folder: Path, order: AgentOrder) -> str:
        for name in ("index.lock", "HEAD.lock"):
            write_file(folder / ".git" / name, "")
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([locks]))

    assert ended.outcome.ok
    assert git(repo, "show", "main:hello.txt") == "hi"
    assert git(repo, "status", "--porcelain") == ""


def test_a_commit_that_cannot_be_made_leaves_no_tick(repo: Path) -> None:
    def breaks(folder: Path, order: AgentOrder) -> str:
        (folder / ".git" / "logs" / "HEAD").unlink()
        write_file(folder / ".git" / "logs" / "HEAD" / "x", "")
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([breaks]))

    assert ended.outcome.ending == "failed"
    assert "- [ ] Say hello" in ended.plan
    assert (repo / "hello.txt").read_text() == "hi"


def test_a_repository_inside_that_git_cannot_hold_does_not_end_the_loop(repo: Path) -> None:
    def nests(folder: Path, order: AgentOrder) -> str:
        subprocess.run(["git", "init", "-q", "sub"], cwd=folder, check=True)
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([nests]), max_attempts=1)

    assert "[~] Say hello" in ended.plan
    assert "sub" in ended.outcome.answer
    assert git(repo, "show", "prowess/loop/task-1:hello.txt") == "hi"


def replaced(repo: Path, parallel: int) -> Looped:
    def orphans(folder: Path, order: AgentOrder) -> str:
        said = writes("hello.txt", "hi")(folder, order)
        branch = git(folder, "branch", "--show-current").strip()
        git(folder, "checkout", "-q", "--orphan", "x")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "all anew")
        git(folder, "branch", "-q", "-M", "x", branch)
        return said

    return loop(repo, ONE, Scripted([orphans]), parallel=parallel)


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_history_that_an_agent_replaced_is_put_back(repo: Path, parallel: int) -> None:
    ended = replaced(repo, parallel)

    assert "[R] Say hello" in ended.plan
    subjects = git(repo, "log", "--format=%s", "main").split("\n")
    assert "first" in subjects
    assert "all anew" not in subjects
    assert git(repo, "show", "main:hello.txt") == "hi"
    (left,) = ended.told("loop.left_behind")
    assert "the history of" in left["summary"]
    assert "all anew" in git(repo, "log", "--format=%s", left["branch"])


@pytest.mark.parametrize("parallel", [1, 2])
def test_nothing_comes_in_by_way_of_the_loops_own_folder(repo: Path, parallel: int) -> None:
    def hides(folder: Path, order: AgentOrder) -> str:
        write_file(folder / ".prowess" / "evil", "evil")
        git(folder, "add", "-f", ".prowess/evil")
        git(folder, "commit", "-q", "-m", "evil")
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([hides]), parallel=parallel)

    assert "[R] Say hello" in ended.plan
    assert "evil" not in git(repo, "ls-tree", "-r", "--name-only", "main")


@pytest.mark.parametrize(("parallel", "mark"), [(1, "R"), (2, "~")])
def test_a_file_that_goes_with_its_work_tree_proves_nothing(
    repo: Path, parallel: int, mark: str
) -> None:
    write_file(repo / ".gitignore", "data/\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "ignore")
    plan = "- [ ] Tell units\n  - `data/units.json` contains `metre`\n"

    def tells(folder: Path, order: AgentOrder) -> str:
        write_file(folder / "README.md", "see data\n")
        return writes("data/units.json", "metre")(folder, order)

    ended = loop(repo, plan, Scripted([tells]), max_attempts=1, parallel=parallel)

    assert f"[{mark}] Tell units" in ended.plan
    assert (repo / "data" / "units.json").exists() == (mark == "R")
    assert ("files that git ignores" in ended.outcome.answer) == (mark == "~")


@pytest.mark.parametrize("said", ["hello.txt", "nothing.txt"])
def test_a_branch_that_an_agent_moved_from_its_work_tree_is_nobodys_base(
    repo: Path, said: str
) -> None:
    def moves(folder: Path, order: AgentOrder) -> str:
        write_file(folder / "evil.txt", "evil")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "sneaked")
        git(folder, "update-ref", "refs/heads/main", "HEAD")
        git(folder, "reset", "-q", "--hard", "HEAD~1")
        return writes(said, "hi")(folder, order)

    agent = Scripted([moves, writes("bye.txt", "bye")])
    ended = loop(repo, TWO, agent, max_attempts=1, parallel=2)

    assert ended.outcome.ending == "failed"
    assert "moved from outside" in ended.outcome.reason
    assert "[R]" not in ended.plan
    assert len(agent.prompts) == 1
    assert git(repo, "show", f"prowess/loop/task-1:{said}") == "hi"


def test_what_is_set_aside_leaves_the_plan_to_the_person_who_writes_in_it(repo: Path) -> None:
    """It was written over and put back, and a kill in between took away what a person had added."""
    write_file(repo / "PLAN.md", ONE)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "plan")
    base = git(repo, "rev-parse", "HEAD").strip()
    plan = repo / "PLAN.md"
    plan.write_text(TWO)
    lay = plan.stat()
    write_file(repo / "new" / "deep" / "work.txt", "work")
    (repo / "README.md").unlink()
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "the agent's")

    kept = Repository(folder=str(repo), own=("PLAN.md", ".prowess/"), tell=print)
    assert asyncio.run(kept.set_aside(base, "aside")) == "aside"

    after = plan.stat()
    assert (after.st_ino, after.st_mtime_ns) == (lay.st_ino, lay.st_mtime_ns)
    assert plan.read_text() == TWO
    assert git(repo, "status", "--porcelain") == " M PLAN.md\n"
    assert git(repo, "rev-parse", "HEAD").strip() == base
    assert not (repo / "new").exists()
    assert (repo / "README.md").exists()
    assert git(repo, "show", "aside:new/deep/work.txt") == "work"


def test_ticks_of_an_agent_are_taken_back_though_git_refuses_its_work(repo: Path) -> None:
    write_file(repo / ".gitattributes", "*.bad filter=refuses\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "rules")
    git(repo, "config", "filter.refuses.clean", "false")
    git(repo, "config", "filter.refuses.required", "true")

    def ticks(folder: Path, order: AgentOrder) -> str:
        write_file(folder / "PLAN.md", TWO.replace("[ ]", "[R]"))
        return writes("hello.bad", "hi")(folder, order)

    ended = loop(repo, TWO, Scripted([ticks]))

    assert ended.outcome.ending == "failed"
    assert "hello.bad" in ended.outcome.reason
    assert ended.plan == TWO
    assert [each["ticked"] for each in ended.told("loop.unticked")] == ["Say hello", "Say bye"]


def test_how_lines_end_in_an_agents_file_does_not_end_the_loop(repo: Path) -> None:
    git(repo, "config", "core.autocrlf", "input")
    git(repo, "config", "core.safecrlf", "true")

    ended = loop(repo, ONE, Scripted([writes("hello.txt", "hi\r\n")]))

    assert "[R] Say hello" in ended.plan
    assert git(repo, "show", "main:hello.txt") == "hi\n"
