"""Commands about what a model reads: prompt, sync."""

import os
from typing import Annotated

import typer

from prowess.cli.desk import Desk
from prowess.cli.matching import step_kind
from prowess.cli.options import Data, Dirs, Json, Project, complete_name
from prowess.cli.output import counted, note, print_json, print_text, say
from prowess.core.errors import UsageError
from prowess.core.selection import StepKind
from prowess.prompt.budget import Fitted, fit
from prowess.prompt.cards import available_skills, cards, for_models, skills_block, to_prompt

FORMATS = ("openskills", "to-prompt", "role")
LOCATIONS = ("project", "global", "builtin")
LARGE = 40_000  # characters in every call of a model, worth a word

Budget = Annotated[
    int | None,
    typer.Option(
        "--budget",
        min=0,
        metavar="CHARS",
        help="Shorten descriptions evenly to fit; names always stay.",
    ),
]


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Print the text that offers skills to a model.",
        epilog="Example: prowess prompt --format to-prompt > skills.xml",
    )(prompt)
    app.command(
        short_help="Keep the skills block of AGENTS.md up to date.",
        epilog="Example: prowess sync --check",
    )(sync)


def prompt(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME…]", help="Only these skills.", autocompletion=complete_name),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="FORM", help="openskills (the default), to-prompt or role."
        ),
    ] = None,
    role: Annotated[
        str | None,
        typer.Option(
            "--role", metavar="ROLE", help="The skills of this role: worker or orchestrator."
        ),
    ] = None,
    load: Annotated[
        list[str] | None,
        typer.Option(
            "--load",
            metavar="NAME",
            help="Add this skill's instructions; may be repeated.",
            autocompletion=complete_name,
        ),
    ] = None,
    plan: Annotated[
        str | None,
        typer.Option(
            "--plan", metavar="PLAN", help="The whole prompt for a task of this plan instead."
        ),
    ] = None,
    step: Annotated[
        str, typer.Option("--step", metavar="STEP", help="With --plan: implementation or review.")
    ] = "implementation",
    task: Annotated[
        int | None,
        typer.Option("--task", min=1, metavar="LINE", help="With --plan: the task on this line."),
    ] = None,
    feedback: Annotated[
        str | None,
        typer.Option(
            "--feedback", metavar="FILE", help="With --plan: what was said of the last attempt."
        ),
    ] = None,
    budget: Budget = None,
    dirs: Dirs = None,
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Print the text that offers skills to a model, and loads those you name."""
    from prowess import engine

    if plan is not None:
        if names or format or role or load or budget is not None:
            raise UsageError(
                "--plan decides by itself what is offered and loaded",
                hint="leave the other options out",
            )
        desk = Desk(project=project, data=data, dirs=dirs)
        _print_step(desk, plan, step_kind(step), task, _read_text(feedback), json=json)
        return
    form = format or ("role" if role else "openskills")
    _check(form, role, names, budget)
    desk = Desk(project=project, data=data, dirs=dirs)
    catalog = desk.catalog
    limit = desk.settings.skills_max_catalog_chars if budget is None else budget
    fitted = Fitted([])
    if form == "role":
        text, missing = engine.role_prompt(role or "worker", catalog)
        for skill, needed in missing:
            note(f"{skill} needs {needed}, and there is no such skill")
    else:
        skills = [catalog.get(name) for name in names] if names else list(catalog.skills.values())
        offered = skills if names or form == "to-prompt" else for_models(skills)
        write = to_prompt if form == "to-prompt" else available_skills
        fitted = fit(cards(offered), max_chars=limit, form=write)
        text = write(fitted.cards)
    size = len(text)
    if load:
        loaded = [catalog.get(name) for name in load]
        text += "\n\n" + engine.load(loaded, desk.settings, record=desk.record)
    if json:
        print_json(
            {
                "format": form,
                "text": text,
                "chars": len(text),
                "budget": limit or None,
                **fitted.as_json(),
            }
        )
        return
    print_text(text + "\n")
    _tell_size(size, limit, fitted)


def _print_step(
    desk: Desk, plan: str, step: StepKind, line: int | None, feedback: str, *, json: bool
) -> None:
    """The whole prompt for one task of a plan."""
    from prowess import engine

    text = engine.step_prompt(
        plan, step, desk.settings, record=desk.record, line=line, feedback=feedback
    )
    if json:
        print_json({"step": step, "plan": plan, "text": text, "chars": len(text)})
    else:
        print_text(text)


def _read_text(path: str | None) -> str:
    if path is None:
        return ""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", hint="name a text file") from None


def _check(form: str, role: str | None, names: list[str] | None, budget: int | None) -> None:
    """Words that would have no effect are refused rather than passed over."""
    if form not in FORMATS:
        raise UsageError(
            f"--format {form}: there is no such form", hint=f"use {', '.join(FORMATS)}"
        )
    if role and form != "role":
        raise UsageError(f"--role has no place in --format {form}", hint="leave --format out")
    if form == "role" and (names or budget is not None):
        raise UsageError("a role decides its skills by itself", hint="leave names and --budget out")


def _tell_size(size: int, limit: int, fitted: Fitted) -> None:
    if fitted.cut:
        note(f"{counted(len(fitted.cut), 'description')} cut to {fitted.limit} characters")
    if limit and size > limit:
        note(
            f"names alone need {size:,} characters, more than the {limit:,} allowed; they always stay"
        )
    elif size > LARGE and not limit:
        note(
            f"{size:,} characters in every call of the model; --budget {LARGE} would shorten the descriptions"
        )


def sync(
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Another file than the project's AGENTS.md."
        ),
    ] = None,
    location: Annotated[
        list[str] | None,
        typer.Option(
            "--location",
            metavar="WHERE",
            help="Only skills of the project, global or builtin; may be repeated.",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Change nothing; exit 1 when the block is not as it should be."
        ),
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take the block out again.")] = False,
    budget: Budget = None,
    dirs: Dirs = None,
    project: Project = ".",
    data: Data = None,
    json: Json = False,
) -> None:
    """Write or refresh the block in AGENTS.md that tells agents which skills there are."""
    from prowess.cli.agents_file import AgentsFile

    for each in location or ():
        if each not in LOCATIONS:
            raise UsageError(
                f"--location {each}: there is no such place", hint=f"use {', '.join(LOCATIONS)}"
            )
    file = AgentsFile.find(os.path.abspath(os.path.expanduser(project)), output)
    # What a file says is the same from wherever it is synced: its own folder is searched from.
    home = project if output is not None else os.path.dirname(file.path)
    desk = Desk(project=home, data=data, dirs=dirs and [os.path.abspath(d) for d in dirs])
    limit = desk.settings.skills_max_catalog_chars if budget is None else budget
    offered = [
        s for s in for_models(desk.catalog.skills.values()) if s.location in (location or LOCATIONS)
    ]
    fitted = fit(cards(offered), max_chars=limit, form=skills_block)
    block = "" if remove else skills_block(fitted.cards)
    changed = file.put(block, dry=check)
    if json:
        skills = [] if remove else [card.name for card in fitted.cards]
        print_json({"path": file.path, "changed": changed, "skills": skills, **fitted.as_json()})
    elif not changed:
        say(f"{file.path} is up to date")
    elif check:
        say(f"{file.path} is not up to date; run `prowess sync`")
    elif remove:
        say(f"{file.path}: the block was removed")
    else:
        say(f"{file.path}: {counted(len(fitted.cards), 'skill')} written")
        _tell_size(len(block), limit, fitted)
    if check and changed:
        raise typer.Exit(1)
