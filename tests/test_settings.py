"""Every setting by default, by file, by environment and by flag; a wrong one is refused with what is allowed."""

import os
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

from prowess.core.errors import SettingsError
from prowess.settings import PACK, Settings, load_settings
from support import write_file

# Each setting: its default, another value in TOML, the same in the environment, and as we read it.
# `~` stands for the home folder and `.` for the project.
FIELDS: dict[str, tuple[object, str, str, object]] = {
    "skills_enabled": (False, "true", "true", True),
    "skills_builtin_dir": (PACK, '"skills"', "skills", "./skills"),
    "skills_sync_dir": ("~/.local/share/prowess/skills", '"~/copy"', "~/copy", "~/copy"),
    "skills_sync_on_start": (True, "false", "false", False),
    "skills_dirs": (
        (
            ".agents/skills",
            ".agent/skills",
            "~/.agents/skills",
            "~/.agent/skills",
            ".claude/skills",
            "~/.claude/skills",
            ".opencode/skills",
            ".cursor/skills",
            ".codex/skills",
            ".github/skills",
            "~/.agents-ui/maestro-skills",
        ),
        '["mine", "~/others"]',
        "mine:~/others",
        ("mine", "~/others"),
    ),
    "skills_max_selected_impl": (2, "3", "3", 3),
    "skills_max_selected_review": (1, "0", "0", 0),
    "skills_load_references": (False, "true", "true", True),
    "skills_max_body_chars": (20_000, "5_000", "5000", 5_000),
    "skills_max_catalog_chars": (0, "100", "100", 100),
    "skills_semantic": (False, "true", "true", True),
    "skills_registry": (f"{PACK}/registry.yaml", '"r.yaml"', "r.yaml", "./r.yaml"),
}
PATHS = ["skills_builtin_dir", "skills_sync_dir", "skills_registry"]
FLAGS = ["skills_enabled", "skills_sync_on_start", "skills_load_references", "skills_semantic"]
NUMBERS = {
    "skills_max_selected_impl": (0, 255),
    "skills_max_selected_review": (0, 255),
    "skills_max_body_chars": (1, 10_000_000),
    "skills_max_catalog_chars": (0, 10_000_000),
}


@pytest.fixture(autouse=True)
def new_user(home: Path) -> None:
    """Nobody's own settings may play a part."""


def load(project: Path, environment: Mapping[str, str] | None = None, **flags: Any) -> Settings:
    return load_settings(project=str(project), environment=environment or {}, **flags)


def in_place(name: str, value: object, project: Path, home: Path) -> object:
    """`value` with the folders of this test in it, for those settings that are paths."""
    if name not in PATHS or not isinstance(value, str):
        return value
    return (
        value.replace("~", str(home)).replace("./", f"{project}/", 1) if value[0] in "~." else value
    )


def write_toml(folder: Path, name: str, value: str) -> Path:
    return write_file(folder / "prowess.toml", f"[skills]\n{name} = {value}\n")


def refusal(project: Path, environment: Mapping[str, str] | None = None) -> SettingsError:
    with pytest.raises(SettingsError) as refused:
        load(project, environment)
    assert refused.value.hint
    return refused.value


# Every field


def test_every_setting_is_in_the_table_of_these_tests() -> None:
    assert {name for name in Settings.__slots__ if name.startswith("skills_")} == FIELDS.keys()


@pytest.mark.parametrize("name", FIELDS)
def test_a_setting_has_its_default(name: str, home: Path, project: Path) -> None:
    default, *_ = FIELDS[name]

    assert getattr(load(project), name) == in_place(name, default, project, home)


@pytest.mark.parametrize("name", [name for name in FIELDS if name != "skills_sync_dir"])
def test_a_setting_is_read_from_the_projects_file(name: str, home: Path, project: Path) -> None:
    _, toml, _, value = FIELDS[name]
    write_toml(project, name, toml)

    assert getattr(load(project), name) == in_place(name, value, project, home)


@pytest.mark.parametrize("name", FIELDS)
def test_a_setting_is_read_from_the_users_file(name: str, home: Path, project: Path) -> None:
    _, toml, _, value = FIELDS[name]
    write_toml(home / ".config" / "prowess", name, toml)

    assert getattr(load(project), name) == in_place(name, value, project, home)


@pytest.mark.parametrize("name", FIELDS)
def test_a_setting_is_read_from_the_environment(name: str, home: Path, project: Path) -> None:
    _, _, text, value = FIELDS[name]

    settings = load(project, {f"PROWESS_{name.upper()}": text})

    assert getattr(settings, name) == in_place(name, value, project, home)


def test_settings_do_not_change(project: Path) -> None:
    with pytest.raises(FrozenInstanceError):
        load(project).skills_enabled = True  # type: ignore[misc]


# Who wins


def test_the_environment_wins_over_the_project_and_the_project_over_the_user(
    home: Path, project: Path
) -> None:
    write_file(
        home / ".config/prowess/prowess.toml",
        "[skills]\nskills_max_selected_impl = 3\nskills_max_selected_review = 3\n"
        "skills_max_body_chars = 3\n",
    )
    write_file(
        project / "prowess.toml",
        "[skills]\nskills_max_selected_review = 4\nskills_max_body_chars = 4\n",
    )

    settings = load(project, {"PROWESS_SKILLS_MAX_BODY_CHARS": "5"})

    assert (
        settings.skills_max_selected_impl,
        settings.skills_max_selected_review,
        settings.skills_max_body_chars,
    ) == (3, 4, 5)


def test_the_files_that_were_read_are_named_in_order(home: Path, project: Path) -> None:
    user = write_toml(home / ".config/prowess", "skills_enabled", "true")
    own = write_toml(project, "skills_enabled", "true")

    assert load(project).sources == (str(user), str(own))


def test_without_any_file_none_is_named(project: Path) -> None:
    assert load(project).sources == ()


def test_the_users_file_is_where_xdg_says(tmp_path: Path, project: Path) -> None:
    write_toml(tmp_path / "config/prowess", "skills_enabled", "true")

    assert load(project, {"XDG_CONFIG_HOME": str(tmp_path / "config")}).skills_enabled


def test_the_nearest_file_up_to_the_git_root_is_the_projects(tmp_path: Path) -> None:
    repository = tmp_path / "repo"
    below = repository / "packages" / "web"
    (repository / ".git").mkdir(parents=True)
    below.mkdir(parents=True)
    write_toml(tmp_path, "skills_max_selected_impl", "9")
    assert load(below).skills_max_selected_impl == 2
    top = write_toml(repository, "skills_max_selected_impl", "5")
    assert load(below).sources == (str(top),)

    nearest = write_toml(repository / "packages", "skills_max_selected_impl", "6")

    assert load(below).sources == (str(nearest),)
    assert load(below).skills_max_selected_impl == 6


def test_outside_of_git_only_the_projects_own_file_is_read(tmp_path: Path, project: Path) -> None:
    write_toml(tmp_path, "skills_enabled", "true")

    assert load(project).sources == ()


def test_a_relative_path_in_a_file_means_the_same_from_every_folder_below_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "below").mkdir()
    write_toml(tmp_path / "repo", "skills_builtin_dir", '"skills"')

    assert load(tmp_path / "repo" / "below").skills_builtin_dir == str(tmp_path / "repo/skills")


def test_an_empty_variable_is_no_variable(project: Path) -> None:
    write_toml(project, "skills_max_selected_impl", "5")

    assert load(project, {"PROWESS_SKILLS_MAX_SELECTED_IMPL": ""}).skills_max_selected_impl == 5


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("1", True), ("YES", True), ("False", False), ("0", False), ("no", False)],
)
def test_a_truth_in_the_environment_has_several_spellings(
    project: Path,
    text: str,
    value: bool,  # noqa: FBT001  the expected value
) -> None:
    assert load(project, {"PROWESS_SKILLS_ENABLED": text}).skills_enabled is value


def test_a_file_without_settings_changes_nothing(project: Path) -> None:
    without = load(project)
    write_file(project / "prowess.toml", "# nothing yet\n")

    assert load(project) == without


# Data and folders


def test_data_is_kept_in_the_users_data_folder_unless_told_otherwise(
    home: Path, project: Path, tmp_path: Path
) -> None:
    xdg = {"XDG_DATA_HOME": str(tmp_path / "xdg")}
    variable = {"PROWESS_DATA": str(tmp_path / "variable"), **xdg}

    assert load(project).data == str(home / ".local/share/prowess")
    assert load(project, xdg).data == str(tmp_path / "xdg/prowess")
    assert load(project, variable).data == str(tmp_path / "variable")
    assert load(project, variable, data="~/flag").data == str(home / "flag")


def test_the_index_and_the_log_are_kept_in_the_data_folder(project: Path, tmp_path: Path) -> None:
    settings = load(project, data=str(tmp_path / "data"))

    assert settings.index_folder == str(tmp_path / "data/index")
    assert settings.log_file == str(tmp_path / "data/log.sqlite3")


def test_the_pack_is_copied_into_the_data_folder_wherever_that_is(
    project: Path, tmp_path: Path
) -> None:
    xdg = {"XDG_DATA_HOME": str(tmp_path / "xdg")}
    variable = {"PROWESS_DATA": str(tmp_path / "variable"), **xdg}

    assert load(project, xdg).skills_sync_dir == str(tmp_path / "xdg/prowess/skills")
    assert load(project, variable).skills_sync_dir == str(tmp_path / "variable/skills")
    flag = load(project, variable, data=str(tmp_path / "flag"))
    assert flag.skills_sync_dir == str(tmp_path / "flag/skills")


def test_folders_named_by_a_flag_are_handed_on(project: Path) -> None:
    assert load(project, dirs=("a", "b")).only_dirs == ("a", "b")


def test_the_project_is_made_absolute(project: Path) -> None:
    assert load_settings(project=".", environment={}).project == str(project)


@pytest.mark.parametrize("kind", ["missing", "a file"])
def test_a_project_that_is_not_a_folder_is_refused(project: Path, kind: str) -> None:
    if kind == "a file":
        write_file(project / "place", "")

    assert "--project" in str(refusal(project / "place"))


# What is refused


def wrong_in_files() -> list[tuple[str, str, str]]:
    """Setting, TOML, and what the hint must say."""
    flag, path, folders = "use true or false", "use a path, as text", "use a list of folders"
    wrong = [(name, toml, flag) for name in FLAGS for toml in ('"true"', "1", "[]")]
    wrong += [(name, toml, path) for name in PATHS for toml in ("1", "true", '""', '"  "', '["a"]')]
    wrong += [("skills_dirs", toml, folders) for toml in ('"a"', "[1]", '["a", ""]', "true", "{}")]
    for name, (least, most) in NUMBERS.items():
        allowed = f"use a whole number from {least:,} to {most:,}"
        values = (str(least - 1), str(most + 1), "1.0", '"1"', "true", "[1]", "2026-01-01", "inf")
        wrong += [(name, toml, allowed) for toml in values]
    return wrong


@pytest.mark.parametrize(("name", "toml", "hint"), wrong_in_files())
def test_a_wrong_value_in_a_file_is_refused_with_where_it_is_and_what_is_allowed(
    project: Path, name: str, toml: str, hint: str
) -> None:
    file = write_toml(project, name, toml)

    error = refusal(project)

    assert str(error).startswith(f"{file}:2: {name} is ")
    assert error.hint.startswith(hint)


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [(name, text, "use true or false") for name in FLAGS for text in ("maybe", "2", " ")]
    + [
        (name, text, f"use a whole number from {least:,} to {most:,}")
        for name, (least, most) in NUMBERS.items()
        for text in (str(least - 1), str(most + 1), "1.5", "many", "1e3", "-", "0x10")
    ]
    + [("skills_builtin_dir", "  ", "use a path, as text"), ("skills_dirs", "a: ", "use a list")],
)
def test_a_wrong_value_in_the_environment_is_refused_with_the_variable_and_what_is_allowed(
    project: Path, name: str, text: str, hint: str
) -> None:
    variable = f"PROWESS_{name.upper()}"

    error = refusal(project, {variable: text})

    assert str(error).startswith(f"{variable} is ")
    assert error.hint.startswith(hint)


@pytest.mark.parametrize("text", ["--5", "9" * 5_000], ids=["two signs", "very long"])
def test_a_number_that_python_cannot_read_is_refused_too(project: Path, text: str) -> None:
    refusal(project, {"PROWESS_SKILLS_MAX_BODY_CHARS": text})


@pytest.mark.parametrize("name", NUMBERS)
def test_the_least_and_the_most_are_allowed(project: Path, name: str) -> None:
    for value in NUMBERS[name]:
        write_toml(project, name, str(value))

        assert getattr(load(project), name) == value


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("skills_enable", "did you mean skills_enabled?"),
        ("skill_dirs", "did you mean skills_dirs?"),
        ("skills_max_selected", "did you mean skills_max_selected_"),
        ("colour", "known settings: skills_enabled, "),
        ("only_dirs", "did you mean skills_dirs?"),
    ],
)
def test_an_unknown_name_in_a_file_is_refused_with_the_nearest_or_all_that_are_known(
    project: Path, name: str, hint: str
) -> None:
    file = write_toml(project, name, "true")

    error = refusal(project)

    assert str(error) == f"{file}:2: {name}: there is no such setting"
    assert error.hint.startswith(hint)


def test_an_unknown_name_in_the_environment_is_refused_with_the_nearest(project: Path) -> None:
    error = refusal(project, {"PROWESS_SKILLS_ENABLE": "true"})

    assert "PROWESS_SKILLS_ENABLED" in error.hint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[skill]\n", ":1: unknown table [skill]"),
        ("skills_enabled = true\n", ":1: unknown setting skills_enabled"),
        ("skills = true\n", "skills is not a table"),
        ("[[skills]]\n", "skills is not a table"),
        ("[skills\n", "not valid TOML"),
        ("[skills]\nskills_enabled = True\n", "not valid TOML"),
        ("[skills]\nskills_enabled = true\nskills_enabled = true\n", "not valid TOML"),
        ("[skills]\nskills_dirs = ['a'\n", "not valid TOML"),
        (b"[skills]\n# caf\xe9\n", "not UTF-8"),
        (b"\0", "not valid TOML"),
        pytest.param(
            f"[skills]\nskills_max_body_chars = {'9' * 5_000}\n",
            "not valid TOML",
            id="a number of thousands of digits",
        ),
        pytest.param(f"skills = {'[' * 100_000}", "not valid TOML", id="nested deeply"),
    ],
)
@pytest.mark.parametrize("whose", ["the project's", "the user's"])
def test_a_broken_file_is_refused_with_its_name_and_what_is_wrong(
    home: Path, project: Path, text: str | bytes, said: str, whose: str
) -> None:
    folder = project if whose == "the project's" else home / ".config/prowess"
    file = write_file(folder / "prowess.toml", text)

    told = str(refusal(project))
    assert told.startswith(str(file))
    assert said in told


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[skills]\n\nskills_enabled = maybe\n", "3: not valid TOML: Invalid value (column 18)"),
        ("[skills]\nskills_dirs = [\n\n", "2: not valid TOML: Invalid value"),
        ("[skills]\nskills_dirs = ['a'\n", "2: not valid TOML: Unclosed array"),
    ],
)
def test_a_broken_toml_names_the_line(project: Path, text: str, where: str) -> None:
    file = write_file(project / "prowess.toml", text)

    assert str(refusal(project)) == f"{file}:{where}"


def _a_folder(file: Path) -> None:
    file.mkdir()


def _a_pipe(file: Path) -> None:
    os.mkfifo(file)


def _a_link_to_itself(file: Path) -> None:
    file.symlink_to(file.name)


def _a_link_to_nowhere(file: Path) -> None:
    file.symlink_to("gone")


@pytest.mark.parametrize("make", [_a_folder, _a_pipe, _a_link_to_itself, _a_link_to_nowhere])
@pytest.mark.parametrize("whose", ["the project's", "the user's"])
def test_what_is_called_like_the_file_and_cannot_be_read_is_refused(
    home: Path, project: Path, make: Callable[[Path], None], whose: str
) -> None:
    folder = project if whose == "the project's" else home / ".config/prowess"
    folder.mkdir(parents=True, exist_ok=True)
    make(folder / "prowess.toml")

    error = refusal(project)

    assert str(error).startswith(f"{folder}/prowess.toml")
    assert error.hint


def test_a_file_that_begins_with_the_mark_of_an_editor_is_read(project: Path) -> None:
    write_file(project / "prowess.toml", "\ufeff[skills]\r\nskills_enabled = true\r\n")

    assert load(project).skills_enabled


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("path", ["~", "/elsewhere", "../up"])
def test_a_projects_file_names_no_folder_outside_of_the_project(
    project: Path, name: str, path: str
) -> None:
    write_toml(project, name, f'"{path}"')

    assert "leads out of the project" in str(refusal(project))


def test_a_projects_file_may_name_a_folder_of_its_own_and_the_data_folder(
    home: Path, project: Path
) -> None:
    for path, meant in (
        ("copy", project / "copy"),
        ("~/.local/share/prowess/skills", home / ".local/share/prowess/skills"),
    ):
        write_toml(project, "skills_sync_dir", f'"{path}"')

        assert load(project).skills_sync_dir == str(meant)


def test_a_file_of_settings_that_is_far_too_large_is_refused_unread(project: Path) -> None:
    write_file(project / "prowess.toml", "#" * 300_000)

    assert "bytes" in str(refusal(project))
