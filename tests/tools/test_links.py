"""A link in the workspace is no way around a rule: the gate judges the place it leads to."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prowess.core.chat import Observation
from prowess.permit.rules import make_gate, parse_rules
from support import write_file

Act = Callable[..., Observation]


@pytest.fixture
def linked(workspace: Path) -> Path:
    """A workspace whose links lead to a folder and a file that the rules of a test forbid."""
    write_file(workspace / "secrets/key.txt", "VALUE = hidden\n")
    write_file(workspace / "docs/page.md", "VALUE = shown\n")
    (workspace / ".git/hooks").mkdir(parents=True)
    (workspace / "folder").symlink_to("secrets")
    (workspace / "docs/copy.txt").symlink_to("../secrets/key.txt")
    (workspace / "latest").symlink_to("docs")
    (workspace / "out").symlink_to(".git/hooks")
    return workspace


def gated(workspace: Path, allowed: str, disallowed: str = "") -> dict[str, Any]:
    gate = make_gate(
        allowed=parse_rules(allowed), disallowed=parse_rules(disallowed), workspace=str(workspace)
    )
    return {"gate": gate}


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Read", {"file_path": "folder/key.txt"}),
        ("Read", {"file_path": "folder"}),
        ("Read", {"file_path": "docs/copy.txt"}),
        ("Read", {"file_path": "docs/Copy.txt"}),
        ("Grep", {"pattern": "VALUE", "path": "folder"}),
        ("Grep", {"pattern": "VALUE", "path": "docs/copy.txt"}),
        ("Grep", {"pattern": "VALUE", "path": "docs"}),
        ("Glob", {"pattern": "*", "path": "folder"}),
        ("Edit", {"file_path": "docs/copy.txt", "old_string": "VALUE = x", "new_string": "y"}),
    ],
)
def test_what_a_rule_forbids_is_not_seen_through_a_link(
    act: Act, linked: Path, tool: str, given: dict[str, str]
) -> None:
    place = gated(linked, "Read Grep Glob Edit", "Read(secrets/**) Edit(secrets/**)")

    told = act(tool, _place=place, **given)

    assert "hidden" not in told.text
    assert "key.txt\n" not in told.text + "\n" or not told.ok


def test_a_link_is_followed_where_the_gate_lets_its_end_be_read(act: Act, linked: Path) -> None:
    place = gated(linked, "Read Grep Edit")

    assert "shown" in act("Read", _place=place, file_path="latest/page.md").text
    assert "shown" in act("Grep", _place=place, pattern="VALUE", path="latest").text
    edit = {"old_string": "shown", "new_string": "changed"}
    assert act("Edit", _place=place, file_path="latest/page.md", **edit).ok
    assert (linked / "docs/page.md").read_text() == "VALUE = changed\n"


def test_a_guarded_folder_is_not_written_through_a_link(act: Act, linked: Path) -> None:
    told = act("Write", _place=gated(linked, "Write"), file_path="out/pre-commit", content="x")

    assert not told.ok
    assert "out is a link to .git/hooks" in told.text
    assert not (linked / ".git/hooks/pre-commit").exists()


def test_a_wider_search_does_not_name_what_is_forbidden(act: Act, linked: Path) -> None:
    assert "secrets" in act("Glob", pattern="key.txt").text

    told = act("Glob", _place=gated(linked, "Glob", "Glob(secrets/**)"), pattern="key.txt")

    assert "secrets" not in told.text


def test_long_output_is_kept_without_what_may_not_be_kept(act: Act, linked: Path) -> None:
    def clean(text: str) -> str:
        return text.replace("hidden", "[secret]")

    told = act("Bash", command="echo hidden; seq 20000", _place={"clean": clean})

    kept = Path(told.facts["whole_output"]).read_text()
    assert "hidden" not in kept
    assert "20000" in kept
