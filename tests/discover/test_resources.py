"""Supporting files are listed with what SKILL.md says of them, and nothing outside the folder is ever read."""

import os
from pathlib import Path

import pytest

from prowess.core.errors import RefusedError, SkillError
from prowess.core.skill import Resource, Skill
from prowess.discover.catalog import open_catalog
from prowess.discover.resources import (
    LONGEST_LINE,
    MAX_DEPTH,
    MAX_FILES,
    described,
    instructions_text,
    read_resource,
    resources,
)
from prowess.discover.roots import Root
from support import write_file, write_skill

# The SKILL.md that seed 003 shows as good practice.
SEED = """\
# Data Processor Skill

## Quick Start
1. Read input file with appropriate encoding
2. Validate format (see reference.md for details)
3. Transform data (see examples.md for patterns)
4. Generate report (see templates/report.md)

## When You Need More Information
- **API Details**: Read reference.md for complete API specs
- **Usage Examples**: Read examples.md for transformation patterns
- **Report Format**: Read templates/report.md for output structure
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_skill(tmp_path / "root", "pdf")


def the_skill(folder: Path) -> Skill:
    """The skill as discovery finds it."""
    (skill,) = open_catalog([Root(str(folder.parent), "project")]).skills.values()
    return skill


def listed(folder: Path) -> list[Resource]:
    return resources(the_skill(folder))


def paths(folder: Path) -> list[str]:
    return [resource.path for resource in listed(folder)]


# The list


def test_supporting_files_are_listed_by_path_with_lines_size_and_description(
    folder: Path,
) -> None:
    write_skill(folder.parent, "pdf", body="- reference.md: Complete API documentation")
    write_file(folder / "reference.md", "one\ntwo\nthree\n")
    write_file(folder / "scripts" / "run.py", "print()\n")

    assert listed(folder) == [
        Resource(path="reference.md", lines=3, size=14, description="Complete API documentation"),
        Resource(path="scripts/run.py", lines=1, size=8, description=""),
    ]


@pytest.mark.parametrize(
    ("content", "lines"),
    [("", 0), ("one", 1), ("one\n", 1), ("one\ntwo", 2), ("\n\n", 2), ("one\r\ntwo\r\n", 2)],
)
def test_lines_are_counted_as_an_editor_shows_them(folder: Path, content: str, lines: int) -> None:
    write_file(folder / "file.txt", content)

    assert [resource.lines for resource in listed(folder)] == [lines]


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"caf\xe9\n"])
def test_a_file_that_is_not_text_has_a_size_and_no_lines(folder: Path, content: bytes) -> None:
    write_file(folder / "logo.png", content)

    assert listed(folder) == [Resource(path="logo.png", lines=0, size=len(content))]


def test_a_file_with_nul_bytes_is_not_text(folder: Path) -> None:
    write_file(folder / "data.bin", b"\0\1\2\n\3")

    assert [resource.lines for resource in listed(folder)] == [0]


def test_a_file_too_large_to_read_is_listed_without_lines(folder: Path) -> None:
    write_file(folder / "huge.txt", "")
    os.truncate(folder / "huge.txt", 200_000_000)

    assert listed(folder) == [Resource(path="huge.txt", lines=0, size=200_000_000)]


def test_the_files_that_define_the_skill_are_not_supporting_files(folder: Path) -> None:
    write_file(folder / "manifest.json", '{"name": "PDF", "version": "1.0.0", "description": "D"}')
    write_file(folder / "skill.md", "Instructions.")
    write_file(folder / "skill.yaml", "name: pdf\ndescription: D\nsteps: [{output: hi}]\n")
    write_file(folder / "examples" / "SKILL.md", "An example of one.")

    assert paths(folder) == ["examples/SKILL.md"]


@pytest.mark.parametrize("name", [".git", "node_modules", "__pycache__", ".venv"])
def test_folders_of_other_tools_are_not_listed(folder: Path, name: str) -> None:
    write_file(folder / "scripts" / name / "file", "text")

    assert paths(folder) == []


def test_links_and_special_files_are_not_listed(folder: Path, tmp_path: Path) -> None:
    secret = write_file(tmp_path / "outside" / "secret.md", "secret")
    (folder / "file-link.md").symlink_to(secret)
    (folder / "folder-link").symlink_to(secret.parent)
    (folder / "inside-link.md").symlink_to("SKILL.md")
    os.mkfifo(folder / "pipe")
    write_file(folder / "real.md", "text")

    assert paths(folder) == ["real.md"]


def test_no_more_files_are_listed_than_a_skill_may_have(folder: Path) -> None:
    for number in range(MAX_FILES + 10):
        write_file(folder / "many" / f"{number:04}.txt", "")

    assert paths(folder) == [f"many/{number:04}.txt" for number in range(MAX_FILES)]


def test_of_too_many_files_the_first_by_path_are_listed(folder: Path) -> None:
    write_file(folder / "a" / "guide.md", "text")
    for number in range(MAX_FILES):
        write_file(folder / "z" / f"{number:04}.txt", "")

    assert paths(folder)[0] == "a/guide.md"


def test_folders_are_searched_to_a_depth_and_no_further(folder: Path) -> None:
    just = Path(*("d" * MAX_DEPTH))
    write_file(folder / just / "just.md", "text")
    write_file(folder / just / "d" / "beyond.md", "text")

    assert paths(folder) == [str(just / "just.md")]


def test_a_skill_whose_folder_has_no_other_file_has_no_resources(folder: Path) -> None:
    assert listed(folder) == []


def test_a_file_name_that_is_not_utf_8_is_listed_and_can_be_read(folder: Path) -> None:
    name = os.fsdecode(b"caf\xe9.md")
    write_file(folder / name, "text")

    assert paths(folder) == [name]
    assert read_resource(the_skill(folder), name) == "text"


# What SKILL.md says of them


@pytest.mark.parametrize(
    "line",
    [
        "- reference.md: Complete API documentation",
        "* reference.md: Complete API documentation",
        "+ reference.md: Complete API documentation",
        "  - reference.md: Complete API documentation",
        "1. reference.md: Complete API documentation",
        "12) reference.md: Complete API documentation",
        "reference.md: Complete API documentation",
        "- `reference.md`: Complete API documentation",
        "- **reference.md**: Complete API documentation",
        "**reference.md**: Complete API documentation",
        "- **`reference.md`**: Complete API documentation",
        "- **reference.md:** Complete API documentation",
        "- [reference.md](reference.md): Complete API documentation",
        "- [the API](reference.md): Complete API documentation",
        "- reference.md - Complete API documentation",
        "- reference.md \N{EN DASH} Complete API documentation",
        "- reference.md \N{EM DASH} Complete API documentation",
    ],
)
def test_the_words_after_a_files_name_in_a_list_describe_it(line: str) -> None:
    text = f"# Skill\n\nSome words.\n\n{line}\n- other.md: Something else\n"

    assert described("reference.md", text) == "Complete API documentation"


@pytest.mark.parametrize(
    ("line", "description"),
    [
        (
            "- **API Details**: Read reference.md for complete API specs",
            "API Details: Read reference.md for complete API specs",
        ),
        (
            "2. Validate format (see reference.md for details)",
            "Validate format (see reference.md for details)",
        ),
        (
            "Do this first. See [the reference](reference.md) for the fields. Then go on.",
            "See reference.md for the fields.",
        ),
        ("Details are in `reference.md`.", "Details are in reference.md."),
        ("For the API, refer to reference.md", "For the API, refer to reference.md"),
    ],
)
def test_a_sentence_that_points_to_a_file_describes_it(line: str, description: str) -> None:
    assert described("reference.md", f"# Skill\n\n{line}\n") == description


def test_a_list_entry_says_more_than_a_sentence_before_it() -> None:
    text = "See reference.md when stuck.\n\n- reference.md: Complete API documentation\n"

    assert described("reference.md", text) == "Complete API documentation"


def test_each_file_of_the_seeds_example_is_described(folder: Path) -> None:
    write_skill(folder.parent, "pdf", body=SEED)
    for name in ("reference.md", "examples.md", "templates/report.md", "scripts/helper.py"):
        write_file(folder / name, "text\n")

    assert {resource.path: resource.description for resource in listed(folder)} == {
        "reference.md": "API Details: Read reference.md for complete API specs",
        "examples.md": "Usage Examples: Read examples.md for transformation patterns",
        "templates/report.md": "Report Format: Read templates/report.md for output structure",
        "scripts/helper.py": "",
    }


def test_a_file_that_is_merely_mentioned_has_no_description() -> None:
    assert described("reference.md", "The reference.md of this skill is long.\n") == ""


def test_a_line_too_long_to_be_prose_is_passed_over() -> None:
    text = f"- reference.md: {'x' * LONGEST_LINE}\n- reference.md: Short\n"

    assert described("reference.md", text) == "Short"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("report.md", "Generate the report (see templates/report.md)"),
        ("reference.md", "See api-reference.md for the API"),
        ("scripts/run", "- scripts/run-all.sh: Runs everything"),
        ("scripts/run", "Use scripts/run.py to run it"),
    ],
)
def test_words_about_another_file_do_not_describe_this_one(path: str, line: str) -> None:
    assert described(path, f"{line}\n") == ""


@pytest.mark.parametrize(
    "line",
    ["- [Guide](./references/guide.md): How to write", "- ./references/guide.md: How to write"],
)
def test_a_path_that_begins_in_the_folder_itself_is_the_same_file(line: str) -> None:
    assert described("references/guide.md", line) == "How to write"


def test_bait_for_slow_patterns_is_read_at_once() -> None:
    text = "\n".join(["[" * 900 + "a.md", "see " * 200 + "a.md", "- " * 400 + "a.md"] * 100)

    assert described("a.md", text).endswith("a.md")


def test_a_manifests_skill_md_describes_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "root" / "listed"
    write_file(folder / "manifest.json", '{"name": "L", "version": "1.0.0", "description": "D"}')
    write_file(folder / "skill.md", "- guide.md: How to\n")
    write_file(folder / "guide.md", "text")

    assert [resource.description for resource in listed(folder)] == ["How to"]


def test_a_manifest_without_a_skill_md_has_no_instructions_and_lists_its_files(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "root" / "listed"
    write_file(folder / "manifest.json", '{"name": "L", "version": "1.0.0", "description": "D"}')
    write_file(folder / "guide.md", "text")

    assert instructions_text(the_skill(folder)) == ""
    assert paths(folder) == ["guide.md"]


def test_a_workflows_instructions_are_its_file(tmp_path: Path) -> None:
    text = "name: flow\ndescription: D\nsteps: [{output: hi}]\n"
    write_file(tmp_path / "root" / "flow" / "skill.yaml", text)

    assert instructions_text(the_skill(tmp_path / "root" / "flow")) == text


# Reading


def test_a_supporting_file_is_read_whole(folder: Path) -> None:
    write_file(folder / "references" / "guide.md", "Ünïcode\r\n")

    assert read_resource(the_skill(folder), "references/guide.md") == "Ünïcode\r\n"


def test_a_link_that_stays_inside_the_folder_is_followed(folder: Path) -> None:
    write_file(folder / "references" / "guide.md", "text")
    (folder / "guide.md").symlink_to("references/guide.md")

    assert read_resource(the_skill(folder), "guide.md") == "text"


@pytest.mark.parametrize(
    "path",
    [
        "../secret.md",
        "references/../../secret.md",
        "{outside}/secret.md",
        "file-link.md",
        "folder-link/secret.md",
        "folder-link/../secret.md",
        "..",
        ".",
        "",
        "/",
        "..\\secret.md",
        "file\0.md",
        "~/secret.md",
    ],
)
def test_nothing_outside_the_folder_is_read_and_nothing_of_it_is_told(
    folder: Path, path: str
) -> None:
    outside = folder.parent
    write_file(outside / "secret.md", "the secret")
    (folder / "references").mkdir()
    (folder / "file-link.md").symlink_to("../secret.md")
    (folder / "folder-link").symlink_to("..")
    skill = the_skill(folder)

    with pytest.raises(RefusedError) as refused:
        read_resource(skill, path.replace("{outside}", str(outside)))

    assert "the secret" not in str(refused.value)
    assert refused.value.hint


def test_a_file_that_is_not_there_is_refused_in_the_same_words_inside_and_out(
    folder: Path,
) -> None:
    (folder / "link.md").symlink_to("/nowhere/at/all")
    (folder / "other.md").symlink_to("/etc/passwd")
    skill = the_skill(folder)

    said = []
    for path in ("link.md", "other.md"):
        with pytest.raises(RefusedError) as refused:
            read_resource(skill, path)
        said.append(str(refused.value).replace(path, "PATH"))

    assert said[0] == said[1]


@pytest.mark.parametrize("kind", ["directory", "fifo", "missing", "huge"])
def test_what_is_not_a_plain_file_of_bearable_size_is_refused(folder: Path, kind: str) -> None:
    odd = folder / "odd"
    if kind == "directory":
        odd.mkdir()
    elif kind == "fifo":
        os.mkfifo(odd)
    elif kind == "huge":
        odd.touch()
        os.truncate(odd, 200_000_000)

    with pytest.raises(RefusedError):
        read_resource(the_skill(folder), "odd")


def test_a_file_that_is_not_utf_8_is_refused_with_the_line(folder: Path) -> None:
    write_file(folder / "latin.md", b"one\ncaf\xe9\n")

    with pytest.raises(SkillError) as refused:
        read_resource(the_skill(folder), "latin.md")

    assert refused.value.line == 2
