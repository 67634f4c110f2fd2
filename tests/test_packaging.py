"""What people install: everything that runs is in the wheel, and nothing that does not."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_string
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from installed import missing

ROOT = Path(__file__).parent.parent
# Names of caches and of what only a checkout has.
ELSEWHERE = re.compile(
    r"(^|/)(__pycache__|tests|bench|docs|requirements|\.[^/]+)/|\.(pyc|sqlite3|orig|rej)$"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as pip builds it, from a copy: building leaves traces."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "checkout"
    names = ("src", "examples", "README.md", "LICENSE", "pyproject.toml")
    for name in names:
        place = ROOT / name
        if place.is_dir():
            shutil.copytree(place, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            copy.mkdir(exist_ok=True)
            shutil.copy(place, copy / name)
    words = ["wheel", "-q", "--no-deps", "--disable-pip-version-check", "-w", str(folder)]
    built = subprocess.run(
        [sys.executable, "-m", "pip", *words, str(copy)],
        capture_output=True,
        text=True,
        check=False,
    )
    if "No matching distribution found for hatchling" in built.stderr:
        missing("what builds the wheel (hatchling) cannot be had from PyPI here")
    assert built.returncode == 0, built.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as opened:
        return set(opened.namelist())


def sources() -> set[str]:
    """Every file of the package in the checkout, caches aside."""
    return {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src" / "prowess").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_every_file_of_the_package_is_in_the_wheel(names: set[str]) -> None:
    assert sources() <= names


@pytest.mark.parametrize(
    "name",
    [
        "prowess/py.typed",
        "prowess/cli/templates/prowess.toml",
        "prowess/prompt/templates/run-system.md",
        "prowess/pack/registry.yaml",
        "prowess/examples/README.md",
    ],
)
def test_what_is_no_python_is_there_too(names: set[str], name: str) -> None:
    assert name in names
    assert any(each.startswith("prowess/serve/static/") for each in names)


@pytest.mark.parametrize(("pins", "wanted"), [("run", "prowess"), ("dev", "prowess[all]")])
def test_the_pins_name_all_that_is_needed(pins: str, wanted: str) -> None:
    """`make` installs them as they are and resolves nothing, so what is not named would be missing."""
    text = (ROOT / "requirements" / f"{pins}.txt").read_text(encoding="utf-8")
    pinned = {_plain(name) for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)}

    assert _needed(Requirement(wanted)) - pinned == {"prowess"}


def _needed(wanted: Requirement) -> set[str]:
    """It and all that it stands on, on this machine."""
    seen: set[tuple[str, str]] = set()
    asked = [(wanted.name, extra) for extra in ("", *wanted.extras)]
    while asked:
        name, extra = asked.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        for line in metadata.requires(name) or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                asked += [(needed.name, each) for each in ("", *needed.extras)]
    return {_plain(name) for name, _ in seen}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_no_tests_and_no_caches_are_in_it(names: set[str]) -> None:
    assert [name for name in sorted(names) if ELSEWHERE.search(name)] == []


def test_an_sdist_has_what_its_tests_and_pages_speak_of() -> None:
    about = tomllib.loads((ROOT / "pyproject.toml").read_text())
    chosen = about["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]

    assert {"src", "tests", "examples", "docs", "Makefile", "Containerfile"} <= set(chosen)
    assert ".dockerignore" in chosen
    assert [name for name in chosen if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    ("extra", "missing", "command"),
    [
        ("serve", "fastapi", ["serve", "--port", "0"]),
        ("serve", "uvicorn", ["serve", "--port", "0"]),
        ("semantic", "wordllama", ["match", "review a change"]),
    ],
)
def test_a_command_whose_extra_is_missing_says_how_to_get_it(
    home: Path, project: Path, extra: str, missing: str, command: list[str]
) -> None:
    """Nobody knows what it was installed from, so no command of one installer is named."""
    script = f"""import sys
sys.modules[{missing!r}] = None
sys.argv = ["prowess", *{command!r}]
from prowess.cli.app import main
main()"""

    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PROWESS_SKILLS_SEMANTIC": "true" if extra == "semantic" else "false"},
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode in {2, 3}
    assert f"install Prowess again with its extra {extra}, in brackets" in done.stderr
    assert "pip install" not in done.stderr


def test_the_wheel_tells_its_extras_and_its_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        (about,) = (name for name in opened.namelist() if name.endswith("/METADATA"))
        told = message_from_string(opened.read(about).decode())
        commands = opened.read(about.replace("METADATA", "entry_points.txt")).decode()

    assert {"all", "otel", "postgres", "semantic", "serve"} <= set(
        told.get_all("Provides-Extra", [])
    )
    assert re.search(r"^prowess = prowess\.cli\.\w+:main$", commands, re.MULTILINE)
    assert told["License-Expression"] == "Apache-2.0"


def test_what_is_installed_runs_outside_the_checkout(
    wheel: Path, home: Path, project: Path
) -> None:
    """With the libraries of this environment, so that nothing is fetched."""
    installed = home / "installed"
    words = [
        "install",
        "-q",
        "--no-deps",
        "--disable-pip-version-check",
        "--target",
        str(installed),
    ]
    subprocess.run([sys.executable, "-m", "pip", *words, str(wheel)], check=True)
    environment = {**os.environ, "PYTHONPATH": str(installed)}

    def told(*command: str) -> str:
        return subprocess.run(
            [sys.executable, *command],
            env=environment,
            cwd=project,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert told("-c", "import prowess; print(prowess.__file__)").startswith(str(installed))
    assert told("-m", "prowess", "--version").startswith("prowess ")
    assert "$ prowess list" in told("-m", "prowess", "demo")


def test_names_of_commands_and_skills_complete_in_a_shell(home: Path, project: Path) -> None:
    def offered(line: str, word: int) -> list[str]:
        asked = {
            "_PROWESS_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(word),
        }
        script = "import sys; sys.argv = ['prowess']; from prowess.cli.app import main; main()"
        return subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, **asked},
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split()

    assert "backup" in offered("prowess ba", 1)
    assert offered("prowess show code-q", 2) == ["code-quality"]


def test_the_container_runs_as_nobody_special_and_keeps_its_data() -> None:
    lines = (ROOT / "Containerfile").read_text().splitlines()
    said = {
        word: [line for line in lines if line.startswith(f"{word} ")]
        for word in ("USER", "VOLUME", "HEALTHCHECK", "FROM")
    }
    copied = [
        line.split()[1:-1] for line in lines if line.startswith("COPY ") and "--from" not in line
    ]

    assert said["USER"] == ["USER prowess"]
    assert said["VOLUME"] == ["VOLUME /data"]
    assert said["HEALTHCHECK"]
    assert all(re.fullmatch(r"FROM python:[\w.-]+( AS \w+)?", line) for line in said["FROM"])
    assert all((ROOT / name).exists() for names in copied for name in names)


# `docker run` as far as the page needs it: the image's environment and command, no container around
# them. The folders of the container are those below $PLACE.
DOCKER = """#!{python}
import os, re, sys

words = sys.argv[1:]
assert words.pop(0) == "run", words
program = "prowess"
while words[0].startswith("-"):
    option = words.pop(0)
    if option == "--entrypoint":
        program = words.pop(0)
    elif option == "-v":
        assert words.pop(0) == "prowess-data:/data"
    else:
        assert option in ("--rm", "-i"), option
assert words.pop(0) == "prowess", words
words = [re.sub("/(?=data|tmp)", os.environ["PLACE"] + "/", word) for word in words]
os.execvpe(program, [program, *words], {{**os.environ, **{image!r}}})
"""


def test_the_backup_of_a_container_is_made_and_brought_back_as_the_page_says(
    home: Path, project: Path
) -> None:
    page = (ROOT / "docs" / "upgrading.md").read_text(encoding="utf-8")
    lines = re.findall(r"`([^`]*docker run[^`]*)`", page)
    data, config = home / "data", home / "data" / "config" / "prowess" / "prowess.toml"
    config.parent.mkdir(parents=True)
    (home / "tmp").mkdir()
    config.write_text("[worker]\nat_once = 2\n")
    environment = _in_the_container(home)

    def run(line: str) -> str:
        words = ["sh", "-c", line]
        done = subprocess.run(
            words, env=environment, cwd=project, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("docker run -v prowess-data:/data prowess task create --role Engineer --title Upgrade")
    backup, restore = lines
    assert run(backup) == ""
    kept = project / "before-upgrade.zip"
    assert kept.stat().st_mode & 0o077 == 0
    shutil.rmtree(data / "config")
    run("docker run -v prowess-data:/data prowess task create --role Engineer --title 'Too late'")
    run(restore)

    assert config.read_text() == "[worker]\nat_once = 2\n"
    board = run("docker run prowess task list")
    assert "Upgrade" in board
    assert "Too late" not in board


def _in_the_container(place: Path) -> dict[str, str]:
    """An environment in which `docker` does what DOCKER says, with the variables of the image."""
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    (said,) = re.findall(r"^ENV (.*)$", text, re.MULTILINE)
    image = dict(word.split("=", 1) for word in said.split())
    assert image["PROWESS_DATA"].startswith("/data")
    programs = place / "bin"
    programs.mkdir()
    here = {name: value.replace("/data", f"{place}/data") for name, value in image.items()}
    for name, script in {
        "docker": DOCKER.format(python=sys.executable, image=here),
        "prowess": f'#!/bin/sh\nexec {sys.executable} -m prowess "$@"\n',
    }.items():
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PLACE": str(place)}


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
def test_bash_completes_what_is_typed(home: Path, project: Path) -> None:
    program = Path(sys.executable).parent / "prowess"
    if not program.exists():
        pytest.skip("prowess is not installed as a command here")
    script = f"""
        eval "$(_PROWESS_COMPLETE=source_bash {program})"
        COMP_WORDS=(prowess ba) COMP_CWORD=1
        _prowess_completion {program}
        echo "${{COMPREPLY[@]}}"
    """

    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["backup"]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not here")
def test_fish_completes_commands_and_names_of_skills(home: Path, project: Path) -> None:
    programs = Path(sys.executable).parent
    if not (programs / "prowess").exists():
        pytest.skip("prowess is not installed as a command here")
    script = """
        prowess --show-completion fish | source
        complete --do-complete 'prowess ba'
        complete --do-complete 'prowess show code-q'
    """

    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    )

    assert [line.split()[0] for line in done.stdout.splitlines()] == ["backup", "code-quality"]
