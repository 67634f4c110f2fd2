"""The files of a new skill: small, valid, and telling the author what belongs where."""

import json
import os
from importlib.resources import files

from prowess.core.errors import OutsideError, UsageError
from prowess.discover.naming import name_faults, suggestion

FORMATS = {
    "skill.md": ("SKILL.md",),
    "manifest": ("manifest.json", "skill.md"),
    "workflow": ("skill.yaml",),
}


def scaffold(parent: str, name: str, format_: str, description: str) -> list[str]:
    """Write the skill below `parent` and return its files; nothing that exists is touched."""
    if format_ not in FORMATS:
        raise UsageError(
            f"--format {format_}: there is no such format", hint=f"use {', '.join(FORMATS)}"
        )
    if faults := list(name_faults(name, name)):
        raise UsageError(f"the name {name!r} {faults[0].what}", hint=f"try {suggestion(name)}")
    folder = os.path.abspath(os.path.join(os.path.expanduser(parent), name))
    if os.path.lexists(folder):
        raise UsageError(
            f"{folder} is there already",
            hint="choose another name, or edit the skill that is there",
        )
    description = (
        " ".join(description.split())
        or f"Describe in one or two sentences what {name} does. Use when the task asks for it."
    )
    values = {
        "name": name,
        "title": name.replace("-", " ").title(),
        "description": json.dumps(description, ensure_ascii=False),
    }
    made = []
    try:
        os.makedirs(folder)
        for file in FORMATS[format_]:
            text = (
                files("prowess.cli")
                .joinpath("templates", f"{format_}.{file}")
                .read_text(encoding="utf-8")
            )
            for key, value in values.items():
                text = text.replace(f"<{key}>", value)
            path = os.path.join(folder, file)
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
            made.append(path)
    except OSError as error:
        raise OutsideError(
            f"{folder} cannot be written: {error.strerror}", hint="check the folder's permissions"
        ) from error
    return made
