"""
What a model nearly said: tool names and arguments put right before anything is judged or done.

Only spelling is mended, never intent: a value is moved to the argument it was meant for or read as
the type it plainly is. The permission gate sees the mended call, so help grants nothing.
"""

import difflib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

_TOOLS = {  # what other agents call these tools
    "Ask": "askuser askuserquestion question askhuman",
    "Bash": "shell sh terminal runcommand execute executecommand runshell cmd",
    "Edit": "editfile strreplace replace replaceinfile",
    "Fetch": "fetchfile readresource reference",
    "Glob": "findfiles listfiles find",
    "Grep": "search searchfiles ripgrep rg greptool",
    "Read": "readfile cat open view viewfile openfile",
    "Skill": "useskill loadskill runskill",
    "Write": "writefile createfile savefile create",
}
_ARGUMENTS = {  # argument: other words for it
    "file_path": "path file filename filepath name target",
    "command": "cmd script code bash shell",
    "content": "text contents body data filetext",
    "old_string": "old oldstr oldtext search find",
    "new_string": "new newstr newtext replace replacement",
    "pattern": "query regex glob search expression",
    "path": "dir directory folder root filepath cwd",
    "timeout": "timeoutseconds seconds",
    "ignore_case": "i caseinsensitive ignorecase",
    "context": "c contextlines",
    "limit": "headlimit maxresults lines",
    "offset": "start startline line from",
    "question": "prompt text message",
    "options": "choices",
    "name": "skill skillname",
    "arguments": "args input",
}
_RUN = frozenset({"command"})
_WRAPPERS = frozenset({"arguments", "args", "input", "parameters", "params", "kwargs"})
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|/\*.*?\*/|//[^\n]*', re.DOTALL)
_TRAILING = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


def tool_name(said: str, known: Iterable[str]) -> str | None:
    """The tool that was meant, when there is only one it can be."""
    names = list(known)
    if said in names:
        return said
    word = _plain(said)
    meant = [name for name in names if _plain(name) == word]
    meant = meant or [name for name in names if word in _TOOLS.get(name, "").split()]
    return meant[0] if len(meant) == 1 else None


def near_names(said: str, known: Iterable[str]) -> list[str]:
    lowered = {name.lower(): name for name in known}
    return [lowered[near] for near in difflib.get_close_matches(said.lower(), lowered, cutoff=0.5)]


def arguments(
    said: Mapping[str, Any], schema: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments under their right names and as their right types, and what was done to them."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    given, healed = _unwrapped(said, properties)
    for name in [name for name in given if name not in properties]:
        meant = _meant(name, given, properties)
        if meant:
            given[meant] = given.pop(name)
            healed.append(f"read the argument {name} as {meant}")
    required = schema.get("required", ())
    for name in [name for name in given if given[name] is None and name not in required]:
        if "null" not in _types(properties.get(name, {"type": "null"})):
            del given[name]
            healed.append(f"left out {name}, which was null")
    for name, value in given.items():
        if name in _RUN and isinstance(value, Mapping | list):
            continue  # JSON would be run as if it had been meant as a command
        better = _typed(value, _types(properties.get(name, {})))
        if better is not value:
            given[name] = better
            healed.append(f"read {name} as {_kind(better)}")
    return given, tuple(healed)


def relaxed_json(text: str) -> Any:
    """JSON as people write it: comments and trailing commas are let pass. `ValueError` otherwise."""
    try:
        return json.loads(text)
    except ValueError:
        bare = _COMMENT.sub(lambda found: found[1] or " ", text)
        return json.loads(_TRAILING.sub(lambda found: found[1] or "", bare))


def _unwrapped(
    said: Mapping[str, Any], properties: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """`{"arguments": "{…}"}` is what a model writes that calls tools in its sleep."""
    if len(said) == 1:
        ((name, value),) = said.items()
        if name in _WRAPPERS and name not in properties:
            inner = _object(value)
            if inner is not None:
                return inner, [f"took the arguments out of {name}"]
    return dict(said), []


def _object(value: object) -> dict[str, Any] | None:
    if isinstance(value, str):
        try:
            value = relaxed_json(value)
        except ValueError:
            return None
    return dict(value) if isinstance(value, Mapping) else None


def _meant(name: str, given: Mapping[str, Any], properties: Mapping[str, Any]) -> str | None:
    word = _plain(name)
    free = [each for each in properties if each not in given]
    meant = [each for each in free if _plain(each) == word]
    meant = meant or [each for each in free if word in _ARGUMENTS.get(each, "").split()]
    return meant[0] if len(meant) == 1 else None


def _types(schema: Mapping[str, Any]) -> set[str]:
    """The JSON types a value may have; empty when the schema does not say."""
    if "anyOf" in schema:
        return {kind for each in schema["anyOf"] for kind in _types(each)}
    kinds = schema.get("type", [])
    return {kinds} if isinstance(kinds, str) else set(kinds)


def _typed(value: Any, types: set[str]) -> Any:
    kind = _kind(value)
    fits = kind in types or (kind == "integer" and "number" in types)
    if fits or not types or value is None:
        return value
    if kind == "string":
        return _from_text(value, types)
    if "string" in types:
        return json.dumps(value, ensure_ascii=False, indent=2)
    return [value] if "array" in types else value


def _from_text(text: str, types: set[str]) -> Any:
    try:
        value = relaxed_json(text.strip().lower() if "boolean" in types else text)
    except ValueError:
        return [text] if "array" in types else text
    if _kind(value) in types or (_kind(value) == "integer" and "number" in types):
        return value
    return [text] if "array" in types else text


def _kind(value: object) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return kinds.get(type(value), "null" if value is None else "object")


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
