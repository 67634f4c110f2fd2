"""Commands for those who write skills: validate, new."""

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Annotated

import typer

from prowess.cli.desk import Desk
from prowess.cli.options import Data, Dirs, Json, Project
from prowess.cli.output import counted, note, print_json, print_problems, say
from prowess.core.skill import Problem
from prowess.discover.catalog import Catalog


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Check skills strictly: every problem at once.",
        epilog="Example: prowess validate .agents/skills/my-skill",
    )(validate)
    app.command(short_help="Make a new skill.", epilog="Example: prowess new my-skill")(new)


def validate(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH…", help="Skill folders, their files, or folders of skills."),
    ],
    json: Json = False,
    dirs: Dirs = None,
    project: Project = ".",
    data: Data = None,
) -> None:
    """
    Check skills by the letter of their format: every problem at once, with its line and what to do.

    It leaves with 1 when a skill is not valid, and with 2 when what you named is not there.
    """
    from prowess.discover.rules import skill_folders
    from prowess.engine.finding import why_not_loaded
    from prowess.engine.validating import problems_of

    folders: list[str] = []
    found: list[Problem] = []  # of no skill
    absent: list[Problem] = []  # the usage is wrong, whatever else is
    for path in paths:
        if os.path.lexists(path):
            below, unreached = skill_folders(path)
            folders += below or [path]
            found += unreached
        else:
            catalog = Desk(project=project, data=data, dirs=dirs).catalog
            if path in catalog.skills:
                folders.append(catalog.skills[path].path)
            elif broken := why_not_loaded(catalog, path):
                folders += dict.fromkeys(os.path.dirname(each.path) for each in broken)
            else:
                absent.append(_not_there(path, catalog))
    found += absent
    checked = {folder: problems_of(folder) for folder in folders}
    every = [*found, *chain(*checked.values())]
    valid = not any(problem.level == "error" for problem in every)
    if json:
        print_json({"valid": valid, "problems": [problem.as_json() for problem in every]})
    else:
        print_problems(every)
        note(_verdict(checked, found))
    if not valid:
        raise typer.Exit(2 if absent else 1)


def _not_there(path: str, catalog: Catalog) -> Problem:
    return Problem(
        path=path,
        message="there is no such file or folder, and no skill is called so",
        hint=catalog.near(path) or "name a skill, its folder, or a folder of skills",
    )


def _verdict(checked: Mapping[str, Sequence[Problem]], beside: Sequence[Problem]) -> str:
    """`checked` are the problems of each skill, `beside` are those of no skill."""
    if not checked:
        return "nothing to check"
    wrong = [problems for problems in checked.values() if _errors(problems)]
    verdict = f"{len(wrong)} of {len(checked)} not valid" if wrong else "valid"
    if _errors(beside):
        verdict += ", not all could be reached"
    every = [*beside, *chain(*checked.values())]
    errors = _errors(every)
    told = [counted(errors, "error")] if errors else []
    if warnings := len(every) - errors:
        told.append(counted(warnings, "warning"))
    return f"{counted(len(checked), 'skill')}: {verdict}" + (
        f" ({', '.join(told)})" if told else ""
    )


def _errors(problems: Iterable[Problem]) -> int:
    return sum(problem.level == "error" for problem in problems)


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Lowercase letters, digits and hyphens.")
    ],
    format: Annotated[
        str, typer.Option("--format", metavar="FORM", help="skill.md, manifest or workflow.")
    ] = "skill.md",
    description: Annotated[
        str, typer.Option("--description", metavar="TEXT", help="What it does and when to use it.")
    ] = "",
    dirs: Annotated[
        list[str] | None, typer.Option("--dir", metavar="DIR", help="Make it in this folder.")
    ] = None,
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Make a new skill that is valid from the start, in .agents/skills (or in --dir)."""
    from prowess.cli.scaffold import scaffold
    from prowess.discover.roots import ladder

    desk = Desk(project=project, data=data, dirs=None)
    homes = [os.path.join(step, ".agents", "skills") for step in ladder(desk.settings.project)]
    folder = dirs[0] if dirs else next((home for home in homes if os.path.isdir(home)), homes[0])
    hidden = desk.catalog.skills.get(name)
    made = scaffold(folder, name, format, description)
    if hidden and not dirs:
        note(f"The new skill takes the place of {hidden.path} ({hidden.location}).")
    if json:
        print_json({"name": name, "path": os.path.dirname(made[0]), "files": made})
        return
    for path in made:
        say(path)
    note(f"Write its instructions, then: prowess validate {os.path.dirname(made[0])}")
