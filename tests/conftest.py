"""A new user on a new machine, and the command run as a person would run it."""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from prowess.cli.app import main
from support import Cli, Result

# How long an example takes to make or to try says how busy the machine is, and nothing of us.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")
# Whoever begins the tests in the background begins them deaf to Ctrl-C, and so would be all they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Commands in a sandbox find the Python that `python3` is here: let it be the one that has pytest.
os.environ["PATH"] = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))


TOO_LONG = 300  # seconds; a test that hangs fails, and the others go on


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    def give_up(number: int, frame: object) -> None:
        raise TimeoutError(f"{item.nodeid} took more than {TOO_LONG} s")

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(TOO_LONG)
    try:
        return (yield)
    finally:
        signal.alarm(0)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new user on a new machine: an empty home, an empty project to stand in, no settings."""
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    for name in list(os.environ):
        if name.startswith(("PROWESS_SKILLS", "PROWESS_DATA", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(project)
    return home


@pytest.fixture
def project(home: Path) -> Path:
    """The folder the new user stands in."""
    return home.parent / "project"


@pytest.fixture
def cli(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Cli]:
    """Run `prowess` with these words."""

    def run(*words: str | Path) -> Result:
        monkeypatch.setattr(sys, "argv", ["prowess", *map(str, words)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        captured = capfd.readouterr()
        return Result(int(left.value.code or 0), captured.out, captured.err)

    yield run
    gc.enable()  # main() switches it off for the moment that a command lives
