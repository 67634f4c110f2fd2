"""The files of a new skill: small, valid, and telling the author what belongs where."""

import json
import os
import re
import shutil
from collections.abc import Mapping
from importlib.resources import files

from prowess.core.errors import OutsideError, UsageError
from prowess.discover.draft import UNFILLED
from prowess.discover.naming import name_faults, suggestion
from prowess.discover.rules import validate

# What YAML, or some reader of it, takes for a number, a date, a truth or nothing, unless it is quoted.
_NOT_TEXT = re.compile("[0-9].*|null|true|false|yes|no|on|off|y|n")
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
    try:
        description.encode()
    except UnicodeEncodeError:
        raise UsageError("the description is not UTF-8 text", hint="type it anew") from None
    description = (
        " ".join(description.split()) or f"{UNFILLED}{name} does. Use when the task asks for it."
    )
    values = {
        "name": f'"{name}"' if _NOT_TEXT.fullmatch(name) else name,
        "title": name.replace("-", " ").title(),
        "description": json.dumps(description, ensure_ascii=False),
    }
    try:
        os.makedirs(folder)
        try:
            return _make(folder, format_, values)
        except BaseException:
            shutil.rmtree(folder)  # half a skill would stand in the way of the next try
            raise
    except OSError as error:
        raise OutsideError(
            f"{folder} cannot be written: {error.strerror}", hint="check the folder's permissions"
        ) from error


def _make(folder: str, format_: str, values: Mapping[str, str]) -> list[str]:
    """What was typed is under the same rules as a file, so the new skill is validated like any other."""
    made = [_write(folder, format_, file, values) for file in FORMATS[format_]]
    for problem in validate(folder):
        if problem.level == "error":
            raise UsageError(f"that would be no valid skill: {problem.message}", hint=problem.hint)
    return made


def _write(folder: str, format_: str, file: str, values: Mapping[str, str]) -> str:
    template = files("prowess.cli").joinpath("templates", f"{format_}.{file}")
    text = template.read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"<{key}>", value)
    path = os.path.join(folder, file)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path
