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


VALUE = "def value():\n    return 0\n"
OTHERWISE = {
    "ident": ("app.py ident\n", "# $Id$\n# $Id: \\n$\n".replace("\\n", " evil ")),
    "encoding": ("app.py working-tree-encoding=UTF-7\n", 'print("+AGE-")\n'),
}
KEPT = "- [ ] Say hello\n  - `app.py` exists\n"


def attributed(attributes: str, text: str) -> Act:
    def act(folder: Path, order: AgentOrder) -> str:
        write_file(folder / ".gitattributes", attributes)
        write_file(folder / "app.py", text)
        return "done"

    return act


@pytest.mark.parametrize("parallel", [1, 2])
@pytest.mark.parametrize("ignored", [True, False])
@pytest.mark.parametrize(("attributes", "text"), OTHERWISE.values(), ids=OTHERWISE.keys())
def test_what_git_would_keep_otherwise_than_it_was_checked_is_not_proven(
    repo: Path, attributes: str, text: str, parallel: int, *, ignored: bool
) -> None:
    if ignored:
        write_file(repo / ".gitignore", ".gitattributes\n")
    write_file(repo / "app.py", VALUE)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "app")
    agent = Scripted([attributed(attributes, text), nothing])

    ended = loop(repo, KEPT, agent, max_attempts=2, parallel=parallel)

    assert "- [~] Say hello" in ended.plan
    assert "app.py: of it git would keep something else, by `.gitattributes`" in agent.prompts[1]


def test_nor_is_what_git_keeps_as_it_was_though_another_content_was_checked(repo: Path) -> None:
    write_file(repo / "app.py", "# $Id$\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "app")

    agent = Scripted([attributed("* ident\n", "# $Id: another content $\n")])
    ended = loop(repo, KEPT, agent, max_attempts=1)

    assert "- [~] Say hello" in ended.plan


def test_nor_is_it_where_an_earlier_task_brought_the_attributes(repo: Path) -> None:
    plan = f"- [ ] Tell git\n  - `.gitattributes` exists\n{KEPT}"
    agent = Scripted([writes(".gitattributes", "*.py ident\n"), writes("app.py", "# $Id: a $\n")])

    ended = loop(repo, plan, agent, max_attempts=1)

    assert "- [R] Tell git" in ended.plan
    assert "- [~] Say hello" in ended.plan


def test_a_filter_of_a_person_goes_on_working(repo: Path) -> None:
    write_file(repo / ".gitattributes", "*.py filter=upper\n*.txt text\n")
    git(repo, "config", "filter.upper.clean", "tr a-z A-Z")
    git(repo, "config", "filter.upper.smudge", "tr A-Z a-z")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "filter")

    def act(folder: Path, order: AgentOrder) -> str:
        (folder / "lines.txt").write_bytes(b"one\r\ntwo\r\n")
        more = "*.py filter=upper\n*.txt text eol=lf\n*.md text\n"
        return attributed(more, "value = 1\n")(folder, order)

    ended = loop(repo, KEPT, Scripted([act]), max_attempts=1)

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "show", "main:app.py") == "VALUE = 1\n"
