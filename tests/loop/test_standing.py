"""What stood before an agent began is not its work: it is neither blamed for it nor proven by it."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from loop.looping import Scripted, git, loop, nothing, writes
from prowess.core.agent import AgentOrder
from support import write_file

IDLE = "- [ ] Say hello\n\n## Validation\n\n```sh\ntest -f README.md\n```\n"
HONEST = "- [ ] Say hello\n  - files: hello.txt\n  - `hello.txt` contains `hi`\n"


def commit(repo: Path) -> None:
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "more")


def ignored_everywhere(repo: Path) -> None:
    write_file(Path.home() / ".config" / "git" / "ignore", ".DS_Store\n.idea/\n")
    write_file(repo / ".DS_Store", "store")
    write_file(repo / ".idea" / "workspace.xml", "<xml/>")


def ignored_by_a_file_that_settings_name(repo: Path) -> None:
    write_file(Path.home() / "rules", ".DS_Store\n")
    git(repo, "config", "--global", "core.excludesFile", "~/rules")
    write_file(repo / ".DS_Store", "store")


def ignored_here(repo: Path) -> None:
    write_file(repo / ".git" / "info" / "exclude", "local.cfg\n")
    write_file(repo / "local.cfg", "mine")


def filtered(repo: Path) -> None:
    """As large files are: what lies there is not what git keeps."""
    git(repo, "config", "--global", "filter.big.clean", "sed s/large/pointer/")
    git(repo, "config", "--global", "filter.big.smudge", "sed s/pointer/large/")
    write_file(repo / ".gitattributes", "*.bin filter=big\n")
    write_file(repo / "big.bin", "large\n")
    commit(repo)
    assert git(repo, "show", "HEAD:big.bin") == "pointer\n"


def with_other_line_ends(repo: Path) -> None:
    git(repo, "config", "--global", "core.autocrlf", "input")
    git(repo, "config", "--global", "core.safecrlf", "false")
    (repo / "win.txt").write_bytes(b"one\r\ntwo\r\n")
    commit(repo)


def on_a_disk_without_modes(repo: Path) -> None:
    git(repo, "config", "core.fileMode", "false")
    (repo / "README.md").chmod(0o755)


def with_a_submodule(repo: Path) -> None:
    inner = repo.parent / "inner"
    inner.mkdir()
    git(inner, "init", "-q", "-b", "main")
    git(inner, "config", "user.email", "a@b")
    git(inner, "config", "user.name", "a")
    write_file(inner / "a.txt", "a\n")
    commit(inner)
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "lib")
    commit(repo)


def with_a_submodule_that_may_be_dirty(repo: Path) -> None:
    with_a_submodule(repo)
    git(repo, "config", "-f", ".gitmodules", "submodule.lib.ignore", "dirty")
    commit(repo)
    write_file(repo / "lib" / "a.txt", "mine\n")


Place = Callable[[Path], None]
PLACES = [
    ignored_everywhere,
    ignored_by_a_file_that_settings_name,
    ignored_here,
    filtered,
    with_other_line_ends,
    on_a_disk_without_modes,
    with_a_submodule_that_may_be_dirty,
]


@pytest.mark.parametrize("place", PLACES)
def test_an_agent_that_did_nothing_has_proven_nothing(repo: Path, place: Place) -> None:
    place(repo)

    ended = loop(repo, IDLE, Scripted([nothing]), max_attempts=1)

    assert "- [~] Say hello" in ended.plan


@pytest.mark.parametrize("place", PLACES)
def test_an_agent_is_not_blamed_for_what_stood_before(repo: Path, place: Place) -> None:
    place(repo)

    ended = loop(repo, HONEST, Scripted([writes("hello.txt", "hi")]), max_attempts=1)

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "show", "--name-only", "--format=", "HEAD").split() == ["PLAN.md", "hello.txt"]


@pytest.mark.parametrize("place", [filtered, with_other_line_ends])
def test_nor_for_it_in_a_work_tree_of_its_own(repo: Path, place: Place) -> None:
    place(repo)
    plan = HONEST + "- [ ] Say bye\n  - files: bye.txt\n  - `bye.txt` contains `bye`\n"

    def act(folder: Path, order: AgentOrder) -> str:
        first = folder.name == "task-1"
        return writes(*(("hello.txt", "hi") if first else ("bye.txt", "bye")))(folder, order)

    ended = loop(repo, plan, Scripted([act]), max_attempts=1, parallel=2)

    assert ended.plan.count("[R]") == 2


def test_a_file_that_an_editor_writes_meanwhile_is_nobodys_work(repo: Path) -> None:
    ignored_everywhere(repo)

    def act(folder: Path, order: AgentOrder) -> str:
        write_file(repo / ".idea" / "workspace.xml", "<other/>")
        write_file(repo / ".idea" / "new.xml", "<new/>")
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, HONEST, Scripted([act]), max_attempts=1)

    assert "- [R] Say hello" in ended.plan


@pytest.mark.parametrize("place", [filtered, with_other_line_ends, on_a_disk_without_modes])
def test_what_stood_otherwise_and_was_changed_then_is_a_change(repo: Path, place: Place) -> None:
    place(repo)
    paths: dict[Place, str] = {filtered: "big.bin", with_other_line_ends: "win.txt"}
    path = paths.get(place, "README.md")

    ended = loop(repo, HONEST, Scripted([writes(path, "other\n")]), max_attempts=1)

    assert f"`{path}` was changed and matches none" in ended.outcome.answer


def test_an_agent_cannot_have_its_work_ignored_by_the_settings_of_the_person(repo: Path) -> None:
    def act(folder: Path, order: AgentOrder) -> str:
        write_file(Path.home() / ".config" / "git" / "ignore", "conftest.py\n")
        write_file(folder / "conftest.py", "")
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, HONEST, Scripted([act]), max_attempts=1)

    assert "`conftest.py` was changed and matches none" in ended.outcome.answer


def test_what_a_blocked_task_left_in_a_submodule_is_not_the_next_ones(repo: Path) -> None:
    with_a_submodule(repo)
    plan = "- [ ] Spoil it\n  - `nowhere.txt` exists\n" + HONEST

    def spoils(folder: Path, order: AgentOrder) -> str:
        write_file(folder / "lib" / "a.txt", "spoiled\n")
        return "done"

    ended = loop(repo, plan, Scripted([spoils, writes("hello.txt", "hi")]), max_attempts=1)

    assert "- [~] Spoil it" in ended.plan
    assert "- [R] Say hello" in ended.plan


def test_work_in_a_submodule_that_is_committed_nowhere_is_not_proven(repo: Path) -> None:
    with_a_submodule(repo)
    plan = "- [ ] Mend it\n  - files: lib\n  - `grep mended lib/a.txt` succeeds\n"

    ended = loop(repo, plan, Scripted([writes("lib/a.txt", "mended\n")]), max_attempts=1)

    assert (
        "`lib` was changed and has changes inside that are committed nowhere"
        in ended.outcome.answer
    )
    assert "[R]" not in ended.plan


def test_work_in_a_submodule_that_is_committed_there_is_kept(repo: Path) -> None:
    with_a_submodule(repo)
    plan = "- [ ] Mend it\n  - files: lib\n  - `grep mended lib/a.txt` succeeds\n"

    def mends(folder: Path, order: AgentOrder) -> str:
        write_file(folder / "lib" / "a.txt", "mended\n")
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "mended"],
            cwd=folder / "lib",
            check=True,
        )
        return "done"

    ended = loop(repo, plan, Scripted([mends]), max_attempts=1)

    assert "- [R] Mend it" in ended.plan
    assert git(repo, "rev-parse", "HEAD:lib") == git(repo / "lib", "rev-parse", "HEAD")
