"""Glob and Grep."""

from collections.abc import Callable
from pathlib import Path

import pytest

from prowess.core.chat import Call, Observation
from prowess.core.verdict import Verdict
from support import write_file

Act = Callable[..., Observation]


@pytest.fixture(autouse=True)
def files(workspace: Path) -> None:
    write_file(workspace / "src/app.py", "import os\nVALUE = 1\n\ndef total(x):\n    return x\n")
    write_file(workspace / "src/deep/Util.py", "VALUE = 2\n")
    write_file(workspace / "notes.md", "value and VALUE\n")
    write_file(workspace / "node_modules/x/index.py", "VALUE = 3\n")
    write_file(workspace / ".git/config.py", "VALUE = 4\n")
    write_file(workspace / "image.png", b"\x89PNG\0VALUE")


def test_a_pattern_finds_files_in_name_order_and_leaves_out_foreign_folders(act: Act) -> None:
    assert act("Glob", pattern="**/*.py").text == "src/app.py\nsrc/deep/Util.py"
    assert act("Glob", pattern="*.{md,png}").text == "image.png\nnotes.md"
    assert act("Glob", pattern="*.py", path="src").text == "src/app.py"


def test_a_pattern_that_fits_nothing_is_tried_wider(act: Act) -> None:
    deeper, cased = act("Glob", pattern="*.py"), act("Glob", pattern="util.*")

    assert deeper.healed == ("looked in all folders, for **/*.py",)
    assert cased.text.startswith("src/deep/Util.py")


def test_no_file_is_an_answer(act: Act) -> None:
    seen = act("Glob", pattern="*.rs")

    assert seen.ok
    assert seen.text == "No file fits *.rs."


@pytest.mark.parametrize("pattern", ["*" * 40, "{1..999999}", "/etc/*", "../*"])
def test_patterns_that_lead_astray_do_no_harm(act: Act, pattern: str) -> None:
    seen = act("Glob", pattern=pattern)

    assert "passwd" not in seen.text
    assert not seen.ok or seen.facts["files"] == 0


def test_lines_are_found_with_their_place(act: Act) -> None:
    seen = act("Grep", pattern=r"VALUE = \d")

    assert seen.text == "src/app.py:2: VALUE = 1\nsrc/deep/Util.py:1: VALUE = 2"


def test_a_search_can_be_narrowed_widened_and_counted(act: Act) -> None:
    assert act("Grep", pattern="value", path="notes.md", ignore_case=True).facts["found"] == 1
    assert act("Grep", pattern="VALUE", glob="*.md").text == "notes.md:1: value and VALUE"
    assert act("Grep", pattern="def", context=1).text == (
        "src/app.py:3- \nsrc/app.py:4: def total(x):\nsrc/app.py:5-     return x"
    )
    assert act("Grep", pattern="VALUE", output_mode="files_with_matches").text == (
        "notes.md\nsrc/app.py\nsrc/deep/Util.py"
    )
    assert act("Grep", pattern="x", path="src", output_mode="count").text == "src/app.py: 2"


def test_more_than_the_limit_is_told(act: Act, workspace: Path) -> None:
    write_file(workspace / "many.txt", "hit\n" * 50)

    seen = act("Grep", pattern="hit", limit=10)

    assert seen.text.count("hit") == 10
    assert "only the first 10" in seen.text


def test_a_file_in_another_encoding_is_searched_too(act: Act, workspace: Path) -> None:
    write_file(workspace / "old.csv", "name;city\nJosé;São Paulo\n".encode("latin-1"))

    seen = act("Grep", pattern="São")

    assert "old.csv:2: José;São Paulo" in seen.text
    assert seen.healed == ("read some files as cp1252",)


def test_words_that_are_no_expression_are_looked_for_as_text(act: Act) -> None:
    seen = act("Grep", pattern="def total(")

    assert "src/app.py:4" in seen.text
    assert "looked for it as text" in seen.healed[0]


def test_what_re2_cannot_do_is_told(act: Act) -> None:
    seen = act("Grep", pattern="(?=VALUE)x")

    assert not seen.ok
    assert "no look-around" in seen.text


def test_a_link_out_of_the_workspace_is_not_followed(act: Act, workspace: Path) -> None:
    write_file(workspace.parent / "outside/secret.txt", "VALUE = secret\n")
    (workspace / "link.txt").symlink_to("../outside/secret.txt")
    (workspace / "folder").symlink_to("../outside")

    assert "secret" not in act("Grep", pattern="VALUE").text
    assert not act("Grep", pattern="VALUE", path="folder").ok
    assert not act("Glob", pattern="*", path="folder").ok


def test_bait_for_backtracking_is_answered(act: Act, workspace: Path) -> None:
    write_file(workspace / "bait.txt", "a" * 50_000 + "!")

    assert act("Grep", pattern="(a+)+$", path="bait.txt").text == "No match in 1 files."


def test_a_folder_that_is_not_there_is_told(act: Act) -> None:
    assert act("Grep", pattern="x", path="nowhere").text.startswith("there is no nowhere")


@pytest.mark.parametrize(
    ("path", "where"), [("SRC", "src"), ("sources/dep", "sources/deep"), ("Notes.md", "notes.md")]
)
def test_a_place_of_nearly_this_name_is_searched(
    act: Act, workspace: Path, path: str, where: str
) -> None:
    for name in ("src/one.py", "sources/deep/two.py", "notes.md"):
        write_file(workspace / name, "needle\n")

    found = act("Grep", pattern="needle", path=path)

    assert found.text.startswith(where)
    assert found.healed == (f"there is no {path}; looked in {where}",)
    assert act("Glob", pattern="*", path=path).ok


def test_a_place_of_nearly_this_name_must_be_granted(act: Act, workspace: Path) -> None:
    write_file(workspace / "private" / "one.py", "needle\n")

    def not_private(call: Call) -> Verdict:
        return Verdict(allowed=call.input.get("path") != "private", reason="no")

    seen = act("Grep", pattern="needle", path="Private", _place={"gate": not_private})

    assert not seen.ok
    assert "needle" not in seen.text
