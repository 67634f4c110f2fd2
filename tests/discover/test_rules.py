"""The strict reading: every rule of the specification, all at once, each with its line and what to do."""

import json
import os
from pathlib import Path

import pytest

from prowess.core.skill import Problem
from prowess.discover.rules import skill_folders, validate
from support import write_file, write_skill


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "pdf-tools"


def check(folder: Path, *rows: str) -> list[Problem]:
    """The problems of a SKILL.md with these rows between its fences."""
    write_file(folder / "SKILL.md", "\n".join(("---", *rows, "---", "", "Body.", "")))
    return validate(str(folder))


def check_with(folder: Path, *rows: str) -> list[Problem]:
    """As `check`, with a good name and description before the rows, which begin at line 4."""
    return check(folder, "name: pdf-tools", "description: Reads PDFs.", *rows)


def told(problems: list[Problem]) -> list[tuple[str, int | None, str]]:
    assert all(problem.hint for problem in problems)
    return [(problem.level, problem.line, problem.message) for problem in problems]


# Legal files


def test_a_plain_skill_has_no_problem(tmp_path: Path) -> None:
    assert validate(str(write_skill(tmp_path, "pdf-tools"))) == []


def test_every_field_of_the_specification_is_fine(folder: Path) -> None:
    assert (
        check_with(
            folder,
            "license: Apache-2.0",
            "compatibility: Needs Python 3.11",
            "metadata:",
            "  author: me",
            '  version: "1.0"',
            "allowed-tools: Read Bash(git diff:*)",
        )
        == []
    )


def test_dashes_inside_a_folded_description_are_legal(folder: Path) -> None:
    rows = ("name: pdf-tools", "description: >", "  Reads PDFs", "  ---", "  and --- writes them.")

    assert check(folder, *rows) == []


@pytest.mark.parametrize(
    "description",
    [
        'description: "Use when: reading"',
        "description: |\n  Reads\n\n  PDFs.",
        "description: Reads\n  PDFs.",
        "description: Größe 中文 🙂",
        "# a comment\ndescription: Reads PDFs. # another",
        "description: &d Reads PDFs.\nlicense: *d",
        "description: !!str Reads PDFs.",
        "description: 7",
        f"description: {'x' * 1024}",
    ],
)
def test_legal_yaml_of_every_kind_is_fine(folder: Path, description: str) -> None:
    assert check(folder, "name: pdf-tools", description) == []


def test_flow_yaml_is_legal(folder: Path) -> None:
    assert check(folder, "{name: pdf-tools, description: Reads PDFs.}") == []


def test_crlf_is_legal(folder: Path) -> None:
    write_file(folder / "SKILL.md", "---\r\nname: pdf-tools\r\ndescription: d\r\n---\r\nBody\r\n")

    assert validate(str(folder)) == []


@pytest.mark.parametrize("name", ["a", "7", "a1-b2-c3", "größe", "x" * 64, "é" * 64])
def test_a_name_of_letters_digits_and_single_hyphens_is_fine(tmp_path: Path, name: str) -> None:
    assert check(tmp_path / name, f"name: {name}", "description: d") == []


# One rule at a time


@pytest.mark.parametrize(
    ("name", "fault", "hint"),
    [
        ("PDF-tools", "is not lowercase", "write `name: pdf-tools`"),
        ("-pdf", "begins or ends with a hyphen", "write `name: pdf`"),
        ("pdf-", "begins or ends with a hyphen", "write `name: pdf`"),
        ("pdf--tools", "has two hyphens in a row", "write `name: pdf-tools`"),
        (
            "pdf_tools",
            "has characters other than letters, digits and hyphens",
            "write `name: pdf-tools`",
        ),
        ("x" * 65, "has 65 characters", "use at most 64"),
        (
            "_",
            "has characters other than letters, digits and hyphens",
            "write `name: my-skill`",
        ),
    ],
)
def test_a_name_that_breaks_a_rule_is_an_error(
    tmp_path: Path, name: str, fault: str, hint: str
) -> None:
    [problem] = check(tmp_path / name, f"name: {name}", "description: d")

    assert problem.level == "error"
    assert problem.line == 2
    assert problem.message == f"the name {name!r} {fault}"
    assert problem.hint.startswith(hint)
    assert problem.hint.endswith("and call the folder the same")


def test_a_name_that_is_not_the_folders_is_an_error(folder: Path) -> None:
    [problem] = check(folder, "name: other", "description: d")

    assert problem.message == "the name 'other' is not the folder's, 'pdf-tools'"
    assert "give both the same name" in problem.hint


@pytest.mark.parametrize(
    ("row", "message", "line"),
    [
        ("license: MIT", "no name", None),
        ("name:", "name is empty", 3),
        ("name: ''", "name is empty", 3),
        ("name: [a]", "name is not text", 3),
    ],
)
def test_a_name_there_must_be(folder: Path, row: str, message: str, line: int | None) -> None:
    problems = check(folder, "description: d", row)

    assert told(problems) == [("error", line, message)]
    assert problems[0].hint == "write `name: pdf-tools`"


@pytest.mark.parametrize(
    ("row", "message", "line"),
    [
        ("license: MIT", "no description", None),
        ("description:", "description is empty", 3),
        ("description: '  '", "description is empty", 3),
        ("description: {a: b}", "description is not text", 3),
        (f"description: {'é' * 1025}", "description has 1,025 characters", 3),
    ],
)
def test_a_description_there_must_be(
    folder: Path, row: str, message: str, line: int | None
) -> None:
    assert told(check(folder, "name: pdf-tools", row)) == [("error", line, message)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("compatibility:", "compatibility is empty"),
        ("compatibility: [a]", "compatibility is not text"),
        (f"compatibility: {'x' * 501}", "compatibility has 501 characters"),
        ("license:", "license is empty"),
        ("license: {a: b}", "license is not text"),
        ("metadata: text", "metadata is not a mapping of text to text"),
        ("metadata: [a]", "metadata is not a mapping of text to text"),
        ("metadata: {a: {b: c}}", "metadata is not a mapping of text to text"),
        ("metadata: {a: [b]}", "metadata is not a mapping of text to text"),
        ("colour: red", "colour is not in the specification"),
        ("Name: x", "Name is not in the specification"),
    ],
)
def test_an_optional_field_that_breaks_a_rule_is_an_error(
    folder: Path, row: str, message: str
) -> None:
    assert told(check_with(folder, row)) == [("error", 4, message)]


def test_a_compatibility_of_500_characters_is_fine(folder: Path) -> None:
    assert check_with(folder, f"compatibility: {'é' * 500}") == []


@pytest.mark.parametrize("row", ["allowed-tools: Read, Write", "allowed-tools: [Read, Write]"])
def test_tools_that_are_not_space_separated_are_a_warning(folder: Path, row: str) -> None:
    assert told(check_with(folder, row)) == [("warning", 4, "allowed-tools is not space-separated")]


@pytest.mark.parametrize("row", ["allowed-tools: {a: b}", "allowed-tools: 7"])
def test_tools_that_are_neither_text_nor_a_list_are_an_error(folder: Path, row: str) -> None:
    [(level, line, message)] = told(check_with(folder, row))

    assert (level, line) == ("error", 4)
    assert "allowed-tools" in message


def test_a_comma_inside_the_brackets_of_a_tool_separates_nothing(folder: Path) -> None:
    assert check_with(folder, "allowed-tools: Bash(jq .a,.b) Read") == []


@pytest.mark.parametrize(
    "row",
    [
        "version: 1.0.0",
        "when_to_use: often",
        "when-to-use: often",
        "argument-hint: FILE",
        "arguments: [file]",
        "disable-model-invocation: true",
        "user-invocable: false",
        "disallowed-tools: Bash",
        "allowed_tools: Read",
        "paths: [src]",
        "execution_mode: simple",
        "max_iterations: 5",
        "max-retries-per-tool: 2",
        "timeout_per_iteration: 30s",
        "early_termination: true",
        "model: haiku",
        "context: fork",
        "agent: Explore",
    ],
)
def test_a_field_that_only_some_tools_know_is_a_warning(folder: Path, row: str) -> None:
    field = row.partition(":")[0]

    assert told(check_with(folder, row)) == [("warning", 4, f"{field} is not in the specification")]


def test_a_wrong_setting_is_an_error_with_what_is_allowed(folder: Path) -> None:
    problems = check_with(folder, "timeout-per-iteration: soon")

    assert ("error", 4, "timeout_per_iteration is 'soon'") in told(problems)
    assert any(problem.hint.startswith("use a time such as") for problem in problems)


def test_more_than_500_lines_are_a_warning(folder: Path) -> None:
    assert told(check_with(folder, *["# more"] * 500)) == [
        ("warning", 500, "SKILL.md has 506 lines")
    ]


# All at once


def test_every_broken_rule_is_told_at_once_in_the_order_of_the_file(folder: Path) -> None:
    problems = check(
        folder,
        "name: PDF_Tools-",
        f"description: {'x' * 1025}",
        "license: []",
        f"compatibility: {'x' * 501}",
        "metadata: text",
        "allowed-tools: Read, Write",
        "colour: red",
        "model: haiku",
        "max_iterations: 0",
    )

    assert told(problems) == [
        ("error", 2, "the name 'PDF_Tools-' begins or ends with a hyphen"),
        (
            "error",
            2,
            "the name 'PDF_Tools-' has characters other than letters, digits and hyphens",
        ),
        ("error", 2, "the name 'PDF_Tools-' is not lowercase"),
        ("error", 2, "the name 'PDF_Tools-' is not the folder's, 'pdf-tools'"),
        ("error", 3, "description has 1,025 characters"),
        ("error", 4, "license is not text"),
        ("error", 5, "compatibility has 501 characters"),
        ("error", 6, "metadata is not a mapping of text to text"),
        ("warning", 7, "allowed-tools is not space-separated"),
        ("error", 8, "colour is not in the specification"),
        ("warning", 9, "model is not in the specification"),
        ("error", 10, "max_iterations is 0"),
        ("warning", 10, "max_iterations is not in the specification"),
    ]
    assert {problem.path for problem in problems} == {str(folder / "SKILL.md")}


def test_what_has_no_line_comes_before_what_has_one(folder: Path) -> None:
    assert told(check(folder, "description: d", "colour: red")) == [
        ("error", None, "no name"),
        ("error", 3, "colour is not in the specification"),
    ]


# What lenient reading mends


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\n---\nname: pdf-tools\ndescription: d\n---\n", 1),
        ("--- \nname: pdf-tools\ndescription: d\n---\n", 1),
        ("---\nname: pdf-tools\ndescription: d\n--- \n", 4),
        ("---\nname: pdf-tools\ndescription: Use when: reading\n---\n", 3),
        ("---\nname: pdf-tools\ndescription: @d\n---\n", 3),
        ("---\nname: pdf-tools\ndescription: d\nmetadata: {a: [}\n---\n", 4),
        ("---\rname: pdf-tools\rdescription: d\r---\r", 1),
        ("---\n  x: 1\nname: pdf-tools\ndescription: d\n---\n", 2),
    ],
)
def test_what_lenient_reading_mends_is_an_error_here(folder: Path, text: str, line: int) -> None:
    write_file(folder / "SKILL.md", text)

    assert [(level, where) for level, where, _ in told(validate(str(folder)))] == [("error", line)]


def test_what_nobody_sees_in_a_description_is_an_error(folder: Path) -> None:
    header = f'name: {folder.name}\ndescription: "Reads \\e[31m CSV."'
    write_file(folder / "SKILL.md", f"---\n{header}\n---\nRead.\n")

    [(level, line, message)] = told(validate(str(folder)))

    assert (level, line) == ("error", 3)
    assert message == "description holds characters that nobody sees: U+001B"


@pytest.mark.parametrize(
    ("content", "message", "line"),
    [
        (b"", "no header", 1),
        (b"---\nname: x\n", "the header never ends", 1),
        (b"---\nname: caf\xe9\ndescription: d\n---\n", "not UTF-8", 2),
        (b"---\nname: a\x07\ndescription: d\n---\n", "a control character", 2),
        (
            b"---\nname: pdf-tools\ndescription: d\nname: b\n---\n",
            "refused in YAML: the field 'name' stands twice",
            4,
        ),
    ],
)
def test_what_cannot_be_read_is_one_error_with_its_line(
    folder: Path, content: bytes, message: str, line: int
) -> None:
    write_file(folder / "SKILL.md", content)

    [(level, where, what)] = told(validate(str(folder)))

    assert (level, where) == ("error", line)
    assert what.startswith(message)


def test_a_fifo_a_folder_and_a_link_that_leaves_are_errors(tmp_path: Path) -> None:
    for name in ("fifo", "folder", "link", "dangling"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "fifo" / "SKILL.md")
    (tmp_path / "folder" / "SKILL.md").mkdir()
    (tmp_path / "link" / "SKILL.md").symlink_to("/etc/passwd")
    (tmp_path / "dangling" / "SKILL.md").symlink_to("nowhere")

    for name in ("fifo", "folder", "link", "dangling"):
        [problem] = validate(str(tmp_path / name))
        assert problem.level == "error"
        assert problem.hint


# Other files and other paths


@pytest.mark.parametrize("name", ["skill.md", "Skill.md"])
def test_another_spelling_of_the_files_name_is_an_error(folder: Path, name: str) -> None:
    write_file(folder / name, "---\nname: pdf-tools\ndescription: d\n---\n")

    problems = validate(str(folder))

    assert told(problems) == [("error", None, f"the file is called {name}")]
    assert problems[0].hint == "rename it to SKILL.md"


def test_a_manifests_warnings_are_errors_here(folder: Path) -> None:
    write_file(folder / "manifest.json", json.dumps({"name": "T", "description": "d", "type": "x"}))

    assert told(validate(str(folder))) == [
        ("error", None, "no version"),
        ("error", None, "the type 'x' is unknown, system is used"),
        ("error", None, "there is no skill.md beside it"),
    ]


def test_a_manifest_with_its_skill_md_is_fine(folder: Path) -> None:
    manifest = {"name": "T", "description": "d", "version": "1.0.0"}
    write_file(folder / "manifest.json", json.dumps(manifest))
    write_file(folder / "skill.md", "no header is needed here\n")

    assert validate(str(folder)) == []


def test_a_manifest_and_a_workflow_together_are_fine(folder: Path) -> None:
    manifest = {"name": "T", "description": "d", "version": "1.0.0"}
    write_file(folder / "manifest.json", json.dumps(manifest))
    write_file(folder / "skill.md", "no header is needed here\n")
    write_file(folder / "skill.yaml", "name: pdf-tools\ndescription: d\nsteps: [a]\n")

    assert validate(str(folder)) == []


def test_every_file_of_a_folder_is_checked(folder: Path) -> None:
    write_file(folder / "SKILL.md", "")
    write_file(folder / "manifest.json", "")
    write_file(folder / "skill.yaml", "")

    assert [os.path.basename(problem.path) for problem in validate(str(folder))] == [
        "SKILL.md",
        "manifest.json",
        "skill.yaml",
        "skill.yaml",
        "skill.yaml",
    ]


def test_a_file_stands_for_its_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_file(folder / "SKILL.md", "---\nname: other\ndescription: d\n---\n")
    monkeypatch.chdir(folder)

    assert validate("SKILL.md") == validate(".") == validate(str(folder / "SKILL.md"))
    assert validate(".")[0].path == str(folder / "SKILL.md")


def test_where_there_is_nothing_that_is_the_problem(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    [missing] = validate(str(tmp_path / "missing"))
    [empty] = validate(str(tmp_path / "empty"))

    assert missing.message == "there is nothing here"
    assert empty.message == "no skill here"
    assert missing.hint
    assert empty.hint


def test_a_folder_of_skills_stands_for_all_of_them(tmp_path: Path) -> None:
    one = write_skill(tmp_path, "one")
    two = write_skill(tmp_path / "more", "two")
    readme = write_file(tmp_path / "none" / "README.md", "")

    def folders(path: Path) -> list[str]:
        found, unreached = skill_folders(str(path))
        assert unreached == []
        return sorted(found)

    assert folders(tmp_path) == sorted([str(one), str(two)])
    assert folders(one) == [str(one)]
    assert folders(one / "SKILL.md") == [str(one / "SKILL.md")]
    assert folders(tmp_path / "none") == []
    assert folders(readme) == [str(readme)]
    assert folders(tmp_path / "missing") == []
    assert folders(tmp_path / "missing" / "SKILL.md") == []


def test_a_broken_skill_is_among_those_to_check(tmp_path: Path) -> None:
    write_file(tmp_path / "broken" / "SKILL.md", "no header")

    assert skill_folders(str(tmp_path)) == ([str(tmp_path / "broken")], [])


def test_where_skills_could_not_be_looked_for_is_an_error(tmp_path: Path) -> None:
    good = write_skill(tmp_path, "good")
    write_skill(tmp_path.joinpath(*"abcdef"), "deep")
    (tmp_path / "broken").symlink_to("gone")

    folders, unreached = skill_folders(str(tmp_path))

    assert folders == [str(good)]
    assert [(os.path.relpath(each.path, tmp_path), each.level) for each in unreached] == [
        ("a/b/c/d/e/f", "error"),
        ("broken", "error"),
    ]


def test_a_second_way_to_a_skill_that_is_checked_is_a_warning(tmp_path: Path) -> None:
    good = write_skill(tmp_path, "good")
    (tmp_path / "link").symlink_to("good")

    folders, [again] = skill_folders(str(tmp_path))

    assert folders == [str(good)]
    assert again.level == "warning"


def test_the_files_of_a_skill_may_lie_as_deep_as_they_like(tmp_path: Path) -> None:
    good = write_skill(tmp_path, "good")
    good.joinpath("assets", *"abcdefg").mkdir(parents=True)
    (good / "assets" / "link").symlink_to("gone")

    assert skill_folders(str(good)) == ([str(good)], [])


def test_a_link_that_leads_nowhere_does_not_stand_for_the_folder_around_it(folder: Path) -> None:
    write_file(folder / "SKILL.md", "---\nname: pdf-tools\ndescription: d\n---\n")
    (folder / "link").symlink_to("gone")

    [problem] = validate(str(folder / "link"))

    assert problem.message == "not a skill's file"


def test_a_field_in_two_spellings_stands_twice(tmp_path: Path) -> None:
    path = tmp_path / "pdf-tools" / "SKILL.md"
    path.parent.mkdir()
    path.write_text(
        "---\nname: pdf-tools\ndescription: d\nallowed-tools: Read\nallowed_tools: Write\n---\n"
    )

    told = [problem.message for problem in validate(str(path)) if problem.level == "error"]

    assert told == [
        "allowed-tools stands twice, in two spellings",
        "allowed_tools stands twice, in two spellings",
    ]
