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

WIDTH = 118
STEPS: tuple[tuple[str, tuple[str, ...], int], ...] = (
    ("Four folders in three formats, found at once. One cannot be used:", ("list",), 20),
    ("What is wrong, where, and what to do:", ("list", "--problems"), 20),
    (
        "A strict check finds every problem before somebody else's tool does:",
        ("validate", ".agents/skills/half-done"),
        12,
    ),
    ("What an agent reads when it loads a skill:", ("read", "release-notes"), 12),
    (
        "A worker's instructions, with what they depend on, from all formats:",
        ("prompt", "--format", "role", "--role", "worker"),
        6,
    ),
    ("Every agent that reads AGENTS.md learns of them:", ("sync",), 4),
    ("A second time, nothing changes:", ("sync", "--check"), 4),
    ("And all of it was written down:", ("log",), 8),
)


def register(app: typer.Typer) -> None:
    app.command(short_help="Show what Prowess does, on examples.", epilog="Example: prowess demo")(
        demo
    )


def demo(json: Json = False) -> None:
    """Show what Prowess does, on example skills, without touching anything of yours."""
    import shutil
    import tempfile
    from importlib.resources import as_file, files

    told = []
    with tempfile.TemporaryDirectory(prefix="prowess-demo-") as home:
        project = os.path.join(home, "project")
        with as_file(files("prowess.cli").joinpath("templates", "demo")) as example:
            shutil.copytree(example, os.path.join(project, ".agents", "skills"))
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
                    "command": f"prowess {' '.join(arguments)}",
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
            "\nNow with your own: `prowess list` where your skills are, `prowess new NAME` to write one,"
        )
        say("`prowess doctor` when something looks wrong, `prowess --help` for the rest.")
        if not shutil.which("prowess"):
            command = os.path.relpath(os.path.join(os.path.dirname(sys.executable), "prowess"))
            say(f"Here the command is {command}; `pipx install .` puts it on your path.")


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
