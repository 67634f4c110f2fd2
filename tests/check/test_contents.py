"""What changed files held at the base is read whatever they are: links, and files too large to hold."""

import asyncio

import pytest

from check.checks import PYTEST, check, held
from check.repository import Repository
from prowess.check.judges.as_before import AS_BEFORE
from prowess.check.tree import changes
from prowess.check.tree.changes import open_tree
from prowess.core.errors import OutsideError
from prowess.core.ports import Sandbox

TEST = """from pathlib import Path

from lib.a import A


def test_a():
    assert A == int((Path(__file__).parent / "{}").read_text())
"""


def contents(repo: Repository, sandbox: Sandbox, *paths: str) -> dict[str, bytes]:
    tree = open_tree(str(repo.folder), sandbox)
    return asyncio.run(tree.contents_at(repo.git("rev-parse", "HEAD"), paths))


@pytest.fixture
def linked(repo: Repository) -> Repository:
    repo.put("lib/__init__.py", "")
    repo.put("tests/test_a.py", TEST.format("data/want.txt"))
    repo.put("tests/test_b.py", TEST.format("want.txt").replace("test_a", "test_b"))
    repo.put("first/want.txt", "1\n")
    repo.put("second/want.txt", "2\n")
    (repo.folder / "tests/data").symlink_to("../first")
    (repo.folder / "tests/want.txt").symlink_to("../first/want.txt")
    repo.commit("links")
    return repo


def lead_elsewhere(repo: Repository) -> None:
    for name, target in (("data", "../second"), ("want.txt", "../second/want.txt")):
        (repo.folder / "tests" / name).unlink()
        (repo.folder / "tests" / name).symlink_to(target)


def test_a_link_is_what_it_led_to(linked: Repository, sandbox: Sandbox) -> None:
    lead_elsewhere(linked)
    (linked.folder / "tests/away").symlink_to("../../etc")
    (linked.folder / "tests/round").symlink_to("round")
    linked.commit("more links")

    assert contents(linked, sandbox, "tests/data", "tests/want.txt", "tests/away") == {
        "tests/data/want.txt": b"2\n",
        "tests/want.txt": b"2\n",
    }
    assert contents(linked, sandbox, "tests/round", "tests/nothing") == {}


def test_tests_hold_where_links_beside_them_lead_elsewhere(
    linked: Repository, sandbox: Sandbox
) -> None:
    for name in ("first", "second"):
        linked.put(f"{name}/want.txt", "1\n")
    base = linked.commit("the same")
    lead_elsewhere(linked)

    assert held(check(linked, sandbox, validation=(PYTEST,), base=base))


@pytest.mark.parametrize("only", ["data", "want.txt"])
def test_whoever_has_a_link_lead_to_other_results_proves_nothing(
    linked: Repository, sandbox: Sandbox, only: str
) -> None:
    name = "test_a.py" if only == "data" else "test_b.py"
    lead_elsewhere(linked)
    linked.put("lib/a.py", "A = 2\n")

    report = check(linked, sandbox, validation=(f"{PYTEST} tests/{name}",))

    (criterion,) = report.criteria
    assert criterion.reason.startswith(AS_BEFORE)


def test_a_task_may_have_a_link_lead_elsewhere(linked: Repository, sandbox: Sandbox) -> None:
    lead_elsewhere(linked)
    linked.put("lib/a.py", "A = 2\n")
    files = ["lib/a.py", "tests/data", "tests/want.txt"]

    assert check(linked, sandbox, validation=(PYTEST,), files=files).reasons == ()


def test_a_file_that_is_too_large_to_hold_ends_no_check(repo: Repository, sandbox: Sandbox) -> None:
    large = repo.folder / "testdata/big.bin"
    large.parent.mkdir()
    with large.open("wb") as file:
        file.truncate(70 * 1024**2)
    repo.put("test_a.py", "def test_a():\n    assert True\n")
    base = repo.commit("large")
    with large.open("ab") as file:
        file.write(b"x")
    repo.put("testdata/small.txt", "new\n")

    report = check(repo, sandbox, validation=(PYTEST,), base=base)

    assert held(report)
    assert contents(repo, sandbox, "testdata/big.bin", "test_a.py").keys() == {"test_a.py"}


def test_many_large_files_are_read_in_parts(repo: Repository, sandbox: Sandbox) -> None:
    for number in range(3):
        repo.put(f"testdata/{number}.txt", f"{number}" * 25 * 1024**2)
    repo.commit("large")

    found = contents(repo, sandbox, *(f"testdata/{number}.txt" for number in range(3)))

    assert {path: len(text) for path, text in found.items()} == {
        f"testdata/{number}.txt": 25 * 1024**2 for number in range(3)
    }


def test_what_cannot_be_compared_proves_nothing_and_ends_no_check(
    repo: Repository, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.put("tests/data.txt", "old\n")
    repo.put("test_a.py", "def test_a():\n    assert True\n")
    base = repo.commit("data")
    repo.put("tests/data.txt", "new\n")
    monkeypatch.setattr(changes, "_MOST", 1)

    report = check(repo, sandbox, "`README.md` exists", validation=(PYTEST,), base=base)

    assert [each.verdict for each in report.criteria] == ["PASS", "INCONCLUSIVE"]
    assert "too large to be compared" in report.reasons[0]


def test_a_text_that_is_too_large_is_not_taken_for_a_new_one(
    repo: Repository, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.put("test_a.py", "def test_a():\n    assert True\n")
    base = repo.commit("a test")
    monkeypatch.setattr(changes, "AT_ONCE", 8)
    tree = open_tree(str(repo.folder), sandbox)

    with pytest.raises(OutsideError, match=r"test_a\.py is too large"):
        asyncio.run(tree.texts_at(base, ["test_a.py"]))
