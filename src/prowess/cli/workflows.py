"""Commands for authors of workflows: schema, convert."""

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prowess.cli.desk import Desk
from prowess.cli.options import Data, Dirs, Json, Project, complete_name
from prowess.cli.output import note, print_json, say
from prowess.core.errors import OutsideError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prowess.core.skill import Skill

KINDS = ("workflow", "evidence")
FILE = "skill.yaml"


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Print the JSON Schema of a file, for editors.",
        epilog="Example: prowess schema workflow > workflow.schema.json",
    )(schema)
    app.command(
        short_help="Make a workflow of a SKILL.md.", epilog="Example: prowess convert my-skill"
    )(convert)


def schema(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help="workflow, for a skill.yaml; evidence, for `check --evidence`."
        ),
    ],
    json: Json = False,
) -> None:
    """
    Print the JSON Schema of a file, so that an editor completes it and marks mistakes.

    It is JSON either way; --json puts it on one line in a pipe.
    """
    import json as form

    if kind not in KINDS:
        raise UsageError(f"there is no schema of {kind!r}", hint=f"use {' or '.join(KINDS)}")
    found = _schema(kind)
    if json:
        print_json(found)
    else:
        print(form.dumps(found, indent=2, ensure_ascii=False))


def _schema(kind: str) -> "Mapping[str, Any]":
    if kind == "evidence":
        from prowess.check.schemas import schema as artifact

        return artifact(kind)
    from prowess.workflow.schema import workflow_schema

    return workflow_schema()


def convert(
    skill: Annotated[
        str,
        typer.Argument(
            metavar="SKILL", help="A skill's name, or its folder.", autocompletion=complete_name
        ),
    ],
    show: Annotated[
        bool, typer.Option("--print", help="Print the skill.yaml; write nothing.")
    ] = False,
    project: Project = ".",
    data: Data = None,
    dirs: Dirs = None,
    json: Json = False,
) -> None:
    """
    Write a skill.yaml beside a SKILL.md that means the same. The SKILL.md stays as it is.

    A recipe becomes its commands, step by step; other instructions become one step that follows them.
    """
    from prowess.discover.agent_skill import instructions
    from prowess.discover.resources import instructions_text
    from prowess.workflow.convert import convert as converted

    found = _skill(skill, Desk(project=project, data=data, dirs=dirs))
    # What a SKILL.md would become can be looked at again, beside what became of it.
    if FILE in found.files and not (show and found.files[0] != FILE):
        raise UsageError(f"{found.name} has a {FILE} already", hint=f"see {found.path}/{FILE}")
    text = converted(found, instructions(instructions_text(found)))
    path = os.path.join(found.path, FILE)
    if not show:
        _write(path, text, builtin=found.location == "builtin")
    if json:
        print_json({"name": found.name, "path": path, "written": not show, "text": text})
    elif show:
        say(text.rstrip("\n"))
    else:
        say(path)
        note(f"Look it over, then: prowess validate {found.path}")


def _skill(named: str, desk: Desk) -> "Skill":
    """By its name; else by its folder or its file."""
    from prowess.discover.catalog import open_catalog
    from prowess.discover.roots import Root

    if named in desk.catalog.skills or not os.path.lexists(named):
        return desk.catalog.get(named)
    folder = os.path.realpath(named)
    folder = folder if os.path.isdir(folder) else os.path.dirname(folder)
    catalog = open_catalog([Root(os.path.dirname(folder), "project")])
    here = [each for each in catalog.skills.values() if os.path.realpath(each.path) == folder]
    if not here:
        raise UsageError(
            f"there is no skill in {named}", hint=f"`prowess validate {named}` says what is wrong"
        )
    return here[0]


def _write(path: str, text: str, *, builtin: bool) -> None:
    if builtin:
        raise UsageError(
            "a built-in skill is not written to",
            hint="copy its folder into .agents/skills first, or use --print",
        )
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise OutsideError(
            f"{path} cannot be written: {error.strerror}", hint="check the folder's permissions"
        ) from error
