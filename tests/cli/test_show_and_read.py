from pathlib import Path

from support import Cli, write_file, write_skill


def test_show_tells_a_skill_whole(cli: Cli, project: Path) -> None:
    folder = project / ".agents/skills/api"
    write_file(
        folder / "SKILL.md",
        "---\nname: api\ndescription: Calls it.\nallowed-tools: Read, Bash(git diff:*)\n"
        "max_iterations: 5\ntimeout-per-iteration: 1.5s\ndependencies: [code-quality, absent]\n"
        "flavour: sweet\n---\n\n# How\n\n- reference.md: every endpoint\n",
    )
    write_file(folder / "reference.md", "one\ntwo\n")

    found = cli("show", "api", "--json").json

    assert found["allowed_tools"] == ["Read", "Bash(git diff:*)"]
    assert found["settings"]["max_iterations"] == 5
    assert found["settings"]["timeout_per_iteration"] == 1.5
    assert found["dependencies"] == ["code-quality"]
    assert found["missing"] == ["absent"]
    assert found["fields"]["flavour"] == "sweet"
    assert found["resources"] == [
        {"path": "reference.md", "lines": 2, "size": 8, "description": "every endpoint"}
    ]
    assert found["instructions"].strip().startswith("# How")
    assert any("absent" in problem["message"] for problem in found["problems"])


def test_show_is_readable_by_a_person(cli: Cli) -> None:
    found = cli("show", "task-spec-check")

    assert found.code == 0
    assert "references/evidence.md" in found.out
    assert "# Task spec check" in found.out


def test_show_of_an_unknown_name_offers_the_nearest(cli: Cli) -> None:
    found = cli("show", "code-qualitty")

    assert found.code == 1
    assert "did you mean 'code-quality'?" in found.err


def test_names_may_be_parted_by_commas_or_blanks_and_are_read_once(cli: Cli, project: Path) -> None:
    for name in ("one", "two"):
        write_skill(project / ".agents/skills", name)

    found = cli("read", "one,two", "one")

    assert found.out.count("Reading: ") == 2
    assert found.out.index("Skill read: one") < found.out.index("Reading: two")


def test_one_unknown_name_and_nothing_is_printed(cli: Cli, project: Path) -> None:
    write_skill(project / ".agents/skills", "one")

    found = cli("read", "one", "nope")

    assert (found.code, found.out) == (1, "")
    assert "nope" in found.err
    assert str(project / ".agents/skills") in found.err


def test_read_cannot_leave_the_catalog(cli: Cli, project: Path) -> None:
    write_skill(project / ".agents/skills", "one")
    write_file(project / "secret/SKILL.md", "---\nname: s\ndescription: d\n---\nTOP-SECRET\n")

    for name in ("../../secret", "one/../../../secret", str(project / "secret")):
        found = cli("read", name)

        assert found.code == 1
        assert "TOP-SECRET" not in found.out + found.err


def test_a_supporting_file_is_read_and_nothing_outside(cli: Cli, project: Path) -> None:
    folder = write_skill(project / ".agents/skills", "one")
    write_file(folder / "references/a.md", "inside\n")
    write_file(project / "secret.txt", "TOP-SECRET")
    (folder / "link.md").symlink_to(project / "secret.txt")

    assert cli("read", "one", "--file", "references/a.md").out == "inside\n"
    for path in (
        "../../../secret.txt",
        "link.md",
        "references",
        "absent.md",
        str(project / "secret.txt"),
    ):
        refused = cli("read", "one", "--file", path)

        assert refused.code == 1
        assert "TOP-SECRET" not in refused.out + refused.err


def test_reading_runs_nothing(cli: Cli, project: Path) -> None:
    write_skill(project / ".agents/skills", "sly", body=f"!`touch {project}/PWNED` $(touch PWNED)")

    assert "!`touch" in cli("read", "sly").out
    assert not (project / "PWNED").exists()


def test_a_manifest_is_read_from_its_skill_md(cli: Cli) -> None:
    found = cli("read", "prowess-cli", "--json").json

    assert found[0]["text"].startswith("## Overview")


def test_a_folder_whose_skill_is_loaded_under_another_name_is_not_called_unloaded(
    cli: Cli, project: Path
) -> None:
    write_file(
        project / ".agents/skills/foo/SKILL.md",
        "---\nname: bar\ndescription: Reads.\nmax_iterations: -5\n---\n",
    )

    for command in ("show", "read"):
        found = cli(command, "foo")

        assert found.code == 1
        assert "no skill named" in found.err
        assert "did you mean 'bar'? Its folder is called foo." in found.err
