"""
The strict reading behind `prowess validate`: every rule, every problem, all at once.

A file may break the specification and still load; an author who validates wants to hear of it
before somebody else's tool refuses the skill. Errors break a rule of the format; warnings are
legal and unwise, or fields that only some tools know.
"""

import difflib
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from prowess.core.errors import ProwessError, SkillError
from prowess.core.execution import SETTINGS
from prowess.core.skill import Problem, spelled_alike
from prowess.discover import agent_skill, frontmatter
from prowess.discover.draft import UNDESCRIBED, Draft, folder_name
from prowess.discover.folder import read_definition, read_folder
from prowess.discover.index import WATCHED
from prowess.discover.naming import name_faults
from prowess.discover.scan import DEFINITIONS, VISITED, definitions, scan

KNOWN_FIELDS = SETTINGS | frozenset(
    "allowed_tools when_to_use argument_hint arguments disable_model_invocation user_invocable"
    " disallowed_tools paths version dependencies".split()
)
LONGEST_COMPATIBILITY = 500
_REPLACED = "\ufffd"  # stands for bytes that are no text


def skill_folders(path: str) -> tuple[list[str], list[Problem]]:
    """
    The skills that `path` stands for: itself, or all below a folder that is none; empty when there
    is none. And what kept the walk from looking for others.
    """
    if not os.path.isdir(path):
        return ([path] if os.path.lexists(path) else []), []
    root = os.path.abspath(path)
    found = scan(root, {})
    if not found.rows:
        return [path], []  # it cannot be entered, as its own check will tell
    folders = [
        os.path.join(root, below) if below else root
        for below, row in found.rows.items()
        if row[WATCHED] != ""
    ]
    # What lies below a skill are its own files, and no rule says how deep they may lie.
    unreached = [] if root in folders else [_strict(problem) for problem in found.problems]
    return folders, unreached


def validate(path: str) -> list[Problem]:
    """The problems of the skill in the folder `path`, or of the one whose file `path` is, by file and line."""
    folder = os.path.abspath(path if os.path.isdir(path) else os.path.dirname(path) or ".")
    if not os.path.lexists(path):
        return [
            Problem(
                path=path,
                message="there is nothing here",
                hint="name a skill's folder or its SKILL.md",
            )
        ]
    if not os.path.isdir(path) and os.path.basename(path) not in DEFINITIONS:
        return [
            Problem(
                path=path,
                message="not a skill's file",
                hint="name a skill's folder or its SKILL.md",
            )
        ]
    try:
        names = definitions(os.listdir(folder))
    except OSError as error:
        return [
            Problem(
                path=path, message=f"cannot be read: {error.strerror}", hint="check its permissions"
            )
        ]
    if not names:
        hint = "a skill's folder holds SKILL.md, manifest.json or skill.yaml"
        return [Problem(path=folder, message="no skill here", hint=hint)]
    found: list[Problem] = []
    for name in names:
        if name.lower() == "skill.md":
            if "manifest.json" not in names or name == "SKILL.md":
                found += _agent_skill(folder, name)
        else:
            alone = (
                [name, "skill.md"] if name == "manifest.json" and "skill.md" in names else [name]
            )
            problems = read_folder(folder, alone, strict=True).problems
            found += [_strict(problem) for problem in problems]
    return sorted(
        found, key=lambda problem: (problem.path, problem.line or 0, problem.level, problem.message)
    )


def _strict(problem: Problem) -> Problem:
    """
    What is only odd when it is loaded breaks a rule; a new skill that nobody has described yet
    breaks none, nor does a second way to a skill that was checked.
    """
    return problem if problem.message in (UNDESCRIBED, VISITED) else replace(problem, level="error")


def _agent_skill(folder: str, file: str) -> list[Problem]:
    """What the Agent Skills specification has against a SKILL.md."""
    draft = Draft("skill.md", folder, file, strict=True)
    if file != "SKILL.md":
        draft.note(f"the file is called {file}", hint="rename it to SKILL.md", level="error")
    try:
        _, data = read_definition(folder, file)
    except OSError as error:
        draft.note(
            f"cannot be read: {error.strerror}",
            hint="check the file and its permissions",
            level="error",
        )
    except ProwessError as error:
        draft.note(str(error), hint=error.hint, level="error")
    else:
        agent_skill.warn_of_length(draft, data)
        _header(draft, data)
    return draft.problems


def _header(draft: Draft, data: bytes) -> None:
    """Whatever of it can be read is held to the rules, however much cannot."""
    before = len(draft.problems)
    text = draft.text_of(data)
    is_text = len(draft.problems) == before
    try:
        found, missing = frontmatter.parse_on(text, draft.refuse)
    except SkillError as error:
        if is_text:  # or else that is why
            draft.refuse(error)
        return
    for mended in found.mended:
        draft.note(mended.what, hint=mended.hint, line=mended.line, level="error")
    if not is_text:
        missing |= {
            key: found.lines[key] for key in found.fields if _REPLACED in str(found.fields[key])
        }
    check = _Fields(draft, found.fields, found.lines | missing, unread=missing)
    check.name()
    check.description()
    check.others()
    draft.warn_of_guards(found.fields, found.lines)
    agent_skill.warn_of_settings(draft, found.fields, found.lines)


class _Fields:
    """The header of one SKILL.md under the rules; each method adds what it finds to the draft."""

    def __init__(
        self,
        draft: Draft,
        fields: Mapping[str, Any],
        lines: Mapping[str, int],
        *,
        unread: Collection[str],
    ) -> None:
        self._draft = draft
        self._fields = fields
        self._lines = lines
        self._unread = unread  # they are there, and what they say is not known

    def name(self) -> None:
        hint = f"write `name: {folder_name(self._draft.folder)}`"
        if name := self._text("name", longest=None, hint=hint):
            for fault in name_faults(name, self._draft.folder):
                self._error("name", f"the name {name!r} {fault.what}", fault.hint)

    def description(self) -> None:
        hint = "say what the skill does and when to use it"
        text = self._text("description", longest=agent_skill.LONGEST_DESCRIPTION, hint=hint)
        self._draft.warn_if_unfilled(text, self._lines.get("description"))

    def others(self) -> None:
        """The optional fields of the specification, and those it does not have."""
        if "compatibility" in self._fields:
            self._text(
                "compatibility",
                longest=LONGEST_COMPATIBILITY,
                hint="one sentence on what the skill needs",
            )
        if "license" in self._fields:
            self._text("license", longest=None, hint="a licence's name, or the file that holds it")
        metadata = self._fields.get("metadata")
        if metadata is not None and not (
            isinstance(metadata, dict)
            and not any(isinstance(value, dict | list) for value in metadata.values())
        ):
            self._error(
                "metadata",
                "metadata is not a mapping of text to text",
                "write `key: value` lines below it",
            )
        written = dict.fromkeys((*self._fields, *self._unread))
        for field in written:
            self._tools(field)
            other = field.replace("-", "_") if "-" in field else field.replace("_", "-")
            if other != field and other in written:
                self._error(field, f"{field} stands twice, in two spellings", "keep one of them")
            if field in agent_skill.SPEC_FIELDS:
                continue
            if field.replace("-", "_") in KNOWN_FIELDS:
                self._warn(
                    field,
                    f"{field} is not in the specification",
                    "fine here and in some tools; others may refuse the skill",
                )
            else:
                near = difflib.get_close_matches(
                    field, agent_skill.SPEC_FIELDS | KNOWN_FIELDS, n=1, cutoff=0.8
                )
                hint = f"did you mean {near[0]}?" if near else "move it below `metadata:`"
                self._error(field, f"{field} is not in the specification", hint)

    def _tools(self, field: str) -> None:
        [name] = spelled_alike({field: None})
        value = self._fields.get(field)
        if name not in ("allowed_tools", "disallowed_tools") or field in self._unread:
            return
        if isinstance(value, str) and value.count("(") != value.count(")"):
            self._error(
                field, f"a bracket of {field} is never closed", "write it as in Bash(git diff:*)"
            )
        elif field in agent_skill.SPEC_FIELDS and (
            isinstance(value, list) or "," in re.sub(r"\([^()]*\)", "", str(value))
        ):
            self._warn(
                field,
                f"{field} is not space-separated",
                "write the tools on one line with blanks between them",
            )

    def _text(self, field: str, *, longest: int | None, hint: str) -> str:
        value = self._fields.get(field)
        if field in self._unread:
            return ""
        if value is None:
            self._error(
                field, f"no {field}" if field not in self._fields else f"{field} is empty", hint
            )
        elif not isinstance(value, str):
            self._error(field, f"{field} is not text", hint)
        elif not value.strip():
            self._error(field, f"{field} is empty", hint)
        elif longest is not None and len(value.strip()) > longest:
            self._error(
                field, f"{field} has {len(value.strip()):,} characters", f"use at most {longest:,}"
            )
        return value.strip() if isinstance(value, str) else ""

    def _error(self, field: str, message: str, hint: str) -> None:
        self._draft.note(message, hint=hint, line=self._lines.get(field), level="error")

    def _warn(self, field: str, message: str, hint: str) -> None:
        self._draft.note(message, hint=hint, line=self._lines.get(field))
