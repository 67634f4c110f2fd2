"""What changed, read from real repositories that do not want it to be seen."""

import asyncio
import os
from pathlib import Path

import pytest

from check.repository import Repository
from prowess.check.tree.changes import open_tree
from prowess.check.tree.ignoring import personal_rules, rules_at_work
from prowess.core.errors import OutsideError, UsageError
from prowess.core.evidence import Change
from prowess.core.ports import Sandbox
from support import write_file


def changes(repo: Repository, sandbox: Sandbox, base: str = "HEAD") -> dict[str, Change]:
    tree = open_tree(str(repo.folder), sandbox)

    async def read() -> list[Change]:
        return await tree.changes(await tree.base(base))

    return {each.path: each for each in asyncio.run(read())}


def base_of(repo: Repository, sandbox: Sandbox, revision: str | None = None) -> str:
    return asyncio.run(open_tree(str(repo.folder), sandbox).base(revision))


def test_a_tree_that_is_as_it_was_has_no_changes(repo: Repository, sandbox: Sandbox) -> None:
    assert changes(repo, sandbox) == {}


def test_staged_unstaged_untracked_committed_and_deleted_files_are_all_seen(
    repo: Repository, sandbox: Sandbox
) -> None:
    base = repo.git("rev-parse", "HEAD")
    repo.put("committed.py")
    repo.commit()
    repo.put("staged.py")
    repo.git("add", "staged.py")
    repo.put("README.md", "changed\n")
    repo.put("deep/untracked.py")
    (repo.folder / "lib/a.py").unlink()

    found = changes(repo, sandbox, base)

    assert {path: each.status for path, each in found.items()} == {
        "committed.py": "A",
        "staged.py": "A",
        "README.md": "M",
        "deep/untracked.py": "?",
        "lib/a.py": "D",
    }


def test_what_was_staged_and_then_put_back_is_still_seen(
    repo: Repository, sandbox: Sandbox
) -> None:
    repo.put("README.md", "staged\n")
    repo.git("add", "README.md")
    repo.put("README.md", "# Work\n")

    assert list(changes(repo, sandbox)) == ["README.md"]


def test_what_was_committed_and_then_put_back_is_still_seen(
    repo: Repository, sandbox: Sandbox
) -> None:
    base = repo.git("rev-parse", "HEAD")
    repo.put("README.md", "committed\n")
    repo.commit()
    repo.put("README.md", "# Work\n")
    repo.git("add", "README.md")

    assert list(changes(repo, sandbox, base)) == ["README.md"]


def test_both_ends_of_a_rename_are_seen(repo: Repository, sandbox: Sandbox) -> None:
    repo.git("mv", "lib/a.py", "lib/b.py")

    found = changes(repo, sandbox)

    assert {path: each.status for path, each in found.items()} == {"lib/a.py": "D", "lib/b.py": "A"}


def test_a_mode_and_a_type_are_changes_too(repo: Repository, sandbox: Sandbox) -> None:
    (repo.folder / "README.md").chmod(0o755)
    (repo.folder / "lib/a.py").unlink()
    (repo.folder / "lib/a.py").symlink_to("/etc/passwd")

    found = changes(repo, sandbox)

    assert found["README.md"].status == "M"
    assert found["lib/a.py"].status == "T"
    assert found["lib/a.py"].link == "/etc/passwd"


def test_the_target_of_a_link_is_known_wherever_the_link_is(
    repo: Repository, sandbox: Sandbox
) -> None:
    base = repo.git("rev-parse", "HEAD")
    (repo.folder / "committed").symlink_to("../out")
    repo.commit()
    (repo.folder / "committed").unlink()
    (repo.folder / "untracked").symlink_to("lib/a.py")

    found = changes(repo, sandbox, base)

    assert found["committed"].link == "../out"
    assert found["untracked"].link == "lib/a.py"


def test_names_that_git_would_quote_come_as_they_are(repo: Repository, sandbox: Sandbox) -> None:
    names = {'a "b"\n\t.py', "ü.py", " space ", "-n"}
    for name in names:
        repo.put(name)

    assert set(changes(repo, sandbox)) == names


def test_a_name_that_is_no_text_is_a_name_all_the_same(repo: Repository, sandbox: Sandbox) -> None:
    with open(os.path.join(os.fsencode(repo.folder), b"a\xff.py"), "wb"):
        pass

    assert list(changes(repo, sandbox)) == [os.fsdecode(b"a\xff.py")]


def test_a_repository_inside_is_seen_as_one(repo: Repository, sandbox: Sandbox) -> None:
    Repository(repo.folder / "lib/inner").put("hidden.py")

    found = changes(repo, sandbox)

    assert found["lib/inner"].submodule


def test_a_twin_in_another_case_is_told(repo: Repository, sandbox: Sandbox) -> None:
    repo.put("lib/A.py")

    assert changes(repo, sandbox)["lib/A.py"].twin == "lib/a.py"


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_flags_of_the_index_hide_nothing(repo: Repository, sandbox: Sandbox, flag: str) -> None:
    repo.git("update-index", flag, "README.md")
    repo.put("README.md", "changed\n")

    assert list(changes(repo, sandbox)) == ["README.md"]


def test_exclude_files_and_settings_of_the_repository_hide_nothing(
    repo: Repository, sandbox: Sandbox, tmp_path: Path
) -> None:
    (repo.folder / ".git/info/exclude").write_text("*.py\n")
    (tmp_path / "all").write_text("*\n")
    repo.git("config", "core.excludesFile", str(tmp_path / "all"))
    repo.git("config", "core.fileMode", "false")
    repo.git("config", "core.worktree", "/")
    repo.put("hidden.py")
    (repo.folder / "README.md").chmod(0o755)

    assert set(changes(repo, sandbox)) == {"hidden.py", "README.md"}


def test_no_command_of_the_repository_is_run(
    repo: Repository, sandbox: Sandbox, tmp_path: Path
) -> None:
    mark = repo.folder / "mark"
    hook = repo.put(".git/hooks/post-index-change", f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    repo.git("config", "core.fsmonitor", f"touch {mark}; false")
    repo.put("README.md", "changed\n")

    assert list(changes(repo, sandbox)) == ["README.md"]
    assert not mark.exists()


def test_ignored_files_are_not_listed(repo: Repository, sandbox: Sandbox) -> None:
    repo.put(".gitignore", "*.log\n")
    repo.put("x.log")

    assert list(changes(repo, sandbox)) == [".gitignore"]


def test_an_ignore_file_that_ignores_itself_hides_neither_itself_nor_code(
    repo: Repository, sandbox: Sandbox
) -> None:
    repo.put("lib/.gitignore", "*\n")
    repo.put("lib/conftest.py")
    repo.put("lib/data.bin")
    repo.put("lib/pyvenv.cfg")
    repo.put("fresh/.gitignore", "*\n")
    repo.put("fresh/test_x.py")

    assert set(changes(repo, sandbox)) == {
        "lib/.gitignore",
        "lib/conftest.py",
        "lib/pyvenv.cfg",
        "fresh/.gitignore",
        "fresh/test_x.py",
    }


def test_what_the_base_ignores_already_is_not_listed(repo: Repository, sandbox: Sandbox) -> None:
    repo.put(".gitignore", "local/\n")
    repo.put("lib/.gitignore", "*.gen.py\n!kept.gen.py\n")
    repo.commit()
    repo.put("local/conftest.py")
    repo.put("lib/a.gen.py")
    repo.put(".git/info/exclude", "hidden.py\n")
    repo.put("lib/hidden.py")
    repo.put("lib/.gitignore", "*.py\n")

    assert set(changes(repo, sandbox)) == {"lib/.gitignore", "lib/hidden.py"}


def test_what_tools_keep_for_themselves_is_not_listed(repo: Repository, sandbox: Sandbox) -> None:
    for place in (".pytest_cache", ".venv", "my-env"):
        repo.put(f"{place}/.gitignore", "*\n")
        repo.put(f"{place}/lib/conftest.py")
    repo.put("my-env/pyvenv.cfg")

    assert changes(repo, sandbox) == {}


def test_a_linked_work_tree_is_read_like_any_other(
    repo: Repository, sandbox: Sandbox, tmp_path: Path
) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (tmp_path / "side" / "new.py").write_text("x")
    tree = open_tree(str(tmp_path / "side"), sandbox)

    found = asyncio.run(tree.changes(repo.git("rev-parse", "HEAD")))

    assert [each.path for each in found] == ["new.py"]


def test_a_forged_pointer_to_records_opens_no_folder(
    repo: Repository, sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "key").write_text("secret")
    (repo.folder / ".git").rename(tmp_path / "records")
    (repo.folder / ".git").write_text(f"gitdir: {tmp_path / 'private'}\n")

    assert open_tree(str(repo.folder), sandbox).records == ()
    (repo.folder / ".git").write_text("gitdir: forged\n")
    repo.put("forged/gitdir", f"{repo.folder}/.git\n")
    repo.put("forged/commondir", f"{tmp_path / 'private'}\n")
    assert open_tree(str(repo.folder), sandbox).records == ()


def test_a_repository_without_a_commit_has_only_new_files(tmp_path: Path, sandbox: Sandbox) -> None:
    fresh = Repository(tmp_path / "fresh")
    fresh.put("a.py")
    tree = open_tree(str(fresh.folder), sandbox)

    found = asyncio.run(_since_default(tree))

    assert [each.path for each in found] == ["a.py"]


async def _since_default(tree: object) -> list[Change]:
    return await tree.changes(await tree.base(None))  # type: ignore[attr-defined,no-any-return]


def test_without_a_name_the_base_is_where_the_branch_left_main(
    repo: Repository, sandbox: Sandbox
) -> None:
    start = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-b", "feature")
    repo.put("new.py")
    repo.commit()

    assert base_of(repo, sandbox) == start
    assert base_of(repo, sandbox, "feature") != start


def test_an_unknown_base_and_a_folder_without_git_are_told(
    repo: Repository, sandbox: Sandbox, tmp_path: Path
) -> None:
    os.mkdir(tmp_path / "plain")

    with pytest.raises(UsageError, match="there is no commit 'nowhere'"):
        base_of(repo, sandbox, "nowhere")
    with pytest.raises(OutsideError, match="cannot be listed"):
        asyncio.run(open_tree(str(tmp_path / "plain"), sandbox).base(None))


def test_what_a_person_has_git_ignore_everywhere_is_no_change(
    repo: Repository, sandbox: Sandbox
) -> None:
    repo.put(".DS_Store")
    repo.put("notes/conftest.py")
    repo.put("new.py")
    tree = open_tree(str(repo.folder), sandbox, rules=".DS_Store\nnotes/\n")

    found = asyncio.run(tree.changes(repo.git("rev-parse", "HEAD")))

    assert [each.path for each in found] == ["new.py"]


def test_the_rules_of_a_person_are_those_of_their_own_settings(
    repo: Repository, home: Path
) -> None:
    write_file(home / ".config" / "git" / "ignore", "usual\n")
    repo.git("config", "core.excludesFile", str(repo.put("rules", "of the repository\n")))

    assert personal_rules().split() == ["usual", "__pycache__/"]
    assert rules_at_work(str(repo.folder)).split("\n")[0] == "of the repository"
    repo.git("config", "--global", "core.excludesFile", str(write_file(home / "own", "own\n")))
    assert personal_rules().split() == ["own", "__pycache__/"]


def test_what_stands_as_it_stood_is_no_change(repo: Repository, sandbox: Sandbox) -> None:
    base = repo.git("rev-parse", "HEAD")
    (repo.folder / "README.md").chmod(0o755)
    for name in ("untracked", "link", "committed", "altered", "gone"):
        repo.put(name)
    (repo.folder / "link").unlink()
    (repo.folder / "link").symlink_to("untracked")
    inner = Repository(repo.folder / "inner")
    inner.put("a.py")
    stood = asyncio.run(open_tree(str(repo.folder), sandbox).standing(base))

    tree = open_tree(str(repo.folder), sandbox, stood=stood)
    assert asyncio.run(tree.changes(base)) == []
    repo.put("altered", "otherwise\n")
    (repo.folder / "gone").unlink()
    (repo.folder / "link").unlink()
    (repo.folder / "link").symlink_to("elsewhere")
    inner.put("a.py", "otherwise\n")
    repo.git("add", "committed")
    found = {each.path for each in asyncio.run(tree.changes(base))}

    assert found == {"altered", "link", "inner", "committed"}
