"""A SKILL.md read leniently: what is odd is a warning, and only what cannot be used keeps a skill out."""

import os
from pathlib import Path
from typing import Any

import pytest

from prowess.core.skill import Problem
from prowess.discover.folder import Found, read_folder
from support import write_file, write_skill


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "pdf-tools"


def read(folder: Path, content: str | bytes) -> Found:
    """Write this SKILL.md and read its folder."""
    write_file(folder / "SKILL.md", content)
    return read_folder(str(folder), ["SKILL.md"])


def header(*rows: str) -> str:
    return "\n".join(("---", *rows, "---", "", "Body.", ""))


def told(found: Found) -> list[tuple[str, int | None, str]]:
    return [(problem.level, problem.line, problem.message) for problem in found.problems]


def fields(found: Found) -> dict[str, Any]:
    kept: dict[str, Any] = found.skill[4]
    return kept


def test_a_plain_skill_is_read_without_a_word(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "pdf-tools", description="Reads PDFs.")

    found = read_folder(str(folder), ["SKILL.md"])

    assert found.skill == ("pdf-tools", "Reads PDFs.", "skill.md", "SKILL.md", {})
    assert found.problems == []
    assert [status and status.st_size for status in found.statuses] == [
        os.stat(folder / "SKILL.md").st_size
    ]


def test_every_other_field_is_kept_as_written_the_unknown_too(folder: Path) -> None:
    found = read(
        folder,
        header(
            "name: pdf-tools",
            "description: Reads PDFs.",
            "license: MIT",
            "allowed-tools: Read, Bash(git diff:*)",
            "metadata:",
            "  version: 1.10",
            "x-colour: [red, 2]",
        ),
    )

    assert fields(found) == {
        "license": "MIT",
        "allowed-tools": "Read, Bash(git diff:*)",
        "metadata": {"version": "1.10"},
        "x-colour": ["red", 2],
    }
    assert found.problems == []


def test_a_description_is_read_whole_and_without_blanks_around_it(folder: Path) -> None:
    found = read(
        folder,
        header("name: pdf-tools", "description: >", "  Reads", "  --- and writes", "  PDFs."),
    )

    assert found.skill[1] == "Reads --- and writes PDFs."
    assert found.problems == []


# Names


def test_a_missing_name_is_the_folders(folder: Path) -> None:
    found = read(folder, header("description: Reads PDFs."))

    assert found.skill[0] == "pdf-tools"
    assert told(found) == [("warning", None, "no name")]
    assert "write `name: pdf-tools`" in found.problems[0].hint


@pytest.mark.parametrize("name", ["", "''", "~"])
def test_an_empty_name_is_the_folders(folder: Path, name: str) -> None:
    found = read(folder, header(f"name: {name}", "description: Reads PDFs."))

    assert found.skill[0] == "pdf-tools"
    assert told(found) == [("warning", 2, "no name")]


@pytest.mark.parametrize("name", ["[a]", "{a: b}"])
def test_a_name_that_is_not_text_is_the_folders(folder: Path, name: str) -> None:
    found = read(folder, header(f"name: {name}", "description: Reads PDFs."))

    assert found.skill[0] == "pdf-tools"
    assert told(found) == [("warning", 2, "name is not text")]


@pytest.mark.parametrize(
    ("name", "warning"),
    [
        ("other", "is not the folder's, 'pdf-tools'"),
        ("PDF-Tools", "is not lowercase"),
        ("pdf--tools", "has two hyphens in a row"),
        ("-pdf", "begins or ends with a hyphen"),
        ("pdf_tools", "has characters other than letters, digits and hyphens"),
        ("PDF Tools", "has characters other than letters, digits and hyphens"),
        ("p" * 65, "has 65 characters"),
        ("7", "is not the folder's, 'pdf-tools'"),
    ],
)
def test_an_odd_name_is_used_with_a_warning(folder: Path, name: str, warning: str) -> None:
    found = read(folder, header(f"name: {name}", "description: Reads PDFs."))

    assert found.skill[0] == name
    assert [(problem.level, problem.line) for problem in found.problems] == [("warning", 2)]
    assert warning in found.problems[0].message
    assert found.problems[0].hint


def test_all_that_is_odd_about_a_name_is_told_at_once(folder: Path) -> None:
    found = read(folder, header("name: My_Skill-", "description: Reads PDFs."))

    [problem] = found.problems
    assert "is not lowercase" in problem.message
    assert "begins or ends with a hyphen" in problem.message
    assert "other than letters, digits and hyphens" in problem.message
    assert "is not the folder's" in problem.message
    assert problem.hint == "write `name: pdf-tools`"


@pytest.mark.parametrize("name", ["a/b", "a\\b", '"a\\tb"', '"a\\e[31mb"', "p" * 201, '"  "'])
def test_a_name_that_cannot_be_an_id_is_the_folders(folder: Path, name: str) -> None:
    found = read(folder, header(f"name: {name}", "description: Reads PDFs."))

    assert found.skill[0] == "pdf-tools"
    assert [(problem.level, problem.line) for problem in found.problems] == [("warning", 2)]
    assert "cannot be used" in found.problems[0].message
    assert "\x1b" not in found.problems[0].message


@pytest.mark.parametrize(
    "name", ["..", "../other", "a/../../b", "/etc/passwd", "./x", "..\\x", "\\x", "~/x", "~root"]
)
def test_a_name_made_to_climb_keeps_the_skill_out(folder: Path, name: str) -> None:
    found = read(folder, header(f"name: {name}", "description: Reads PDFs."))

    assert found.skill[0] is None
    assert told(found) == [("error", 2, f"the name {name!r} is a path")]
    assert found.problems[0].hint == "write `name: pdf-tools`"


def test_letters_of_any_script_are_letters(tmp_path: Path) -> None:
    found = read(tmp_path / "größe", header("name: größe", "description: Misst."))

    assert found.skill[0] == "größe"
    assert found.problems == []


# Descriptions


@pytest.mark.parametrize(
    "row", ["license: MIT", "description:", "description: ''", "description: ' '"]
)
def test_a_skill_without_a_description_is_kept_out(folder: Path, row: str) -> None:
    found = read(folder, header("name: pdf-tools", row))

    assert found.skill == (None,) * 5
    assert [(problem.level, problem.message) for problem in found.problems] == [
        ("error", "no description")
    ]
    assert "what the skill does and when to use it" in found.problems[0].hint


@pytest.mark.parametrize("value", ["[a]", "{a: b}"])
def test_a_description_that_is_not_text_keeps_the_skill_out(folder: Path, value: str) -> None:
    found = read(folder, header("name: pdf-tools", f"description: {value}"))

    assert found.skill[0] is None
    assert told(found) == [("error", 3, "description is not text")]


def test_a_description_that_looks_like_a_number_is_text(folder: Path) -> None:
    found = read(folder, header("name: pdf-tools", "description: 1.10"))

    assert found.skill[1] == "1.10"


@pytest.mark.parametrize(("length", "warned"), [(1024, False), (1025, True)])
def test_a_description_longer_than_the_specification_allows_is_a_warning(
    folder: Path, length: int, *, warned: bool
) -> None:
    found = read(folder, header("name: pdf-tools", f"description: {'é' * length}"))

    assert found.skill[1] == "é" * length
    assert told(found) == (
        [("warning", 3, "the description has 1,025 characters")] if warned else []
    )


# What is mended


def test_an_unquoted_colon_is_mended_with_a_warning(folder: Path) -> None:
    found = read(folder, header("name: pdf-tools", "description: Use when: reading PDFs"))

    assert found.skill[1] == "Use when: reading PDFs"
    assert told(found) == [
        ("warning", 3, "the value of 'description' needs quotes and was read as plain text")
    ]


def test_a_byte_order_mark_and_crlf_do_no_harm(folder: Path) -> None:
    text = header("name: pdf-tools", "description: Reads PDFs.").replace("\n", "\r\n")

    found = read(folder, "\ufeff" + text)

    assert found.skill[:2] == ("pdf-tools", "Reads PDFs.")
    assert told(found) == []


def test_a_description_that_is_lost_in_a_broken_header_keeps_the_skill_out(folder: Path) -> None:
    found = read(folder, header("name: pdf-tools", 'description: "never closed'))

    assert found.skill[0] is None
    assert [(problem.level, problem.line) for problem in found.problems][-1] == ("error", None)
    assert any("'description' was dropped" in problem.message for problem in found.problems)


# Settings and length


def test_a_wrong_setting_is_an_error_and_the_skill_is_still_listed(folder: Path) -> None:
    found = read(
        folder,
        header("name: pdf-tools", "description: d", "max-iterations: 0", "execution_mode: fast"),
    )

    assert found.skill[0] == "pdf-tools"
    assert sorted(told(found), key=lambda each: each[1] or 0) == [
        ("error", 4, "max_iterations is 0"),
        ("error", 5, "execution_mode is 'fast'"),
    ]
    assert all(problem.hint.startswith("use ") for problem in found.problems)


def test_a_setting_is_checked_in_every_spelling_that_counts(folder: Path) -> None:
    found = read(folder, header("name: pdf-tools", "description: d", "maxIterations: 0"))

    assert told(found) == [("error", 4, "max_iterations is 0")]


@pytest.mark.parametrize(
    "row", ["max_iterations: 5", "timeout-per-iteration: 1.5s", "model: haiku"]
)
def test_a_right_setting_is_not_worth_a_word(folder: Path, row: str) -> None:
    assert read(folder, header("name: pdf-tools", "description: d", row)).problems == []


@pytest.mark.parametrize(("lines", "warned"), [(500, False), (501, True)])
@pytest.mark.parametrize("end", ["\n", ""])
def test_more_than_500_lines_are_a_warning(
    folder: Path, lines: int, end: str, *, warned: bool
) -> None:
    rows = ["---", "name: pdf-tools", "description: d", "---"]

    found = read(folder, "\n".join(rows + ["x"] * (lines - 4)) + end)

    assert told(found) == ([("warning", 500, "SKILL.md has 501 lines")] if warned else [])
    assert all("references/" in problem.hint for problem in found.problems)


# What cannot be read


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", 1, "no header"),
        (b"# Title\n", 1, "no header"),
        (b"---\nname: x\n", 1, "the header never ends"),
        (b"---\nname: x\ndescription: caf\xe9\n---\n", 3, "not UTF-8: byte 0xe9 cannot be read"),
        (b"\xff\xfe\x00", 1, "not UTF-8: byte 0xff cannot be read"),
        (b"---\nname: x\ndescription: a\x07b\n---\n", 3, "a control character"),
        (b"---\nname: x\nname: y\n---\n", 3, "refused in YAML: the field 'name' stands twice"),
        (b"---\na: &a [x]\nb: *a\nc: &c [*c]\n---\n", 4, "refused in YAML: the alias *c"),
        (b"---\n- a\n---\n", 2, "refused in YAML: fields are expected"),
        (b"---\n@\n---\n", 2, "not valid YAML"),
        (b"---\nx: " + b"[" * 1000 + b"\n---\n", 2, "refused in YAML: nesting deeper than"),
        (b"---\nx: " + b"y" * 300_000 + b"\n---\n", 2, "300,004 characters of YAML"),
    ],
)
def test_what_cannot_be_read_is_a_problem_with_its_line(
    folder: Path, content: bytes, line: int, message: str
) -> None:
    found = read(folder, content)

    assert found.skill[0] is None
    [problem] = found.problems
    assert problem.path == str(folder / "SKILL.md")
    assert problem.level == "error"
    assert problem.line == line
    assert problem.message.startswith(message)
    assert problem.hint


@pytest.mark.parametrize("strange", ["\u2028", "\u2029", "\x85"])
def test_line_ends_that_only_yaml_knows_break_nothing(folder: Path, strange: str) -> None:
    found = read(folder, header("name: pdf-tools", f"description: a{strange * 4}", "x: ["))

    assert all(isinstance(problem, Problem) for problem in found.problems)
    assert found.skill[0] == "pdf-tools"
