"""
The variables of a SKILL.md, as placeholders of a workflow.

Those that are filled there (by `prompt/variables.py`, whose rule is told again here) become
placeholders: `$ARGUMENTS`, `${DATE}`, `{baseDir}`. `$DATE` is the shell's own; but where an agent runs
the command the shell finds our date in it, and a workflow has nothing there. So a command that counts
on that cannot be told as a workflow.
"""

import re
from collections.abc import Iterator

from prowess.workflow.tree import Node, Tree
from prowess.workflow.values import Part, Slot, parts_of, written

_PLACES = {
    "SKILL_DIR": "skill_dir", "CLAUDE_SKILL_DIR": "skill_dir", "SESSION_ID": "run_id",
    "CLAUDE_SESSION_ID": "run_id", "WORKSPACE": "workspace", "USER": "user", "DATE": "date",
}  # fmt: skip
_FILLED = re.compile(
    r"(?P<escape>(?<!\\)\\)?(?:(?<!\$)\$(?:\{(?P<braced>[A-Za-z_][A-Za-z0-9_]*)\}"
    r"|ARGUMENTS(?![A-Za-z0-9_]))|(?P<base>\{baseDir\})(?!\}))"
)
_OF_SHELL = re.compile(rf"\$\{{?[#!]?({'|'.join(_PLACES)}|ARGUMENTS)\b")
_SURE = ("program", "list", "declaration_command", "variable_assignments")


def with_placeholders(text: str, *, line: bool = False) -> str | None:
    """The text of a SKILL.md as one of a workflow, its own braces kept; None where there is no way to write it."""
    return written(tuple(_parts(text)), line=line)


def without_variables(text: str) -> str:
    return "".join(part for part in _parts(text) if isinstance(part, str))


def counts_on_environment(command: str) -> bool:
    """Whether the shell would look up one of our names that the command, with its placeholders, did not set before."""
    tree = Tree(parts_of(command, line=True))
    sets = [node for node in tree.nodes if node.type == "variable_assignment" and _is_sure(node)]
    raw = [node for node in tree.nodes if node.type == "raw_string"]
    for found in _OF_SHELL.finditer(tree.data.decode()):
        at = len(tree.data.decode()[: found.start()].encode())
        # What is in single quotes may be read by another shell, which knows only the environment.
        if any(node.start_byte <= at < node.end_byte for node in raw):
            return True
        if not any(_name(tree, node) == found[1] and node.end_byte <= at for node in sets):
            return True
    return False


def _parts(text: str) -> Iterator[Part]:
    at = 0
    for found in _FILLED.finditer(text):
        yield text[at : found.start()]
        yield _part(found)
        at = found.end()
    yield text[at:]


def _part(found: re.Match[str]) -> Part:
    if found["braced"] and found["braced"] not in _PLACES:
        return found[0]
    if found["escape"]:
        return found[0][1:]
    name = "skill_dir" if found["base"] else _PLACES.get(found["braced"], "arguments")
    return Slot(f"{{{name}}}", (name,))


def _is_sure(assignment: Node) -> bool:
    """It is made whatever happens, and for all that follows: not for one command, in a branch or after `&&`."""
    node = assignment
    while node.parent is not None:
        above = node.parent
        if above.type not in _SURE or (above.type == "list" and above.children[0] != node):
            return False
        node = above
    return True


def _name(tree: Tree, assignment: Node) -> str:
    return tree.text(assignment.children[0])
