"""What a person set for all their repositories holds in a loop as it was when the loop began."""

import asyncio
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from loop.looping import Act, Scripted, git, go_on, loop, writes
from prowess.core.agent import AgentOrder
from prowess.core.errors import OutsideError
from prowess.loop.git.everywhere import CONFIG, own_settings
from prowess.loop.git.settings import Kept, remember
from running import KilledError, Remembering
from support import write_file

ONE = "# Plan\n\n- [ ] Say hello\n  - `grep -q hi hello.txt` succeeds\n"
FILTER = '[filter "x"]\n\tclean = sed s/hi/EVIL/\n'
COPIES = ".git/prowess/loop/own"


def plants(home: Path, *files: tuple[str, str]) -> Act:
    """Files in a person's home, of an agent that does what it was asked to besides."""

    def act(folder: Path, order: AgentOrder) -> str:
        for name, text in files:
            write_file(home / name, text.replace("HOME", str(home)))
        return writes("hello.txt", "hi\n")(folder, order)

    return act


def with_attributes(act: Act) -> Act:
    def both(folder: Path, order: AgentOrder) -> str:
        write_file(folder / ".gitattributes", "*.txt filter=x\n")
        return act(folder, order)

    return both


PLANTED = {
    "a filter": ((".gitconfig", FILTER),),
    "one that is included": ((".gitconfig", "[include]\n\tpath = more\n"), ("more", FILTER)),
    "one elsewhere": ((".config/git/config", FILTER),),
    "rules": ((".gitconfig", "[core]\n\texcludesFile = HOME/rules\n"), ("rules", "hello.txt\n")),
    "rules elsewhere": ((".config/git/ignore", "hello.txt\n"),),
}


@pytest.mark.parametrize("parallel", [1, 2])
@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED.keys())
def test_settings_that_an_agent_gives_a_person_change_no_commit(
    repo: Path, home: Path, planted: tuple[tuple[str, str], ...], parallel: int
) -> None:
    agent = Scripted([with_attributes(plants(home, *planted))])

    ended = loop(repo, ONE, agent, parallel=parallel)

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "show", "main:hello.txt") == "hi\n"


@pytest.mark.parametrize("where", [".config/git/attributes", "mine"])
def test_nor_do_attributes_that_it_gives_all_their_files(
    repo: Path, home: Path, where: str
) -> None:
    git(repo, "config", "--global", "filter.x.clean", "sed s/hi/CLEAN/")
    if where == "mine":
        git(repo, "config", "--global", "core.attributesFile", "~/mine")

    ended = loop(repo, ONE, Scripted([plants(home, (where, "*.txt filter=x\n"))]))

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "show", "main:hello.txt") == "hi\n"


def test_what_a_person_had_set_holds_whatever_becomes_of_it(repo: Path, home: Path) -> None:
    for name in ("user.name", "user.email"):
        git(repo, "config", "--unset", name)
    write_file(home / "who", '[user]\n\tname = "A \\"#1\\" Person"\n\temail = p@example.org\n')
    git(repo, "config", "--global", f"includeIf.gitdir:{repo.parent}/.path", "who")
    git(repo, "config", "--global", "core.excludesFile", "~/rules")
    write_file(home / "rules", "*.swp\n")
    write_file(repo / "mine.swp", "mine\n")
    emptied = [(".gitconfig", ""), ("who", ""), ("rules", "")]

    ended = loop(repo, ONE, Scripted([plants(home, *emptied)]))

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "log", "-1", "--format=%an <%ae>").strip() == 'A "#1" Person <p@example.org>'
    assert git(repo, "ls-tree", "--name-only", "HEAD").split() == [
        "PLAN.md",
        "README.md",
        "hello.txt",
    ]


def test_settings_are_written_down_as_they_were_read(repo: Path, home: Path) -> None:
    write_file(
        home / ".gitconfig",
        '[a "B.c \\"d\\" \\\\ é"]\n\tx = " # ; \\t\\n\\b \\\\ \\"q\\" "\n\ty\n\tz =\n'
        '[old.Style]\n\tk = 1\n\tk = 2\n[alias]\n\tgo = !f() { echo \\"hi\\"; }; f\n',
    )
    write_file(home / ".config/git/config", "[user]\n\tsigningKey = first\n")

    copy = write_file(home / "copy", asyncio.run(own_settings(str(repo)))[CONFIG].decode())

    listed = ("config", "--list", "-z", "--file")
    first = git(repo, *listed, str(home / ".config/git/config"))
    assert git(repo, *listed, str(copy)) == first + git(repo, *listed, str(home / ".gitconfig"))


def test_copies_are_for_their_owner_alone_and_gone_at_the_end(repo: Path) -> None:
    secret = "AUTHORIZATION: basic " + "c2VjcmV0" * 3
    git(repo, "config", "--global", "http.extraHeader", secret)
    modes: list[int] = []

    def looks(folder: Path, order: AgentOrder) -> str:
        modes.extend(path.stat().st_mode & 0o777 for path in (folder / COPIES).iterdir())
        return writes("hello.txt", "hi\n")(folder, order)

    steps = Remembering(run_id="loop")
    loop(repo, ONE, Scripted([looks]), steps)

    assert modes == [0o600] * 3
    assert secret not in str(steps.kept)
    assert not (repo / ".git" / "prowess").exists()


@pytest.mark.parametrize("instead", ["file", "folder", "nothing"])
def test_copies_that_an_agent_changes_are_as_they_were_again(repo: Path, instead: str) -> None:
    def meddles(folder: Path, order: AgentOrder) -> str:
        shutil.rmtree(folder / COPIES)
        if instead == "file":
            write_file(folder / COPIES / "config", FILTER)
        if instead == "folder":
            (folder / COPIES / "config").mkdir(parents=True)
        return writes("hello.txt", "hi\n")(folder, order)

    ended = loop(repo, ONE, Scripted([with_attributes(meddles)]))

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "show", "main:hello.txt") == "hi\n"


def cut_off(repo: Path, does: Act) -> Remembering:
    """A loop that was killed when its agent had done this."""

    def dies(folder: Path, order: AgentOrder) -> str:
        does(folder, order)
        raise KilledError

    steps = Remembering(run_id="loop")
    with suppress(KilledError):
        loop(repo, ONE, Scripted([dies]), steps)
    return Remembering(run_id="loop", kept=steps.kept)


def test_they_hold_after_a_kill_too(repo: Path, home: Path) -> None:
    steps = cut_off(repo, with_attributes(plants(home, (".gitconfig", FILTER))))

    ended = go_on(repo, Scripted([writes("hello.txt", "hi again\n")]), steps)

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "show", "main:hello.txt") == "hi again\n"


def test_settings_of_a_person_that_nobody_can_vouch_for_end_the_loop(repo: Path) -> None:
    told = asyncio.run(remember(str(repo), "loop"))
    shutil.rmtree(repo / COPIES)

    asyncio.run(Kept().begin(told, lambda beside: None))
    git(repo, "config", "--global", "core.pager", "evil")

    with pytest.raises(
        OutsideError, match=r"your own settings of git .* were changed, and the copy"
    ):
        asyncio.run(Kept().begin(told, lambda beside: None))


def test_a_loop_that_an_older_version_began_goes_on_with_settings_as_they_are(repo: Path) -> None:
    steps = cut_off(repo, writes("hello.txt", "hi\n"))
    del steps.kept[0]["own"]
    shutil.rmtree(repo / COPIES)

    ended = go_on(repo, Scripted([writes("hello.txt", "hi again\n")]), steps)

    assert "- [R] Say hello" in ended.plan


def test_settings_that_git_cannot_read_are_told(repo: Path, home: Path) -> None:
    write_file(home / ".gitconfig", "[broken\n")

    with pytest.raises(OutsideError, match="bad config line 1"):
        asyncio.run(own_settings(str(repo)))


def test_a_folder_that_only_a_person_calls_safe_stays_so(repo: Path, home: Path) -> None:
    linked = repo.parent / "linked"
    git(repo, "worktree", "add", "-q", str(linked))
    git(repo, "config", "--global", "safe.directory", "*")
    told, kept = asyncio.run(remember(str(linked), "loop")), Kept()
    asyncio.run(kept.begin(told, lambda beside: None))
    write_file(home / ".gitconfig", "")

    anothers = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    code, _, why = asyncio.run(kept.run_git("rev-parse", "HEAD", cwd=str(linked), more=anothers))

    assert (code, why) == (0, "")
