"""A SKILL.md becomes a skill.yaml that means the same."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.core.skill import Skill
from prowess.core.workflow import CommandStep, OutputStep, SkillStep
from prowess.discover.agent_skill import instructions
from prowess.discover.catalog import open_catalog
from prowess.discover.resources import instructions_text
from prowess.discover.roots import Root
from prowess.prompt.variables import Values, fill_variables
from prowess.workflow.check import find_mistakes, read_workflow
from prowess.workflow.convert import convert
from prowess.workflow.values import fill_part, parts_of
from prowess.workflow.variables import with_placeholders
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
        '```bash\ntouch "backup-$DATE.tgz"\n```\n',
        '```bash\nDATE=x true; touch "backup-$DATE.tgz"\n```\n',
        '```bash\ntrue && DATE=x; touch "backup-$DATE.tgz"\n```\n',
        "```bash\nUSER=a; bash -c 'echo $USER'\n```\n",
        '```bash\nls "${ARGUMENTS:-none}"\n```\n',
        "```bash\necho \\${DATE}\n```\n",
        "```bash\necho {${DATE}}\n```\n",
        "```bash\necho {{name}\n```\n",
        "```bash\n{baseDir}/run\n```\n",
        "",
    ],
)
def test_what_only_a_model_can_follow_is_left_to_it_whole(body: str) -> None:
    assert converted(body) == ["follow s {arguments}"]


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ('DATE=$(date +%Y%m%d); touch "backup-$DATE.tgz"', None),
        ('export USER=a\necho "$USER"', None),
        ('touch "backup-${DATE}.tgz"', 'touch "backup-{date}.tgz"'),
        ("ls {baseDir}/docs ${CLAUDE_SKILL_DIR}", "ls {skill_dir}/docs {skill_dir}"),
        ("echo '{{name}}' '{{user}}'", "echo '{{{{name}}}}' '{{{{user}}}}'"),
        ("echo '{user}' '{{baseDir}}'", "echo '{{user}}' '{{{{baseDir}}}}'"),
        ("cp f{1,2} {a,b} ${HOME} $HOME", None),
    ],
)
def test_a_command_keeps_its_braces_and_variables_but_for_those_that_a_skill_md_fills(
    command: str, ours: str | None
) -> None:
    assert converted(f"```bash\n{command}\n```\n")[0] == f"run {ours or command}"


def test_what_is_told_before_a_command_has_its_variables_filled_too() -> None:
    body = "# On ${DATE}: `{{name}}` and {user}, not $HOME\n\n```bash\nls\n```\n"

    assert converted(body)[0] == "show # On {date}: `{{{{name}}}}` and {{user}}, not $HOME"


PIECES = (
    "{|}|{{|}}|$|\\| |'|name|user|name!r|a .join(', ')|{baseDir}|${DATE}|$DATE|${ARGUMENTS}|$ARGUMENTS"
    "|${name}|{user}|é"
)


@given(
    text=st.lists(st.sampled_from(PIECES.split("|")), max_size=8).map("".join), line=st.booleans()
)
def test_a_text_is_filled_as_the_skill_md_would_fill_it(*, text: str, line: bool) -> None:
    values = Values(arguments="A", skill_dir="S", date="D", user="U", workspace="W")
    scope = {"arguments": "A", "skill_dir": "S", "date": "D", "user": "U"}

    ours = with_placeholders(text, line=line)

    if ours is not None:
        filled = "".join(fill_part(part, scope) for part in parts_of(ours, line=line))
        assert filled == fill_variables(text, values).text


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
