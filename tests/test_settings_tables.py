"""The settings of runs: tables of their own, and those that protect a person are that person's alone."""

from pathlib import Path

import pytest

from prowess.core.errors import SettingsError
from prowess.settings import load_settings, unknown_variables
from prowess.settings.fields import FIELDS
from support import write_file

# Each setting that is not in [skills]: a value in TOML, as we read it, and one that is refused.
EXAMPLES: dict[str, tuple[str, object, str]] = {
    "database_url": ('"postgresql://a@b/c"', "postgresql://a@b/c", '"sqlite:///file"'),
    "model_default": ('"haiku"', "haiku", "3"),
    "model_aliases": ('{quick = "haiku"}', {"quick": "haiku"}, "{quick = 3}"),
    "run_max_iterations": ("20", 20, "0"),
    "run_max_retries_per_tool": ("5", 5, "-1"),
    "run_timeout_per_iteration": ('"1.5s"', 1.5, '"soon"'),
    "run_max_depth": ("0", 0, "9"),
    "permissions_default": ('"ask"', "ask", '"anything"'),
    "permissions_never": ('["Bash(curl:*)"]', ("Bash(curl:*)",), '"Bash"'),
    "sandbox_level": ('"landlock"', "landlock", '"strong"'),
    "sandbox_network": ("true", True, '"yes"'),
    "sandbox_seconds": ('"2m"', 120.0, '"-1s"'),
    "sandbox_memory_mb": ("512", 512, "1"),
    "sandbox_processes": ("10", 10, "0"),
    "sandbox_file_mb": ("10", 10, "0"),
    "privacy_personal_data": ('"keep"', "keep", "true"),
    "visibility": ('{default = "FULL"}', {"default": "FULL"}, "true"),
    "check_use_layered_skills": ("true", True, ""),
    "serve_host": ('"::1"', "::1", "3"),
    "serve_port": ("0", 0, "70000"),
    "serve_hosts": ('["box.local"]', ("box.local",), '"box.local"'),
    "serve_works": ("false", False, '"no"'),
    "limits": ("{user = {ann = {at_once = 2}}}", {"user": {"ann": {"at_once": 2}}}, "3"),
    "worker_at_once": ("3", 3, "0"),
    "serve_tokens": ('{abc = "ADMIN"}', {"abc": "ADMIN"}, '["abc"]'),
    "mcp_servers": ('{x = {command = ["y"]}}', {"x": {"command": ["y"]}}, "3"),
}


@pytest.fixture(autouse=True)
def new_user(home: Path) -> None:
    """Nobody's own settings may play a part."""


def toml(name: str, value: str) -> str:
    table, *key = FIELDS[name].place
    if not key:
        return f"{table} = {value}\n"
    return f"[{table}]\n{key[0]} = {value}\n"


def mine(home: Path, content: str) -> None:
    write_file(home / ".config" / "prowess" / "prowess.toml", content)


def test_every_setting_has_an_example_here() -> None:
    others = {name for name, field in FIELDS.items() if field.place[0] != "skills"}

    assert others <= EXAMPLES.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_setting_is_read_from_the_users_file(name: str, home: Path, project: Path) -> None:
    mine(home, toml(name, EXAMPLES[name][0]))

    assert getattr(load_settings(environment={}), name) == EXAMPLES[name][1]


@pytest.mark.parametrize("name", [name for name, each in EXAMPLES.items() if each[2]])
def test_a_wrong_value_is_refused_with_what_is_allowed(name: str, home: Path) -> None:
    mine(home, toml(name, EXAMPLES[name][2]))

    with pytest.raises(SettingsError) as refused:
        load_settings(environment={})

    assert "/".join(FIELDS[name].place[:1]) in str(refused.value)
    assert refused.value.hint.startswith(("use ", "write "))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[run]\n\nmax_iterations = 'many'\n", ":3"),
        ("run.max_iterations = 'many'\n", ""),  # written in another way: the file alone
        ("[model.aliases]\ndefault = 'haiku'\n\n[model]\ndefault = 3\n", ":5"),
        ("database_url = 'sqlite'\n", ":1"),
    ],
)
def test_a_wrong_value_is_told_with_its_line(text: str, line: str, home: Path) -> None:
    mine(home, text)

    with pytest.raises(SettingsError) as refused:
        load_settings(environment={})

    assert f"prowess.toml{line}: " in str(refused.value)


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_protects_a_person_is_not_the_projects_to_set(name: str, project: Path) -> None:
    write_file(project / "prowess.toml", toml(name, EXAMPLES[name][0]))

    if FIELDS[name].lower:
        return  # a test of its own
    if not FIELDS[name].own:
        assert getattr(load_settings(environment={}), name) == EXAMPLES[name][1]
        return
    with pytest.raises(SettingsError, match="a project's file may not set"):
        load_settings(environment={})


@pytest.mark.parametrize(
    "name", ["run_max_iterations", "sandbox_seconds", "permissions_default", "database_url"]
)
def test_a_setting_is_read_from_the_environment(name: str) -> None:
    text, value, _ = EXAMPLES[name]

    settings = load_settings(environment={f"PROWESS_{name.upper()}": text.strip('"')})

    assert getattr(settings, name) == value


def test_a_misspelt_setting_is_told_with_the_one_that_was_meant(home: Path) -> None:
    mine(home, "[run]\nmax_iteration = 3\n")

    with pytest.raises(SettingsError) as refused:
        load_settings(environment={})

    assert refused.value.hint == "did you mean max_iterations?"


def test_a_misspelt_variable_is_told_with_the_one_that_was_meant() -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(environment={"PROWESS_SANDBOX_LEVLE": "none"})

    assert refused.value.hint == "did you mean PROWESS_SANDBOX_LEVEL?"


@pytest.mark.parametrize(
    ("variable", "hint"),
    [
        ("PROWESS_MAX_ITERATIONS", "did you mean PROWESS_RUN_MAX_ITERATIONS?"),
        ("PROWESS_MODEL", "did you mean PROWESS_MODEL_DEFAULT or PROWESS_MODEL_ALIASES?"),
        ("PROWESS_DATE", "did you mean PROWESS_DATA?"),
        ("PROWESS_ZZZ", "no setting is called so; docs/settings.md has them"),
    ],
)
def test_a_variable_that_changes_nothing_is_told_with_what_was_meant(
    variable: str, hint: str
) -> None:
    assert unknown_variables({variable: "x", "PATH": "/bin"}) == {variable: hint}


def test_variables_of_ours_and_of_those_who_start_us_are_no_mistakes() -> None:
    settings = {f"PROWESS_{name.upper()}" for name in FIELDS}
    others = {"PROWESS_DATA", "PROWESS_SHARED", "PROWESS_REQUIRE_ALL", "PROWESS_COMMAND"}
    of_a_service = {"PROWESS_SERVICE_HOST", "PROWESS_PORT", "PROWESS_PORT_7700_TCP"}

    assert unknown_variables(dict.fromkeys(settings | others | of_a_service, "x")) == {}


def test_a_project_may_only_lower_a_limit(home: Path, project: Path) -> None:
    write_file(project / "prowess.toml", "[run]\nmax_iterations = 5\n")
    assert load_settings(environment={}).run_max_iterations == 5

    write_file(project / "prowess.toml", "[run]\nmax_iterations = 500\n")
    with pytest.raises(SettingsError, match="more than the 15"):
        load_settings(environment={})

    mine(home, "[run]\nmax_iterations = 600\n")
    assert load_settings(environment={}).run_max_iterations == 500


def test_a_project_does_not_say_where_prompts_are_sent(project: Path) -> None:
    write_file(project / "prowess.toml", '[model]\ndefault = "http://127.0.0.1:1/v1#m"\n')

    with pytest.raises(SettingsError, match=r"may not set model\.default"):
        load_settings(environment={})


@pytest.mark.parametrize("name", ["database_url", "serve_tokens"])
def test_a_secret_is_not_shown_by_the_one_that_refuses_it(
    name: str, home: Path, project: Path
) -> None:
    secret = "hunter" + "2"
    right = {
        "database_url": f'"postgresql://a:{secret}@b/c"',
        "serve_tokens": f'{{{secret} = "ADMIN"}}',
    }
    wrong = {"database_url": f'"mysql://a:{secret}@b/c"', "serve_tokens": f'["{secret}"]'}
    mine(home, toml(name, wrong[name]))

    with pytest.raises(SettingsError) as refused:
        load_settings(environment={})
    assert secret not in f"{refused.value}{refused.value.hint}"

    mine(home, "")
    write_file(project / "prowess.toml", toml(name, right[name]))
    with pytest.raises(SettingsError, match="a project's file may not set") as refused:
        load_settings(environment={})
    assert secret not in f"{refused.value}{refused.value.hint}"


def test_a_database_is_named_above_all_tables(home: Path) -> None:
    mine(home, '[serve]\ndatabase_url = "postgresql://a@b/c"\n')

    with pytest.raises(SettingsError, match=r"serve\.database_url: there is no such"):
        load_settings(environment={})
