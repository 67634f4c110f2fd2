"""`prowess backup`, `prowess restore` and `prowess migrate`, as a person and a program meet them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from house import skill_file
from model.formats import Say
from model.server import Fault, ModelServer
from postgres import postgres_url
from support import Cli, until, write_file

__all__ = ["postgres_url"]
PROWESS = [sys.executable, "-m", "prowess"]


def calls(tool: str, **given: Any) -> Say:
    return Say(calls=((tool, given),))


def told(*words: str) -> Any:
    done = subprocess.run([*PROWESS, *words, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def lines(*words: str) -> list[dict[str, Any]]:
    done = subprocess.run([*PROWESS, *words, "--json"], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_backup_taken_during_a_run_is_restored_elsewhere_and_the_run_goes_on_there(
    home: Path, project: Path
) -> None:
    """The run is in the middle of its third request when the backup is taken, and writes on after it."""
    skill_file(project, "slow", "Work slowly.")
    turns = [calls("Bash", command=f"echo {number} >> lines") for number in range(2)]
    with ModelServer(*turns, Fault(trouble="hang"), Say(text="all is done")) as server:
        command = [*PROWESS, "run", "slow", "--json", "--model", f"{server.url}/v1#m"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=project) as child:
            try:
                until(lambda: len(server.requests) == 3)
                told("task", "create", "--title", "Look at it", "--role", "Engineer")
                made = told("backup", "kept.zip")
                (run,) = told("runs", "list")
                before = lines("runs", "events", run["id"])
            finally:
                child.kill()
        restored = told("restore", "kept.zip", "--data", "new")
        listed = told("runs", "list", "--data", "new")
        events = lines("runs", "events", run["id"], "--data", "new")
        *_, last = lines("runs", "resume", run["id"], "--data", "new")

    assert made["rows"] == restored["rows"]
    assert [each["id"] for each in listed] == [run["id"]]
    assert events == before
    assert last["outcome"]["answer"] == "all is done"
    assert (project / "lines").read_text().split() == ["0", "1"]
    assert [each["title"] for each in told("task", "list", "--data", "new")] == ["Look at it"]


def test_a_person_is_told_what_was_kept_and_where_the_old_lies(cli: Cli, project: Path) -> None:
    cli("task", "create", "--title", "Look at it", "--role", "Engineer")

    made = cli("backup", "kept.zip")
    refused = cli("restore", "kept.zip")
    replaced = cli("restore", "kept.zip", "--replace")

    assert (made.code, refused.code, replaced.code) == (0, 1, 0)
    assert "1 task" in made.out
    assert "--replace" in refused.err
    assert "1 task" in replaced.out
    assert "replaced-" in replaced.err
    assert "Look at it" in cli("task", "list").out


def test_a_backup_onto_a_file_that_is_there_is_wrong_usage_and_leaves_it_alone(
    cli: Cli, project: Path
) -> None:
    write_file(project / "mine.zip", "mine")

    refused = cli("backup", "mine.zip")

    assert refused.code == 2
    assert "name another file" in refused.err
    assert (project / "mine.zip").read_text() == "mine"


@pytest.mark.parametrize("name", ["nowhere.zip", "."])
def test_an_archive_that_is_not_there_is_wrong_usage(cli: Cli, name: str) -> None:
    missing = cli("restore", name, "--json")

    assert missing.code == 2
    assert name in missing.json["message"]


def test_an_unfinished_run_goes_on_in_the_database_that_it_was_carried_to(
    home: Path, project: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill_file(project, "slow", "Work slowly.")
    work = calls("Bash", command="echo once >> lines")
    with ModelServer(work, Fault(trouble="hang"), Say(text="done")) as server:
        command = [*PROWESS, "run", "slow", "--json", "--model", f"{server.url}/v1#m"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=project) as child:
            try:
                until(lambda: len(server.requests) == 2)
                early = subprocess.run(
                    [*PROWESS, "migrate", "--to", postgres_url, "--json"],
                    capture_output=True,
                    text=True,
                    check=False,
                )
            finally:
                child.kill()
        (run,) = told("runs", "list")
        events = lines("runs", "events", run["id"])
        carried = told("migrate", "--to", postgres_url)
        monkeypatch.setenv("PROWESS_DATABASE_URL", postgres_url)
        assert lines("runs", "events", run["id"]) == events
        *_, last = lines("runs", "resume", run["id"])

    assert early.returncode == 1
    assert str(child.pid) in json.loads(early.stdout)["message"]
    assert carried["tables"]["event"]["rows"] >= len(events)
    assert os.environ["PROWESS_DATABASE_URL"] not in json.dumps(carried)
    assert last["outcome"]["answer"] == "done"
    assert (project / "lines").read_text() == "once\n"


def test_only_a_database_can_be_migrated_to(cli: Cli, tmp_path: Path) -> None:
    refused = cli("migrate", "--to", "mysql://somewhere/else", "--json")

    assert refused.code == 2
    assert "postgresql://" in refused.json["hint"]


def test_what_is_in_postgresql_is_backed_up_there(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROWESS_DATABASE_URL", "postgresql://nobody@nowhere/nothing")

    refused = cli("backup", "kept.zip", "--json")

    assert refused.code == 2
    assert "pg_dump" in refused.json["hint"]
