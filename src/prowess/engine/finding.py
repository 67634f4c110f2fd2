"""
From folders to a catalog, and from a skill to the text that a model reads.

What is news is told to the log; what was told before is not told again.
"""

import os
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from prowess.core import event
from prowess.core.errors import OutsideError, SettingsError, SkillError
from prowess.core.ports import Record
from prowess.core.skill import Problem, Skill
from prowess.discover.catalog import Catalog, open_catalog
from prowess.discover.pack_sync import Synced, sync_pack
from prowess.discover.roots import Root, search_order
from prowess.discover.told import is_told, remember
from prowess.settings import Settings


def find_roots(settings: Settings, *, pack: str | None = None) -> list[Root]:
    """
    The folders to search, in order; `pack` is where the built-in skills are, if not where the settings say.

    Folders named by hand must exist, and then nothing else is searched.
    """
    if settings.only_dirs:
        folders = [os.path.abspath(os.path.expanduser(folder)) for folder in settings.only_dirs]
        for folder, found in zip(settings.only_dirs, folders, strict=True):
            if not os.path.isdir(found):
                raise SettingsError(
                    f"--dir {folder}: there is no such folder",
                    hint="name a folder that holds skills",
                )
        return search_order(folders, project=settings.project, builtin=None)
    return search_order(
        settings.skills_dirs, project=settings.project, builtin=pack or settings.skills_builtin_dir
    )


def discover(settings: Settings, *, record: Record, afresh: bool = False, run: str = "") -> Catalog:
    """
    Find the skills. What is news since it was last told, for this project, is told to the log, as a
    part of `run` where one is named; `afresh` tells it again, to a log that is new.
    """
    catalog = open_catalog(find_roots(settings), index_folder=settings.index_folder)
    asked = "\n".join((settings.project, *settings.only_dirs))
    if afresh or not is_told(catalog, asked, folder=settings.index_folder):
        tell(catalog, record=record, run=run)
        remember(catalog, asked, folder=settings.index_folder)
    return catalog


def tell(catalog: Catalog, *, record: Record, run: str = "") -> None:
    """Record what was found and what could not be loaded."""
    run = run or uuid.uuid4().hex
    locations = [root.path for root in catalog.roots]
    record(event.skills_discovered(run, locations=locations, names=list(catalog.skills)))
    for name, error in catalog.failed:
        record(event.skills_load_failed(run, name=name, error=error))


def pick(catalog: Catalog, name: str) -> Skill:
    """The skill called so; `SkillError` when it is there and could not be loaded."""
    if name not in catalog.skills:
        refuse_broken(catalog, name)
    return catalog.get(name)


def refuse_broken(catalog: Catalog, name: str) -> None:
    """A folder is called so and gave no skill: not to be mistaken for one that is not there."""
    if broken := why_not_loaded(catalog, name):
        first = broken[0]
        where = f"{first.path}:{first.line}" if first.line else first.path
        raise SkillError(
            f"{name} is there but not loaded: {where}: {first.message}",
            hint=f"{first.hint}; `prowess list --problems` shows every problem",
            line=first.line,
        )


def why_not_loaded(catalog: Catalog, name: str) -> list[Problem]:
    """The errors of the folders called so that gave no skill, under whatever name."""
    found = [
        problem
        for problem in catalog.problems
        if problem.level == "error" and os.path.basename(os.path.dirname(problem.path)) == name
    ]
    if not found:
        return []
    loaded = {skill.path for skill in catalog.skills.values()}
    loaded |= {each.path for each in catalog.shadowed}
    return [problem for problem in found if os.path.dirname(problem.path) not in loaded]


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Where to read the built-in skills from, and what became of copying them."""

    pack: str
    synced: Synced | None = None
    failure: OutsideError | None = None


def start(settings: Settings) -> Started:
    """What a long-lived process does first: put the built-in pack in its place. A failure is no reason to stop."""
    packaged = settings.skills_builtin_dir
    if not settings.skills_sync_on_start:
        return Started(pack=packaged)
    try:
        synced = sync_pack(packaged, settings.skills_sync_dir)
    except OutsideError as failure:
        return Started(pack=packaged, failure=failure)
    return Started(pack=packaged if synced.kept else settings.skills_sync_dir, synced=synced)


def load(skills: Sequence[Skill], settings: Settings, *, record: Record, run: str = "") -> str:
    """The instructions of `skills` as a model reads them; what had to be cut is told to the log."""
    from prowess.discover.resources import instructions_text, read_resource, resources
    from prowess.prompt.read import loaded

    run = run or uuid.uuid4().hex
    parts = []
    for skill in skills:
        references = (
            [
                (r.path, read_resource(skill, r.path))
                for r in resources(skill)
                if r.path.startswith("references/") and r.lines
            ]
            if settings.skills_load_references
            else []
        )
        text, cut = loaded(
            skill, instructions_text(skill), references, max_chars=settings.skills_max_body_chars
        )
        if cut:
            record(
                event.skills_truncated(
                    run, name=skill.name, max_chars=settings.skills_max_body_chars
                )
            )
        parts.append(text)
    return "\n\n".join(parts)


def role_prompt(role: str, catalog: Catalog) -> tuple[str, Sequence[tuple[str, str]]]:
    """Every skill of a role with its instructions, as one text; and who needs what that is not there."""
    from prowess.discover.agent_skill import instructions
    from prowess.discover.resources import instructions_text
    from prowess.discover.roles import for_role
    from prowess.prompt.role import role_form

    chosen = for_role(role, catalog.skills)
    text = role_form(
        (skill, instructions(instructions_text(skill)).strip()) for skill in chosen.skills
    )
    return text, chosen.missing
