"""A plan with mistakes: `plan` tells them with their lines, and no agent is paid for what cannot be followed."""

from pathlib import Path

import pytest

from loop.looping import git
from support import Cli, write_file

AGENT = ("--agent", "command", "--command", "sh -c 'cat > /dev/null; touch ../asked hello.txt'")
UNKNOWN = "- [ ] Say hello\n- [ ] Wait for it\n  - after: Say helo\n"


@pytest.fixture
def repo(project: Path) -> Path:
    git(project, "init", "-q", "-b", "main")
    git(project, "config", "user.email", "a@b")
    git(project, "config", "user.name", "a")
    return project


def with_plan(repo: Path, text: str) -> None:
    write_file(repo / "PLAN.md", text)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "A plan")


def test_plan_tells_its_mistakes_with_their_lines(cli: Cli, project: Path) -> None:
    write_file(project / "PLAN.md", f"{UNKNOWN}- [] malformed\n")

    told = cli("plan", "PLAN.md").err

    wrong = "after names 'Say helo', and there is no such task; did you mean Say hello?"
    assert f"line 2: {wrong}" in told
    assert "line 4: '[] malformed' is no task; write it as `- [ ] text`" in told
    assert cli("plan", "PLAN.md", "--json").json["problems"][0] == {"line": 2, "what": wrong}


def test_a_loop_refuses_an_after_that_names_no_task_before_an_agent_is_asked(
    cli: Cli, repo: Path
) -> None:
    with_plan(repo, UNKNOWN)

    done = cli("loop", "PLAN.md", *AGENT)

    assert done.code == 2
    assert "PLAN.md:2: after names 'Say helo', and there is no such task" in done.err
    assert not (repo.parent / "asked").exists()
    assert cli("runs", "list", "--json").json == []


def test_a_loop_tells_all_that_it_refuses_at_once(cli: Cli, repo: Path) -> None:
    circle = "- [ ] a\n  - after: b\n- [ ] b\n  - after: a\n"
    with_plan(repo, f"{UNKNOWN}{circle}\n## Validation\n\n```\npytest || true\n```\n")

    told = cli("loop", "PLAN.md", *AGENT).err

    for part in ("after names 'Say helo'", "it waits for line", "pytest || true"):
        assert part in told
    for part in ("write after `after:`", "take one of their", "and to say something"):
        assert part in told


def test_a_loop_refuses_tasks_that_wait_for_one_another(cli: Cli, repo: Path) -> None:
    with_plan(repo, "- [ ] Say hello\n- [ ] a\n  - after: b\n- [ ] b\n  - after: a\n")

    done = cli("loop", "PLAN.md", *AGENT)

    assert done.code == 2
    assert "PLAN.md:2: it waits for line 4, which waits for line 2" in done.err
    assert not (repo.parent / "asked").exists()


def test_a_loop_says_why_a_plan_cannot_be_read(cli: Cli, repo: Path) -> None:
    (repo / "PLAN.md").write_bytes(b"- [ ] caf\xe9\n")

    done = cli("loop", "PLAN.md", *AGENT)

    assert done.code == 2
    assert "PLAN.md: the plan is not UTF-8" in done.err


def test_an_agent_that_is_a_command_wants_to_be_told_which(cli: Cli, repo: Path) -> None:
    with_plan(repo, "- [ ] Say hello\n")

    done = cli("loop", "PLAN.md", "--agent", "command")

    assert done.code == 2
    assert "--command 'program arguments'" in done.err


def test_one_task_is_not_counted_as_many(cli: Cli, repo: Path) -> None:
    with_plan(repo, "- [ ] Say hello\n  - `false` succeeds\n")

    done = cli("loop", "PLAN.md", *AGENT, "--max-attempts", "1")

    assert "1 of 1 task is blocked." in done.out


def test_what_a_task_waited_for_that_is_done_holds_up_nobody(cli: Cli, repo: Path) -> None:
    with_plan(
        repo, "- [R] Old\n  - after: Long gone\n- [ ] Say hello\n  - `test -f hello.txt` succeeds\n"
    )

    assert cli("loop", "PLAN.md", *AGENT).code == 0


def test_a_task_that_comes_to_name_an_unknown_one_is_not_begun(cli: Cli, repo: Path) -> None:
    with_plan(repo, "- [ ] Say hello\n  - `test -f hello.txt` succeeds\n")
    more = "\\n- [ ] Later\\n  - after: Nobody knows\\n"
    words = (
        f"sh -c 'cat > /dev/null; echo >> ../asked; touch hello.txt; printf \"{more}\" >> PLAN.md'"
    )

    done = cli("loop", "PLAN.md", "--agent", "command", "--command", words)

    assert done.code == 1
    assert "1 of 2 tasks waits for what is not done." in done.out
    assert (repo.parent / "asked").read_text() == "\n"


def test_a_loop_says_which_lines_of_the_plan_are_no_tasks_and_goes_on(cli: Cli, repo: Path) -> None:
    with_plan(repo, "- [ ] Say hello\n  - `test -f hello.txt` succeeds\n- [] malformed\n")

    done = cli("loop", "PLAN.md", *AGENT)

    assert done.code == 0
    assert "PLAN.md:3: '[] malformed' is no task" in done.err


def test_a_mistyped_task_is_told_which_was_meant(cli: Cli, project: Path) -> None:
    write_file(project / "PLAN.md", "- [ ] Add a readme\n- [ ] Something else\n")

    done = cli("check", "Add a reedme")

    assert done.code == 2
    named = "1 (Add a readme), 2 (Something else)"
    assert f"did you mean Add a readme? Or name one by its line: {named}" in done.err
