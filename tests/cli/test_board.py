"""`task`, `session`, `handoff`, `roles`, `name` and `dashboard`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support import Cli


@pytest.fixture
def busy(cli: Cli) -> Cli:
    """Two agents at work and two tasks, one of them claimed."""
    cli("session", "start", "Ogun", "--role", "engineer", "--task", "the parser")
    cli("session", "start", "Eris", "--role", "tester")
    cli("task", "create", "--role", "engineer", "--priority", "high", "--title", "Fix it")
    cli("task", "create", "--role", "tester", "--title", "Try it")
    cli("task", "claim", "ENG-H-0001", "--session", "Ogun")
    return cli


def test_a_task_from_its_beginning_to_its_end(busy: Cli) -> None:
    said = busy("task", "update", "ENG-H-0001", "--message", "half way", "--session", "Ogun")
    blocked = busy("task", "update", "ENG-H-0001", "--status", "blocked", "--message", "no key")
    busy("task", "update", "ENG-H-0001", "--status", "in-progress")
    done = busy("task", "done", "ENG-H-0001", "--message", "it stands", "--json")
    shown = busy("task", "show", "eng-h-0001", "--json").json

    assert said.out == "ENG-H-0001  in-progress (Ogun)  Fix it\n"
    assert blocked.out == "ENG-H-0001  blocked (Ogun)  Fix it\n"
    assert (done.json["status"], done.json["session"]) == ("done", "Ogun")
    assert [each["status"] for each in shown["messages"]] == [
        "open", "in-progress", "in-progress", "blocked", "in-progress", "done",
    ]  # fmt: skip
    assert shown["messages"][-1]["text"] == "it stands"


def test_the_word_of_other_tools_finishes_a_task(busy: Cli) -> None:
    done = busy("task", "update", "ENG-H-0001", "--status", "completed", "--json")

    assert done.json["status"] == "done"


def test_tasks_are_listed_whole_in_a_pipe(busy: Cli) -> None:
    assert busy("task", "list").out == (
        "ENG-H-0001\tin-progress\tOgun\t\tFix it\nTES-M-0002\topen\t\t\tTry it\n"
    )


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ([], ["ENG-H-0001", "TES-M-0002"]),
        (["--role", "TESTER"], ["TES-M-0002"]),
        (["--status", "open"], ["TES-M-0002"]),
        (["--session", "ogun"], ["ENG-H-0001"]),
        (["--all"], ["ENG-H-0001", "ENG-H-0003", "TES-M-0002"]),
        (["--status", "cancelled"], ["ENG-H-0003"]),
    ],
)
def test_a_list_can_be_narrowed(busy: Cli, words: list[str], found: list[str]) -> None:
    busy("task", "create", "--title", "Half", "--parent", "ENG-H-0001")
    busy("task", "update", "ENG-H-0003", "--status", "cancelled")

    assert [each["id"] for each in busy("task", "list", *words, "--json").json] == found


def test_a_task_is_shown_with_what_belongs_to_it(busy: Cli) -> None:
    busy("task", "create", "--title", "Half", "--parent", "ENG-H-0001")
    busy(
        "handoff",
        "create",
        "--from",
        "Ogun",
        "--to",
        "tester",
        "--text",
        "x",
        "--task",
        "ENG-H-0001",
    )

    shown = busy("task", "show", "ENG-H-0001").out

    assert "title:        Fix it\n" in shown
    assert "subtask:      ENG-H-0003 (open) Half\n" in shown
    assert "handoff:      1 (pending) to Tester\n" in shown
    assert "\tOgun\tin-progress\t\n" in shown


def test_who_comes_second_is_told_who_has_the_task(busy: Cli) -> None:
    late = busy("task", "claim", "ENG-H-0001", "--session", "Eris")

    assert (late.code, late.out) == (1, "")
    assert "Ogun has ENG-H-0001" in late.err
    assert "prowess task list --status open" in late.err


def test_a_program_is_told_as_json(busy: Cli) -> None:
    late = busy("task", "claim", "ENG-H-0001", "--session", "Eris", "--json")

    assert late.code == 1
    assert late.json["code"] == "CONFLICT"
    assert late.json["message"] == "Ogun has ENG-H-0001"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("task show ENG-H-0009", 1),
        ("task claim ENG-H-0001 --session Nobody", 1),
        ("task done TES-M-0002", 1),
        ("session end Nobody", 1),
        ("session start Ogun --role tester", 1),
        ("handoff cancel 9", 1),
        ("task create --title x --role pirate", 2),
        ("task create --title x --role tester --priority soon", 2),
        ("task update ENG-H-0001", 2),
        ("task update ENG-H-0001 --status blocked", 2),
        ("task list --status finito", 2),
        ("handoff list --status finito", 2),
        ("session start 7 --role tester", 2),
        ("name suggest pirate", 2),
        ("dashboard --role pirate", 2),
        ("task create", 2),
    ],
)
def test_what_does_not_apply_is_told_with_what_to_do(busy: Cli, words: str, code: int) -> None:
    told = busy(*words.split(), "--json")

    assert told.code == code
    assert told.json["error"] is True
    assert told.json["hint"]


def test_a_session_starts_with_a_bit_about_its_name(cli: Cli) -> None:
    plain = cli("session", "start", "Ogun", "--role", "engineer")
    program = cli("session", "start", "Bob", "--role", "engineer", "--json").json

    assert plain.out == "1  Ogun is at work as Engineer\n"
    assert "Ogun: Yoruba" in plain.err
    assert (program["id"], program["about"]) == (2, "")


def test_a_session_that_ends_says_what_went_back(busy: Cli) -> None:
    ended = busy("session", "end", "ogun", "--summary", "half done")

    assert ended.out == "1  Ogun has left\n"
    assert "back on the board: ENG-H-0001 (open) Fix it" in ended.err
    assert [each["name"] for each in busy("session", "list", "--json").json] == ["Eris"]
    assert busy("session", "list", "--all", "--json").json[0]["summary"] == "half done"


def test_a_handoff_from_its_beginning_to_its_end(busy: Cli) -> None:
    made = busy("handoff", "create", "--from", "Ogun", "--to", "tester", "--text", "try it",
                "--task", "ENG-H-0001")  # fmt: skip
    taken = busy("handoff", "accept", "1", "--session", "Eris")
    listed = busy("handoff", "list").out
    ended = busy("handoff", "complete", "1", "--message", "all pass", "--session", "Eris", "--json")

    assert made.out == "1  pending  for Tester\n"
    assert taken.out == "1  accepted by Eris  for Tester\n"
    assert "prowess task claim ENG-H-0001 --session Eris" in taken.err
    assert listed == "1\taccepted\tOgun\tTester\tEris\tENG-H-0001\ttry it\n"
    assert (ended.json["status"], ended.json["message"]) == ("completed", "all pass")
    assert busy("handoff", "list", "--json").json == []
    assert len(busy("handoff", "list", "--all", "--json").json) == 1


def test_the_dashboard_shows_who_works_what_is_next_and_what_waits(busy: Cli) -> None:
    busy("handoff", "create", "--from", "architect", "--to", "tester", "--text", "look")
    busy("task", "create", "--role", "tester", "--title", "Stuck")
    busy("task", "update", "TES-M-0003", "--status", "blocked", "--message", "no key")

    assert busy("dashboard").out == (
        "Board: 1 open, 1 in-progress, 1 blocked, 0 done, 0 failed, 0 cancelled\n"
        "\nAt work\nOgun\tEngineer\tENG-H-0001\tthe parser\nEris\tTester\t-\t\n"
        "\nNext\nTES-M-0002\tTester\tTry it\n"
        "\nBlocked\nTES-M-0003\tno key\n"
        "\nHandoffs\n1\tArchitect\tTester\t\tlook\n"
    )
    assert busy("dashboard", "--role", "engineer").out == (
        "Engineer: 0 open, 1 in-progress, 0 blocked, 0 done, 0 failed, 0 cancelled\n"
        "\nAt work\nOgun\tEngineer\tENG-H-0001\tthe parser\n"
    )


def test_an_empty_board_says_how_to_begin(cli: Cli) -> None:
    assert "prowess task create" in cli("dashboard").err
    assert "prowess task create" in cli("task", "list").err
    assert "prowess session start" in cli("session", "list").err
    assert cli("handoff", "list").err


def test_roles_have_their_prefix(cli: Cli) -> None:
    assert "Engineer\tENG\tbuilds what was decided\n" in cli("roles").out
    assert [role["prefix"] for role in cli("roles", "--json").json] == (
        "ADM ARC ENG TES DOC DES INS OPE HIS WOR ORC".split()
    )


def test_names_are_suggested(busy: Cli) -> None:
    found = busy("name", "suggest", "engineer", "--count", "2")

    assert [line.split("\t")[0] for line in found.out.splitlines()] == ["Brokkr", "Goibniu"]
    assert "Ogun" not in busy("name", "suggest", "engineer", "--count", "7", "--json").out


def test_a_report_is_markdown_or_json(busy: Cli) -> None:
    busy("task", "done", "ENG-H-0001")

    page = busy("task", "report", "--days", "1").out
    told = busy("task", "report", "--role", "engineer", "--json").json

    assert page.startswith("# Tasks\n\n| role | open |")
    assert "## Finished in the last day\n\n- ENG-H-0001 Fix it: done on 2" in page
    assert (told["days"], list(told["by_role"])) == (7, ["Engineer"])
    assert [each["id"] for each in told["finished"]] == ["ENG-H-0001"]


def test_secrets_and_personal_data_do_not_reach_the_board(cli: Cli) -> None:
    word = "hunter2" + "x9"

    made = cli(
        "task", "create", "--role", "engineer", "--title", f"password={word} for bob@example.com"
    )

    assert made.out == "ENG-M-0001  open  password=[secret] for [email]\n"


def test_what_happens_on_the_board_is_in_the_log(busy: Cli) -> None:
    (claimed,) = busy("log", "--kind", "task.claimed", "--json").json

    assert claimed["run"] == "board"
    assert claimed["payload"]["summary"] == "Ogun has ENG-H-0001: Fix it"


def test_a_title_cannot_drive_the_terminal(cli: Cli) -> None:
    assert "\x1b" not in cli("task", "create", "--role", "tester", "--title", "a\x1b[31mb").out
    assert "\x1b" not in cli("task", "list").out
    assert "\x1b" not in cli("task", "report").out


def test_two_commands_that_claim_at_the_same_moment_have_one_winner(busy: Cli, home: Path) -> None:
    words = [sys.executable, "-m", "prowess", "task", "claim", "TES-M-0002", "--json", "--session"]
    racers = [
        subprocess.Popen([*words, name], stdout=subprocess.PIPE, text=True)
        for name in ("Ogun", "Eris")
    ]

    told = {racer.wait(): json.loads(racer.communicate()[0]) for racer in racers}

    assert set(told) == {0, 1}
    assert told[1]["message"] == f"{told[0]['session']} has TES-M-0002"


@pytest.mark.parametrize(
    "words",
    [
        *(f"task {each}" for each in "create list show claim update done report".split()),
        *(f"session {each}" for each in "start list end".split()),
        *(f"handoff {each}" for each in "create list accept complete cancel".split()),
        "roles",
        "name suggest",
        "dashboard",
    ],
)
def test_every_command_has_an_example(cli: Cli, words: str) -> None:
    told = " ".join(cli(*words.split(), "--help").out.split())

    assert f"Example: prowess {words}" in told
