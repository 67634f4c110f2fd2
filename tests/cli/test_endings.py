"""How a command ends when its reader or its user has had enough: quietly, and with a code that tells."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support import write_skill

PROWESS = [sys.executable, "-m", "prowess"]
PATIENCE = 60


@pytest.fixture
def many(project: Path) -> Path:
    """More than a pipe holds."""
    for number in range(300):
        write_skill(project / ".agents/skills", f"skill-{number:03}", description="word " * 60)
    return project


@pytest.mark.parametrize("words", [["list"], ["list", "--json"], ["--help"]])
def test_a_reader_that_has_seen_enough_is_no_error(many: Path, words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*PROWESS, *words], stdout=writing, stderr=subprocess.PIPE, check=False, text=True
    )
    os.close(writing)

    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_nobody_reads_what_is_told_beside_the_result_either(project: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*PROWESS, "runs"], stdout=subprocess.PIPE, stderr=writing, check=False)
    os.close(writing)

    assert done.returncode == 0


@pytest.mark.parametrize("words", [["list"], ["validate", "pdf"], ["runs", "--json"]])
def test_a_working_folder_that_is_gone_is_told_as_what_it_is(
    project: Path, words: list[str]
) -> None:
    gone = project / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", *PROWESS, *words],
        cwd=gone,
        capture_output=True,
        check=False,
        text=True,
    )

    assert done.returncode == 3
    assert "the folder that you are in is gone" in done.stdout + done.stderr
    assert "output" not in done.stderr


@pytest.mark.usefixtures("home")
def test_ctrl_c_ends_a_command_that_stays_without_a_traceback(project: Path) -> None:
    child = subprocess.Popen(
        [*PROWESS, "list", "--watch"], cwd=project, stderr=subprocess.PIPE, text=True
    )
    assert child.stderr
    assert "Ctrl-C" in child.stderr.readline()
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=PATIENCE)

    assert child.returncode == 130
    assert errors == ""
