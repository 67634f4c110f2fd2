"""To commands of a check, `git diff` tells what they changed, whatever was staged or committed of the work."""

from pathlib import Path

import pytest

from check.checks import check, held, verdicts
from check.repository import Repository
from prowess.core.ports import Sandbox

CLEAN = "git diff --exit-code"


@pytest.fixture
def work(repo: Repository, sandbox: Sandbox) -> Repository:
    """One with a change, a new file and one that is gone."""
    if sandbox.level != "bubblewrap":
        pytest.skip("only bubblewrap shows an index in the place of another one")
    repo.put(".gitignore", "built/\n")
    repo.put("run.sh", "true\n").chmod(0o755)
    repo.put("gone.txt")
    repo.commit("more")
    (repo.folder / "gone.txt").unlink()
    repo.put("lib/a.py", "A = 2\n")
    repo.put("lib/new.py", "".join(f"N{number} = 1\n" for number in range(50)))
    return repo


def leave(work: Repository, how: str) -> None:
    if how != "lying":
        work.git("add", "-A")
    if how == "committed":
        work.git("commit", "-q", "-m", "work")
    if how == "staged otherwise":
        work.git("rm", "-q", "--cached", "run.sh")
        work.git("update-index", "--assume-unchanged", "lib/a.py")


def records(work: Repository) -> dict[str, bytes]:
    found = (path for path in (work.folder / ".git").rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in found}


@pytest.mark.parametrize("how", ["lying", "staged", "committed", "staged otherwise"])
def test_git_diff_is_clean_until_the_command_itself_changes_something(
    work: Repository, sandbox: Sandbox, how: str
) -> None:
    leave(work, how)
    before = records(work)

    report = check(
        work,
        sandbox,
        validation=(
            f"printf 'A = 2\\n' > lib/a.py && {CLEAN}",
            f"echo 'A = 3' > lib/a.py; git diff | grep '^-A = 2' && {CLEAN}",
            f"echo >> lib/new.py; git diff | grep '^+$' && {CLEAN}",
            f"rm lib/new.py; {CLEAN} --stat",
            f"chmod -x run.sh; {CLEAN}",
            f"mkdir built && echo > built/x && {CLEAN}",
            "echo > planted && test \"$(git status --porcelain | grep -v '^[MADR]  ')\" = '?? planted'",
        ),
        base=work.git("rev-parse", "HEAD~1") if how == "committed" else None,
    )

    assert verdicts(report) == ["PASS", "FAIL", "FAIL", "FAIL", "FAIL", "PASS", "PASS"]
    assert records(work) == before


def test_a_repository_that_a_command_makes_has_an_index_of_its_own(
    work: Repository, sandbox: Sandbox
) -> None:
    own = 'cd "$(mktemp -d)" && git init -q && echo > a && git add a && git -c user.name=a'
    own += ' -c user.email=a@example.org commit -qm a && test "$(git ls-files)" = a && git log'

    assert held(check(work, sandbox, validation=(own,)))


def test_a_linked_work_tree_has_an_index_of_the_ground_too(
    work: Repository, sandbox: Sandbox, tmp_path: Path
) -> None:
    linked = Repository.__new__(Repository)
    linked.folder = tmp_path / "linked"
    work.git("worktree", "add", "-q", str(linked.folder))
    linked.put("lib/a.py", "A = 4\n")
    linked.put("lib/other.py", "B = 1\n")

    report = check(
        linked,
        sandbox,
        validation=(f"python3 -c 1 && {CLEAN}", f"echo >> lib/other.py; git diff && {CLEAN}"),
    )

    assert verdicts(report) == ["PASS", "FAIL"]


def test_before_the_first_commit_git_diff_is_clean_too(tmp_path: Path, sandbox: Sandbox) -> None:
    repo = Repository(tmp_path / "empty")
    repo.put("a.py", "A = 1\n")
    repo.git("add", "a.py")
    repo.put("a.py", "A = 2\n")
    repo.put("b.py", "B = 1\n")

    assert held(check(repo, sandbox, validation=(CLEAN,)))


def test_a_filter_of_the_repository_lays_nothing_in_the_place_of_the_index(
    work: Repository, sandbox: Sandbox
) -> None:
    planted = 'ln -sf /etc/passwd "$GIT_INDEX_FILE.lock"'
    planted = f"! grep -qa -- --replace /proc/$PPID/cmdline || {planted}; cat"
    work.put(".gitattributes", "*.py filter=own\n")
    work.git("config", "filter.own.clean", planted)

    assert held(check(work, sandbox, validation=("git log && grep -q 2 lib/a.py",)))


@pytest.mark.parametrize("path", ["index", "objects/info"])
def test_where_no_index_can_be_laid_commands_run_without(
    work: Repository, sandbox: Sandbox, path: str
) -> None:
    (work.folder / ".git" / path).rename(work.folder / ".git/aside")

    assert held(check(work, sandbox, validation=("git log && grep -q 2 lib/a.py",)))


@pytest.mark.parametrize("how", ["lying", "staged", "committed", "staged otherwise"])
def test_who_asks_git_first_is_told_what_the_work_changed(
    work: Repository, sandbox: Sandbox, how: str
) -> None:
    base = work.git("rev-parse", "HEAD")
    leave(work, how)

    report = check(
        work,
        sandbox,
        validation=(
            f"{CLEAN} -- lib/a.py",
            f"cat lib/a.py 2>&1 && {CLEAN} lib/",
            f"{CLEAN} -- .gitignore",
            "git diff --name-only | grep -qx gone.txt",
            "git ls-files | grep -qx lib/new.py",
        ),
        base=base,
    )

    assert verdicts(report) == ["FAIL", "FAIL", "PASS", "PASS", "PASS"], report.reasons
