"""What disallowed-tools says of a path holds for every tool that would get there."""

import pytest

from prowess.core.chat import Call
from prowess.permit.rules import make_gate, parse_rules

ALL = "Read Grep Glob Write Edit Bash(make:*)"


def allowed(forbidden: str, tool: str, *, rules: str = ALL, **given: str) -> bool:
    gate = make_gate(allowed=parse_rules(rules), disallowed=parse_rules(forbidden), workspace="/ws")
    return gate(Call(id="1", tool=tool, input=given)).allowed


@pytest.mark.parametrize("forbidden", ["Read(secrets/**)", "Grep(secrets/**)"])
@pytest.mark.parametrize("path", [".", "secrets", "secrets/a", "/ws/secrets/sub"])
def test_a_search_that_may_come_across_what_is_forbidden_is_refused(
    forbidden: str, path: str
) -> None:
    assert not allowed(forbidden, "Grep", pattern="x", path=path)
    assert allowed(forbidden, "Grep", pattern="x", path="src")


@pytest.mark.parametrize(
    ("forbidden", "pattern"),
    [
        ("Glob(secrets/**)", "**/*"),
        ("Glob(secrets/**)", "*/key"),
        ("Glob(secrets/**)", "secrets/*"),
        ("Glob(secrets/**)", "s*/*"),
        ("Glob(secrets/**)", "{secrets,src}/*"),
        ("Glob(secrets/**)", "secrets"),
        ("Glob(**/*.pem)", "**/*"),
        ("Read(secrets/**)", "secrets/*"),
        ("Read(secrets/**)", "secrets/**/*.py"),
        ("Glob(key)", "**/key"),
        ("Glob(secrets/key)", "secrets/**/key"),
    ],
)
def test_a_search_for_files_that_may_name_what_is_forbidden_is_refused(
    forbidden: str, pattern: str
) -> None:
    assert not allowed(forbidden, "Glob", pattern=pattern)


def test_a_forbidden_place_may_be_named_by_its_whole_path() -> None:
    assert not allowed("Read(/ws/lib/sub/**)", "Grep", pattern="x", path="lib")
    assert allowed("Read(/ws/lib/sub/**)", "Grep", pattern="x", path="src")


def test_a_folder_that_may_not_be_read_may_not_be_listed() -> None:
    assert not allowed("Read(secrets)", "Glob", pattern="*", path="secrets")
    assert allowed("Read(secrets)", "Glob", pattern="*", path="src")


@pytest.mark.parametrize(
    ("forbidden", "pattern"),
    [
        ("Glob(secrets/**)", "src/**/*.py"),
        ("Glob(secrets/**)", "*.md"),
        ("Glob(secrets/*.pem)", "secrets/sub/*.pem"),
        ("Read(.env)", "**/*.py"),
    ],
)
def test_a_search_for_other_files_is_not(forbidden: str, pattern: str) -> None:
    assert allowed(forbidden, "Glob", pattern=pattern)


def test_what_may_not_be_written_may_not_be_edited_and_the_other_way_round() -> None:
    assert not allowed("Write(prod/**)", "Edit", file_path="prod/x")
    assert not allowed("Edit(prod/**)", "Write", file_path="prod/x")
    assert allowed("Write(prod/**)", "Read", file_path="prod/x")
    assert allowed("Write(prod/**)", "Edit", file_path="src/x")


def test_what_may_not_be_searched_may_not_be_read_and_a_folder_is_part_of_its_tree() -> None:
    assert not allowed("Grep(secrets/**)", "Read", file_path="secrets/key")
    assert not allowed("Read(secrets/**)", "Read", file_path="secrets")
    assert allowed("Grep", "Read", file_path="secrets/key")
    assert allowed("Read(secrets/**)", "Read", file_path="secrets.md")


@pytest.mark.parametrize("rules", [ALL, "Write Read(docs/**)"])
def test_a_forbidden_file_is_not_read_by_a_redirection_either(rules: str) -> None:
    def runs(forbidden: str, command: str) -> bool:
        return allowed(forbidden, "Bash", rules=rules, command=command)

    assert runs("Read(secrets/**)", "cat < notes.txt")
    assert runs("Read", "cat < /dev/null")
    assert not runs("Read(secrets/**)", "cat < secrets/key")
    assert not runs("Read(secrets/**)", "cd docs && cat < ../secrets/key")
    assert not runs("Read(secrets/**)", "cat <> secrets/key")
    assert not runs("Grep(secrets/**)", "cat < secrets/key")
    assert not runs("Read", "cat < notes.txt")
