"""`prowess loop` asked for what it cannot do: said at once, with what was meant, and nothing is begun."""

from pathlib import Path

import pytest

from loop.looping import git
from support import Cli, Result, write_file

ONE = "- [ ] Say hello\n  - `test -f hello.txt` succeeds\n"
AGENT = ("--agent", "command", "--command", "sh -c 'cat > /dev/null; touch hello.txt'")


@pytest.fixture
def repo(project: Path) -> Path:
    git(project, "init", "-q", "-b", "main")
    git(project, "config", "user.email", "a@b")
    git(project, "config", "user.name", "a")
    write_file(project / ".gitignore", "SECRET.md\n")
    write_file(project / "PLAN.md", ONE)
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "A plan")
    return project


def refused(cli: Cli, *words: object) -> Result:
    done = cli("loop", *words)

    assert done.code == 2, done.err
    assert cli("runs", "list", "--json").json == []
    return done


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("echo 'unclosed", "--command: a quote is not closed: echo 'unclosed"),
        ("echo \\", "--command: it ends with a backslash: echo \\"),
    ],
)
def test_a_command_that_is_not_whole_is_told(cli: Cli, repo: Path, command: str, told: str) -> None:
    assert told in refused(cli, "PLAN.md", "--agent", "command", "--command", command).err


def test_a_command_without_its_agent_says_where_it_belongs(cli: Cli, repo: Path) -> None:
    assert "add `--agent command`" in refused(cli, "PLAN.md", "--command", "true").err


def test_a_command_may_be_the_reviewer_alone(cli: Cli, repo: Path) -> None:
    done = cli("loop", "PLAN.md", "--reviewer", "command", "--command", "true")

    assert "belongs to" not in done.err


def test_a_program_that_is_not_executable_is_told_apart_from_one_that_is_not_there(
    cli: Cli, repo: Path
) -> None:
    write_file(repo / "tools/agent", "#!/bin/sh\n")

    done = cli("loop", "PLAN.md", "--agent", "command", "--command", "tools/agent")

    assert done.code == 3
    assert "tools/agent is there, but not executable" in done.err
    assert "`chmod +x tools/agent`" in done.err


@pytest.mark.parametrize(
    ("named", "told"),
    [("PLAM.md", "did you mean PLAN.md?"), ("./plan.md", "did you mean ./PLAN.md?")],
)
def test_a_plan_that_is_not_there_is_told_with_the_one_that_is(
    cli: Cli, repo: Path, named: str, told: str
) -> None:
    assert told in refused(cli, named, *AGENT).err


def test_a_folder_is_no_plan(cli: Cli, repo: Path) -> None:
    (repo / "plans").mkdir()

    assert "plans: that is a folder" in refused(cli, "plans", *AGENT).err


def test_a_plan_outside_of_the_repository_is_refused(cli: Cli, repo: Path) -> None:
    write_file(repo.parent / "OUT.md", ONE)

    assert "the plan has to lie in the repository" in refused(cli, "../OUT.md", *AGENT).err


def test_a_plan_may_be_named_from_a_folder_of_its_repository(
    cli: Cli, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "src").mkdir()
    monkeypatch.chdir(repo / "src")

    done = cli("loop", "../PLAN.md", "--agent", "command", "--command", "touch hello.txt")

    assert done.code == 0, done.err
    assert (repo / "PLAN.md").read_text() == ONE.replace("[ ]", "[R]")
    assert (repo / "hello.txt").exists()


def test_whoever_begins_beside_the_repository_is_told_which_it_is(
    cli: Cli, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo.parent)

    told = refused(cli, repo / "PLAN.md", *AGENT).err

    assert f"{repo.parent} is not a git repository, and the plan lies in one: {repo}" in told
    assert f"`--project {repo}`, or begin there" in told
    assert "git init" not in told


def test_what_is_no_plain_file_is_no_plan(cli: Cli, repo: Path) -> None:
    told = refused(cli, "/dev/null", *AGENT).err

    assert "/dev/null is no plain file" in told
    assert "did you mean" not in told


def test_a_script_that_names_no_program_is_told_what_it_lacks(cli: Cli, repo: Path) -> None:
    write_file(repo / "agent", "touch hello.txt\n").chmod(0o755)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "An agent")

    done = cli("loop", "PLAN.md", "--agent", "command", "--command", "./agent")

    assert done.code == 3
    assert "a script needs a first line that names its program, such as `#!/bin/sh`" in done.err


def test_a_plan_that_git_ignores_is_refused(cli: Cli, repo: Path) -> None:
    write_file(repo / "SECRET.md", ONE)

    told = refused(cli, "SECRET.md", *AGENT).err

    assert "git ignores SECRET.md" in told
    assert "take it out of .gitignore, or name another file" in told


def test_a_validation_program_that_only_the_person_has_is_told_with_its_line(
    cli: Cli, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file(repo.parent / "bin/their-runner", "#!/bin/sh\n").chmod(0o755)
    monkeypatch.setenv("PATH", str(repo.parent / "bin"), prepend=":")
    write_file(repo / "PLAN.md", f"{ONE}\n## Validation commands\n\n```sh\ntheir-runner -q\n```\n")
    git(repo, "commit", "-q", "-a", "-m", "A plan")

    told = refused(cli, "PLAN.md", *AGENT).err

    assert "PLAN.md:7: `their-runner` is not in the sandbox" in told
    assert "bin/their-runner is not shown to it" in told
    assert "nothing was begun" in told
