"""The head of a skill.yaml: enough to list a workflow, with its steps checked only for being there."""

import json
from pathlib import Path

import pytest

from prowess.discover.folder import Found, read_folder
from support import write_file

WHOLE = """\
name: session-start
version: 1.10
description: Begins a session.
category: session
compatibility: [claude, 1.0]
inputs:
  role: {type: text}
steps:
  - output: hello
templates:
  t: text
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "session-start"


def read(folder: Path, content: str | bytes) -> Found:
    write_file(folder / "skill.yaml", content)
    return read_folder(str(folder), ["skill.yaml"])


def refusal(found: Found) -> tuple[str, int | None]:
    """The error that kept the skill out."""
    assert found.skill == (None,) * 5
    assert found.problems[-1].level == "error"
    assert found.problems[-1].hint
    return found.problems[-1].message, found.problems[-1].line


def test_a_workflow_is_listed_by_its_head_and_its_body_is_left_on_disk(folder: Path) -> None:
    found = read(folder, WHOLE)

    assert found.skill == (
        "session-start",
        "Begins a session.",
        "workflow",
        "skill.yaml",
        {
            "version": "1.10",
            "category": "session",
            "compatibility": ["claude", "1.0"],
            "inputs": {"role": {"type": "text"}},
        },
    )
    assert found.problems == []


def test_a_byte_order_mark_and_crlf_do_no_harm(folder: Path) -> None:
    found = read(folder, "\ufeff" + WHOLE.replace("\n", "\r\n"))

    assert found.skill[:2] == ("session-start", "Begins a session.")
    assert found.problems == []


def test_a_document_may_begin_with_its_marker(folder: Path) -> None:
    assert read(folder, "---\n" + WHOLE).skill[0] == "session-start"


@pytest.mark.parametrize("steps", ["steps:", "steps: []", "steps: {}", "steps: run it", "steps: 7"])
def test_a_workflow_without_steps_is_kept_out(folder: Path, steps: str) -> None:
    found = read(folder, f"name: session-start\ndescription: d\n{steps}\n")

    assert refusal(found) == ("a workflow without steps", 3)


def test_a_workflow_that_does_not_even_name_steps_is_told_so_at_its_beginning(folder: Path) -> None:
    found = read(folder, "name: session-start\ndescription: d\n")

    assert refusal(found) == ("a workflow without steps", 1)


def test_what_the_steps_say_is_not_judged_here(folder: Path) -> None:
    found = read(folder, "name: session-start\ndescription: d\nsteps: [nonsense, 7, {x: y}]\n")

    assert found.problems == []


def test_a_missing_name_is_the_folders(folder: Path) -> None:
    found = read(folder, "description: d\nsteps: [a]\n")

    assert found.skill[0] == "session-start"
    assert [(each.level, each.message) for each in found.problems] == [("warning", "no name")]


def test_a_name_that_differs_from_the_folders_is_used_with_a_warning(folder: Path) -> None:
    found = read(folder, "name: other\ndescription: d\nsteps: [a]\n")

    assert found.skill[0] == "other"
    assert [(each.level, each.line) for each in found.problems] == [("warning", 1)]


def test_a_name_that_climbs_keeps_the_workflow_out(folder: Path) -> None:
    found = read(folder, "description: d\nname: ../x\nsteps: [a]\n")

    assert refusal(found) == ("the name '../x' is a path", 2)


@pytest.mark.parametrize("row", ["", "description:\n", "description: ' '\n"])
def test_a_workflow_without_a_description_is_kept_out(folder: Path, row: str) -> None:
    assert refusal(read(folder, f"name: session-start\n{row}steps: [a]\n"))[0] == "no description"


@pytest.mark.parametrize(
    ("content", "message", "line"),
    [
        ("- a\n", "refused in YAML: fields are expected", 1),
        ("name: x\nname: y\n", "refused in YAML: the field 'name' stands twice", 2),
        ("name: x\ndescription: a: b\n", "not valid YAML: ", 2),
        ("name: x\nsteps:\n\t- a\n", "not valid YAML: a tab", 3),
        ("name: x\nsteps: !!python/name:os.system a\n", "refused in YAML: the tag", 2),
        ("a: 1\n---\nb: 1\n", "refused in YAML: a second YAML document", 2),
        (b"name: caf\xe9\n", "not UTF-8: byte 0xe9", 1),
        (b"name: x\nsteps: \x00\n", "a control character", 2),
        ("a: " + "x" * 300_000, "300,003 characters of YAML", 1),
    ],
)
def test_what_cannot_be_read_is_a_problem_with_its_line(
    folder: Path, content: str | bytes, message: str, line: int
) -> None:
    told, where = refusal(read(folder, content))

    assert told.startswith(message)
    assert where == line


@pytest.mark.parametrize(
    "content",
    ["steps: [", "name: x\nsteps: {", "name: x\rdescription: [\rsteps: 1\r", "a: 1\r\r[\r"],
)
def test_a_mistake_at_the_very_end_or_after_old_line_ends_is_a_problem_too(
    folder: Path, content: str
) -> None:
    assert refusal(read(folder, content))[0].startswith("not valid YAML: ")


def test_numbers_that_json_does_not_have_never_reach_the_catalog(folder: Path) -> None:
    found = read(folder, WHOLE + "limit: 1e999\n")

    assert found.skill[0] == "session-start"
    assert json.dumps(found.skill, allow_nan=False)


def test_everything_that_is_missing_is_told_at_once(folder: Path) -> None:
    found = read(folder, "")

    told = [problem.message for problem in found.problems]
    assert told == ["no name", "a workflow without steps", "no description"]
