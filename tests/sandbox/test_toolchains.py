"""Toolchains of a home folder are shown to commands, and nothing else of it."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from prowess.core.ports import Sandbox
from prowess.sandbox import places
from prowess.sandbox.places import SYSTEM, inside
from prowess.sandbox.plain import Plain
from sandbox.commands import Run
from support import write_file

SETTINGS = """version = "12"
default_toolchain = "stable"

[overrides]
"/somewhere/secret-project" = "nightly"
"""


def program(path: Path, says: str) -> Path:
    write_file(path, f"#!/bin/sh\necho {says}\n").chmod(0o755)
    return path


def python_in(folder: Path) -> Path:
    """What looks like an installed Python, with something of its owner's beside it."""
    program(folder / "bin/python3", "of the home")
    write_file(folder / "lib/python3.12/os.py", "its module")
    write_file(folder / "share/keyring", "password")
    return folder


def made_of(workspace: Path, home: object) -> None:
    write_file(workspace / ".venv/pyvenv.cfg", f"home = {home}\nversion = 3.12.1\n")


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of somebody who has toolchains in it, and secrets beside them."""
    home = tmp_path / "person"
    program(home / ".cargo/bin/our-cargo", "cargo")
    write_file(home / ".cargo/credentials.toml", "password")
    write_file(home / ".cargo/config.toml", "password")
    write_file(home / ".rustup/toolchains/stable/lib/std.rlib", "the library")
    write_file(home / ".rustup/settings.toml", SETTINGS)
    program(home / ".local/bin/uv", "uv")
    program(home / ".local/bin/other", "password")
    write_file(home / ".local/share/uv/python/cpython/lib/os.py", "its module")
    write_file(home / ".local/share/uv/credentials", "password")
    write_file(home / ".netrc", "password")
    monkeypatch.setenv("HOME", str(home))
    for name in ("CARGO_HOME", "RUSTUP_HOME"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("our-cargo", b"cargo\n"),
        ("cat ~/.rustup/toolchains/stable/lib/std.rlib", b"the library"),
        ("uv", b"uv\n"),
        ("cat ~/.local/share/uv/python/cpython/lib/os.py", b"its module"),
    ],
)
def test_a_command_finds_the_toolchains_of_the_home_folder(
    walls: Sandbox, run: Run, person: Path, command: str, says: bytes
) -> None:
    done = run(walls, "sh", "-c", command)

    assert (done.out, done.code) == (says, 0), done.err


def test_they_are_found_where_variables_say_they_are(
    walls: Sandbox, run: Run, person: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, usual in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")):
        shutil.move(person / usual, tmp_path / variable)
        monkeypatch.setenv(variable, str(tmp_path / variable))

    done = run(walls, "sh", "-c", "our-cargo; cat ~/.rustup/toolchains/stable/lib/std.rlib")

    assert done.out == b"cargo\nthe library"


def test_a_command_without_walls_is_told_where_they_are(
    run: Run, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUSTUP_HOME", "/opt/rustup")

    done = run(Plain(), "sh", "-c", 'echo "$RUSTUP_HOME"')

    assert done.out == b"/opt/rustup\n"


def test_nothing_beside_the_toolchains_can_be_read(
    walls: Sandbox, run: Run, person: Path, workspace: Path
) -> None:
    made_of(workspace, python_in(person / "py") / "bin")
    seek = 'find "$0" -type f -exec cat {} +; "$0"/.local/bin/other; find ~ -type f -exec cat {} +'

    done = run(walls, "sh", "-c", seek, str(person))

    assert b"password" not in done.out
    assert b"secret-project" not in done.out


def test_a_home_folder_is_never_shown_as_a_whole(walls: Sandbox, run: Run, person: Path) -> None:
    shutil.rmtree(person / ".cargo/bin")
    (person / ".cargo/bin").symlink_to(person)

    done = run(walls, "sh", "-c", 'cat "$0/.netrc" "$0/.cargo/bin/.netrc"', str(person))

    assert done.out == b""


def test_no_toolchain_can_be_written(
    walls: Sandbox, run: Run, person: Path, workspace: Path
) -> None:
    made_of(workspace, python_in(person / "py") / "bin")
    places = [".cargo/bin", ".rustup/toolchains", ".local/bin", ".local/share/uv/python", "py/lib"]
    attack = 'for place; do echo x > "$place/planted"; echo x > "$place"; done'

    run(walls, "sh", "-c", attack, "sh", *(str(person / place) for place in places))

    assert not any((person / place / "planted").exists() for place in places)
    assert (person / ".local/bin/uv").read_text().endswith("echo uv\n")


def test_rustup_is_told_the_choice_of_its_owner(walls: Sandbox, run: Run, person: Path) -> None:
    done = run(walls, "sh", "-c", "cat ~/.rustup/settings.toml")

    assert b'"default_toolchain" = "stable"' in done.out


def test_rustup_is_told_what_was_chosen_for_this_project(
    walls: Sandbox, run: Run, person: Path, workspace: Path
) -> None:
    write_file(person / ".rustup/settings.toml", f'{SETTINGS}"{workspace}" = "beta"\n')

    done = run(walls, "sh", "-c", "cat ~/.rustup/settings.toml")

    assert f'"{workspace}" = "beta"'.encode() in done.out


@pytest.mark.parametrize("name", ["py", "linked"])
def test_the_python_that_an_environment_was_made_of_runs(
    walls: Sandbox, run: Run, person: Path, workspace: Path, name: str
) -> None:
    python_in(person / "py")
    (person / "linked").symlink_to("py")
    made_of(workspace, person / name / "bin")
    (workspace / ".venv/bin").mkdir()
    (workspace / ".venv/bin/python").symlink_to(person / name / "bin/python3")

    done = run(walls, ".venv/bin/python")

    assert (done.out, done.code) == (b"of the home\n", 0), done.err


@pytest.mark.parametrize(
    "home",
    [
        "{person}/.ssh",  # no Python is there
        "{person}/.ssh/bin",
        "{person}/bin",  # beside it lies everything
        "{person}",
        "{workspace}/out/bin",
        "/proc/self/root{person}/.ssh/bin",
        "/proc/{pid}/root{person}/py/bin",
        "{person}/\0",
        "relative/bin",
    ],
)
def test_a_workspace_cannot_have_other_folders_shown(
    walls: Sandbox, run: Run, person: Path, workspace: Path, home: str
) -> None:
    write_file(person / ".ssh/id", "password")
    write_file(person / ".ssh/bin/python3", "password")
    python_in(person)
    python_in(person / "py")
    (workspace / "out").symlink_to(person / ".ssh")
    made_of(workspace, home.format(person=person, workspace=workspace, pid=os.getpid()))

    done = run(walls, "sh", "-c", 'cat "$0"/.ssh/id "$0"/.ssh/bin/*; cat "$0"/lib/*/*', str(person))

    assert done.out == b""
    assert run(walls, "echo", "still").out == b"still\n"


def test_a_link_in_such_a_python_shows_nothing_of_where_it_leads(
    walls: Sandbox, run: Run, person: Path, workspace: Path
) -> None:
    write_file(person / ".ssh/id", "password")
    fake = python_in(person / "clone/fake")
    (fake / "include").symlink_to(person / ".ssh")
    made_of(workspace, fake / "bin")

    done = run(walls, "sh", "-c", 'cat "$0"/include/id "$0"/lib/*/*', str(fake))

    assert done.out == b"its module"


def test_the_cargo_of_this_machine_runs(walls: Sandbox, run: Run) -> None:
    if not Path("~/.cargo/bin/cargo").expanduser().exists():
        pytest.skip("there is none in this home folder")

    done = run(walls, "cargo", "--version")

    assert done.out.startswith(b"cargo "), done.err


def test_an_environment_without_an_end_is_no_hindrance(
    walls: Sandbox, run: Run, workspace: Path
) -> None:
    (workspace / ".venv").mkdir()
    os.mkfifo(workspace / ".venv/pyvenv.cfg")

    assert run(walls, "echo", "still").out == b"still\n"


def test_python_is_the_one_that_people_mean_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, base = os.path.dirname(sys.executable), os.path.join(sys.base_prefix, "bin")
    shims = tmp_path / "shims"
    write_file(shims / "python3", "#!/bin/sh\n").chmod(0o755)

    def found(*path: str) -> bool:
        monkeypatch.setenv("PATH", os.pathsep.join(path))
        places.search_path.cache_clear()
        return ours in places.search_path()

    try:
        assert found(ours, "/usr/bin")
        assert not found(str(shims), ours, "/usr/bin")
        assert base in places.search_path() or inside(base, SYSTEM)
    finally:
        monkeypatch.undo()
        places.search_path.cache_clear()
