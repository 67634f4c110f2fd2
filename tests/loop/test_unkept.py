"""A task is proven for what a commit holds, and for nothing that git was told to pass over meanwhile."""

from pathlib import Path

import pytest

from loop.looping import Act, Scripted, git, loop, nothing, writes
from prowess.core.agent import AgentOrder
from support import write_file

SHOWN = "- [ ] Say hello\n  - `hello.txt` contains `hello`\n"
RUN = "- [ ] Say hello\n  - `test -f main.py` succeeds\n"


def hides(*files: str) -> Act:
    def act(folder: Path, order: AgentOrder) -> str:
        for path in files:
            write_file(folder / path, "hello\n")
        write_file(folder / ".gitignore", "".join(f"{path}\n" for path in files))
        return "done"

    return act


@pytest.mark.parametrize("parallel", [1, 2])
@pytest.mark.parametrize(("plan", "path"), [(SHOWN, "hello.txt"), (RUN, "main.py")])
def test_work_that_its_agent_has_git_ignore_is_not_proven(
    repo: Path, plan: str, path: str, parallel: int
) -> None:
    agent = Scripted([hides(path), nothing])

    ended = loop(repo, plan, agent, max_attempts=2, parallel=parallel)

    assert "- [~] Say hello" in ended.plan
    assert f"- {path}\n" in agent.prompts[1]
    assert path in ended.outcome.answer


def test_a_file_that_a_person_has_git_ignore_may_show_a_task_done(repo: Path) -> None:
    write_file(repo / ".gitignore", "/hello.txt\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "ignore")

    def act(folder: Path, order: AgentOrder) -> str:
        write_file(folder / ".gitignore", "# more\n/hello.txt\n*.log\n")
        return writes("hello.txt", "hello\n")(folder, order)

    ended = loop(repo, SHOWN, Scripted([act]), max_attempts=1)

    assert "- [R] Say hello" in ended.plan


def test_what_an_agent_has_all_repositories_ignore_is_committed_all_the_same(repo: Path) -> None:
    def act(folder: Path, order: AgentOrder) -> str:
        write_file(Path.home() / ".config" / "git" / "ignore", "hello.txt\n")
        return writes("hello.txt", "hello\n")(folder, order)

    ended = loop(repo, SHOWN, Scripted([act]), max_attempts=1)

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "show", "main:hello.txt") == "hello\n"


def makes_repository(*, commits: bool) -> Act:
    def act(folder: Path, order: AgentOrder) -> str:
        write_file(folder / "app" / "main.js", "code\n")
        git(folder / "app", "init", "-q")
        if commits:
            git(folder / "app", "add", "-A")
            git(folder / "app", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "app")
        return "done"

    return act


@pytest.mark.parametrize("commits", [True, False])
@pytest.mark.parametrize("parallel", [1, 2])
def test_a_repository_that_a_blocked_task_left_is_kept_and_out_of_the_way(
    repo: Path, *, commits: bool, parallel: int
) -> None:
    plan = f"- [ ] Make an app\n  - `nowhere` exists\n{SHOWN}"
    agent = Scripted([makes_repository(commits=commits), writes("hello.txt", "hello\n")])

    ended = loop(repo, plan, agent, max_attempts=1, parallel=parallel)

    left = repo / ".prowess" / "left" / "prowess" / "loop" / "task-1" / "app"
    assert (left / "main.js").read_text() == "code\n"
    assert (left / ".git").is_dir()
    assert str(left) in ended.told("run.warned")[0]["summary"]
    assert not (repo / "app").exists()
    assert "- [~] Make an app" in ended.plan
    assert "- [R] Say hello" in ended.plan


def test_a_repository_without_a_commit_is_nothing_that_git_keeps(repo: Path) -> None:
    plan = "- [ ] Make an app\n  - files: app\n  - `test -f app/main.js` succeeds\n"
    agent = Scripted([makes_repository(commits=False)])

    ended = loop(repo, plan, agent, max_attempts=1)

    assert "- [~] Make an app" in ended.plan
