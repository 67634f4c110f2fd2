"""
From a SKILL.md to a skill.yaml that means the same.

A recipe (headings, a short line before each block of shell, nothing after the last) becomes the same
commands in the same order, each shown with its line. Everything else is instructions that only a
model can follow, so the workflow has one step that follows them: the SKILL.md itself, unchanged.
In doubt it is the second.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from prowess.core.skill import Skill
from prowess.workflow.check import find_mistakes
from prowess.workflow.variables import counts_on_environment, with_placeholders, without_variables

_HEAD = "# Made by `prowess convert` from SKILL.md. docs/workflows.md tells what it keeps.\n"
_FENCE = re.compile(r"^(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_INNER_FENCE = re.compile(r"^[ \t>]+(`{3,}|~{3,})", re.MULTILINE)
_SHELLS = ("bash", "sh", "shell")
_LONGEST_LINE = 200  # characters that may introduce a command
# What stands for something that the reader is to put in: FILE, <name>, [options], three dots.
_STAND_IN = re.compile(r"(?<![\w$={./-])[A-Z][A-Z_]{2,}(?![\w=./-])|<[a-z][\w -]*>|\.\.\.|…|^\$ ", re.MULTILINE)  # fmt: skip
_OTHER = re.compile(r"\$ARGUMENTS\[|\$[0-9]|!`|^```!", re.MULTILINE)
_CARRIED = ("version", "license", "allowed_tools", "disallowed_tools")


@dataclass(frozen=True, slots=True)
class _Part:
    """A block of shell, and the lines before it: as the SKILL.md has them, or as a workflow does."""

    told: str
    command: str


def convert(skill: Skill, instructions: str) -> str:
    """
    The text of a skill.yaml, to lie beside the SKILL.md.

    `instructions` is the body of the SKILL.md, without its header.
    """
    return _recipe(instructions, skill) or _file(skill, [_follow(skill)], recipe=False)


def deprecation_note(skill: Skill, instructions: str) -> str:
    """What to tell of the newer form, for a SKILL.md that is a recipe; else nothing. It is never an error."""
    if "skill.yaml" in skill.files or not _recipe(instructions, skill):
        return ""
    return (
        f"{skill.name} is a SKILL.md, which runs unchanged. `prowess convert {skill.name}` writes a"
        " skill.yaml beside it that means the same and needs no model."
    )


def _recipe(text: str, skill: Skill) -> str:
    """The workflow of the same commands; empty where there is none, or not one that means the same."""
    if _OTHER.search(text) or _INNER_FENCE.search(text) or "arguments" in skill.fields:
        return ""
    parts, rest = _parts(text)
    ours = [own for part in parts if (own := _as_ours(part))]
    if not parts or rest.strip() or len(ours) < len(parts):
        return ""
    made = _file(skill, list(_recipe_steps(ours)), recipe=True)
    return "" if find_mistakes(made) else made


def _file(skill: Skill, steps: list[str], *, recipe: bool) -> str:
    return _HEAD + "".join(_head(skill, recipe=recipe)) + "\nsteps:\n" + "\n".join(steps)


def _parts(text: str) -> tuple[list[_Part], str]:
    """The blocks of shell with what stands before each, and what stands after the last."""
    parts: list[_Part] = []
    told: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        fence = _FENCE.match(line)
        if not fence:
            told.append(line)
            continue
        block = list(_until(lines, fence[1]))
        if fence[2].strip().lower() in _SHELLS:
            parts.append(_Part("\n".join(told).strip(), "\n".join(block)))
            told = []
        else:
            told += [line, *block, fence[1]]
    return parts, "\n".join(told)


def _until(lines: Iterator[str], fence: str) -> Iterator[str]:
    for line in lines:
        if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            return
        yield line


def _as_ours(part: _Part) -> _Part | None:
    """The part with our placeholders in it; None where something is left to a reader, or in doubt."""
    told, command = with_placeholders(part.told), with_placeholders(part.command, line=True)
    if told is None or command is None or not _is_plain(part) or counts_on_environment(command):
        return None
    return _Part(told, command)


def _is_plain(part: _Part) -> bool:
    """Nothing is left to a reader: no stand-ins, and no more than a line about each command."""
    prose = [line for line in part.told.splitlines() if line.strip() and not line.startswith("#")]
    if len(" ".join(prose)) > _LONGEST_LINE or not part.command.strip():
        return False
    return not _STAND_IN.search(without_variables(part.command))


def _head(skill: Skill, *, recipe: bool) -> Iterator[str]:
    yield f"name: {_quoted(skill.name)}\n"
    yield f"description: {_quoted(skill.description)}\n"
    for name in _CARRIED if recipe else _CARRIED[:2]:
        value = skill.fields.get(name)
        if isinstance(value, str | list) and value:
            yield f"{name.replace('_', '-')}: {json.dumps(value, ensure_ascii=False)}\n"


def _follow(skill: Skill) -> str:
    return (
        "  - id: follow\n"
        "    description: Follow the instructions in SKILL.md\n"
        f"    skill: {_quoted(skill.name)}\n"
        '    arguments: "{arguments}"\n'
    )


def _recipe_steps(parts: list[_Part]) -> Iterator[str]:
    for number, part in enumerate(parts, start=1):
        if part.told:
            yield f"  - id: tell-{number}\n    output: {_block(part.told)}"
        yield f"  - id: run-{number}\n    command: {_block(part.command)}    store: output_{number}\n"
        yield f'  - id: show-{number}\n    output: "{{output_{number}}}"\n    format: text\n'


def _block(text: str) -> str:
    indented = "".join(f"      {line}\n" if line.strip() else "\n" for line in text.splitlines())
    plain = text == text.strip() and text.replace("\n", "").isprintable()
    return f"|-\n{indented}" if plain else f"{_quoted(text)}\n"


def _quoted(text: str) -> str:
    """A JSON text is a YAML text."""
    return json.dumps(text, ensure_ascii=False)
