"""Commands about what a model reads: prompt, sync."""

import os
from typing import Annotated

import typer

from prowess.cli.desk import Desk
from prowess.cli.options import Data, Dirs, Json, Project, complete_name
from prowess.cli.output import counted, note, print_json
from prowess.core.errors import OutsideError, UsageError

FORMATS = ("openskills", "to-prompt", "role")
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
    app.command(epilog="Example: prowess prompt --format to-prompt > skills.xml")(prompt)
    app.command(epilog="Example: prowess sync --check")(sync)


def prompt(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME…]", help="Only these skills.", autocompletion=complete_name),
    ] = None,
    format: Annotated[
        str, typer.Option("--format", help="openskills, to-prompt or role.")
    ] = "openskills",
    role: Annotated[
        str, typer.Option("--role", help="With --format role: worker or orchestrator.")
    ] = "worker",
    load: Annotated[
        list[str] | None,
        typer.Option(
            "--load",
            metavar="NAME",
            help="Add this skill's instructions; may be repeated.",
            autocompletion=complete_name,
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
    from prowess.prompt.budget import Fitted, fit
    from prowess.prompt.cards import available_skills, cards, for_models, to_prompt

    if format not in FORMATS:
        raise UsageError(
            f"--format {format}: there is no such form", hint=f"use {', '.join(FORMATS)}"
        )
    desk = Desk(project=project, data=data, dirs=dirs)
    catalog = desk.catalog
    fitted = Fitted([])
    if format == "role":
        text = engine.role_prompt(role, catalog)
    else:
        form = to_prompt if format == "to-prompt" else available_skills
        skills = [catalog.get(name) for name in names] if names else list(catalog.skills.values())
        offered = skills if names or format == "to-prompt" else for_models(skills)
        limit = desk.settings.skills_max_catalog_chars if budget is None else budget
        fitted = fit(cards(offered), max_chars=limit, form=form)
        text = form(fitted.cards)
    if load:
        text += "\n\n" + engine.load(
            [catalog.get(name) for name in load], desk.settings, record=desk.record
        )
    if json:
        print_json(
            {
                "format": format,
                "text": text,
                "chars": len(text),
                "cut": list(fitted.cut),
                "limit": fitted.limit,
            }
        )
        return
    print(text)
    _tell_size(text, fitted.cut, fitted.limit)


def _tell_size(text: str, cut: tuple[str, ...], limit: int | None) -> None:
    if cut:
        note(f"{counted(len(cut), 'description')} cut to {limit} characters")
    if len(text) > LARGE and not cut:
        note(
            f"{len(text):,} characters in every call of the model; --budget {LARGE} would shorten the descriptions"
        )


def sync(
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The file to keep the block in.")
    ] = "AGENTS.md",
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
    from prowess.prompt.agents_md import with_block, without_block
    from prowess.prompt.budget import fit
    from prowess.prompt.cards import cards, for_models, skills_block

    desk = Desk(project=project, data=data, dirs=dirs)
    path = os.path.realpath(os.path.join(desk.settings.project, os.path.expanduser(output)))
    before = _text_of(path)
    limit = desk.settings.skills_max_catalog_chars if budget is None else budget
    fitted = fit(
        cards(for_models(desk.catalog.skills.values())), max_chars=limit, form=skills_block
    )
    after = (
        without_block(before or "")
        if remove
        else with_block(before or "", skills_block(fitted.cards))
    )
    changed = after != (before or "")
    if changed and not check:
        _replace(path, after)
    if json:
        print_json(
            {
                "path": path,
                "changed": changed,
                "skills": [card.name for card in fitted.cards],
                "cut": list(fitted.cut),
            }
        )
    elif not changed:
        print(f"{path} is up to date")
    elif check:
        print(f"{path} is not up to date; run `prowess sync`")
    else:
        print(
            f"{path}: the block was removed"
            if remove
            else f"{path}: {counted(len(fitted.cards), 'skill')} written"
        )
        _tell_size("" if remove else skills_block(fitted.cards), fitted.cut, fitted.limit)
    if check and changed:
        raise typer.Exit(1)


def _text_of(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise UsageError(
            f"{path} is not UTF-8", hint="save it as UTF-8; nothing was changed"
        ) from None
    except OSError as error:
        raise OutsideError(
            f"{path} cannot be read: {error.strerror}", hint="nothing was changed"
        ) from error


def _replace(path: str, text: str) -> None:
    """In one move, so that a reader, or a full disk, never meets half a file."""
    import tempfile

    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".sync-")
        try:
            with open(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o666 & ~_umask()
            os.chmod(name, mode)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise OutsideError(
            f"{path} cannot be written: {error.strerror}", hint="nothing was changed"
        ) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
