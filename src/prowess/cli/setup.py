"""Commands for the first and the bad day: init, doctor."""

import os

import typer

from prowess.cli.desk import Desk
from prowess.cli.options import Data, Dirs, Json, Project
from prowess.cli.output import note, print_json, say, say_wrapped
from prowess.core.errors import OutsideError


def register(app: typer.Typer) -> None:
    app.command(short_help="Make a project ready.", epilog="Example: prowess init")(init)
    app.command(
        short_help="Say what is configured, found, broken and missing.",
        epilog="Example: prowess doctor --json",
    )(doctor)


def init(project: Project = ".", data: Data = None, dirs: Dirs = None, json: Json = False) -> None:
    """Make a project ready: prowess.toml with skills switched on, and a folder for your skills."""
    from importlib.resources import files

    desk = Desk(project=project, data=data, dirs=dirs)
    settings_file = os.path.join(desk.settings.project, "prowess.toml")
    folder = os.path.join(desk.settings.project, ".agents", "skills")
    made: list[str] = []
    kept: list[str] = []
    try:
        for path in (settings_file, folder):
            (kept if os.path.lexists(path) else made).append(path)
        os.makedirs(folder, exist_ok=True)
        if settings_file in made:
            with open(settings_file, "x", encoding="utf-8") as file:
                file.write(
                    files("prowess.cli")
                    .joinpath("templates", "prowess.toml")
                    .read_text(encoding="utf-8")
                )
    except OSError as error:
        raise OutsideError(
            f"{error.filename} cannot be written: {error.strerror}",
            hint="check the folder's permissions",
        ) from error
    found = len(desk.catalog.skills)
    if json:
        print_json({"made": made, "kept": kept, "skills": found})
        return
    for path in made:
        say(f"made {path}")
    for path in kept:
        say(f"kept {path}")
    note(
        f"{found} skills are ready: `prowess list` shows them.\n"
        "Next: `prowess new NAME` makes one of your own, `prowess sync` tells your agents of all in AGENTS.md."
    )


def doctor(
    project: Project = ".", data: Data = None, dirs: Dirs = None, json: Json = False
) -> None:
    """Say what is configured, found, broken and missing on this machine, and what to do about it."""
    from prowess.cli.checkup import checkup

    findings = checkup(project=project, data=data, dirs=dirs)
    if json:
        print_json(
            {
                "healthy": not any(f.level == "error" for f in findings),
                "findings": [f.as_json() for f in findings],
            }
        )
    else:
        marks = {"ok": "ok      ", "info": "        ", "warning": "warning ", "error": "error   "}
        area = ""
        for finding in findings:
            if finding.area != area:
                area = finding.area
                say(f"\n{area}" if finding is not findings[0] else area)
            say_wrapped(finding.what, head=f"  {marks[finding.level]}")
            if finding.hint:
                say_wrapped(finding.hint, head=" " * 10)
    if any(finding.level == "error" for finding in findings):
        raise typer.Exit(1)
