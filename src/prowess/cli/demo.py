"""
`prowess demo`: the journey so far, offline, in a folder that is gone afterwards.

Every line behind a `$` is the real command, run as you would run it; what stands below is its output.
"""

import os
import sys
from collections.abc import Mapping

import typer

from prowess.cli.options import Json
from prowess.cli.output import print_json, say

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# In the package once it is installed, beside it in a checkout.
EXAMPLES = next(
    folder
    for folder in (
        os.path.join(_HERE, "examples"),
        os.path.join(os.path.dirname(os.path.dirname(_HERE)), "examples"),
    )
    if os.path.isdir(folder) or not folder.startswith(_HERE)
)
WIDTH = 118
STEPS: tuple[tuple[str, tuple[str, ...], int], ...] = (
    ("Skills in three formats, found at once. One cannot be used:", ("list",), 20),
    ("What is wrong with it, where, and what to do:", ("list", "--problems"), 20),
    (
        "Which skill fits a task, and why. No model is asked:",
        ("match", "make a report of the sales in a CSV file"),
        4,
    ),
    ("For a task that nothing fits, none is chosen:", ("match", "bake a cake"), 4),
    (
        (
            "A skill run to its end. The model is scripted, so no key is needed; its tools, its sandbox and the faults"
            " (a misspelt name, letters that are not UTF-8, a missing program) are real:"
        ),
        ("run", "csv-report", "data/sales-2025.csv", "--model", "demo"),
        30,
    ),
    (
        "What a skill may do is decided before anything runs:",
        ("permit", "--allowed", "Read Bash(git log:*)", "git log | xargs rm"),
        12,
    ),
    (
        "A workflow: steps that are known beforehand, so no model is needed at all:",
        ("run", "morning-report"),
        16,
    ),
    (
        "Everything that happened is on record, and a run that was killed can go on:",
        ("runs", "list"),
        6,
    ),
)


def register(app: typer.Typer) -> None:
    app.command(short_help="Show what Prowess does, on examples.", epilog="Example: prowess demo")(
        demo
    )


def demo(json: Json = False) -> None:
    """Show what Prowess does, on example skills, without touching anything of yours."""
    import shlex
    import shutil
    import tempfile
    from importlib.resources import as_file, files

    told = []
    with tempfile.TemporaryDirectory(prefix="prowess-demo-") as home:
        project = os.path.join(home, "project")
        skills = os.path.join(project, ".agents", "skills")
        with as_file(files("prowess.cli").joinpath("templates", "demo")) as templates:
            shutil.copytree(templates, skills)
        shutil.copytree(
            os.path.join(EXAMPLES, "skills", "csv-report"), os.path.join(skills, "csv-report")
        )
        shutil.copytree(os.path.join(EXAMPLES, "data"), os.path.join(project, "data"))
        environment = {
            k: v for k, v in os.environ.items() if not k.startswith(("PROWESS_", "XDG_"))
        }
        environment |= {
            "HOME": home,
            "PROWESS_DATA": os.path.join(home, "data"),
            "PYTHONUNBUFFERED": "1",
        }
        for title, arguments, most in STEPS:
            code, output = _run(arguments, project, environment)
            output = output.replace(os.path.realpath(home), "~").replace(home, "~")
            told.append(
                {
                    "title": title,
                    "command": shlex.join(("prowess", *arguments)),
                    "exit_code": code,
                    "output": output,
                }
            )
            if not json:
                _show(told[-1], most)
    if json:
        print_json(told)
    else:
        say(
            "\nNow with your own: `prowess list` where your skills are, `prowess run NAME` with a model of yours,"
        )
        say("`prowess doctor` when something looks wrong, `prowess --help` for the rest.")
        if not shutil.which("prowess"):
            command = os.path.relpath(os.path.join(os.path.dirname(sys.executable), "prowess"))
            say(f"Here the command is {command}; `pipx install '.[serve]'` puts it on your path.")


def _run(
    arguments: tuple[str, ...], project: str, environment: Mapping[str, str]
) -> tuple[int, str]:
    import subprocess

    done = subprocess.run(  # noqa: S603  our own command, with words of our own
        [sys.executable, "-m", "prowess", *arguments],
        cwd=project, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False, encoding="utf-8",
    )  # fmt: skip
    return done.returncode, done.stdout


def _show(step: Mapping[str, object], most: int) -> None:
    say(f"\n{step['title']}\n\n  $ {step['command']}")
    lines = str(step["output"]).rstrip("\n").split("\n")
    for line in lines[:most]:
        shown = line.replace("\t", "  ")
        say(f"  {shown[: WIDTH - 1] + '…' if len(shown) > WIDTH else shown}")
    if len(lines) > most:
        say(f"  … and {len(lines) - most} lines more")
    if step["exit_code"]:
        say(f"  (exit code {step['exit_code']}: the answer is no)")
