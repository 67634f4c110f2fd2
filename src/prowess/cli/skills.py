"""Commands about the skills that there are: list, show, read."""

import gc
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from prowess.cli.desk import Desk
from prowess.cli.options import Data, Dirs, Json, Name, Names, Project
from prowess.cli.output import (
    clean,
    counted,
    note,
    print_json,
    print_problems,
    print_table,
    print_text,
    say,
    say_prose,
    say_wrapped,
)
from prowess.core.errors import SettingsError, UnknownSkillError, UsageError
from prowess.core.skill import Problem, Skill
from prowess.discover.catalog import Catalog
from prowess.discover.draft import UNFILLED
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
        typer.Option(
            "--watch",
            help="Stay, and tell of each skill that comes, changes or goes; with --json a line for each.",
        ),
    ] = False,
) -> None:
    """List the skills that are found, and count what is wrong with the others."""
    from prowess.engine.wrong import broken_workflows, everything_wrong

    desk = Desk(project=project, data=data, dirs=dirs)
    if watch:
        _watch(desk, json=json)
        return
    catalog = desk.catalog
    found = everything_wrong(catalog)
    if json:
        print_json(
            {
                "skills": [skill.as_json() for skill in catalog.skills.values()],
                "problems": [problem.as_json() for problem in found],
                "shadowed": [each.as_json() for each in catalog.shadowed],
            }
        )
        return
    broken = broken_workflows(catalog.skills.values(), found)
    if problems:
        print_problems(sorted(found, key=lambda problem: problem.level))  # errors first
        for each in catalog.shadowed:
            say(f"{clean(each.path)}: shadowed: {clean(each.name)} is taken from {clean(each.by)}")
        if broken:
            note(f"cannot be run: {', '.join(map(clean, broken))}")
        if left_out := ", ".join(clean(name) for name, _ in catalog.failed):
            note(f"not loaded: {left_out}")
        note(f"{_count(catalog, found)}.")
        return
    rows = [(s.name, s.location, s.format, _described(s, broken)) for s in catalog.skills.values()]
    if rows:
        print_table(("NAME", "LOCATION", "FORMAT", "DESCRIPTION"), rows)
    _summary(catalog, found)


def _described(skill: Skill, broken: Sequence[str]) -> str:
    unfilled = skill.description.startswith(UNFILLED)
    described = "(not described yet)" if unfilled else skill.description
    return f"(cannot be run) {described}" if skill.name in broken else described


def _summary(catalog: Catalog, found: Sequence[Problem]) -> None:
    where = "\n".join(f"  {root.path} ({root.location})" for root in catalog.roots)
    if not catalog.skills:
        note(
            f"No skills found. Searched:\n{where or '  no folder that exists'}\nMake one with `prowess new NAME`."
        )
    if found or catalog.shadowed:
        note(f"{_count(catalog, found)}. Details: prowess list --problems")


def _count(catalog: Catalog, found: Sequence[Problem]) -> str:
    """The one count of `list` and of `list --problems`."""
    errors = sum(problem.level == "error" for problem in found)
    parts = (
        counted(len(catalog.skills), "skill"),
        counted(errors, "error"),
        counted(len(found) - errors, "warning"),
        f"{len(catalog.shadowed):,} shadowed",
    )
    return ", ".join(parts)


def _watch(desk: Desk, *, json: bool) -> None:
    """A long-lived look: the pack is put in its place first, then every change is told as it happens."""
    from prowess.discover.watch import LiveCatalog
    from prowess.engine import find_roots, start, tell
    from prowess.engine.wrong import workflow_problems

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
        new = [change.catalog.skills[name] for name in (*change.added, *change.edited)]
        found = [*change.problems, *workflow_problems(new, change.catalog.problems)]
        if json:
            problems = [problem.as_json() for problem in found]
            print_json(
                {"count": len(change.catalog.skills), **told, "problems": problems}, line=True
            )
            continue
        for what, names in told.items():
            for name in names:
                say(f"{what}\t{clean(name)}")
        print_problems(found)
        sys.stdout.flush()


def show(
    name: Name, dirs: Dirs = None, project: Project = ".", data: Data = None, json: Json = False
) -> None:
    """Show one skill whole: where it is, what it says, what it needs, what is wrong with it."""
    from prowess.engine.finding import pick
    from prowess.engine.sheet import sheet
    from prowess.engine.wrong import workflow_problems
    from prowess.workflow.convert import deprecation_note

    desk = Desk(project=project, data=data, dirs=dirs)
    skill = pick(desk.catalog, name)
    known = desk.catalog.problems_by_skill[name]
    problems = [*known, *workflow_problems([skill], known)]
    value = sheet(desk.catalog, name) | {"problems": [each.as_json() for each in problems]}
    if json:
        print_json(value)
        return
    for key, shown in _lines(value):
        say_wrapped(shown, head=f"{key + ':':<18}")
    if value["problems"]:
        say("\nProblems:")
        print_problems(problems)
    say("")
    say_prose(value["instructions"].strip())
    if newer := deprecation_note(skill, value["instructions"]):
        note(f"\n{newer}")


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
            print_text(text)
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
        print_text(
            "".join(read_form(skill, text) for skill, text in zip(skills, texts, strict=True))
        )


def _split(typed: str, catalog: Catalog) -> list[str]:
    """Commas part names, unless the whole is a name: some in the wild have commas and blanks."""
    return (
        [typed]
        if typed in catalog.skills
        else [part.strip() for part in typed.split(",") if part.strip()]
    )
