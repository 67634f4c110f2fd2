"""One folder, several files: together they make one skill, and a broken one never hides a good one."""

import json
import os
import socket
from pathlib import Path

import pytest

from prowess.discover.folder import Found, read_folder
from prowess.discover.scan import definitions
from support import write_file

AGENT_SKILL = "---\nname: tool\ndescription: From SKILL.md.\nlicense: MIT\n---\n# Body\n"
MANIFEST = json.dumps(
    {
        "name": "The Tool",
        "version": "2.0.0",
        "description": "From the manifest.",
        "license": "Apache-2.0",
        "assignTo": ["worker"],
    }
)
WORKFLOW = "name: tool\ndescription: From skill.yaml.\nversion: 3.0.0\ncategory: c\nsteps: [a]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tool").mkdir()
    return tmp_path / "tool"


def read(folder: Path) -> Found:
    return read_folder(str(folder), definitions(os.listdir(folder)))


def errors(found: Found) -> list[tuple[str, str]]:
    """File and message of each error."""
    return [
        (os.path.basename(problem.path), problem.message)
        for problem in found.problems
        if problem.level == "error"
    ]


# Several formats


def test_all_three_formats_make_one_skill_and_the_first_to_say_a_thing_is_heard(
    folder: Path,
) -> None:
    write_file(folder / "SKILL.md", AGENT_SKILL)
    write_file(folder / "manifest.json", MANIFEST)
    write_file(folder / "skill.md", "# Instructions\n")
    write_file(folder / "skill.yaml", WORKFLOW)

    found = read(folder)

    assert found.problems == []
    assert found.skill == (
        "tool",
        "From SKILL.md.",
        "workflow",
        "SKILL.md\nmanifest.json\nskill.yaml",
        {
            "license": "MIT",
            "title": "The Tool",
            "version": "2.0.0",
            "assignTo": ["worker"],
            "category": "c",
        },
    )
    assert len(found.statuses) == 4


def test_a_skill_md_beside_a_manifest_is_its_instructions_and_no_skill_of_its_own(
    folder: Path,
) -> None:
    write_file(folder / "manifest.json", MANIFEST)
    write_file(folder / "skill.md", AGENT_SKILL)

    found = read(folder)

    assert found.skill[1:4] == ("From the manifest.", "manifest", "manifest.json")


def test_a_manifest_beside_a_skill_md_in_capitals_lends_it_what_it_does_not_say(
    folder: Path,
) -> None:
    write_file(folder / "SKILL.md", AGENT_SKILL)
    write_file(folder / "manifest.json", MANIFEST)

    found = read(folder)

    assert found.skill[:3] == ("tool", "From SKILL.md.", "skill.md")
    assert found.skill[4]["title"] == "The Tool"
    assert found.skill[4]["license"] == "MIT"


def test_the_name_that_is_usable_is_used_even_when_a_later_file_has_it(folder: Path) -> None:
    write_file(folder / "SKILL.md", "---\ndescription: From SKILL.md.\n---\n")
    write_file(folder / "skill.yaml", WORKFLOW.replace("name: tool", "name: other"))

    assert read(folder).skill[:2] == ("other", "From SKILL.md.")


# Broken beside good


@pytest.mark.parametrize(
    ("file", "broken"),
    [
        ("SKILL.md", "no header"),
        ("SKILL.md", "---\nname: ../x\ndescription: d\n---\n"),
        ("manifest.json", "{"),
        ("skill.yaml", "description: d\nsteps: 7\n"),
    ],
)
def test_a_broken_file_is_a_problem_and_the_others_still_make_the_skill(
    folder: Path, file: str, broken: str
) -> None:
    write_file(folder / "SKILL.md", AGENT_SKILL)
    write_file(folder / "manifest.json", MANIFEST)
    write_file(folder / "skill.md", "# Instructions\n")
    write_file(folder / "skill.yaml", WORKFLOW)
    write_file(folder / file, broken)

    found = read(folder)

    assert found.skill[0] == "tool"
    assert file not in found.skill[3].split("\n")
    assert [name for name, _ in errors(found)] == [file]


def test_nothing_but_broken_files_is_no_skill_and_every_reason_is_told(folder: Path) -> None:
    write_file(folder / "SKILL.md", "")
    write_file(folder / "manifest.json", "")
    write_file(folder / "skill.yaml", "")

    found = read(folder)

    assert found.skill == (None,) * 5
    assert {name for name, _ in errors(found)} == {"SKILL.md", "manifest.json", "skill.yaml"}


def test_a_file_that_went_away_is_a_problem(folder: Path) -> None:
    found = read_folder(str(folder), ["SKILL.md"])

    assert errors(found) == [("SKILL.md", "cannot be read: No such file or directory")]
    assert found.statuses == [None]


def test_a_folder_that_went_away_is_a_problem(folder: Path) -> None:
    found = read_folder(str(folder / "gone"), ["SKILL.md", "skill.yaml"])

    assert found.skill[0] is None
    assert len(errors(found)) == 2


# Spellings of SKILL.md


@pytest.mark.parametrize("name", ["skill.md", "Skill.md"])
def test_another_spelling_of_skill_md_counts_with_a_warning(folder: Path, name: str) -> None:
    write_file(folder / name, AGENT_SKILL)

    found = read(folder)

    assert found.skill[:4] == ("tool", "From SKILL.md.", "skill.md", name)
    [problem] = found.problems
    assert problem.level == "warning"
    assert problem.message == f"the file is called {name}"
    assert "rename it to SKILL.md" in problem.hint


def test_skill_md_in_capitals_speaks_when_it_is_there(folder: Path) -> None:
    write_file(folder / "SKILL.md", AGENT_SKILL)
    write_file(folder / "skill.md", "not a skill")
    write_file(folder / "Skill.md", "not a skill")

    found = read(folder)

    assert found.skill[3] == "SKILL.md"
    assert found.problems == []


def test_of_two_other_spellings_the_same_one_is_chosen_everywhere(folder: Path) -> None:
    write_file(folder / "skill.md", AGENT_SKILL)
    write_file(folder / "Skill.md", AGENT_SKILL)

    assert read(folder).skill[3] == "Skill.md"
    assert definitions(["skill.md", "Skill.md"]) == definitions(["Skill.md", "skill.md"])


@pytest.mark.parametrize(
    "names", [[], ["README.md"], ["SKILL.MD"], ["skill.yml"], ["SKILL.md.bak"]]
)
def test_other_files_define_no_skill(names: list[str]) -> None:
    assert definitions(names) == []


# What is no plain file


def test_a_link_that_stays_in_the_folder_is_followed(folder: Path) -> None:
    write_file(folder / "docs" / "real.md", AGENT_SKILL)
    (folder / "SKILL.md").symlink_to("docs/real.md")

    found = read(folder)

    assert found.skill[0] == "tool"
    assert found.problems == []


@pytest.mark.parametrize("file", ["SKILL.md", "manifest.json", "skill.yaml"])
def test_a_link_that_leaves_the_folder_is_refused_and_shows_nothing(
    folder: Path, tmp_path: Path, file: str
) -> None:
    write_file(tmp_path / "secret", AGENT_SKILL.replace("From SKILL.md.", "the secret"))
    for target in ("../secret", str(tmp_path / "secret"), "../nothing", file, "/dev/zero"):
        (folder / file).unlink(missing_ok=True)
        (folder / file).symlink_to(target)

        found = read(folder)

        assert found.skill[0] is None
        assert errors(found) == [
            (file, f"{file} is a link that leads nowhere or outside the folder")
        ]
        assert found.problems[0].hint == "put the file itself there"


def test_a_fifo_named_skill_md_is_a_problem_at_once(folder: Path) -> None:
    os.mkfifo(folder / "SKILL.md")

    assert errors(read(folder)) == [("SKILL.md", "SKILL.md is not a plain file")]


def test_a_fifo_behind_a_link_is_a_problem_at_once(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "SKILL.md").symlink_to("pipe")

    assert errors(read(folder)) == [("SKILL.md", "SKILL.md is not a plain file")]


@pytest.mark.parametrize("file", ["SKILL.md", "manifest.json", "skill.yaml"])
def test_a_folder_named_like_a_definition_is_a_problem(folder: Path, file: str) -> None:
    (folder / file).mkdir()

    assert errors(read(folder)) == [(file, f"{file} is not a plain file")]


def test_a_socket_named_skill_md_is_a_problem(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("SKILL.md")

        assert [name for name, _ in errors(read(folder))] == ["SKILL.md"]


@pytest.mark.parametrize("kind", ["fifo", "folder", "link"])
def test_instructions_that_are_no_plain_file_are_told(folder: Path, kind: str) -> None:
    write_file(folder / "manifest.json", MANIFEST)
    if kind == "fifo":
        os.mkfifo(folder / "skill.md")
    elif kind == "folder":
        (folder / "skill.md").mkdir()
    else:
        (folder / "skill.md").symlink_to("/etc/passwd")

    found = read(folder)

    assert found.skill[0] == "tool"
    assert [os.path.basename(problem.path) for problem in found.problems] == ["skill.md"]


def test_a_file_of_200_megabytes_is_a_problem_and_is_not_read(folder: Path) -> None:
    with (folder / "SKILL.md").open("wb") as file:
        file.write(AGENT_SKILL.encode())
        file.truncate(200 * 1024 * 1024)

    found = read(folder)

    assert errors(found) == [("SKILL.md", "SKILL.md has 209,715,200 bytes")]
    assert "keep it under" in found.problems[0].hint


# What nobody sees

HIDDEN = r"Reads \u001b[31m CSV\u202e.\u0000 \U000E0041"
HIDDEN_JSON = r"Reads \u001b[31m CSV\u202e.\u0000 \udb40\udc41"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("SKILL.md", f'---\nname: tool\ndescription: "{HIDDEN}"\nwhen_to_use: "{HIDDEN}"\n---\n'),
        ("manifest.json", f'{{"name": "{HIDDEN_JSON}", "description": "{HIDDEN_JSON}"}}'),
        ("skill.yaml", f'name: tool\ndescription: "{HIDDEN}"\ntitle: "{HIDDEN}"\nsteps: [a]\n'),
    ],
)
def test_what_nobody_sees_in_a_header_is_left_out_and_told(
    folder: Path, file: str, text: str
) -> None:
    write_file(folder / file, text)

    found = read(folder)

    name, description, _, _, header = found.skill
    assert (name, description) == ("tool", "Reads [31m CSV.")
    assert {value for value in header.values() if isinstance(value, str)} == {"Reads [31m CSV. "}
    told = [each.message for each in found.problems if "nobody sees" in each.message]
    assert len(told) == 2
    assert all(each.endswith("U+0000, U+001B, U+202E, U+E0041") for each in told)


@pytest.mark.parametrize("file", ["SKILL.md", "manifest.json"])
@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("a\u202eb\x1b", "a-b"),
        ("x$(touch PWNED)", "x-touch-pwned"),
        ("--help", "help"),
        ("y;id", "y-id"),
        ("~root", "root"),
        ("$", "my-skill"),
        ("n" * 201, "n" * 64),
        ("Odd (but) Harmless", "Odd (but) Harmless"),
    ],
)
def test_a_folder_gives_its_name_only_if_that_can_be_typed_and_shown_without_harm(
    tmp_path: Path, file: str, called: str, name: str
) -> None:
    folder = tmp_path / called
    text = "---\ndescription: d\n---\n" if file == "SKILL.md" else '{"description": "d"}'
    write_file(folder / file, text)

    found = read(folder)

    assert found.skill[0] == name
    if called != name:
        hints = [each.hint for each in found.problems]
        assert not any(called in hint for hint in hints)
        assert any(f" {name}" in hint and "is called so" in hint for hint in hints)
