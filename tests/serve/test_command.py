"""`prowess serve` as a new user types it, in an empty folder and a new home."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from house import skill_file
from model.formats import Say
from model.server import Fault, ModelServer
from support import Cli, until


@contextmanager
def typed(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command at work, and the address it told."""
    command = [sys.executable, "-m", "prowess", "serve", "--port", "0", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            told = process.stderr.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+", told)
            assert found, told + process.stderr.read()
            yield process, found[0]
        finally:
            process.kill()


def fetched(address: str) -> str:
    with urllib.request.urlopen(address, timeout=20) as answer:  # noqa: S310  our own
        return str(answer.read().decode())


def test_a_new_user_gets_a_page_and_skills_and_stops_it_with_ctrl_c(home: Path) -> None:
    with typed() as (process, address):
        page, skills = fetched(address), json.loads(fetched(f"{address}/api/skills"))
        process.send_signal(signal.SIGINT)
        code = process.wait(30)
        left = process.stderr.read() if process.stderr else ""

    assert "<html" in page.lower()
    assert "prowess-worker" in {each["id"] for each in skills}
    assert code == 130
    assert left == ""
    assert (home / ".local/share/prowess/skills/prowess-worker").is_dir()


def test_a_server_keeps_everything_in_the_data_folder_it_is_given_for_its_owners_eyes_only(
    home: Path, project: Path, tmp_path: Path
) -> None:
    data = tmp_path / "above" / "data"
    with typed("--data", str(data), "--project", str(project)):
        pass

    assert (data / "skills/prowess-worker").is_dir()
    assert not (home / ".local").exists()
    made = (data.parent, data, data / "skills")
    assert {folder.stat().st_mode & 0o777 for folder in made} == {0o700}


def test_a_place_where_others_could_listen_needs_tokens(cli: Cli) -> None:
    result = cli("serve", "--host", "0.0.0.0", "--port", "0")  # noqa: S104

    assert result.code == 2
    assert "serve.tokens" in result.err


def test_a_server_says_with_which_runs_it_goes_on(home: Path, project: Path) -> None:
    skill_file(project, "note", "Write a note.")
    with ModelServer(Fault(trouble="hang"), Say(text="done")) as server:
        words = ["run", "note", "--model", f"{server.url}/v1#m"]
        with subprocess.Popen([sys.executable, "-m", "prowess", *words], cwd=project) as left:
            until(lambda: len(server.requests) == 1)
            left.kill()
        with typed("--project", str(project)) as (process, _):
            assert process.stderr
            told = process.stderr.readline()

    assert re.search(r"going on with the run \w+, whose process ended before it did", told)


def test_a_server_that_is_told_to_end_in_the_middle_of_a_command_lets_it_be_done(
    cli: Cli, project: Path
) -> None:
    skill_file(project, "note", "Write a note.")
    calls = Say(calls=(("Bash", {"command": "touch begun; sleep 1; echo once >> traces"}),))
    with ModelServer(Fault(trouble="hang"), calls, Say(text="done")) as server:
        words = ["run", "note", "--allow", "Bash", "--model", f"{server.url}/v1#m"]
        with subprocess.Popen([sys.executable, "-m", "prowess", *words], cwd=project) as left:
            until(lambda: len(server.requests) == 1)
            left.kill()
        with typed("--project", str(project)) as (process, _):
            until((project / "begun").exists)
            process.send_signal(signal.SIGTERM)
            code = process.wait(30)
        with typed("--project", str(project)):
            until(lambda: cli("runs", "--json").json[0]["state"] == "done")

    assert code == -signal.SIGTERM
    assert (project / "traces").read_text() == "once\n"
