"""The strict reading goes on behind whatever it refuses, and hides nothing; the lenient one does not load it."""

import json
from pathlib import Path

import pytest

from prowess.core.skill import Problem
from prowess.discover.folder import read_folder
from prowess.discover.rules import validate
from support import write_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "pdf-tools"


def check(folder: Path, *rows: str | bytes) -> list[tuple[int | None, str]]:
    """The problems of a SKILL.md with these rows between its fences, which begin at line 2."""
    lines = [row if isinstance(row, bytes) else row.encode() for row in ("---", *rows, "---", "")]
    write_file(folder / "SKILL.md", b"\n".join(lines))
    return told(validate(str(folder)))


def told(problems: list[Problem]) -> list[tuple[int | None, str]]:
    assert all(problem.hint for problem in problems)
    return [(problem.line, problem.message) for problem in problems]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "license: !!python/object:os.system x",
            "refused in YAML: the tag tag:yaml.org,2002:python/object:os.system",
        ),
        ("license: a\x07b", "a control character, which YAML cannot hold"),
        (
            "license: *nowhere",
            "refused in YAML: the alias *nowhere has no finished anchor before it",
        ),
        ("license: {a: b, a: c}", "refused in YAML: the field 'a' stands twice"),
        (f"license: {'[' * 50}{']' * 50}", "refused in YAML: nesting deeper than 40 levels"),
        (b"license: caf\xe9", "not UTF-8: byte 0xe9 cannot be read"),
    ],
)
def test_what_is_refused_hides_no_other_problem_and_makes_none(
    folder: Path, row: str | bytes, message: str
) -> None:
    assert check(folder, "name: Bad_Name", row, "description: ''", "colour: red") == [
        (2, "the name 'Bad_Name' has characters other than letters, digits and hyphens"),
        (2, "the name 'Bad_Name' is not lowercase"),
        (2, "the name 'Bad_Name' is not the folder's, 'pdf-tools'"),
        (3, message),
        (4, "description is empty"),
        (5, "colour is not in the specification"),
    ]


def test_of_a_field_that_stands_twice_the_first_is_held_to_the_rules(folder: Path) -> None:
    assert check(folder, "name: other", "description: d", "name: pdf-tools", "description: e") == [
        (2, "the name 'other' is not the folder's, 'pdf-tools'"),
        (4, "refused in YAML: the field 'name' stands twice"),
        (5, "refused in YAML: the field 'description' stands twice"),
    ]


def test_refused_repaired_and_unknown_stand_side_by_side(folder: Path) -> None:
    found = check(
        folder,
        "name: pdf-tools",
        "description: Use when: reading",
        "metadata:",
        "  a: !x 1",
        "license: MIT",
        "license: MIT",
        "colour: !x red",
    )

    assert found == [
        (3, "the value of 'description' needs quotes and was read as plain text"),
        (5, "refused in YAML: the tag !x"),
        (7, "refused in YAML: the field 'license' stands twice"),
        (8, "colour is not in the specification"),
        (8, "refused in YAML: the tag !x"),
    ]


@pytest.mark.parametrize("row", ["name: !x pdf-tools", "name: a\x07", b"name: caf\xe9"])
def test_a_field_that_is_refused_is_not_said_to_be_missing_or_wrong_as_well(
    folder: Path, row: str | bytes
) -> None:
    assert len(check(folder, row, "description: d")) == 1


def test_an_alias_finds_its_anchor_behind_what_is_refused(folder: Path) -> None:
    rows = ("name: pdf-tools", "description: &d Reads.", "compatibility: !x y", "license: *d")

    assert check(folder, *rows) == [(4, "refused in YAML: the tag !x")]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (("{name: a, name: b}",), "refused in YAML: the field 'name' stands twice"),
        (("- a",), "refused in YAML: fields are expected, one `name: value` a line"),
        (("name: x", f"description: {'y' * 70_000}"), "70,022 characters of YAML"),
        ((b"\xff\xfe",), "not UTF-8: byte 0xff cannot be read"),
    ],
)
def test_where_no_field_is_to_blame_that_is_all(
    folder: Path, rows: tuple[str | bytes, ...], message: str
) -> None:
    assert check(folder, *rows) == [(2, message)]


def test_a_file_that_is_no_text_at_all_has_no_header_to_miss(folder: Path) -> None:
    write_file(folder / "SKILL.md", "---\nname: x\n---\n".encode("utf-16"))

    assert told(validate(str(folder))) == [(1, "not UTF-8: byte 0xff cannot be read")]


def test_what_has_nothing_to_do_with_the_header_is_told_without_one(folder: Path) -> None:
    write_file(folder / "skill.md", "no header\n" * 507)

    assert told(validate(str(folder))) == [
        (None, "the file is called skill.md"),
        (1, "no header"),
        (500, "SKILL.md has 507 lines"),
    ]


def test_ever_so_many_refusals_come_to_an_end(folder: Path) -> None:
    found = check(folder, *(f"x{n}: !x y" for n in range(3_000)))

    assert 50 < len(found) <= 101


def test_a_manifest_with_fields_twice_is_read_to_its_end(folder: Path) -> None:
    text = '{"name": "T", "name": "U", "type": "x", "type": "y", "config": {"a": 1, "a": NaN}}'
    write_file(folder / "manifest.json", text)

    assert told(validate(str(folder))) == [
        (None, "no description"),
        (None, "no version"),
        (None, "not usable JSON: NaN is no number"),
        (None, "the field 'a' stands twice"),
        (None, "the field 'name' stands twice"),
        (None, "the field 'type' stands twice"),
        (None, "the type 'x' is unknown, system is used"),
        (None, "there is no skill.md beside it"),
    ]


def test_a_manifest_that_is_not_utf8_is_read_to_its_end(folder: Path) -> None:
    write_file(folder / "manifest.json", b'{"name": "caf\xe9", "version": "1"}')

    assert told(validate(str(folder))) == [
        (None, "no description"),
        (None, "the version '1' is not semantic"),
        (None, "there is no skill.md beside it"),
        (1, "not UTF-8: byte 0xe9 cannot be read"),
    ]


def test_a_workflow_with_a_field_twice_is_read_to_its_end(folder: Path) -> None:
    write_file(folder / "skill.yaml", "name: ../x\nname: y\nversion: !x 1\nsteps: []\n")

    assert told(validate(str(folder))) == [
        (None, "no description"),
        (1, "the name '../x' is a path"),
        (2, "refused in YAML: the field 'name' stands twice"),
        (3, "refused in YAML: the tag !x"),
        (4, "a workflow without steps"),
    ]


@pytest.mark.parametrize("field", ["name", "description", "steps"])
def test_a_field_of_a_workflow_that_is_refused_is_not_said_to_be_missing(
    folder: Path, field: str
) -> None:
    rows = {"name": "pdf-tools", "description": "d", "steps": "[a]"} | {field: "!x y"}
    write_file(folder / "skill.yaml", "".join(f"{key}: {rows[key]}\n" for key in rows))

    [(_, message)] = told(validate(str(folder)))

    assert message == "refused in YAML: the tag !x"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("SKILL.md", "---\nname: pdf-tools\ndescription: d\nlicense: !x y\n---\n"),
        ("SKILL.md", "---\nname: pdf-tools\ndescription: d\nname: y\n---\n"),
        ("manifest.json", json.dumps({"name": "a", "description": "d"})[:-1] + ', "name": "b"}'),
        ("skill.yaml", "name: pdf-tools\ndescription: d\nname: b\nsteps: [a]\n"),
    ],
)
def test_a_lenient_reader_still_refuses_the_whole_file(folder: Path, file: str, text: str) -> None:
    write_file(folder / file, text)

    found = read_folder(str(folder), [file])

    assert found.skill == (None,) * 5
    assert [problem.level for problem in found.problems] == ["error"]
