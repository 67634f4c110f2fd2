"""
Calls of other agents in the words of ours, so that one reader understands every transcript.

What has no counterpart here keeps its own name.
"""

import shlex
from collections.abc import Mapping
from typing import Any

from prowess.core.chat import Call, ToolKind

_OURS: Mapping[str, str] = {
    "bash": "Bash",
    "shell": "Bash",
    "run_shell_command": "Bash",
    "command_execution": "Bash",
    "read": "Read",
    "read_file": "Read",
    "read_many_files": "Read",
    "write": "Write",
    "write_file": "Write",
    "edit": "Edit",
    "multiedit": "Edit",
    "replace": "Edit",
    "patch": "Edit",
    "apply_patch": "Edit",
    "file_change": "Edit",
    "notebookedit": "Edit",
    "grep": "Grep",
    "grep_search": "Grep",
    "search_file_content": "Grep",
    "glob": "Glob",
    "skill": "Skill",
    "activate_skill": "Skill",
}
_INPUTS: Mapping[str, str] = {
    "filePath": "file_path",
    "absolute_path": "file_path",
    "oldString": "old_string",
    "newString": "new_string",
    "dir_path": "path",
}
_KINDS: Mapping[str, ToolKind] = {
    "Bash": "SHELL",
    "Read": "FILE",
    "Write": "FILE",
    "Edit": "FILE",
    "Grep": "SEARCH",
    "Glob": "SEARCH",
    "Skill": "SKILL",
    "Ask": "QUESTION",
}
_SHELLS = ("bash", "sh", "zsh", "dash")


def our_call(call_id: str, tool: str, given: Mapping[str, Any]) -> Call:
    """The call as one of our own tools would be called."""
    named = {_INPUTS.get(name, name): value for name, value in given.items()}
    return Call(id=call_id, tool=_OURS.get(tool.lower(), tool), input=named)


def kind_of(tool: str) -> ToolKind:
    return _KINDS.get(tool, "API")


def unwrapped(command: str) -> str:
    """`/bin/bash -lc 'ls'` is how an agent says `ls`."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    if len(words) == 3 and words[0].rpartition("/")[2] in _SHELLS and words[1] in ("-c", "-lc"):  # noqa: PLR2004
        return words[2]
    return command
