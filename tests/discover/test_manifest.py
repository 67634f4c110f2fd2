"""A manifest.json and its skill.md: the folder is the id, the manifest's name the title."""

import json
from pathlib import Path
from typing import Any

import pytest

from prowess.discover.folder import Found, read_folder
from support import write_file

WHOLE = {
    "name": "Code Quality",
    "version": "1.2.3",
    "description": "Keeps code clean.",
    "type": "role",
    "assignTo": ["worker", "all"],
    "capabilities": ["lint"],
    "dependencies": ["prowess-cli"],
    "author": "Ann",
    "license": "MIT",
    "config": {"deep": [1, {"a": None}]},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_file(tmp_path / "code-quality" / "skill.md", "# Instructions\n")
    return tmp_path / "code-quality"


def read(folder: Path, content: str | bytes) -> Found:
    write_file(folder / "manifest.json", content)
    return read_folder(str(folder), ["manifest.json", "skill.md"])


def read_with(folder: Path, **fields: Any) -> Found:
    """Read the whole manifest with these fields in place of its own."""
    return read(folder, json.dumps({**WHOLE, **fields}))


def read_without(folder: Path, field: str) -> Found:
    return read(folder, json.dumps({key: WHOLE[key] for key in WHOLE if key != field}))


def header(found: Found) -> dict[str, Any]:
    kept: dict[str, Any] = found.skill[4]
    return kept


def warnings(found: Found) -> list[str]:
    assert all(problem.level == "warning" and problem.hint for problem in found.problems)
    return [problem.message for problem in found.problems]


def refusal(found: Found) -> tuple[str, int | None]:
    """The one error that kept the skill out."""
    assert found.skill == (None,) * 5
    [problem] = found.problems
    assert problem.level == "error"
    assert problem.hint
    return problem.message, problem.line


def test_a_whole_manifest_is_read_without_a_word(folder: Path) -> None:
    found = read_with(folder)

    kept = {key: value for key, value in WHOLE.items() if key not in {"name", "description"}}
    assert found.skill == (
        "code-quality",
        "Keeps code clean.",
        "manifest",
        "manifest.json",
        {**kept, "title": "Code Quality"},
    )
    assert found.problems == []


def test_both_files_are_watched_for_changes(folder: Path) -> None:
    sizes = [status.st_size for status in read_with(folder).statuses if status]

    assert sizes == [
        (folder / "manifest.json").stat().st_size,
        (folder / "skill.md").stat().st_size,
    ]


def test_a_title_is_one_line(folder: Path) -> None:
    assert header(read_with(folder, name="  Code\n\tQuality "))["title"] == "Code Quality"


@pytest.mark.parametrize("name", [None, "", "  ", 7, ["a"]])
def test_without_a_name_the_folders_is_shown(folder: Path, name: object) -> None:
    found = read_with(folder, name=name)

    assert found.skill[0] == "code-quality"
    assert "title" not in header(found)
    assert warnings(found) == ["no name"]


def test_a_name_that_climbs_is_only_a_title(folder: Path) -> None:
    found = read_with(folder, name="../../etc")

    assert found.skill[0] == "code-quality"


def test_a_missing_skill_md_is_a_warning(tmp_path: Path) -> None:
    write_file(tmp_path / "alone" / "manifest.json", json.dumps(WHOLE))

    found = read_folder(str(tmp_path / "alone"), ["manifest.json"])

    assert found.skill[0] == "alone"
    assert warnings(found) == ["there is no skill.md beside it"]


def test_a_skill_md_that_leads_nowhere_is_a_problem_and_the_skill_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "dangling"
    write_file(folder / "manifest.json", json.dumps(WHOLE))
    (folder / "skill.md").symlink_to("nowhere")

    found = read_folder(str(folder), ["manifest.json", "skill.md"])

    assert found.skill[0] == "dangling"
    assert [(problem.path, problem.level) for problem in found.problems] == [
        (str(folder / "skill.md"), "error")
    ]


def test_unknown_fields_are_kept(folder: Path) -> None:
    assert header(read_with(folder, colour="red"))["colour"] == "red"


@pytest.mark.parametrize("version", ["1.0.0", "0.10.2", "1.0.0-rc.1", "2.0.0+build"])
def test_a_semantic_version_is_fine(folder: Path, version: str) -> None:
    assert read_with(folder, version=version).problems == []


@pytest.mark.parametrize("version", ["1.0", "v1.0.0", "", 1, None, ["1.0.0"], "1.0.0x"])
def test_another_version_is_a_warning(folder: Path, version: object) -> None:
    assert warnings(read_with(folder, version=version)) == [
        f"the version {version!r} is not semantic"
    ]


def test_a_missing_version_is_a_warning(folder: Path) -> None:
    assert warnings(read_without(folder, "version")) == ["no version"]


@pytest.mark.parametrize("kind", ["system", "role", "custom"])
def test_a_known_type_is_fine(folder: Path, kind: str) -> None:
    found = read_with(folder, type=kind)

    assert header(found)["type"] == kind
    assert found.problems == []


@pytest.mark.parametrize("kind", ["plugin", "", None, 7, ["role"], {}])
def test_an_unknown_type_is_system_with_a_warning(folder: Path, kind: object) -> None:
    found = read_with(folder, type=kind)

    assert header(found)["type"] == "system"
    assert warnings(found) == [f"the type {kind!r} is unknown, system is used"]


def test_what_may_be_left_out_is_not_missed(folder: Path) -> None:
    few = {key: WHOLE[key] for key in ("name", "version", "description")}

    assert read(folder, json.dumps(few)).problems == []


@pytest.mark.parametrize("field", ["assignTo", "capabilities", "dependencies"])
@pytest.mark.parametrize("value", ["worker", None, 7, {"a": 1}, [1], [["a"]], [None]])
def test_a_field_that_is_no_list_of_text_is_left_out_with_a_warning(
    folder: Path, field: str, value: object
) -> None:
    found = read_with(folder, **{field: value})

    assert field not in header(found)
    assert warnings(found) == [f"{field} is not a list of text"]


def test_an_unknown_role_is_a_warning(folder: Path) -> None:
    found = read_with(folder, assignTo=["worker", "boss"])

    assert header(found)["assignTo"] == ["worker", "boss"]
    assert warnings(found) == ["assignTo names the unknown role 'boss'"]


def test_all_warnings_come_at_once(folder: Path) -> None:
    found = read_with(folder, name="", version="1", type="x", assignTo=["boss"], dependencies="a")

    assert len(warnings(found)) == 5


@pytest.mark.parametrize("description", ["", "  ", None])
def test_a_manifest_without_a_description_is_kept_out(folder: Path, description: object) -> None:
    assert refusal(read_with(folder, description=description)) == ("no description", None)


def test_a_description_that_is_not_text_keeps_the_skill_out(folder: Path) -> None:
    assert refusal(read_with(folder, description=["a"])) == ("description is not text", None)


@pytest.mark.parametrize(
    ("content", "message", "line"),
    [
        ("", "not valid JSON: Expecting value", 1),
        ('{\n  "name": ,\n}', "not valid JSON: ", 2),  # where every Python says so
        ('{"name": "x"\n "version"', "not valid JSON: Expecting ',' delimiter", 2),
        ("{'name': 'x'}", "not valid JSON: ", 1),
        ("// comment\n{}", "not valid JSON: Expecting value", 1),
        ("[]", "the manifest is not an object", None),
        ("null", "the manifest is not an object", None),
        ('"text"', "the manifest is not an object", None),
        ('{"name": "x", "name": "y"}', "the field 'name' stands twice", None),
        ('{"config": {"a": 1, "a": 2}}', "the field 'a' stands twice", None),
        ("[" * 100_000, "not usable JSON: nested too deeply", None),
        ('{"a": ' * 40_000, "not usable JSON: nested too deeply", None),
        ('{"n": ' + "1" * 5_000 + "}", "not usable JSON: ", None),
        ('{"a": "' + "x" * 300_000 + '"}', "the manifest has 300,009 characters", None),
        (b'{"name": "caf\xe9"}', "not UTF-8: byte 0xe9", 1),
        (b"\x00\x00", "not valid JSON: ", 1),
    ],
)
def test_what_is_no_usable_json_is_a_problem_and_never_a_crash(
    folder: Path, content: str | bytes, message: str, line: int | None
) -> None:
    told, where = refusal(read(folder, content))

    assert told.startswith(message)
    assert where == line


def test_a_byte_order_mark_does_no_harm(folder: Path) -> None:
    assert read(folder, "\ufeff" + json.dumps(WHOLE)).skill[0] == "code-quality"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_json_does_not_have_never_reach_the_catalog(folder: Path, number: str) -> None:
    found = read(folder, json.dumps(WHOLE).replace('"lint"', f'"lint"], "odd": [{number}'))

    assert json.dumps(found.skill, allow_nan=False)


@pytest.mark.parametrize("field", ["name", "description", "author"])
def test_half_a_surrogate_pair_never_reaches_the_catalog(folder: Path, field: str) -> None:
    found = read_with(folder, **{field: "half a pair: \ud800"})

    assert json.dumps(found.skill, ensure_ascii=False).encode()
