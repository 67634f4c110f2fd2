"""registry.yaml says which skills a phase gets; a wrong one is refused, an unknown skill is only told."""

from pathlib import Path

import pytest

from prowess.core.errors import SettingsError
from prowess.discover.catalog import open_catalog
from prowess.discover.registry import PHASE_TYPES, Registry, load_registry
from prowess.discover.roots import Root
from prowess.settings import PACK, Settings
from support import a_skill, write_file

SKILLS = {name: a_skill(name) for name in ("search", "check", "quality", "tests")}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "registry.yaml"


def load(path: Path, text: str | bytes) -> Registry:
    return load_registry(str(write_file(path, text)), SKILLS)


def refusal(path: Path, text: str | bytes) -> SettingsError:
    with pytest.raises(SettingsError) as refused:
        load(path, text)
    assert str(path) in str(refused.value)
    assert refused.value.hint
    return refused.value


def test_a_phase_gets_the_common_skills_and_then_its_own(path: Path) -> None:
    registry = load(path, "version: 1\ncommon: [search]\nphases: {check: [check, quality]}\n")

    assert registry.skills_for("check", "evaluate") == ("search", "check", "quality")


def test_a_phase_without_a_list_gets_the_defaults_of_its_type(path: Path) -> None:
    registry = load(
        path, "version: 1\ncommon: [search]\nphase_type_defaults: {evaluate: [quality]}\n"
    )

    assert registry.skills_for("any", "evaluate") == ("search", "quality")
    assert registry.skills_for("any", "execute") == ("search",)


@pytest.mark.parametrize("empty", ["[]", ""])
def test_a_phase_with_an_empty_list_of_its_own_gets_no_defaults(path: Path, empty: str) -> None:
    registry = load(
        path,
        f"version: 1\nphases:\n  check: {empty}\nphase_type_defaults: {{evaluate: [quality]}}\n",
    )

    assert registry.skills_for("check", "evaluate") == ()


def test_a_skill_named_twice_comes_once(path: Path) -> None:
    registry = load(path, "version: 1\ncommon: [search, check]\nphases: {check: [check, tests]}\n")

    assert registry.skills_for("check", "evaluate") == ("search", "check", "tests")


def test_a_registry_may_say_nothing(path: Path) -> None:
    registry = load(path, "version: 1\n")

    assert registry.skills_for("check", "evaluate") == ()
    assert registry.problems == ()


def test_unknown_skills_are_left_out_and_each_is_told_with_its_line(path: Path) -> None:
    registry = load(
        path,
        "version: 1\n"
        "common: [search, gone]\n"
        "phases:\n"
        "  check: [lost, check]\n"
        "phase_type_defaults:\n"
        "  execute: [missing]\n",
    )

    assert registry.skills_for("check", "evaluate") == ("search", "check")
    assert registry.skills_for("any", "execute") == ("search",)
    assert [
        (problem.path, problem.line, problem.level, problem.message)
        for problem in registry.problems
    ] == [
        (str(path), 2, "warning", "common names 'gone', and there is no such skill"),
        (str(path), 3, "warning", "phases names 'lost', and there is no such skill"),
        (
            str(path),
            5,
            "warning",
            "phase_type_defaults names 'missing', and there is no such skill",
        ),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "version is None"),
        ("common: [search]\n", "version is None"),
        ("version: 2\n", "version is 2"),
        ("version: '1'\n", "version is '1'"),
        ("version: 1\ncomon: [search]\n", ":2: unknown field 'comon'"),
        ("version: 1\ncommon: search\n", "common is not a list of skill names"),
        ("version: 1\ncommon: [1]\n", "common is not a list of skill names"),
        ("version: 1\ncommon: {search: }\n", "common is not a list of skill names"),
        ("version: 1\nphases: [check]\n", "phases is not a mapping"),
        ("version: 1\nphases: {check: quality}\n", "phases.check is not a list of skill names"),
        ("version: 1\nphase_type_defaults: evaluate\n", "phase_type_defaults is not a mapping"),
        ("version: 1\nphase_type_defaults: {judge: []}\n", "unknown phase type 'judge'"),
        ("version: 1\nversion: 1\n", ":2: "),
        ("- version: 1\n", ":1: "),
        ("version: 1\ncommon: [search\n", "not valid YAML"),
        ("version: 1\ncommon: !!python/object:os.system []\n", ":2: "),
        (b"version: 1\n# caf\xe9\n", ":2: not UTF-8"),
    ],
)
def test_a_wrong_shape_is_refused_with_where_and_what_to_do(
    path: Path, text: str | bytes, said: str
) -> None:
    assert said in str(refusal(path, text))


def test_an_unknown_phase_type_is_refused_with_those_there_are(path: Path) -> None:
    error = refusal(path, "version: 1\nphase_type_defaults: {judge: []}\n")

    assert error.hint == f"use {', '.join(PHASE_TYPES)}"


@pytest.mark.parametrize("kind", ["missing", "directory", "below a file"])
def test_a_registry_that_cannot_be_read_is_refused_with_the_setting_to_change(
    path: Path, kind: str
) -> None:
    if kind == "directory":
        path.mkdir()
    elif kind == "below a file":
        path = write_file(path, "version: 1\n") / "registry.yaml"

    with pytest.raises(SettingsError) as refused:
        load_registry(str(path), SKILLS)

    assert str(path) in str(refused.value)
    assert "skills_registry" in refused.value.hint


def test_a_registry_is_found_by_its_name_alone_from_the_working_folder(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file(path, "version: 1\ncommon: [search]\n")
    monkeypatch.chdir(path.parent)

    assert load_registry(path.name, SKILLS).common == ("search",)


def test_the_registry_of_the_built_in_pack_names_only_skills_of_the_pack() -> None:
    skills = open_catalog([Root(PACK, "builtin")]).skills

    registry = load_registry(Settings().skills_registry, skills)

    assert registry.problems == ()
    assert registry.skills_for("check", "evaluate") == (
        "safe-shell-search",
        "task-spec-check",
        "code-quality",
    )
