"""Commands about skills: list, show, read, validate, new."""

import gc
import os
import sys
from typing import Annotated, Any

import typer

from prowess.cli.desk import Desk
from prowess.cli.options import Data, Dirs, Json, Name, Names, Project
from prowess.cli.output import clean, counted, note, print_json, print_problems, print_table, say
from prowess.core.errors import SettingsError, UnknownSkillError, UsageError
from prowess.core.skill import Problem
from prowess.discover.catalog import Catalog
from prowess.discover.roots import Root


def register(app: typer.Typer) -> None:
    app.command(
        "list",
        short_help="List the skills, and what is wrong with the others.",
        epilog="Example: prowess list --dir ./skills --json",
    )(list_)
    app.command(short_help="Show one skill whole.", epilog="Example: prowess show code-quality")(
        show
    )
    app.command(
        short_help="Print a skill's instructions for an agent to follow.",
        epilog="Example: prowess read code-quality,safe-shell-search",
    )(read)
    app.command(
        short_help="Check skills strictly: every problem at once.",
        epilog="Example: prowess validate .agents/skills/my-skill",
    )(validate)
    app.command(short_help="Make a new skill.", epilog="Example: prowess new my-skill")(new)


def list_(
    dirs: Dirs = None,
    project: Project = ".",
    data: Data = None,
    json: Json = False,
    problems: Annotated[
        bool, typer.Option("--problems", help="Show every problem and what to do about it.")
    ] = False,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Stay, and tell of each skill that comes, changes or goes."),
    ] = False,
) -> None:
    """List the skills that are found, and count what is wrong with the others."""
    desk = Desk(project=project, data=data, dirs=dirs)
    if watch:
        _watch(desk, json=json)
        return
    catalog = desk.catalog
    found = _everything_wrong(catalog) if problems else catalog.problems
    if json:
        print_json(
            {
                "skills": [skill.as_json() for skill in catalog.skills.values()],
                "problems": [problem.as_json() for problem in found],
                "shadowed": [each.as_json() for each in catalog.shadowed],
            }
        )
        return
    if problems:
        print_problems(sorted(found, key=lambda problem: problem.level))  # errors first
        for each in catalog.shadowed:
            say(f"{clean(each.path)}: shadowed: {clean(each.name)} is taken from {clean(each.by)}")
        left_out = ", ".join(clean(name) for name, _ in catalog.failed)
        note(
            f"not loaded: {left_out}"
            if left_out
            else f"{counted(len(catalog.skills), 'skill')}, all of them loaded"
        )
        return
    rows = [(s.name, s.location, s.format, s.description) for s in catalog.skills.values()]
    if rows:
        print_table(("NAME", "LOCATION", "FORMAT", "DESCRIPTION"), rows)
    _summary(catalog)


def _everything_wrong(catalog: Catalog) -> tuple[Problem, ...]:
    """Also in the steps of workflows, which nobody looks at for a plain list."""
    from prowess.engine.validating import workflow_problems

    found = catalog.problems
    return (*found, *workflow_problems(catalog.skills.values(), found))


def _summary(catalog: Catalog) -> None:
    where = "\n".join(f"  {root.path} ({root.location})" for root in catalog.roots)
    if not catalog.skills:
        note(
            f"No skills found. Searched:\n{where or '  no folder that exists'}\nMake one with `prowess new NAME`."
        )
    if catalog.problems or catalog.shadowed:
        errors = sum(problem.level == "error" for problem in catalog.problems)
        parts = [counted(len(catalog.skills), "skill"), counted(errors, "error")]
        parts += [
            counted(len(catalog.problems) - errors, "warning"),
            f"{len(catalog.shadowed):,} shadowed",
        ]
        note(f"{', '.join(parts)}. Details: prowess list --problems")


def _watch(desk: Desk, *, json: bool) -> None:
    """A long-lived look: the pack is put in its place first, then every change is told as it happens."""
    from prowess.discover.watch import LiveCatalog
    from prowess.engine import find_roots, start, tell

    started = start(desk.settings)
    if started.failure:
        note(f"prowess: {started.failure}\n  the packaged skills are used instead")
    find_roots(
        desk.settings
    )  # a folder named by hand must be there to begin with; later it may come and go

    def roots() -> list[Root]:
        try:
            return find_roots(desk.settings, pack=started.pack)
        except SettingsError:
            return []

    gc.enable()  # this one stays
    live = LiveCatalog(roots)
    tell(live.current, record=desk.record)
    note(f"Watching {counted(len(live.current.skills), 'skill')}. Ctrl-C stops.")
    for change in live.changes():
        tell(change.catalog, record=desk.record)
        told = {"added": change.added, "removed": change.removed, "edited": change.edited}
        if json:
            problems = [problem.as_json() for problem in change.problems]
            print_json(
                {"count": len(change.catalog.skills), **told, "problems": problems}, line=True
            )
            continue
        for what, names in told.items():
            for name in names:
                say(f"{what}\t{clean(name)}")
        print_problems(change.problems)
        sys.stdout.flush()


def show(
    name: Name, dirs: Dirs = None, project: Project = ".", data: Data = None, json: Json = False
) -> None:
    """Show one skill whole: where it is, what it says, what it needs, what is wrong with it."""
    from prowess.engine.finding import pick
    from prowess.engine.sheet import sheet
    from prowess.engine.validating import workflow_problems

    desk = Desk(project=project, data=data, dirs=dirs)
    skill = pick(desk.catalog, name)
    known = desk.catalog.problems_by_skill[name]
    problems = [*known, *workflow_problems([skill], known)]
    value = sheet(desk.catalog, name) | {"problems": [each.as_json() for each in problems]}
    if json:
        print_json(value)
        return
    for key, shown in _lines(value):
        say(f"{key + ':':<18}{shown}")
    if value["problems"]:
        say("\nProblems:")
        print_problems(problems)
    say(f"\n{value['instructions'].strip()}")


def _lines(value: dict[str, Any]) -> list[tuple[str, str]]:
    """The sheet as lines for a person; what is empty, or a default nobody wrote, is left out."""
    written = {key.lower() for key in value["fields"]}
    keys = ["name", "title", "description", "format", "location", "path"]
    keys += [key for key in ("version", "type") if key in written]
    lines = [
        (key, clean(str(value[key])))
        for key in keys
        if key != "title" or value["title"] != value["name"]
    ]
    lines += [
        (key.replace("_", " "), ", ".join(clean(each) for each in value[key]))
        for key in (
            "roles",
            "capabilities",
            "allowed_tools",
            "disallowed_tools",
            "dependencies",
            "missing",
        )
        if value[key]
    ]
    if not value["model_may_invoke"]:
        lines.append(
            ("called by", "people only (disable-model-invocation), so models are not offered it")
        )
    if not value["user_may_invoke"]:
        lines.append(("called by", "models only (user-invocable: false)"))
    settings = ", ".join(
        f"{key} {given}" for key, given in value["settings"].items() if given not in (None, False)
    )
    lines.append(("settings", settings))
    for resource in value["resources"]:
        told = f" {clean(resource['description'])}" if resource["description"] else ""
        lines.append(("file", f"{clean(resource['path'])} ({resource['lines']:,} lines){told}"))
    return lines


def read(
    names: Names,
    dirs: Dirs = None,
    project: Project = ".",
    data: Data = None,
    json: Json = False,
    file: Annotated[
        str | None,
        typer.Option(
            "--file", metavar="PATH", help="Read this supporting file of the skill instead."
        ),
    ] = None,
) -> None:
    """Print a skill's instructions for an agent to follow. Nothing in them is run."""
    from prowess.discover.resources import instructions_text, read_resource
    from prowess.engine.finding import refuse_broken
    from prowess.prompt.read import read_form

    desk = Desk(project=project, data=data, dirs=dirs)
    wanted = list(dict.fromkeys(part for name in names for part in _split(name, desk.catalog)))
    if not wanted:
        raise UsageError("no skill named", hint="prowess read NAME")
    if unknown := [name for name in wanted if name not in desk.catalog.skills]:
        for name in unknown:
            refuse_broken(desk.catalog, name)
        searched = (
            "".join(f"\n    {root.path}" for root in desk.catalog.roots) or " no folder that exists"
        )
        near = "".join(f"{each}\n  " for name in unknown if (each := desk.catalog.near(name)))
        raise UnknownSkillError(
            f"no skill named {', '.join(unknown)}", hint=f"{near}searched:{searched}"
        )
    skills = [desk.catalog.get(name) for name in wanted]
    if file is not None:
        if len(skills) != 1:
            raise UsageError("--file reads from one skill", hint="name one skill")
        text = read_resource(skills[0], file)
        if json:
            print_json({"name": skills[0].name, "path": file, "text": text})
        else:
            print(text, end="")
        return
    texts = [instructions_text(skill) for skill in skills]
    if json:
        found = zip(skills, texts, strict=True)
        print_json(
            [
                {"name": skill.name, "base_directory": skill.path, "text": text}
                for skill, text in found
            ]
        )
    else:
        print(
            "".join(read_form(skill, text) for skill, text in zip(skills, texts, strict=True)),
            end="",
        )


def _split(typed: str, catalog: Catalog) -> list[str]:
    """Commas part names, unless the whole is a name: some in the wild have commas and blanks."""
    return (
        [typed]
        if typed in catalog.skills
        else [part.strip() for part in typed.split(",") if part.strip()]
    )


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
    """Check skills by the letter of their format: every problem at once, with its line and what to do."""
    from prowess.discover.rules import skill_folders
    from prowess.engine.finding import why_not_loaded
    from prowess.engine.validating import problems_of

    folders: list[str] = []
    found: list[Problem] = []
    for path in paths:
        if os.path.lexists(path):
            folders += skill_folders(path) or [path]
        else:
            catalog = Desk(project=project, data=data, dirs=dirs).catalog
            if path in catalog.skills:
                folders.append(catalog.skills[path].path)
            elif broken := why_not_loaded(catalog, path):
                folders += dict.fromkeys(os.path.dirname(each.path) for each in broken)
            else:
                found.append(_not_there(path, catalog))
    found += [problem for folder in folders for problem in problems_of(folder)]
    valid = not any(problem.level == "error" for problem in found)
    if json:
        print_json({"valid": valid, "problems": [problem.as_json() for problem in found]})
    else:
        print_problems(found)
        note(_verdict(folders, found))
    if not valid:
        raise typer.Exit(1)


def _not_there(path: str, catalog: Catalog) -> Problem:
    return Problem(
        path=path,
        message="there is no such file or folder, and no skill is called so",
        hint=catalog.near(path) or "name a skill, its folder, or a folder of skills",
    )


def _verdict(folders: list[str], problems: list[Problem]) -> str:
    if not folders:
        return "nothing to check"
    errors = [problem for problem in problems if problem.level == "error"]
    wrong = {
        os.path.dirname(problem.path) if os.path.isfile(problem.path) else problem.path
        for problem in errors
        if os.path.lexists(problem.path)
    }
    told = [counted(len(errors), "error")] if errors else []
    if warnings := len(problems) - len(errors):
        told.append(counted(warnings, "warning"))
    verdict = f"{len(wrong)} of {len(folders)} not valid" if wrong else "valid"
    return f"{counted(len(folders), 'skill')}: {verdict}" + (
        f" ({', '.join(told)})" if told else ""
    )


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
