"""
Read one skill folder: every definition file in it, put together into one skill.

A folder may hold several formats. SKILL.md speaks first, then the manifest, then the workflow;
what an earlier one leaves unsaid a later one may say. A broken file is a problem, and the others
still make the skill.
"""

import errno
import os
from dataclasses import dataclass
from typing import Any

from prowess.core.errors import ProwessError, RefusedError, SkillError
from prowess.core.files import open_beneath, read_plain
from prowess.core.skill import Format, Problem
from prowess.discover import agent_skill, manifest
from prowess.discover.draft import Draft, folder_name

# Not following a link at the end: the rare SKILL.md that is one goes the careful way round.
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


_NO_SKILL = (None,) * 5


@dataclass(slots=True)
class Found:
    """What a folder gave, and how each definition file stood before it was read."""

    skill: tuple[Any, ...]  # name, description, format, files, header; all None for no skill
    problems: list[Problem]
    statuses: list[os.stat_result | None]  # None for a file that could not be read


def read_folder(path: str, names: list[str], *, strict: bool = False) -> Found:
    """`names` are the definition files. Never raises: what is wrong becomes a problem, all of it in a `strict` reading."""
    drafts: list[Draft] = []
    problems: list[Problem] = []
    statuses: list[os.stat_result | None] = []
    for name in names:
        draft = Draft(_format(name, names), path, name, strict=strict)
        status = None
        try:
            status, data = read_definition(path, name)
            if not _is_instructions(name, names):
                _fill(draft, data, names)
                drafts.append(draft)
        except OSError as error:
            draft.note(
                f"cannot be read: {error.strerror}",
                hint="check the file and its permissions",
                level="error",
            )
        except SkillError as error:
            draft.note(str(error), hint=error.hint, line=error.line, level="error")
        except ProwessError as error:
            draft.note(str(error), hint=error.hint, level="error")
        statuses.append(status)
        problems += draft.problems
    return Found(_together(drafts, path) if drafts else _NO_SKILL, problems, statuses)


def read_definition(path: str, name: str) -> tuple[os.stat_result, bytes]:
    """The file as it stood, and its bytes; links are followed only as far as they stay in the folder."""
    try:
        descriptor = os.open(f"{path}/{name}", _FLAGS)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        try:
            descriptor = open_beneath(path, name)
        except RefusedError:
            raise RefusedError(
                f"{name} is a link that leads nowhere or outside the folder",
                hint="put the file itself there",
            ) from None
    try:
        status = os.fstat(descriptor)
        return status, read_plain(descriptor, name, status)
    finally:
        os.close(descriptor)


def _fill(draft: Draft, data: bytes, names: list[str]) -> None:
    if draft.format == "manifest":
        manifest.read(draft, data, has_instructions="skill.md" in names)
    elif draft.format == "workflow":
        from prowess.discover import workflow_file  # and the parser with it, which is rarely needed

        workflow_file.read(draft, data)
    else:
        agent_skill.read(draft, data)


def _format(name: str, names: list[str]) -> Format:
    if name == "skill.yaml":
        return "workflow"
    if name == "manifest.json" or _is_instructions(name, names):
        return "manifest"
    return "skill.md"


def _is_instructions(name: str, names: list[str]) -> bool:
    return name == "skill.md" and "manifest.json" in names


def _together(drafts: list[Draft], path: str) -> tuple[Any, ...]:
    """One skill of all drafts. Its format is the one that says how to run it: a workflow before all else."""
    first = drafts[0]
    header = first.header
    for draft in drafts[1:]:
        header = {**draft.header, **header}
    header.pop("name", None)
    header.pop("description", None)
    return (
        first.name or next(filter(None, (draft.name for draft in drafts)), folder_name(path)),
        first.description,
        "workflow" if "workflow" in [draft.format for draft in drafts] else first.format,
        "\n".join([draft.file for draft in drafts]),
        header,
    )
