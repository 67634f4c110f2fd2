"""Damaged database files are refused with what, where and how to restore, and are left as they are."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from house import Home, skill_file
from prowess.core.event import Event
from prowess.model.scripted import final
from prowess.observe.log import SqliteLog

PAGE = 4096


def emptied(file: Path) -> None:
    os.truncate(file, 0)


def scrawled(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.write(b"garbage " * 12)


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def flipped(file: Path) -> None:
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.seek(PAGE)
        opened.write(b"\xa5" * (size - PAGE))


def gone(file: Path) -> None:
    file.unlink()


AT_FIRST_SIGHT = (emptied, scrawled, cut)
Damage = Callable[[Path], None]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project and a data folder with a finished run in it, and nobody at work."""
    folder = tmp_path_factory.mktemp("made")
    skill_file(folder, "note", "Write a note.")
    ended = Home(folder, folder / "data", {"*": [final("noted")]}).run("note")
    (folder / "run").write_text(ended.run)
    return folder


@pytest.fixture
def data(home: Path, project: Path, made: Path) -> Path:
    shutil.copytree(made / ".agents", project / ".agents")
    return Path(shutil.copytree(made / "data", project / "data"))


def told(*words: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: a file is looked at before a process first opens it."""
    command = [sys.executable, "-m", "prowess", *words, "--data", "data"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def assert_refused(file: Path, *words: str) -> None:
    done = told(*words, "--json")
    assert done.returncode == 3, done
    error = json.loads(done.stdout.splitlines()[-1])
    assert str(file) in error["message"]
    assert "prowess restore" in error["hint"]


def contents(data: Path) -> dict[str, bytes]:
    """Every database file with its journal, byte for byte; SQLite's index of a journal says nothing."""
    return {
        path.name: path.read_bytes()
        for path in data.glob("*.sqlite3*")
        if path.is_file() and not path.name.endswith(("-shm", ".lock")) and path.stat().st_size
    }


def with_journal(file: Path) -> None:
    """As a crash leaves it: changes that are only in the journal beside it."""
    data, copy = file.parent, file.parent / "copy"
    copy.mkdir()
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("create table only_in_the_journal (a)")
        for path in data.glob(f"{file.name}*"):
            if path.is_file():
                shutil.copy(path, copy / path.name)
    for path in copy.iterdir():
        shutil.move(path, data / path.name)
    copy.rmdir()
    assert Path(f"{file}-wal").stat().st_size


@pytest.fixture(params=["log.sqlite3", "engine.sqlite3"])
def file(request: pytest.FixtureRequest, data: Path) -> Path:
    return data / str(request.param)


@pytest.fixture
def words(file: Path, made: Path) -> list[str]:
    """A command that needs the file."""
    run = (made / "run").read_text()
    return ["runs", "list"] if file.name.startswith("log") else ["runs", "resume", run]


@pytest.mark.parametrize("damage", [*AT_FIRST_SIGHT, flipped])
def test_a_damaged_file_is_refused_and_left_as_it_is(
    file: Path, words: list[str], damage: Damage
) -> None:
    damage(file)
    before = contents(file.parent)

    assert_refused(file, *words)
    assert contents(file.parent) == before


@pytest.mark.parametrize("damage", [emptied, scrawled, gone])
def test_the_journal_beside_a_damaged_file_is_kept(
    file: Path, words: list[str], damage: Damage
) -> None:
    with_journal(file)
    damage(file)
    before = contents(file.parent)

    assert_refused(file, *words)
    assert contents(file.parent) == before


@pytest.mark.parametrize("damage", [cut, flipped])
def test_damage_is_met_also_when_the_file_has_a_journal(
    file: Path, words: list[str], damage: Damage
) -> None:
    with_journal(file)
    damage(file)

    assert_refused(file, *words)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("log.sqlite3", ["log"]),
        ("log.sqlite3", ["task", "list"]),
        ("log.sqlite3", ["run", "note", "--model", "demo"]),
        ("engine.sqlite3", ["run", "note", "--model", "demo"]),
    ],
)
def test_every_command_that_needs_the_file_refuses(data: Path, name: str, words: list[str]) -> None:
    scrawled(data / name)
    before = contents(data)

    assert_refused(data / name, *words)
    assert contents(data)[name] == before[name]


@pytest.mark.parametrize("damage", AT_FIRST_SIGHT)
def test_skills_are_found_though_the_log_is_damaged(data: Path, damage: Damage) -> None:
    damage(data / "log.sqlite3")
    shutil.rmtree(data / "index", ignore_errors=True)  # what was found must be told to the log

    listed = told("list")

    assert listed.returncode == 0
    assert "note" in listed.stdout
    assert "prowess restore" in listed.stderr


def test_what_another_process_writes_stays_though_the_file_was_made_and_opened_twice_here(
    tmp_path: Path,
) -> None:
    """A second look at the file would drop our locks on it, and the other take its journal away."""
    path = str(tmp_path / "data" / "log.sqlite3")
    write = (
        "import sys; from prowess.core.event import Event; from prowess.observe.log import SqliteLog;"
        "log = SqliteLog(sys.argv[1]); log.append(Event(run='theirs', kind='k', payload={}));"
        "log.close()"
    )
    first = SqliteLog(path)
    SqliteLog(path).close()
    subprocess.run([sys.executable, "-c", write, path], check=True)
    first.append(Event(run="ours", kind="k", payload={}))
    subprocess.run([sys.executable, "-c", write, path], check=True)
    first.close()

    with closing(SqliteLog(path)) as log:
        assert [each.event.run for each in log.tail()] == ["theirs", "ours", "theirs"]
