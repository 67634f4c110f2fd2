"""How git behaves is put back as it was, and nothing that may be a person's is lost or copied about."""

import asyncio
import base64
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from loop.looping import Looped, Scripted, git, loop, writes
from prowess.core.agent import AgentOrder
from prowess.core.errors import OutsideError
from prowess.loop.git.settings import Kept, remember
from running import KilledError, Remembering
from support import write_file

ONE = "# Plan\n\n- [ ] Say hello\n  - `test -f hello.txt` succeeds\n"


def sets(*settings: tuple[str, str]) -> Any:
    def act(folder: Path, order: AgentOrder) -> str:
        for name, value in settings:
            git(folder, "config", name, value)
        return writes("hello.txt", "hi")(folder, order)

    return act


def beside(repo: Path) -> list[Path]:
    return sorted((repo / ".git").glob("config.changed-*"))


def test_settings_that_an_agent_changed_are_put_back_and_what_it_wrote_is_told(repo: Path) -> None:
    config = repo / ".git" / "config"
    config.chmod(0o600)
    before = config.read_bytes()

    ended = loop(repo, ONE, Scripted([sets(("remote.origin.url", "https://elsewhere.example"))]))

    assert config.read_bytes() == before
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    (left,) = beside(repo)
    assert "elsewhere.example" in left.read_text()
    assert str(left) in ended.told("run.warned")[0]["summary"]


def leaves_hook(folder: Path, order: AgentOrder) -> str:
    for name in ("pre-push", "post-merge"):
        write_file(folder / ".git/hooks" / name, "#!/bin/sh\ntouch /tmp/caught\n").chmod(0o755)
    return writes("hello.txt", "hi")(folder, order)


def test_hooks_that_an_agent_leaves_are_put_aside_and_told_and_a_persons_stay(repo: Path) -> None:
    hooks = repo / ".git" / "hooks"
    shutil.rmtree(hooks, ignore_errors=True)
    for name in ("pre-commit", "pre-push", "helpers/lint"):
        write_file(hooks / name, f"#!/bin/sh\n# {name}\n").chmod(0o755)
    before = {path: path.read_text() for path in hooks.rglob("*") if path.is_file()}

    ended = loop(repo, ONE, Scripted([leaves_hook]))

    after = {path: path.read_text() for path in hooks.rglob("*") if path.is_file()}
    aside = {path for path in after if path not in before}
    assert {path: after[path] for path in before} == before
    assert (hooks / "pre-push").stat().st_mode & 0o777 == 0o755
    assert [path.name.partition(".changed-")[0] for path in sorted(aside)] == [
        "post-merge",
        "pre-push",
    ]
    (warning,) = ended.told("run.warned")
    assert all(str(path) in warning["summary"] for path in aside)


def test_a_folder_of_hooks_that_was_not_there_is_put_aside_whole(repo: Path) -> None:
    hooks = repo / ".git" / "hooks"
    shutil.rmtree(hooks, ignore_errors=True)

    ended = loop(repo, ONE, Scripted([leaves_hook]))

    assert not hooks.exists()
    (aside,) = (repo / ".git").glob("hooks.changed-*")
    assert (aside / "post-merge").exists()
    assert str(aside) in ended.told("run.warned")[0]["summary"]


def test_hooks_come_back_when_an_agent_puts_a_link_in_their_place(
    repo: Path, tmp_path: Path
) -> None:
    hooks = repo / ".git" / "hooks"
    write_file(hooks / "pre-commit", "#!/bin/sh\n")

    def links(folder: Path, order: AgentOrder) -> str:
        shutil.rmtree(hooks)
        hooks.symlink_to(tmp_path)
        return writes("hello.txt", "hi")(folder, order)

    loop(repo, ONE, Scripted([links]))

    assert not hooks.is_symlink()
    assert (hooks / "pre-commit").read_text() == "#!/bin/sh\n"


def test_a_folder_in_the_place_of_settings_is_moved_away(repo: Path) -> None:
    def folder_for_file(folder: Path, order: AgentOrder) -> str:
        (folder / ".git" / "config").unlink()
        (folder / ".git" / "config").mkdir()
        shutil.rmtree(folder / ".git" / "info")
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([folder_for_file]))

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "config", "user.email").strip() == "a@b"


def test_no_secret_of_the_settings_is_in_the_record_of_a_run(repo: Path) -> None:
    secret = "AUTHORIZATION: basic " + "c2VjcmV0" * 3
    git(repo, "config", "http.extraheader", secret)
    steps = Remembering(run_id="loop")

    loop(repo, ONE, Scripted([writes("hello.txt", "hi")]), steps)

    encoded = base64.b64encode((repo / ".git" / "config").read_bytes()).decode()
    assert secret not in str(steps.kept)
    assert encoded not in str(steps.kept)
    assert not (repo / ".git" / "prowess").exists()


def killed(repo: Path, agent: Scripted) -> Remembering:
    """A loop that died after its agent was at work."""
    steps = Remembering(run_id="loop", dies_after=10)
    with suppress(KilledError):
        loop(repo, ONE, agent, steps)
    assert agent.prompts
    return Remembering(run_id="loop", kept=steps.kept)


def test_a_remote_that_a_person_adds_after_a_kill_stays(repo: Path) -> None:
    agent = Scripted([writes("hello.txt", "hi")])
    resumed = killed(repo, agent)
    git(repo, "remote", "add", "origin", "https://mine.example/x.git")

    ended = loop(repo, ONE, agent, resumed)

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "remote", "get-url", "origin").strip() == "https://mine.example/x.git"
    assert beside(repo) == []


def test_a_program_that_was_planted_before_a_kill_is_not_run_after_it(
    repo: Path, tmp_path: Path
) -> None:
    agent = Scripted([sets(("filter.x.clean", f"touch {tmp_path}/PWNED; cat"))])
    resumed = killed(repo, agent)
    git(repo, "config", "core.pager", "less")

    ended = loop_again(repo, agent, resumed)

    assert "- [R] Say hello" in ended.plan
    assert not (tmp_path / "PWNED").exists()
    assert "less" in "".join(each.read_text() for each in beside(repo))


def loop_again(repo: Path, agent: Scripted, steps: Remembering) -> Looped:
    """Without a git of the test's own before it, which would run what is planted."""
    write_file(repo / ".git" / "info" / "attributes", "*.txt filter=x\n")
    return loop(repo, ONE, agent, steps)


def test_settings_that_nobody_can_vouch_for_end_the_loop(repo: Path) -> None:
    told = asyncio.run(remember(str(repo), "loop"))
    shutil.rmtree(repo / ".git" / "prowess")
    git(repo, "config", "core.pager", "evil")

    with pytest.raises(OutsideError, match="were changed, and the copy of them too"):
        asyncio.run(Kept().begin(told, lambda beside: None))


def test_settings_are_as_they_were_where_only_their_copies_are_gone(repo: Path) -> None:
    told = asyncio.run(remember(str(repo), "loop"))
    shutil.rmtree(repo / ".git" / "prowess")
    kept = Kept()

    asyncio.run(kept.begin(told, lambda beside: None))
    os.unlink(repo / ".git" / "config")
    kept.put_back()

    assert git(repo, "config", "user.email").strip() == "a@b"


def test_another_place_for_the_settings_is_put_aside(repo: Path) -> None:
    def plants(folder: Path, order: AgentOrder) -> str:
        shutil.copytree(folder / ".git", folder / ".git" / "x", symlinks=True)
        write_file(folder / ".git/x/hooks/pre-commit", "#!/bin/sh\ntouch caught\n").chmod(0o755)
        write_file(folder / ".git/commondir", "x\n")
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([plants]))

    assert "- [R] Say hello" in ended.plan
    assert not (repo / ".git/commondir").exists()
    assert "commondir.changed-" in ended.told("run.warned")[0]["summary"]
    git(repo, "commit", "--allow-empty", "-m", "mine")
    assert not (repo / "caught").exists()
