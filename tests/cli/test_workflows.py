"""`prowess schema` and `prowess convert`: what an author of workflows needs."""

import json
from pathlib import Path

import pytest

from prowess.workflow.check import read_workflow
from prowess.workflow.schema import workflow_schema
from support import Cli, write_file, write_skill

ROOT = Path(__file__).parent.parent.parent
RECIPE = "# Count\n\nCount the lines:\n\n```bash\nwc -l notes.txt\n```\n"


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_the_schema_is_that_of_the_documents(words: tuple[str, ...], cli: Cli) -> None:
    done = cli("schema", "workflow", *words)

    assert done.code == 0
    assert done.json == workflow_schema()
    assert done.json == json.loads((ROOT / "docs/workflow.schema.json").read_text())


def test_a_schema_of_something_else_is_refused_with_what_there_is(cli: Cli) -> None:
    done = cli("schema", "plan")

    assert done.code == 2
    assert "use workflow" in done.err


@pytest.mark.parametrize(
    "words", ["count", ".agents/skills/count", ".agents/skills/count/SKILL.md"]
)
def test_a_recipe_becomes_a_workflow_beside_it(words: str, cli: Cli, project: Path) -> None:
    folder = write_skill(project / ".agents/skills", "count", body=RECIPE)
    before = (folder / "SKILL.md").read_bytes()

    done = cli("convert", words)

    assert done.out == f"{folder}/skill.yaml\n"
    workflow = read_workflow((folder / "skill.yaml").read_text())
    assert [step.kind for step in workflow.steps] == ["output", "command", "output"]
    assert (folder / "SKILL.md").read_bytes() == before


def test_a_skill_anywhere_is_found_by_its_folder(cli: Cli, tmp_path: Path) -> None:
    folder = write_skill(tmp_path / "elsewhere", "count", body=RECIPE)

    assert cli("convert", folder).code == 0
    assert (folder / "skill.yaml").exists()


def test_it_can_be_looked_at_again_after_it_was_written(cli: Cli, project: Path) -> None:
    folder = write_skill(project / ".agents/skills", "count", body=RECIPE)
    cli("convert", "count")

    assert cli("convert", "count", "--print").out == (folder / "skill.yaml").read_text()
    assert cli("convert", "count").code == 2


def test_it_can_be_looked_at_before_it_is_written(cli: Cli, project: Path) -> None:
    folder = write_skill(project / ".agents/skills", "count", body=RECIPE)

    shown = cli("convert", "count", "--print").out
    told = cli("convert", "count", "--print", "--json").json

    assert read_workflow(shown).name == "count"
    assert told["text"] == shown
    assert told["written"] is False
    assert not (folder / "skill.yaml").exists()


def test_a_workflow_of_your_own_is_never_written_over(cli: Cli, project: Path) -> None:
    folder = write_skill(project / ".agents/skills", "count", body=RECIPE)
    mine = write_file(folder / "skill.yaml", "name: count\ndescription: x\nsteps: [{output: x}]\n")
    before = mine.read_text()

    done = cli("convert", "count")

    assert done.code == 2
    assert "has a skill.yaml already" in done.err
    assert mine.read_text() == before


def test_the_built_in_pack_is_not_written_to(cli: Cli) -> None:
    done = cli("convert", "code-quality")

    assert done.code == 2
    assert "--print" in done.err
    assert cli("convert", "code-quality", "--print").code == 0


@pytest.mark.parametrize(("words", "code"), [("no-such-skill", 1), (".", 2)])
def test_what_is_no_skill_is_refused(words: str, code: int, cli: Cli) -> None:
    assert cli("convert", words).code == code
