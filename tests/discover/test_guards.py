"""The fields that keep somebody out: one that cannot be read is told, and gives nothing away."""

import json
from pathlib import Path

import pytest

from prowess.core.skill import Problem, Skill
from prowess.discover.catalog import open_catalog
from prowess.discover.roots import Root
from prowess.discover.rules import validate
from support import write_file

TOOLS = "use tools between blanks, such as Read Bash(git diff:*), or a list of them"
TRUTH = "use true or false"
UNREAD = [
    ("disallowed-tools: {Bash: true}", "disallowed-tools is {'Bash': True}", TOOLS),
    (
        "disallowed_tools: [Read, {Bash: true}]",
        "disallowed_tools is ['Read', {'Bash': True}]",
        TOOLS,
    ),
    ("disallowedTools: 7", "disallowedTools is 7", TOOLS),
    ("allowed-tools: {a: 1}", "allowed-tools is {'a': 1}", TOOLS),
    ("allowed_tools: {a: 1}", "allowed_tools is {'a': 1}", TOOLS),
    ("Allowed-Tools: true", "Allowed-Tools is True", TOOLS),
    ("disable-model-invocation: maybe", "disable-model-invocation is 'maybe'", TRUTH),
    ("Disable_Model_Invocation: [yes]", "Disable_Model_Invocation is ['yes']", TRUTH),
    ("disable-model-invocation: 2", "disable-model-invocation is 2", TRUTH),
    ("user-invocable: maybe", "user-invocable is 'maybe'", TRUTH),
    ("userInvocable: {}", "userInvocable is {}", TRUTH),
]
READ = [
    "disallowed-tools: Bash",
    "disallowed-tools: [Bash, Write]",
    "disallowed-tools:",
    "allowed_tools: Read Bash(git diff:*)",
    "disable-model-invocation: 1",
    "disable-model-invocation: y",
    "disable-model-invocation: off",
    "disable-model-invocation:",
    "user-invocable: n",
    "user_invocable: 0",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "skills" / "pdf-tools"


def write(folder: Path, row: str) -> None:
    write_file(folder / "SKILL.md", f"---\nname: pdf-tools\ndescription: d\n{row}\n---\nBody.\n")


def loaded(folder: Path) -> tuple[Skill, tuple[Problem, ...]]:
    catalog = open_catalog([Root(path=str(folder.parent), location="project")])
    return catalog.skills["pdf-tools"], catalog.problems


@pytest.mark.parametrize(("row", "message", "hint"), UNREAD)
def test_one_that_cannot_be_read_is_an_error_in_both_readings_and_the_skill_is_listed(
    folder: Path, row: str, message: str, hint: str
) -> None:
    write(folder, row)

    _, problems = loaded(folder)
    for found in (problems, validate(str(folder))):
        [problem] = [each for each in found if each.message == message]
        assert (problem.level, problem.line) == ("error", 4)
        assert problem.hint.startswith(hint)


@pytest.mark.parametrize("row", READ)
def test_one_that_can_be_read_is_not_worth_a_word(folder: Path, row: str) -> None:
    write(folder, row)

    _, problems = loaded(folder)
    assert problems == ()
    assert [each for each in validate(str(folder)) if each.level == "error"] == []


def test_what_is_in_doubt_is_forbidden_and_not_offered(folder: Path) -> None:
    write(folder, "disallowed-tools: {Bash: true}\ndisable-model-invocation: maybe")

    skill, _ = loaded(folder)

    assert skill.disallowed_tools == ("*",)
    assert not skill.model_may_invoke


def test_a_bracket_that_is_never_closed_is_told_under_any_spelling(folder: Path) -> None:
    write(folder, "disallowed_tools: Bash(rm *")

    assert "a bracket of disallowed_tools is never closed" in [
        problem.message for problem in validate(str(folder))
    ]


def test_a_manifest_and_a_workflow_have_the_same_guards(folder: Path) -> None:
    manifest = {"name": "T", "description": "d", "version": "1.0.0", "disallowedTools": {"Bash": 1}}
    write_file(folder / "manifest.json", json.dumps(manifest))
    write_file(folder / "skill.md", "Instructions.\n")
    workflow = "name: pdf-tools\ndescription: d\nuser-invocable: maybe\nsteps: [a]\n"
    write_file(folder / "skill.yaml", workflow)

    _, problems = loaded(folder)
    for found in (problems, validate(str(folder))):
        assert [(each.level, each.line, each.message) for each in found] == [
            ("error", None, "disallowedTools is {'Bash': 1}"),
            ("error", 3, "user-invocable is 'maybe'"),
        ]


@pytest.mark.parametrize(
    "row",
    [
        "allowed-tools: Bash\ndisallowed-tools:\n  - Bash(git push: *)",
        "allowed-tools: Bash\ndisallowed-tools:\n\t- Bash(git push:*)",
    ],
)
def test_a_list_that_is_no_yaml_forbids_all_and_is_not_dropped(folder: Path, row: str) -> None:
    write(folder, row)

    skill, problems = loaded(folder)

    assert skill.disallowed_tools == ("*",)
    assert any("disallowed-tools" in each.message for each in problems if each.level == "error")
