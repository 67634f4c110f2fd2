"""A workflow that would be refused when it is run is not listed as one that could be."""

from pathlib import Path

from support import Cli, write_file

HEAD = "name: {name}\ndescription: Does it. Use when asked.\nsteps:\n"


def test_a_workflow_that_cannot_be_run_is_listed_as_such(cli: Cli, project: Path) -> None:
    for name, step in (("good", "command: ls"), ("bad", "foo: bar")):
        text = f"{HEAD.format(name=name)}  - {step}\n"
        write_file(project / f".agents/skills/{name}/skill.yaml", text)

    rows = {line.split("\t")[0]: line.split("\t")[-1] for line in cli("list").out.splitlines()}

    assert rows["good"] == "Does it. Use when asked."
    assert rows["bad"] == "(cannot be run) Does it. Use when asked."
    assert "cannot be run: bad\n" in cli("list", "--problems").err
    assert "a step has no field 'foo'" in cli("run", "bad").err


def test_list_and_run_judge_the_files_beside_a_workflow_alike(
    cli: Cli, project: Path, tmp_path: Path
) -> None:
    folder = project / ".agents/skills/bad"
    write_file(folder / "skill.yaml", HEAD.format(name="bad") + "  - python: tool:go\n")
    (folder / "tool.py").symlink_to(write_file(tmp_path / "elsewhere.py", "def go(): ...\n"))

    listed, run = cli("list", "--problems"), cli("run", "bad")

    assert "there is no tool.py beside the skill.yaml" in listed.out
    assert "there is no tool.py beside the skill.yaml" in run.err
