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

from prowess.permit.shell.words import RefusedError

LONGEST = 10_000

_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp", "Zs", "Co", "Cn"))
_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # letters and marks that show nothing
_BLANK = re.compile(r"(?:[ \t\n]|\\\n)*")


def parse(command: str) -> tuple[str, Node]:
    """The text with one character a byte, so that places in it are the parser's, and the tree's root."""
    _check_characters(command)
    data = command.encode()
    text, root = data.decode("latin-1"), _parser().parse(data).root_node
    _check_coverage(text, root)
    return text, root


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


def _check_coverage(text: str, root: Node) -> None:
    if root.has_error:
        raise RefusedError("this is not a shell command that can be parsed; check the quoting")
    at = 0
    for leaf in _leaves(root):
        if leaf.is_missing or leaf.start_byte < at:
            raise RefusedError("the parser is not sure of this command; write it more plainly")
        if leaf.start_byte > at:
            _check_gap(text[at : leaf.start_byte], before=leaf.type)
        at = leaf.end_byte
    _check_gap(text[at:], before="")


def _check_gap(gap: str, *, before: str) -> None:
    if before in ("<<", "<<-") and gap.strip(" \t") == "-" and gap[0] in " \t":
        return  # an argument, which `heredocs.py` finds again
    if not _BLANK.fullmatch(gap):
        raise RefusedError(f"the parser passes over `{gap.strip()}`; quote it or leave it out")
    if gap.startswith("\\\n") and gap.endswith("\\\n"):
        raise RefusedError("a line is continued inside a word; put a blank before the backslash")


def _leaves(node: Node) -> Iterator[Node]:
    if not node.children or node.type == "heredoc_body":
        yield node  # the text of a here-document is read line by line, by `heredocs.py`
        return
    for child in node.children:
        yield from _leaves(child)


def unknown(node: Node) -> RefusedError:
    kind = node.type.replace("_", " ")
    return RefusedError(f"`{kind}` is a shell feature that cannot be granted; use plain commands")
