"""`prowess run session-start` as a person meets it, in a real terminal."""

import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from installed import missing
from prowess.workflow.renderers.detect import VARIABLES
from support import Cli


class Screen:
    """A terminal of its own, and what it shows."""

    def __init__(self, socket: Path, command: str) -> None:
        self._tmux = ["tmux", "-S", str(socket)]
        subprocess.run(
            [*self._tmux, "-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "60", command],
            check=True,
        )

    def text(self) -> str:
        return subprocess.run(
            [*self._tmux, "capture-pane", "-p"], check=True, capture_output=True, text=True
        ).stdout

    def until(self, part: str) -> str:
        give_up = time.monotonic() + 60
        while part not in (shown := self.text()):
            assert time.monotonic() < give_up, shown
            time.sleep(0.05)
        return shown

    def type(self, *keys: str) -> None:
        subprocess.run([*self._tmux, "send-keys", *keys], check=True)

    def again(self, *words: str) -> None:
        """Another command, below what is shown."""
        self.type(
            shlex.join([sys.executable, "-m", "prowess", *words]) + "; echo left with $?", "Enter"
        )

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)


@pytest.fixture
def screen(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    for variable, _ in VARIABLES:  # the tests may be a coding agent's command themselves
        monkeypatch.delenv(variable, raising=False)
    if shutil.which("tmux") is None:
        missing("tmux is not installed: `apt install tmux`")
    run = shlex.join([sys.executable, "-m", "prowess", "run", "session-start"])
    made = Screen(tmp_path / "tmux", f"{run}; echo left with $?; exec sh")
    yield made
    made.close()


def test_a_person_is_walked_through_session_start(screen: Screen, cli: Cli) -> None:
    asked = screen.until("11. orchestrator\n>")
    assert "Board: 0 open" in asked
    assert "Which role shall I take?\n   1. Administrator" in asked

    screen.type("wizard", "Enter")
    screen.until("'wizard' is not one of: Administrator")
    screen.type("3", "Enter")

    screen.until("Under which name?")
    screen.type("Ogun", "Enter")

    shown = screen.until("left with")
    assert "left with 0" in shown
    assert "Ogun is at work as Engineer." in shown
    assert "Yoruba" in shown
    assert "prowess task claim TASK --session Ogun" in shown
    (session,) = cli("session", "list", "--json").json
    assert (session["name"], session["role"]) == ("Ogun", "Engineer")


def test_a_name_that_will_not_do_is_asked_for_again(screen: Screen, cli: Cli) -> None:
    screen.until("11. orchestrator\n>")
    screen.type("3", "Enter")
    screen.until("Under which name?")
    screen.type("1", "Enter")
    screen.until("A name is one word that begins with a letter.")
    screen.type("Ogun", "Enter")

    assert "left with 0" in screen.until("left with")


def test_a_question_that_was_answered_meanwhile_is_not_asked_again(
    screen: Screen, cli: Cli
) -> None:
    screen.until("11. orchestrator\n>")
    screen.type("C-d")
    screen.until("left with 4")
    (run,) = [each["id"] for each in cli("runs", "list", "--json").json]

    assert cli("runs", "answer", run, "Engineer").code == 0
    screen.again("runs", "resume", run)
    shown = screen.until("Under which name?")

    assert "Which role shall I take?" not in shown.rpartition("left with 4")[2]
    screen.type("Ogun", "Enter")
    assert "left with 0" in screen.until("left with 0")


def test_a_person_who_leaves_can_go_on_later(screen: Screen, cli: Cli) -> None:
    screen.until("Which role shall I take?")
    screen.type("C-c")

    assert "prowess runs resume" in screen.until("left with")
    assert cli("session", "list", "--json").json == []
