"""A skill reads its own header the way authors write it: several spellings, one meaning."""

import dataclasses
import json
from typing import Any

import pytest

from prowess.core.skill import (
    Problem,
    Resource,
    Shadowed,
    Skill,
    spelled_alike,
    text_list,
    tool_list,
    truth,
)


def skill(**header: Any) -> Skill:
    """A skill with these fields; an underscore stands for a hyphen, as in most headers."""
    return skill_with({name.replace("_", "-"): value for name, value in header.items()})


def skill_with(header: dict[str, Any]) -> Skill:
    return Skill(
        name="pdf",
        description="Reads PDFs.",
        format="skill.md",
        location="project",
        path="/skills/pdf",
        files=("SKILL.md", "skill.yaml"),
        header=header,
    )


def test_the_file_is_the_one_that_names_the_skill() -> None:
    assert skill().file == "/skills/pdf/SKILL.md"


def test_a_skill_never_changes() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        skill().name = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    "spelling", ["allowed-tools", "allowed_tools", "allowedTools", "Allowed-Tools"]
)
def test_the_spellings_of_a_field_are_one_field(spelling: str) -> None:
    assert skill_with({spelling: "Read"}).allowed_tools == ("Read",)
    assert spelled_alike({spelling: 1}) == {"allowed_tools": 1}


def test_the_header_stays_as_the_author_wrote_it() -> None:
    header = {"allowed-tools": "Read", "x-unknown": 1}

    assert skill_with(header).header == {"allowed-tools": "Read", "x-unknown": 1}


def test_what_the_author_leaves_out_has_its_default() -> None:
    plain = skill()

    assert plain.title == "pdf"
    assert plain.version == "1.0.0"
    assert plain.type == "system"
    assert plain.when_to_use == ""
    assert plain.dependencies == ()
    assert plain.assign_to == ()
    assert plain.disallowed_tools == ()
    assert plain.model_may_invoke
    assert plain.user_may_invoke


def test_what_the_author_says_is_what_it_is() -> None:
    full = skill(
        title="PDF Reader",
        version="2.1",
        type="role",
        when_to_use="With PDFs.",
        dependencies=["ocr"],
        disallowed_tools="Bash Write",
    )

    assert full.title == "PDF Reader"
    assert full.version == "2.1"
    assert full.type == "role"
    assert full.when_to_use == "With PDFs."
    assert full.dependencies == ("ocr",)
    assert full.disallowed_tools == ("Bash", "Write")
    assert skill_with({"assignTo": ["worker", "all"]}).assign_to == ("worker", "all")


@pytest.mark.parametrize(
    ("header", "version"),
    [
        ({"version": "1.10"}, "1.10"),
        ({"version": 2}, "2"),
        ({"version": 0}, "0"),
        ({"version": None}, "1.0.0"),
        ({"version": ""}, "1.0.0"),
        ({"metadata": {"version": "0.3"}}, "0.3"),
        ({"metadata": {"version": "0.3"}, "version": "4"}, "4"),
        ({"metadata": {"author": "me"}}, "1.0.0"),
        ({"metadata": "0.3"}, "1.0.0"),
        ({"metadata": None}, "1.0.0"),
    ],
)
def test_the_version_stands_in_the_header_or_below_metadata(
    header: dict[str, Any], version: str
) -> None:
    assert skill_with(header).version == version


def test_saying_nothing_of_tools_is_not_the_same_as_allowing_none() -> None:
    assert skill().allowed_tools is None
    assert skill(allowed_tools=None).allowed_tools is None
    assert skill(allowed_tools="").allowed_tools == ()
    assert skill(allowed_tools=[]).allowed_tools == ()


@pytest.mark.parametrize(
    "written", ["Read Write", "Read,Write", "Read, Write", "  Read ,\n Write ", ["Read", " Write "]]
)
def test_tools_between_blanks_between_commas_and_in_a_list_are_the_same(written: object) -> None:
    assert tool_list(written) == ("Read", "Write")


@pytest.mark.parametrize(
    ("written", "tools"),
    [
        ("Bash(git diff:*) Read", ("Bash(git diff:*)", "Read")),
        ("Bash(git add:*), Bash(git commit:*)", ("Bash(git add:*)", "Bash(git commit:*)")),
        ("Bash(jq .a,.b),Read", ("Bash(jq .a,.b)", "Read")),
        ("mcp__db__query Read", ("mcp__db__query", "Read")),
        ("Bash(npm run *", ("Bash(npm run *",)),
        ("*", ("*",)),
        (", ,", ()),
        (["Bash(git diff:*)", "", "Read"], ("Bash(git diff:*)", "Read")),
    ],
)
def test_blanks_and_commas_inside_brackets_part_nothing(
    written: object, tools: tuple[str, ...]
) -> None:
    assert tool_list(written) == tools


def test_brackets_inside_brackets_belong_to_the_tool() -> None:
    assert tool_list('Bash(python -c "print(1)") Read') == ('Bash(python -c "print(1)")', "Read")


def test_an_empty_place_in_a_list_is_no_tool_and_no_name() -> None:
    assert tool_list(["Read", None]) == ("Read",)
    assert text_list(["ocr", None]) == ("ocr",)


@pytest.mark.parametrize(
    ("written", "names"),
    [
        (["a", " b ", ""], ("a", "b")),
        ("a", ("a",)),
        ("a, b,,c", ("a", "b", "c")),
        ("two words", ("two words",)),
        (None, ()),
        ("", ()),
    ],
)
def test_one_name_or_several_between_commas_count_as_a_list(
    written: object, names: tuple[str, ...]
) -> None:
    assert text_list(written) == names


@pytest.mark.parametrize("written", [True, "true", "True", "yes", "YES", " on ", 1, "1", "y", "Y"])
def test_every_spelling_of_yes_is_meant(written: object) -> None:
    assert truth(written, default=False) is True
    assert not skill(disable_model_invocation=written).model_may_invoke
    assert skill(user_invocable=written).user_may_invoke


@pytest.mark.parametrize("written", [False, "false", "no", "No", "off", 0, "0", "n"])
def test_every_spelling_of_no_is_meant(written: object) -> None:
    assert truth(written, default=True) is False
    assert skill(disable_model_invocation=written).model_may_invoke
    assert not skill(user_invocable=written).user_may_invoke


@pytest.mark.parametrize("written", [None, "", "maybe", 2, -1, 1.0, [], {}])
def test_what_is_neither_yes_nor_no_leaves_the_default(written: object) -> None:
    assert truth(written, default=True) is True
    assert truth(written, default=False) is False


@pytest.mark.parametrize("written", ["", "maybe", 2, 1.0, [], {"a": True}])
def test_who_may_call_it_is_a_person_where_that_cannot_be_read(written: object) -> None:
    assert not skill(disable_model_invocation=written).model_may_invoke
    assert skill(user_invocable=written).user_may_invoke
    assert skill(disable_model_invocation=None).model_may_invoke


@pytest.mark.parametrize("written", [{"Bash": True}, 7, True, ["Read", {"Bash": True}], [1]])
def test_tools_that_are_forbidden_in_a_way_that_cannot_be_read_are_all_forbidden(
    written: object,
) -> None:
    assert skill(disallowed_tools=written).disallowed_tools == ("*",)


def test_each_value_is_shown_as_json() -> None:
    problem = Problem(path="/s/SKILL.md", message="no name", hint="add one", line=2)
    shadowed = Shadowed(name="pdf", path="/b/pdf", by="/a/pdf")
    resource = Resource(path="a.md", lines=3, size=40, description="About a.")

    assert json.loads(json.dumps(skill(title="PDF Reader").as_json())) == {
        "name": "pdf",
        "title": "PDF Reader",
        "description": "Reads PDFs.",
        "format": "skill.md",
        "location": "project",
        "path": "/skills/pdf",
        "version": "1.0.0",
        "type": "system",
    }
    assert problem.as_json() == {
        "path": "/s/SKILL.md",
        "line": 2,
        "level": "error",
        "message": "no name",
        "hint": "add one",
    }
    assert shadowed.as_json() == {"name": "pdf", "path": "/b/pdf", "by": "/a/pdf"}
    assert resource.as_json() == {
        "path": "a.md",
        "lines": 3,
        "size": 40,
        "description": "About a.",
    }
