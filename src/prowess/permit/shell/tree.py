"""
A command line as the parser sees it, believed only where it cannot be wrong.

Characters nobody can see are refused before the parser is asked. Afterwards every byte must belong
to a leaf of the tree, or be a blank between two leaves: what the parser marks as an error, makes
up, or passes over in silence is a refusal.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from tree_sitter import Language, Node, Parser

from prowess.permit.shell.source import Source
from prowess.permit.shell.words import RefusedError

LONGEST = 10_000
DEEPEST = 120  # a chain of as many commands as are read at all is less deep

_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp", "Zs", "Co", "Cn"))
_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # letters and marks that show nothing
_BLANK = re.compile(r"(?:[ \t\n]|\\\n)*")


def parse(command: str) -> tuple[Source, Node]:
    """The text, and the root of the tree over it."""
    _check_characters(command)
    data = command.encode()
    text, root = data.decode("latin-1"), _parser().parse(data).root_node
    return Source(text, lost_dashes=frozenset(_lost_dashes(text, root))), root


def _check_characters(command: str) -> None:
    if not command.strip(" \t\n"):
        raise RefusedError("there is no command here; write one")
    if len(command) > LONGEST:
        raise RefusedError(f"the command is longer than {LONGEST:,} characters; run it in parts")
    for letter in command:
        if letter not in "\n\t" and not " " <= letter <= "~" and _unseen(letter):
            raise RefusedError(
                f"the command has a character nobody can see (U+{ord(letter):04X}); leave it out"
            )


def _unseen(letter: str) -> bool:
    is_selector = "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"
    return unicodedata.category(letter) in _UNSEEN or letter in _FILLERS or is_selector


@cache
def _parser() -> Parser:
    import tree_sitter_bash

    return Parser(Language(tree_sitter_bash.language()))


def _lost_dashes(text: str, root: Node) -> Iterator[int]:
    """Every byte is checked; what remains is a `-` before a here-document, which the parser loses."""
    if root.has_error:
        raise RefusedError("this is not a shell command that can be parsed; check the quoting")
    at = 0
    for leaf in _leaves(root):
        if leaf.is_missing or leaf.start_byte < at or not _says(leaf, text):
            raise RefusedError("the parser is not sure of this command; write it more plainly")
        if leaf.start_byte > at:
            gap = text[at : leaf.start_byte]
            if leaf.type in ("<<", "<<-") and gap.strip(" \t") == "-" and gap[0] in " \t":
                yield text.index("-", at)
            else:
                _check_gap(gap)
        at = leaf.end_byte
    _check_gap(text[at:])


def _says(leaf: Node, text: str) -> bool:
    """Is it what its type says? The parser's operators and descriptors at times swallow a word before them."""
    own = text[leaf.start_byte : leaf.end_byte]
    if leaf.type == "file_descriptor":
        return own.isdigit()
    return leaf.is_named or own.lstrip(" \t") == leaf.type or not (own + leaf.type).strip("\n")


def _check_gap(gap: str) -> None:
    if not _BLANK.fullmatch(gap):
        raise RefusedError(f"the parser passes over `{gap.strip()}`; quote it or leave it out")
    if "\\\n" in gap and "\n" in gap.replace("\\\n", ""):
        raise RefusedError("a continued line beside an empty one; leave the backslash out")
    if gap.startswith("\\\n") and gap.endswith("\\\n"):
        raise RefusedError("a line is continued inside a word; put a blank before the backslash")


def _leaves(root: Node) -> Iterator[Node]:
    left = [(root, 0)]
    while left:
        node, depth = left.pop()
        if depth > DEEPEST:
            raise RefusedError("this command is nested too deep; write it more plainly")
        if not node.children or node.type == "heredoc_body":
            yield node  # the text of a here-document is read line by line, by `heredocs.py`
        else:
            left.extend((child, depth + 1) for child in reversed(node.children))


def unknown(node: Node) -> RefusedError:
    kind = node.type.replace("_", " ")
    return RefusedError(f"`{kind}` is a shell feature that cannot be granted; use plain commands")
