"""
Read a manifest.json and the skill.md beside it.

The folder's name is the id; the manifest's own name is the title. A missing skill.md is a warning
and the skill has no instructions.
"""

import json
import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from prowess.core.errors import SkillError
from prowess.discover.draft import Draft
from prowess.discover.header import leave_out_unseen

TYPES = ("system", "role", "custom")
ROLES = ("worker", "orchestrator", "all")
LISTS = ("assignTo", "capabilities", "dependencies")
MAX_CHARS = 256 * 1024
_SEMVER = re.compile(r"\d+\.\d+\.\d+([-+].+)?")


def read(draft: Draft, data: bytes, *, has_instructions: bool) -> None:
    """Fill `draft` from the bytes of a manifest.json; raises `SkillError` when it cannot be loaded."""
    manifest = _parse(draft.text_of(data), draft.refuse)
    name = manifest.pop("name", None)
    draft.take_folder_name()
    if isinstance(name, str) and name.strip():
        manifest["title"] = " ".join(name.split())
    else:
        draft.note(
            "no name",
            hint='add `"name": "What People Call It"`; until then the folder\'s name is used',
        )
    draft.take_header(manifest, leave_out_unseen(manifest, {}))
    draft.warn_of_guards(manifest, {})
    for fault, hint in faults(manifest):
        draft.note(fault, hint=hint)
    if not has_instructions:
        draft.note(
            "there is no skill.md beside it",
            hint="write the instructions in skill.md; until then there are none",
        )
    draft.take_description(manifest.get("description"), None)


def faults(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with the fields of a manifest, each with what to do; a wrong field is put right or left out."""
    found = []
    if "version" not in manifest:
        found.append(("no version", 'add `"version": "1.0.0"`'))
    elif not isinstance(manifest["version"], str) or not _SEMVER.fullmatch(manifest["version"]):
        found.append(
            (
                f"the version {manifest['version']!r} is not semantic",
                'write three numbers, such as "1.0.0"',
            )
        )
    if manifest.get("type", "system") not in TYPES:
        found.append(
            (
                f"the type {manifest['type']!r} is unknown, system is used",
                f"use one of {', '.join(TYPES)}",
            )
        )
        manifest["type"] = "system"
    for key in LISTS:
        value = manifest.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            found.append((f"{key} is not a list of text", f'write `"{key}": ["…"]`'))
            del manifest[key]
    found += [
        (f"assignTo names the unknown role {role!r}", f"use {', '.join(ROLES)}")
        for role in manifest.get("assignTo", [])
        if role not in ROLES
    ]
    return found


def _parse(text: str, refuse: Callable[[SkillError], None]) -> dict[str, Any]:
    if len(text) > MAX_CHARS:
        raise SkillError(
            f"the manifest has {len(text):,} characters", hint=f"keep it under {MAX_CHARS:,}"
        )
    try:
        manifest = json.loads(
            text.removeprefix("\ufeff"),
            object_pairs_hook=partial(_once, refuse=refuse),
            parse_constant=partial(_number, refuse=refuse),
            parse_float=partial(_number, refuse=refuse),
        )
        json.dumps(
            manifest, ensure_ascii=False
        ).encode()  # half a surrogate pair can be written, and is no text
    except json.JSONDecodeError as error:
        raise SkillError(
            f"not valid JSON: {error.msg}", hint="mend the JSON at this line", line=error.lineno
        ) from None
    except UnicodeEncodeError:
        raise SkillError(
            "not usable JSON: half a surrogate pair", hint="use whole characters"
        ) from None
    except RecursionError:
        raise SkillError("not usable JSON: nested too deeply", hint="flatten it") from None
    except ValueError as error:  # a number of thousands of digits
        raise SkillError(f"not usable JSON: {error}", hint="use plain values") from None
    if not isinstance(manifest, dict):
        raise SkillError("the manifest is not an object", hint='begin with { and `"name": …`')
    return manifest


def _number(text: str, *, refuse: Callable[[SkillError], None]) -> float:
    if not math.isfinite(number := float(text)):
        refuse(SkillError(f"not usable JSON: {text} is no number", hint="use plain values"))
    return number


def _once(pairs: list[tuple[str, Any]], *, refuse: Callable[[SkillError], None]) -> dict[str, Any]:
    """The fields of an object. Of one that stands twice, and where that can be borne, the first counts."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            refuse(SkillError(f"the field {key!r} stands twice", hint="keep one of them"))
        else:
            found[key] = value
    return found
