import resource
from pathlib import Path

import pytest

from prowess.cli.scaffold import scaffold
from prowess.core.errors import OutsideError
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


def test_a_folder_whose_skills_were_not_all_reached_is_not_valid(cli: Cli, project: Path) -> None:
    write_skill(project / "all", "good")
    (project / "all/broken").symlink_to("gone")

    found = cli("validate", project / "all")

    assert found.code == 1
    assert f"{project}/all/broken: error: cannot be entered" in found.out
    assert found.err == "1 skill: valid, not all could be reached (1 error)\n"


def test_a_skill_with_two_broken_files_is_counted_once(cli: Cli, project: Path) -> None:
    write_skill(project / "all", "good")
    write_file(project / "all/bad/manifest.json", "no object")
    (project / "all/bad/SKILL.md").symlink_to("gone")

    found = cli("validate", project / "all")

    assert found.err == "2 skills: 1 of 2 not valid (2 errors)\n"


def test_a_skill_is_validated_by_its_name_too(cli: Cli) -> None:
    assert cli("validate", "code-quality").code == 0


def test_what_is_not_there_is_said_with_a_name_that_is_near(cli: Cli) -> None:
    found = cli("validate", "code-qualty")

    assert found.code == 2
    assert "no such file or folder, and no skill is called so" in found.out
    assert "did you mean 'code-quality'?" in found.out
    assert found.err == "nothing to check\n"


def test_a_bad_skill_is_an_answer_and_a_path_that_is_not_there_wrong_usage(
    cli: Cli, project: Path
) -> None:
    bad = write_file(project / "bad/SKILL.md", "---\nname: bad\n---\n").parent

    assert cli("validate", bad).code == 1
    both = cli("validate", bad, "nowhere", "--json")
    assert both.code == 2
    assert both.json["valid"] is False
    assert {each["path"] for each in both.json["problems"]} >= {"nowhere", str(bad / "SKILL.md")}


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


@pytest.mark.parametrize("form", ["skill.md", "manifest", "workflow"])
def test_a_new_skill_that_nobody_has_described_is_valid_with_a_warning_and_listed_as_such(
    cli: Cli, form: str
) -> None:
    cli("new", "my-skill", "--format", form)

    found = cli("validate", "my-skill", "--json").json
    listed = cli("list")

    assert found["valid"] is True
    (problem,) = found["problems"]
    assert problem["level"] == "warning"
    assert problem["message"] == "the description is still the one of the template"
    assert "my-skill\tproject\t" in listed.out
    assert "(not described yet)" in listed.out
    assert "13 skills, 0 errors, 1 warning, 0 shadowed." in listed.err


@pytest.mark.parametrize("form", ["skill.md", "workflow"])
@pytest.mark.parametrize("name", ["null", "true", "123", "2024-01-01", "1e5"])
def test_a_new_skill_may_be_called_what_yaml_takes_for_something_else(
    cli: Cli, project: Path, name: str, form: str
) -> None:
    made = cli("new", name, "--format", form, "--description", "Reads.", "--json")

    assert cli("validate", name, "--json").json == {"valid": True, "problems": []}
    header = Path(made.json["files"][0]).read_text()
    assert f'name: "{name}"\n' in header


@pytest.mark.parametrize(
    ("description", "told"),
    [
        ("Reads \x9b31m it.", "a control character, which YAML cannot hold"),
        ("Reads \u202e it.", "description holds characters that nobody sees: U+202E"),
        ("Reads \ufffe it.", "that would be no valid skill"),
        ("long " * 206, "description has 1,029 characters"),
    ],
)
def test_a_description_that_would_make_no_valid_skill_is_refused_and_nothing_is_left(
    cli: Cli, project: Path, description: str, told: str
) -> None:
    found = cli("new", "mine", "--description", description)

    assert found.code == 2
    assert told in found.err
    assert not (project / ".agents/skills/mine").exists()


def test_a_new_skill_replaces_nothing(cli: Cli, project: Path) -> None:
    folder = write_skill(project / ".agents/skills", "mine", body="precious")

    found = cli("new", "mine")

    assert found.code == 2
    assert "precious" in (folder / "SKILL.md").read_text()


def test_a_new_skill_that_cannot_be_written_leaves_nothing_in_the_way(
    cli: Cli, project: Path
) -> None:
    refused = cli("new", "mine", "--description", "bad \udcff")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8, hard))
    try:
        with pytest.raises(OutsideError):
            scaffold(str(project), "mine", "manifest", "Reads.")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert refused.code == 2
    assert "not UTF-8" in refused.err
    assert not (project / "mine").exists()
    assert cli("new", "mine").code == 0


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("My Skill", "my-skill"),
        ("../up", "up"),
        ("--x", ""),
        ("a" * 65, "has 65 characters"),
        ("", "is empty"),
    ],
)
def test_a_bad_name_is_refused_with_a_better_one(
    cli: Cli, project: Path, name: str, told: str
) -> None:
    found = cli("new", "--", name)

    assert found.code == 2
    assert told in found.err
    assert "try" in found.err
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
