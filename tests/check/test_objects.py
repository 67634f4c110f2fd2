"""Whoever overwrites objects of git hides nothing: what is read of the base is what its name says."""

import asyncio
import os
import subprocess
import time
import zlib
from pathlib import Path

import pytest

from check.checks import check
from check.repository import Repository
from prowess.check.tree.changes import Tree, open_tree
from prowess.check.tree.objects import Object, in_parts
from prowess.core.errors import OutsideError
from prowess.core.evidence import Change
from prowess.core.ports import Sandbox

WEAK = "def test_a():\n    assert True\n"
TEST = "def test_a():\n    assert 1 + 1 == 3\n"


@pytest.fixture(params=["sha1", "sha256"])
def tested(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Repository:
    """A repository with a test, and names of either length."""
    monkeypatch.setenv("GIT_DEFAULT_HASH", request.param)
    repo = Repository(tmp_path / "work")
    repo.put("deep/test_a.py", TEST)
    repo.put("deep/.gitignore", "*.log\n")
    repo.commit("base")
    return repo


def overwrite(repo: Repository, name: str, kind: str, content: bytes) -> None:
    """Put something else under the name of an object."""
    place = repo.folder / ".git/objects" / name[:2] / name[2:]
    place.chmod(0o644)
    place.write_bytes(zlib.compress(f"{kind} {len(content)}\0".encode() + content))


def raw(repo: Repository, name: str) -> bytes:
    place = repo.folder / ".git/objects" / name[:2] / name[2:]
    return zlib.decompress(place.read_bytes()).partition(b"\0")[2]


def read(repo: Repository, sandbox: Sandbox) -> tuple[list[Change], dict[str, str]]:
    tree = open_tree(str(repo.folder), sandbox)

    async def both() -> tuple[list[Change], dict[str, str]]:
        base = await tree.base("HEAD")
        changes, _ = await tree.read(base)
        return changes, await tree.texts_at(base, ["deep/test_a.py", "nowhere.py"])

    return asyncio.run(both())


def test_objects_that_are_what_they_should_be_are_read(
    tested: Repository, sandbox: Sandbox
) -> None:
    tested.put("deep/test_a.py", WEAK)

    changes, texts = read(tested, sandbox)

    assert [each.path for each in changes] == ["deep/test_a.py"]
    assert texts == {"deep/test_a.py": TEST}


def test_a_weakened_test_is_not_shown_as_that_of_the_base(
    tested: Repository, sandbox: Sandbox
) -> None:
    name = tested.git("rev-parse", "HEAD:deep/test_a.py")
    overwrite(tested, name, "blob", WEAK.encode())
    tested.put("deep/test_a.py", WEAK)

    with pytest.raises(OutsideError, match=rf"the blob {name[:12]} holds something else") as told:
        read(tested, sandbox)
    assert "git fsck" in str(told.value.hint)


def test_a_pack_that_holds_another_one_is_seen(repo: Repository, sandbox: Sandbox) -> None:
    """The list of a pack says where in it an object is; git looks nowhere else."""
    repo.put("deep/test_a.py", TEST)
    repo.put("deep/test_b.py", WEAK)
    repo.commit("base")
    names = repo.git("rev-parse", "HEAD:deep/test_a.py", "HEAD:deep/test_b.py").split()
    repo.git("repack", "-adqf", "--depth=0")
    (index,) = (repo.folder / ".git/objects/pack").glob("*.idx")
    content = bytearray(index.read_bytes())
    count = int.from_bytes(content[8 + 255 * 4 : 8 + 256 * 4])
    listed = 8 + 256 * 4
    first, second = (
        listed + count * 24 + (content.index(bytes.fromhex(name), listed) - listed) // 20 * 4
        for name in names
    )
    content[first : first + 4] = content[second : second + 4]
    index.chmod(0o644)
    index.write_bytes(content)

    with pytest.raises(OutsideError, match=rf"the blob {names[0][:12]} holds something else"):
        read(repo, sandbox)


@pytest.mark.parametrize("where", ["HEAD^{tree}", "HEAD:deep"])
def test_a_folder_that_leads_to_another_file_is_seen(
    tested: Repository, sandbox: Sandbox, where: str
) -> None:
    name = tested.git("rev-parse", where)
    there = tested.git("rev-parse", "HEAD:deep" if "tree" in where else "HEAD:deep/test_a.py")
    tested.put("deep/test_a.py", WEAK)
    tested.git("add", "-A")
    staged = tested.git("write-tree")
    new = tested.git(
        "rev-parse", f"{staged}:deep" if "tree" in where else f"{staged}:deep/test_a.py"
    )
    content = raw(tested, name).replace(bytes.fromhex(there), bytes.fromhex(new))
    overwrite(tested, name, "tree", content)

    with pytest.raises(OutsideError, match="meddled with"):
        read(tested, sandbox)


@pytest.mark.parametrize("folder", [b"d\xff", b"d\n", "d\u00e9".encode()])
def test_a_folder_whose_name_is_no_text_is_looked_into_too(
    tested: Repository, sandbox: Sandbox, folder: bytes
) -> None:
    place = os.fsencode(tested.folder) + b"/" + folder
    os.mkdir(place)
    Path(os.fsdecode(place), "test_b.py").write_text(TEST)
    tested.commit("a folder")
    assert read(tested, sandbox)[0] == []
    listed = subprocess.run(
        ["git", "ls-tree", "-z", "HEAD"], cwd=tested.folder, check=True, capture_output=True
    )
    (name,) = (
        line.split(b"\t")[0].split()[2].decode()
        for line in listed.stdout.split(b"\0")
        if line.endswith(b"\t" + folder)
    )
    old = tested.git("hash-object", "deep/test_a.py")
    new = tested.git("hash-object", "-w", "deep/.gitignore")
    content = raw(tested, name).replace(bytes.fromhex(old), bytes.fromhex(new))
    overwrite(tested, name, "tree", content)

    with pytest.raises(OutsideError, match=f"the tree {name[:12]}"):
        read(tested, sandbox)


def test_what_is_ignored_in_a_folder_whose_name_is_no_text_is_not_hidden(
    tested: Repository, sandbox: Sandbox
) -> None:
    place = os.fsencode(tested.folder) + b"/d\xff"
    os.mkdir(place)
    tested.put(".gitignore", "conftest.py\n")
    Path(os.fsdecode(place), "conftest.py").write_text("")

    found = [os.fsencode(each.path) for each in read(tested, sandbox)[0]]

    assert b"d\xff/conftest.py" in found


def test_a_commit_that_leads_to_another_folder_is_seen(
    tested: Repository, sandbox: Sandbox
) -> None:
    name, tree = tested.git("rev-parse", "HEAD", "HEAD^{tree}").split()
    tested.put("deep/test_a.py", WEAK)
    tested.git("add", "-A")
    content = raw(tested, name).replace(tree.encode(), tested.git("write-tree").encode())
    overwrite(tested, name, "commit", content)

    with pytest.raises(OutsideError, match="meddled with"):
        read(tested, sandbox)


def test_an_ignore_file_of_the_base_that_hides_more_is_seen(
    tested: Repository, sandbox: Sandbox
) -> None:
    name = tested.git("rev-parse", "HEAD:deep/.gitignore")
    overwrite(tested, name, "blob", b"*\n")

    with pytest.raises(OutsideError, match=f"the blob {name[:12]}"):
        read(tested, sandbox)


def test_a_list_of_commits_that_git_keeps_for_speed_is_not_believed(
    tested: Repository, sandbox: Sandbox
) -> None:
    """It tells the folder of a commit, too, and what was staged would seem to have been there."""
    there = tested.git("rev-parse", "HEAD^{tree}")
    tested.put("deep/test_a.py", WEAK)
    tested.git("add", "-A")
    new = tested.git("write-tree")
    tested.put("deep/test_a.py", TEST)
    tested.git("commit-graph", "write", "--reachable")
    graph = tested.folder / ".git/objects/info/commit-graph"
    graph.chmod(0o644)
    graph.write_bytes(graph.read_bytes().replace(bytes.fromhex(there), bytes.fromhex(new)))

    assert [each.path for each in read(tested, sandbox)[0]] == ["deep/test_a.py"]


@pytest.mark.parametrize("base", ["HEAD", None])
def test_a_check_of_a_base_that_was_meddled_with_proves_nothing(
    repo: Repository, sandbox: Sandbox, base: str | None
) -> None:
    repo.put("new.txt", "done\n")
    name = repo.git("rev-parse", "HEAD:lib")
    overwrite(repo, name, "tree", b"")

    report = check(repo, sandbox, "`new.txt` exists", base=base)

    assert not report.passed
    assert any("damaged or meddled with" in reason for reason in report.reasons)


def test_a_base_may_be_a_folder_or_nothing_at_all(tested: Repository, sandbox: Sandbox) -> None:
    tree = open_tree(str(tested.folder), sandbox)
    empty = tested.git("hash-object", "-t", "tree", "/dev/null")

    assert asyncio.run(tree.changes(tested.git("rev-parse", "HEAD^{tree}"))) == []
    assert {each.path for each in asyncio.run(tree.changes(empty))} == {
        "deep/test_a.py",
        "deep/.gitignore",
    }


def test_many_folders_take_no_time(repo: Repository, sandbox: Sandbox) -> None:
    for number in range(3_000):
        repo.put(f"many/{number % 50}/{number}/a.txt", f"{number}\n")
    base = repo.commit("many")
    tree: Tree = open_tree(str(repo.folder), sandbox)
    began = time.process_time()

    assert asyncio.run(tree.changes(base)) == []

    assert time.process_time() - began < 1


def test_what_is_too_much_at_once_comes_in_parts() -> None:
    large = [Object(str(number), "tree", 20 * 1024**2) for number in range(3)]
    small = [Object(str(number), "tree", 1) for number in range(3)]

    assert [len(part) for part in in_parts([*small, *large])] == [4, 1, 1]
    assert list(in_parts([])) == []
