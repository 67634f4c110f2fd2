"""The small version of the whole-system check: all kinds of runs, killed, watched, and every one ends right."""

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[1] / "bench"
RUNS = 12


def test_runs_of_all_kinds_end_right_under_kills_and_faults_while_they_are_watched(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "figures.json"
    words = ["--runs", str(RUNS), "--seed", "7", "--figures", str(kept)]
    done = subprocess.run(
        [sys.executable, BENCH / "whole.py", *words], capture_output=True, text=True, check=False
    )
    assert kept.exists(), done.stderr

    found = {each["name"]: each["value"] for each in json.loads(kept.read_text())["figures"]}
    assert found["ended right"] == RUNS, done.stdout
    assert found["flaws of the log"] == 0, done.stdout
    assert found["left behind"] == 0, done.stdout
    assert found["wrong in all"] == 0, done.stdout
    assert found["kills"] > 0
    assert found["pages read"] > 0
