"""
What a skill takes, as the schema of a tool and the arguments of a prompt; and back into a request.

A workflow says it in `inputs`, a SKILL.md in `arguments`; one that declares none takes one text, as
does a workflow that speaks of its `{arguments}`.
Nothing is required: what is missing, the run asks the person for.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from prowess.core.errors import ProwessError, UsageError
from prowess.core.files import decode, read_beneath
from prowess.core.skill import Skill, truth
from prowess.prompt.variables import declared

WHOLE = "arguments"
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")  # of a tool, for every client and model
_WORDS = re.compile(r"\barguments\b(?!\s*:)")  # as a value, not as what a step hands on
_TYPES = {"number": "number", "boolean": "boolean", "list": "array"}


def can_be_tool(skill: Skill) -> bool:
    """Models call tools: what only a person may invoke is a prompt and no tool."""
    may = skill.user_may_invoke and skill.model_may_invoke
    return may and _NAME.fullmatch(skill.name) is not None


def properties(skill: Skill) -> dict[str, dict[str, Any]]:
    """The properties of the tool's schema, by name and in order."""
    if skill.format == "workflow":
        words = {WHOLE: {"type": "string", "description": "What the workflow is to do."}}
        return {
            **(words if _takes_words(skill) else {}),
            **dict(_inputs(skill.fields.get("inputs"))),
        }
    hint = _hint(skill.fields.get("argument_hint"))
    if names := declared(skill):
        about = _about(skill.fields.get("arguments"))
        return {name: {"type": "string", "description": about.get(name, hint)} for name in names}
    description = f"What the skill is to do. {hint}".strip()
    return {WHOLE: {"type": "string", "description": description}}


def schema(skill: Skill) -> dict[str, Any]:
    return {"type": "object", "properties": properties(skill), "additionalProperties": False}


def one_text(skill: Skill, given: Mapping[str, Any]) -> str:
    """The arguments of a SKILL.md as a person would have typed them."""
    names = declared(skill)
    if not names:
        return str(given.get(WHOLE, ""))
    words = [str(given.get(name, "")) for name in names]
    while words and not words[-1]:
        words.pop()
    return shlex.join(words)


def checked(schema: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What is given, with 2 for 2.0 where a whole number is meant; `UsageError` says what is wrong and why."""
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

    wrong = next(iter(Draft202012Validator(schema).iter_errors(dict(given))), None)
    if wrong is not None:
        where = ".".join(map(str, wrong.absolute_path))
        raise UsageError(
            f"{where}: {wrong.message}" if where else wrong.message,
            hint=f"it takes {json.dumps(schema['properties'], ensure_ascii=False)}",
        )
    whole = {name for name, each in schema["properties"].items() if each.get("type") == "integer"}
    return {name: int(value) if name in whole else value for name, value in given.items()}


def _hint(written: object) -> str:
    """`[file]` is a hint as authors write it, and a list as YAML reads it."""
    return f"[{', '.join(map(str, written))}]" if isinstance(written, list) else str(written or "")


def _takes_words(skill: Skill) -> bool:
    """
    Whether a workflow seems to use its `{arguments}`. It is not read through for a list of tools; a
    run of one that only mentions them refuses what it would not use.
    """
    try:
        return _WORDS.search(decode(read_beneath(skill.path, "skill.yaml"))) is not None
    except ProwessError:
        return False


def _inputs(written: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read leniently: a workflow that is wrong somewhere is listed all the same, and says so when run."""
    listed = (
        [
            {"name": name, **(each if isinstance(each, Mapping) else {})}
            for name, each in written.items()
        ]
        if isinstance(written, Mapping)
        else written
    )
    for each in listed if isinstance(listed, list) else ():
        if not isinstance(each, Mapping) or not isinstance(each.get("name"), str):
            continue
        kind = _TYPES.get(str(each.get("type")), "string")
        made: dict[str, Any] = {"type": kind}
        if kind == "array":
            made["items"] = {"type": "string"}
        if about := each.get("prompt") or each.get("description"):
            made["description"] = str(about)
        if isinstance(options := each.get("options"), list) and kind == "string":
            made["enum"] = [str(option) for option in options]
        if each.get("default") is not None:
            made["default"] = each["default"]
        elif truth(each.get("required"), default=True):
            made["description"] = f"{made.get('description', '')} (asked for when left out)".strip()
        yield each["name"], made


def _about(written: object) -> dict[str, str]:
    """Descriptions of declared arguments, where the author wrote a list of `name: …, description: …`."""
    return {
        str(each.get("name")): str(each["description"])
        for each in (written if isinstance(written, list) else ())
        if isinstance(each, Mapping) and each.get("description")
    }
