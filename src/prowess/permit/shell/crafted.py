"""
Text that the line itself wrote.

`git $(echo --exec-path=x)` gives git a word that no reader of the line has seen as an option.
What a command prints from its own files is its business; what the line puts there is not.
"""

import re
from collections.abc import Iterable

from tree_sitter import Node

from prowess.permit.shell.simple import Simple

WORDS = frozenset(
    "word string raw_string ansi_c_string concatenation number simple_expansion expansion"
    " command_substitution process_substitution brace_expression extglob_pattern $".split()
)
_WRITERS = frozenset(("echo", "printf"))
_PLAIN = re.compile(r"[\w./@%+*?~][\w./@%+,*?~-]*", re.ASCII)
_VARIABLE = re.compile(r"\$\{?\w+\}?", re.ASCII)
_CHOSEN = re.compile(r"echo|printf|<<|[\"'\\]")


def writes(commands: Iterable[Simple]) -> bool:
    """Could the line itself choose what these print?"""
    return any(
        "<<" in each.source or any(word.text in _WRITERS for word in each.words)
        for each in commands
    )


def crafted_names(root: Node, text: str) -> frozenset[str]:
    """Loop variables, if a loop gives any of them something other than plain names."""
    names: set[str] = set()
    crafted = False
    left = [root]
    while left:
        node = left.pop()
        left.extend(node.children)
        if node.type != "for_statement":
            continue
        for child in node.named_children:
            source = text[child.start_byte : child.end_byte]
            if child.type == "variable_name":
                names.add(source)
            elif child.type in WORDS:
                crafted = crafted or not _plain_value(source)
    return frozenset(names) if crafted else frozenset()


def _plain_value(source: str) -> bool:
    inner = source.strip("\"'")
    if inner.startswith("$(") and inner.endswith(")"):
        return not _CHOSEN.search(inner)
    return bool(_PLAIN.fullmatch(inner) or _VARIABLE.fullmatch(inner))
