import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import typer

from prowess.cli.app import make_app
from prowess.settings import load_settings
from support import Cli, write_file


def test_init_switches_skills_on_and_makes_a_folder(cli: Cli, project: Path) -> None:
    made = cli("init", "--json").json

    assert made["made"] == [str(project / "prowess.toml"), str(project / ".agents/skills")]
    assert "skills_enabled = true" in (project / "prowess.toml").read_text()
    assert "(skills_enabled)" in cli("doctor").out
    assert "prompts: on" in cli("doctor").out


def test_init_a_second_time_keeps_what_is_there(cli: Cli, project: Path) -> None:
    write_file(project / "prowess.toml", "[skills]\nskills_enabled = false\n")

    assert cli("init").code == 0
    assert (project / "prowess.toml").read_text() == "[skills]\nskills_enabled = false\n"


def test_every_line_of_the_written_settings_is_one_we_accept(cli: Cli, project: Path) -> None:
    cli("init")
    text = (project / "prowess.toml").read_text()
    shown = [line[2:] for line in text.splitlines() if line.startswith("# skills_")]
    assert len(shown) >= 7
    write_file(project / "prowess.toml", "[skills]\n" + "\n".join(shown) + "\n")

    assert cli("list").code == 0


def test_doctor_is_well_on_a_new_machine(cli: Cli) -> None:
    found = cli("doctor", "--json")

    assert found.code == 0
    assert found.json["healthy"] is True
    assert {each["area"] for each in found.json["findings"]} == {
        "Settings",
        "Skills",
        "Data",
        "Models",
        "Agents",
        "Sandbox",
        "Machine",
    }


def test_doctor_names_what_is_broken_and_what_to_do(cli: Cli, project: Path) -> None:
    write_file(project / ".agents/skills/bad/SKILL.md", "---\nname: bad\n---\n")

    found = cli("doctor", "--json")

    assert found.code == 1
    broken = [each for each in found.json["findings"] if each["level"] == "error"]
    assert "no description" in broken[0]["what"]
    assert broken[0]["hint"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[skills]\nskills_max_selected_impl = 'two'\n", "a whole number from 0 to 255"),
        ("[skills]\nskills_enabeld = true\n", "did you mean skills_enabled?"),
        ("[skills\n", "not valid TOML"),
        ("[skils]\n", "unknown table"),
        ("skills_enabled = true\n", "write `skills_enabled = …` below [skills]"),
        ("port = 1\n", "unknown setting port\n  write `port = …` below [serve]"),
        ("[skills]\n\n[modle]\nx = 1\n", "prowess.toml:3: unknown table [modle]"),
        ("[modle]\nx = 1\n", "did you mean model?"),
        ("# mine\nmodle.x = 1\n", "prowess.toml:2: unknown table [modle]"),
        ("[model]\n\ndefualt = 'x'\n", "prowess.toml:3: model.defualt: there is no such"),
    ],
)
def test_wrong_settings_are_refused_with_what_is_allowed(
    cli: Cli, project: Path, text: str, told: str
) -> None:
    write_file(project / "prowess.toml", text)

    found = cli("list")

    assert found.code == 2
    assert told in found.err
    assert str(project / "prowess.toml") in found.err


def test_the_demo_runs_every_step_for_real(cli: Cli) -> None:
    steps = cli("demo", "--json").json

    assert [step["exit_code"] for step in steps] == [0, 0, 0, 0, 0, 1, 0, 0]
    told = {" ".join(step["command"].split()[1:3]): step["output"] for step in steps}
    assert "release-notes" in steps[0]["output"]
    assert "Recovered" in told["run csv-report"]
    assert "64,452.85" in told["run csv-report"]
    assert "- ./report.md" in told["run morning-report"]
    assert "csv-report" in told["runs list"]
    for listed in steps[:2]:  # "One cannot be used"
        assert "16 skills, 1 error, 1 warning, 0 shadowed." in listed["output"]
    assert steps[1]["output"].count(": error: ") == 1


@pytest.mark.parametrize(
    "command",
    [
        command
        for command, made in sorted(typer.main.get_command(make_app()).commands.items())  # type: ignore[attr-defined]
        if not hasattr(made, "commands") and command != "mcp"  # which speaks a protocol
    ],
)
def test_every_command_has_help_with_an_example_and_json(cli: Cli, command: str) -> None:
    told = cli(command, "--help")

    assert told.code == 0
    assert re.search(rf"Example: .*\bprowess {command}\b", told.out)
    assert "--json" in told.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("list",), "one JSON value"),
        (("runs", "show"), "one JSON value"),
        (("run",), "a line of JSON on stdout for each event"),
        (("loop",), "a line of JSON on stdout for each event"),
        (("runs", "events"), "a line of JSON on stdout for each event"),
        (("runs", "resume"), "a line of JSON on stdout for each event"),
        (("runs", "fork"), "a line of JSON on stdout for each event"),
        (("redact",), "The input is JSON lines"),
    ],
    ids=str,
)
def test_help_says_how_many_values_json_is(cli: Cli, words: tuple[str, ...], told: str) -> None:
    assert told in " ".join(cli(*words, "--help").out.split())


@pytest.mark.parametrize("words", [(), ("runs",), ("runs", "answer"), ("run",), ("loop",)])
def test_help_is_written_as_in_every_manual(cli: Cli, words: tuple[str, ...]) -> None:
    told = cli(*words, "--help").out

    assert not re.search(r"\{[A-Z]|<(str|int|float)\b", told)
    assert not re.search(r"^  [a-z]+ .*\.\.\.$", told, re.MULTILINE)  # a summary that was cut


def test_wrong_words_are_wrong_usage(cli: Cli) -> None:
    assert cli("lsit").code == 2
    assert cli("list", "--nope").code == 2
    assert cli("show").code == 2


def test_names_complete_in_the_shell(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_PROWESS_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "prowess read code-")
    monkeypatch.setenv("COMP_CWORD", "2")

    assert cli().out.split() == ["code-quality"]


def test_doctor_goes_on_though_the_settings_are_wrong(cli: Cli, project: Path) -> None:
    write_file(project / "prowess.toml", "[skills]\nskills_enabled = 1\n")

    found = cli("doctor", "--json")

    assert found.code == 1
    assert "skills_enabled is 1" in found.json["findings"][0]["what"]
    areas = {each["area"] for each in found.json["findings"]}
    assert areas == {"Settings", "Models", "Agents", "Sandbox", "Machine"}
    assert "skills and the data were not looked at" in found.json["findings"][1]["what"]


def test_doctor_names_configured_folders_that_are_not_there(cli: Cli, project: Path) -> None:
    write_file(
        project / "prowess.toml", '[skills]\nskills_dirs = ["nope"]\nskills_builtin_dir = "gone"\n'
    )

    told = [each["what"] for each in cli("doctor", "--json").json["findings"]]

    assert any("skills_dirs names nope" in what for what in told)
    assert any("skills_builtin_dir is" in what for what in told)


@pytest.mark.parametrize(
    ("default", "level", "told", "hint"),
    [
        ("sonet", "error", "no model is called 'sonet'", "did you mean sonnet"),
        ("sonnet", "warning", "ANTHROPIC_API_KEY is not set", "to get going"),
        ("ollama:qwen3", "ok", "model.default is ollama:qwen3", ""),
        ("quick", "ok", "which is ollama:qwen3", ""),
    ],
)
def test_the_doctor_judges_the_default_model(
    cli: Cli,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    default: str,
    level: str,
    told: str,
    hint: str,
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    own = f"[model]\ndefault = '{default}'\naliases = {{quick = 'ollama:qwen3'}}\n"
    write_file(home / ".config/prowess/prowess.toml", own)

    found = cli("doctor", "--json")

    said = [each for each in found.json["findings"] if "model.default" in each["what"]]
    assert [(each["area"], each["level"]) for each in said] == [("Models", level)]
    assert told in said[0]["what"]
    assert hint in said[0]["hint"]
    assert found.code == (1 if level == "error" else 0)


def test_the_doctor_names_variables_that_are_not_known(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROWESS_MAX_ITERATIONS", "3")
    monkeypatch.setenv("PROWESS_SHARED", "somewhere")

    found = cli("doctor", "--json")

    said = [each for each in found.json["findings"] if "changes nothing" in each["what"]]
    assert [(each["area"], each["level"]) for each in said] == [("Settings", "warning")]
    assert said[0]["what"].startswith("PROWESS_MAX_ITERATIONS ")
    assert said[0]["hint"] == "did you mean PROWESS_RUN_MAX_ITERATIONS?"
    assert found.code == 0


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("[mcp_servers.x]\nfoo = 1", "mcp_servers.x: there is no setting 'foo'"),
        ("[limits.user.ann]\nat_onec = 2", "limits.user.ann.at_onec = 2 is no limit"),
        ('[visibility]\ndefault = "LOUD"', "visibility.default: 'LOUD' is not allowed"),
    ],
)
def test_a_wrong_table_is_told_by_the_doctor_and_refused_by_a_run(
    cli: Cli, home: Path, project: Path, table: str, told: str
) -> None:
    file = home / ".config" / "prowess" / "prowess.toml"
    file.parent.mkdir(parents=True)
    file.write_text(table)

    found = cli("doctor", "--json")
    run = cli("run", "code-quality", "look")

    assert found.code == 1
    wrong = [each for each in found.json["findings"] if each["level"] == "error"]
    assert [(each["what"], bool(each["hint"])) for each in wrong] == [(f"{file}: {told}", True)]
    assert run.code == 2
    assert told in run.err
    assert cli("list").code == 0


def test_the_doctor_names_what_the_environment_sets(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROWESS_RUN_MAX_ITERATIONS", "7")

    assert "PROWESS_RUN_MAX_ITERATIONS is set" in cli("doctor").out


def test_the_doctor_says_where_the_log_has_a_gap(cli: Cli, home: Path, project: Path) -> None:
    data = home / "data"
    for title in ("first", "second"):
        assert (
            cli("task", "create", "--title", title, "--role", "engineer", "--data", data).code == 0
        )
    with closing(sqlite3.connect(load_settings(data=str(data)).log_place)) as database, database:
        database.execute("delete from event where run = 'board' and seq = 1")

    done = cli("doctor", "--data", data)

    assert "the log of board: event 2 comes after event 0" in done.out
