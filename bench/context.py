"""
How many tokens a large skill costs when its files are read by chapter, against all at once.

    .venv/bin/python bench/context.py            a few seconds

The example `api-integration` is run three times over the same 15 iterations, with the scripted model
and real tools: with all its files in the first prompt (eager), with whole files fetched when they are
needed, as the seed has it, and as the skill itself says, chapter by chapter. What is counted is
`context_tokens` of every `model.replied`: the conversation as the model gets it, four characters to a
token, without the tools' descriptions, which are the same each time. Where the eager run would read
what it has already, it repeats its objectives, so that all three have as many iterations.

The exit code is 1 when the skill's own way saves less than the seed's 48 %.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml
from table import Figure, Found, Plot, add_option, write

SKILL = Path(__file__).parent.parent / "examples/skills/api-integration"
FILES = ("reference.md", "examples.md", "templates/response.json")
WANTED, ITERATIONS = 0.48, 15
EAGER, WHOLE, CHAPTERS = "eager", "whole files, when needed", "chapters, when needed"
Turns = list[dict[str, Any]]


def main() -> int:
    options = argparse.ArgumentParser(description="Tokens of a large skill, eager and progressive.")
    options.add_argument("--json", metavar="FILE", help="keep the tokens of every iteration")
    add_option(options)
    chosen = options.parse_args()
    measured = {
        EAGER: measure(make_eager),
        WHOLE: measure(fetch_whole),
        CHAPTERS: measure(leave_alone),
    }
    show(measured)
    write(chosen.figures, found_of(measured))
    if chosen.json:
        Path(chosen.json).write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")
    return 0 if saved(measured[CHAPTERS], measured[EAGER]) >= WANTED else 1


def measure(change: Callable[[Path, Turns], None]) -> list[int]:
    """The tokens of each iteration of a run with a copy of the skill, changed as `change` says."""
    with tempfile.TemporaryDirectory(prefix="prowess-bench-") as home:
        skill = Path(home, "skills", SKILL.name)
        shutil.copytree(SKILL, skill)
        script = yaml.safe_load((skill / "demo.yaml").read_text(encoding="utf-8"))
        change(skill, script["turns"])
        (skill / "demo.yaml").unlink()
        (skill / "demo.json").write_text(json.dumps(script), encoding="utf-8")
        events = run(home, skill.parent)
    tokens = [each["context_tokens"] for each in events if each["kind"] == "model.replied"]
    if events[-1]["outcome"]["ending"] != "done" or len(tokens) != ITERATIONS:
        raise SystemExit(f"the run did not go as it should: {events[-1]['outcome']}")
    return tokens


def run(home: str, skills: Path) -> list[dict[str, Any]]:
    workspace = Path(home, "workspace")
    workspace.mkdir()
    words = ["run", SKILL.name, "create shipments", "--model", "demo", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "prowess", *words, "--dir", str(skills)],
        cwd=workspace,
        env={**os.environ, "HOME": home, "PROWESS_DATA": str(Path(home, "data"))},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if not done.stdout:
        raise SystemExit("the run said nothing")
    return [json.loads(line) for line in done.stdout.splitlines()]


def make_eager(skill: Path, turns: Turns) -> None:
    """Everything in SKILL.md; what would be read again is replaced by keeping the objectives."""
    with (skill / "SKILL.md").open("a", encoding="utf-8") as whole:
        for name in FILES:
            whole.write(f"\n# {name}\n\n{(skill / name).read_text(encoding='utf-8')}")
            (skill / name).unlink()
    for turn in turns:
        if file_read(turn):
            turn.update(call="Objectives", input=turns[0]["input"])


def fetch_whole(skill: Path, turns: Turns) -> None:
    """The first look into a file brings all of it, and further ones are replaced."""
    fetched = set()
    for turn in turns:
        if name := file_read(turn):
            if name in fetched:
                turn.update(call="Objectives", input=turns[0]["input"])
            else:
                turn.update(call="Fetch", input={"file_path": name})
            fetched.add(name)


def leave_alone(skill: Path, turns: Turns) -> None:
    """The skill as it is."""


def file_read(turn: dict[str, Any]) -> str:
    """The supporting file that a turn looks into, or nothing."""
    given = turn.get("input", {})
    path = given.get("file_path") or given.get("path") or ""
    return next((name for name in FILES if path.endswith(name)), "")


def saved(tokens: Sequence[int], eager: Sequence[int]) -> float:
    return 1 - sum(tokens) / sum(eager)


def found_of(measured: dict[str, list[int]]) -> Found:
    share = 100 * saved(measured[CHAPTERS], measured[EAGER])
    return Found(
        figures=[
            Figure(name="tokens saved by chapters", value=share, unit="%", at_least=100 * WANTED)
        ],
        plot=Plot(
            title=f"Tokens of a large skill over {ITERATIONS} iterations",
            unit="tokens",
            bars={name: sum(tokens) for name, tokens in measured.items()},
        ),
    )


def show(measured: dict[str, list[int]]) -> None:
    print(f"| supporting files | first | last | all {ITERATIONS} iterations | saved |")
    print("|---|---:|---:|---:|---:|")
    for name, tokens in measured.items():
        share = f"{saved(tokens, measured[EAGER]):.0%}" if name != EAGER else ""
        print(f"| {name} | {tokens[0]:,} | {tokens[-1]:,} | {sum(tokens):,} | {share} |")
    print(f"\nThe seed counts on {WANTED:.0%}. Tokens of the conversation, four characters each.")


if __name__ == "__main__":
    sys.exit(main())
