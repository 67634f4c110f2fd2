"""The command that tells another coding tool of our skills, and takes it back."""

import os
import sys
from typing import Annotated

import typer

from prowess.cli.options import Json, Project
from prowess.cli.output import note, print_json, say
from prowess.core.errors import UsageError


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Offer the skills in another coding tool.",
        epilog="Example: prowess integrate opencode",
    )(integrate)


def _complete_tool(incomplete: str) -> list[str]:
    from prowess.integrate.tools import TOOLS

    return [name for name in TOOLS if name.startswith(incomplete)]


def integrate(
    tool: Annotated[
        str,
        typer.Argument(
            metavar="TOOL",
            help="opencode, cursor, claude, codex or aider.",
            autocompletion=_complete_tool,
        ),
    ],
    remove: Annotated[bool, typer.Option("--remove", help="Take it back, to the byte.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    project: Project = ".",
    json: Json = False,
) -> None:
    """
    Write what a coding tool needs to offer our skills: the MCP server in its settings.

    The change is shown before it is made. What you wrote into the file stays as it is.
    """
    from prowess.integrate.place import Place
    from prowess.integrate.tools import TOOLS

    if tool not in TOOLS:
        raise UsageError(f"there is no tool {tool!r} here", hint=f"use {', '.join(TOOLS)}")
    chosen = TOOLS[tool]
    place = Place(os.path.abspath(os.path.expanduser(project)), chosen.file)
    before = place.read()
    after = chosen.remove(before) if remove else chosen.add(before)
    diff = _diff(chosen.file, before, after)
    changed = before != after
    if changed and not json:
        say(diff)
        if not yes and not _agreed():
            note("Nothing was changed.")
            raise typer.Exit(1)
    if changed:
        place.write(after)
    if json:
        print_json({"tool": tool, "path": place.path, "changed": changed, "diff": diff})
        return
    _tell(place.path, chosen.then, changed=changed, remove=remove)


def _tell(path: str, then: str, *, changed: bool, remove: bool) -> None:
    import shutil

    if remove:
        say(f"{path}: the entry was taken out" if changed else f"{path} has no entry of Prowess")
        return
    say(f"{path}: written" if changed else f"{path} is up to date")
    note(f"Next: {then}.")
    if shutil.which("prowess") is None:
        note("The command `prowess` is not on your PATH, and the tool will not find it either.")


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise UsageError("nobody can be asked here", hint="say --yes to make this change")
    return typer.confirm("Make this change?")


def _diff(name: str, before: str | None, after: str | None) -> str:
    import difflib

    lines = difflib.unified_diff(
        (before or "").splitlines(),
        (after or "").splitlines(),
        fromfile=name if before is not None else f"{name} (not there)",
        tofile=name if after is not None else f"{name} (taken away)",
        lineterm="",
    )
    return "\n".join(lines)
