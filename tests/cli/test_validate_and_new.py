from pathlib import Path

import pytest

from support import Cli, write_file, write_skill


def test_every_problem_of_a_bad_skill_is_told_at_once(cli: Cli, project: Path) -> None:
    path = write_file(
        project / "Bad_Skill/SKILL.md",
        "---\nname: Other Name\ncompatibility: ''\nmetadata: text\nmax_iterations: many\nflavour: x\n---\n",
    )

    found = cli("validate", path.parent, "--json")

    assert found.code == 1
    assert found.json["valid"] is False
    messages = [problem["message"] for problem in found.json["problems"]]
    for told in (
        "lowercase",
        "letters, digits",
        "folder's",
        "no description",
        "compatibility",
        "metadata",
        "max_iterations is 'many'",
        "flavour",
    ):
        assert any(told in message for message in messages), told
    assert all(
        problem["hint"] and problem["path"] == str(path) for problem in found.json["problems"]
    )


def test_a_legal_file_with_dashes_in_a_folded_description_has_no_problem(
    cli: Cli, project: Path
) -> None:
    path = write_file(
        project / "folded/SKILL.md",
        "---\nname: folded\ndescription: >\n  Use this\n  ---\n  with care --- always.\n---\n# Body\n\n---\n\nmore\n",
    )

    assert cli("validate", path, "--json").json == {"valid": True, "problems": []}


def test_a_folder_of_skills_is_validated_whole(cli: Cli, project: Path) -> None:
    write_skill(project / "all/group", "good")
    write_file(project / "all/bad/SKILL.md", "no header\n")

    found = cli("validate", project / "all")

    assert found.code == 1
    assert "2 skills: 1 of 2 not valid (1 error)" in found.err


def test_a_skill_is_validated_by_its_name_too(cli: Cli) -> None:
    assert cli("validate", "code-quality").code == 0


def test_what_is_not_there_is_said_with_a_name_that_is_near(cli: Cli) -> None:
    found = cli("validate", "code-qualty")

    assert found.code == 1
    assert "no such file or folder, and no skill is called so" in found.out
    assert "did you mean 'code-quality'?" in found.out
    assert found.err == "nothing to check\n"


def test_a_tool_that_nobody_has_is_a_warning_with_the_one_that_was_meant(
    cli: Cli, project: Path
) -> None:
    path = write_file(
        project / "odd/SKILL.md",
        "---\nname: odd\ndescription: Odd.\nallowed-tools: Raed WebFetch mcp__a__b Bash(git:*)\n---\n",
    )

    (problem,) = cli("validate", path, "--json").json["problems"]

    assert problem["level"] == "warning"
    assert problem["line"] == 4
    assert problem["message"] == "allowed-tools names no known tool: Raed"
    assert problem["hint"] == "did you mean Read?"


def test_a_link_to_a_file_that_is_not_there_is_a_warning_with_its_line(
    cli: Cli, project: Path
) -> None:
    body = (
        "See [it](references/guide.md), [again](references/guide.md#top),\n"
        "[there](references/there.md), [web](https://example.org/a.md) and [out](../x.md).\n"
        "```\n[code](nowhere.md)\n```\n"
    )
    folder = write_skill(project, "linked", body=body)
    write_file(folder / "references/guides.md", "")
    write_file(folder / "references/there.md", "")

    (problem,) = cli("validate", folder, "--json").json["problems"]

    assert problem["message"] == "there is no file references/guide.md"
    assert problem["line"] == 6
    assert problem["hint"] == "did you mean references/guides.md?"


def test_the_whole_built_in_pack_is_valid(cli: Cli) -> None:
    pack = Path(__file__).parent.parent.parent / "src/prowess/pack"

    found = cli("validate", pack, "--json").json

    assert found == {"valid": True, "problems": []}


@pytest.mark.parametrize("form", ["skill.md", "manifest", "workflow"])
def test_a_new_skill_is_valid_and_found_at_once(cli: Cli, form: str) -> None:
    made = cli(
        "new", "my-skill", "--format", form, "--description", 'Says: "hello". Use when asked.'
    )

    assert made.code == 0
    assert cli("validate", "my-skill", "--json").json == {"valid": True, "problems": []}
    shown = cli("show", "my-skill", "--json").json
    assert shown["description"] == 'Says: "hello". Use when asked.'
    assert shown["location"] == "project"


def test_a_new_skill_replaces_nothing(cli: Cli, project: Path) -> None:
    folder = write_skill(project / ".agents/skills", "mine", body="precious")

    found = cli("new", "mine")

    assert found.code == 2
    assert "precious" in (folder / "SKILL.md").read_text()


@pytest.mark.parametrize(
    ("name", "told"), [("My Skill", "my-skill"), ("../up", "up"), ("--x", ""), ("a" * 65, "64")]
)
def test_a_bad_name_is_refused_with_a_better_one(
    cli: Cli, project: Path, name: str, told: str
) -> None:
    found = cli("new", "--", name)

    assert found.code == 2
    assert told in found.err or "try" in found.err
    assert not (project / ".agents").exists()


def test_a_workflow_with_five_mistakes_reports_five_each_with_its_line(
    cli: Cli, tmp_path: Path
) -> None:
    broken = (
        "name: five\nversion: '1.0'\ndescription: Wrong in five places.\nsteps:\n"
        "  - id: a\n    type: comand\n    command: ls\n"
        "  - id: b\n    type: command\n    command: echo {nobody}\n"
        "  - id: b\n    type: output\n    template: absent\n"
        "  - id: c\n    type: question\n    promt: Why?\n"
    )
    write_file(tmp_path / "five" / "skill.yaml", broken)

    found = cli("validate", tmp_path / "five", "--json").json

    assert not found["valid"]
    lines = [problem["line"] for problem in found["problems"]]
    assert len([line for line in lines if line]) >= 5
    assert all(problem["hint"] for problem in found["problems"])
