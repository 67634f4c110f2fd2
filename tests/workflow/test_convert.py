"""A SKILL.md becomes a skill.yaml that means the same."""

import shutil
from pathlib import Path

import pytest

from prowess.core.skill import Skill
from prowess.core.workflow import CommandStep, OutputStep, SkillStep
from prowess.discover.agent_skill import instructions
from prowess.discover.catalog import open_catalog
from prowess.discover.resources import instructions_text
from prowess.discover.roots import Root
from prowess.workflow.check import find_mistakes, read_workflow
from prowess.workflow.convert import convert
from support import Cli, a_skill, write_file

EXAMPLES = Path(__file__).parents[2] / "examples" / "skills"
RECIPE = """\
# Deploy

Build it first:

```bash
make build
```

## Then send it

```sh
scp -r dist "host:$ARGUMENTS"
awk '{print}' log | head -n 3
```
"""


def converted(body: str, skill: Skill | None = None) -> list[str]:
    """What the steps of the converted skill do."""
    text = convert(skill or a_skill("s"), body)
    assert find_mistakes(text) == []
    does = []
    for step in read_workflow(text).steps:
        if isinstance(step, CommandStep):
            does.append(f"run {step.command}")
        elif isinstance(step, OutputStep):
            does.append(f"show {step.text}")
        elif isinstance(step, SkillStep):
            does.append(f"follow {step.skill} {step.arguments}")
    return does


def test_a_recipe_becomes_its_commands_in_their_order() -> None:
    assert converted(RECIPE) == [
        "show # Deploy\n\nBuild it first:",
        "run make build",
        "show {output_1}",
        "show ## Then send it",
        "run scp -r dist \"host:{arguments}\"\nawk '{{print}}' log | head -n 3",
        "show {output_2}",
    ]


@pytest.mark.parametrize(
    "body",
    [
        "Greet $ARGUMENTS warmly.",
        RECIPE + "\nThen tell what you saw.\n",
        "```bash\nls FILE\n```\n",
        "```bash\nls <name>\n```\n",
        "```bash\ncp a ...\n```\n",
        "```console\n$ ls\n```\n",
        "1. Look:\n\n   ```bash\n   ls\n   ```\n",
        "```bash\nls $1\n```\n",
        "Now: !`date`\n\n```bash\nls\n```\n",
        "x" * 300 + "\n\n```bash\nls\n```\n",
        '```bash\nbash -c "$ARGUMENTS"\n```\n',
        "```python\nprint(1)\n```\n",
        "",
    ],
)
def test_what_only_a_model_can_follow_is_left_to_it_whole(body: str) -> None:
    assert converted(body) == ["follow s {arguments}"]


def test_the_header_is_carried_over_as_far_as_it_counts() -> None:
    skill = a_skill(
        "s", 'Says "hi": to all.', **{"allowed-tools": "Bash(make:*)", "version": "2.1", "odd": 1}
    )

    recipe = read_workflow(convert(skill, "```bash\nmake\n```\n"))

    assert (recipe.description, recipe.version) == ('Says "hi": to all.', "2.1")
    assert 'allowed-tools: "Bash(make:*)"' in convert(skill, "```bash\nmake\n```\n")
    assert "allowed-tools" not in convert(skill, "Think.")


def test_who_looks_at_a_recipe_is_told_how_to_convert_it_and_that_nothing_has_to_be(
    cli: Cli, project: Path
) -> None:
    header = "---\nname: {}\ndescription: Says hello to all.\n---\n"
    for name, body in (("greeting", RECIPE), ("thinking", "Think about it.\n")):
        write_file(project / "skills" / name / "SKILL.md", header.format(name) + body)

    recipe, other = (cli("show", name, "--dir", "skills") for name in ("greeting", "thinking"))
    assert "`prowess convert greeting`" in recipe.err
    assert "runs unchanged" in recipe.err
    assert "convert" not in recipe.out + other.out + other.err

    cli("convert", "greeting", "--dir", "skills")
    assert "convert greeting" not in cli("show", "greeting", "--dir", "skills").err


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir()))
def test_every_example_is_followed_by_the_same_instructions_once_converted(
    name: str, tmp_path: Path
) -> None:
    shutil.copytree(EXAMPLES / name, tmp_path / name)
    roots = [Root(path=str(tmp_path), location="project")]
    before = open_catalog(roots).get(name)
    body = instructions(instructions_text(before))
    text = convert(before, body)
    (tmp_path / name / "skill.yaml").write_text(text)

    after = open_catalog(roots).get(name)

    (step,) = read_workflow(text).steps
    assert isinstance(step, SkillStep)
    assert step.skill == name
    assert after.format == "workflow"
    assert instructions(instructions_text(after)) == body
    assert after.allowed_tools == before.allowed_tools
