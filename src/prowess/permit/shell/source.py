"""
The text under the tree: where words, comments and substitutions really begin and end.

The parser may part what a shell reads as one word. Here the characters beside a node are looked
at, and a node that touches another is refused.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise

from tree_sitter import Node

from prowess.permit.shell.words import RefusedError

_DELIMITERS = frozenset(" \t\n;&|<>()")


class Source:
    """
    `text` has one character a byte, so that places in it are the parser's places. `lost_dashes` are
    arguments that the parser does not see. `limit` is where the innermost backticks end; `depth`
    counts the substitutions around.
    """

    def __init__(self, text: str, *, lost_dashes: frozenset[int]) -> None:
        self.text = text
        self.lost_dashes = lost_dashes
        self.limit = len(text)
        self.depth = 0

    def of(self, node: Node) -> str:
        return self.text[node.start_byte : node.end_byte]

    @contextmanager
    def inside(self, *, limit: int | None) -> Iterator[None]:
        """Within a substitution; `limit` for one in backticks."""
        before = self.limit
        self.limit = before if limit is None else limit
        self.depth += 1
        yield
        self.depth -= 1
        self.limit = before

    def check_borders(self, node: Node) -> None:
        """Two words that touch are one word to a shell."""
        start = node.start_byte
        opens = start == 0 or self.text[start - 1] in _DELIMITERS or self._opens_backticks(start)
        if not opens or self.text[start - 2 : start] == "\\\n":
            raise self._touches(node)
        self.check_end(node)

    def check_end(self, node: Node) -> None:
        end = node.end_byte
        if self.of(node).isdigit() and self.text[end : end + 1] in ("<", ">"):
            raise self._touches(node)  # to a shell the number belongs to the redirection
        if end != self.limit and self.text[end] not in _DELIMITERS and not self._continued(end):
            raise self._touches(node)

    def check_line(self, nodes: Iterable[Node]) -> None:
        """Nodes of one command stand on one line, or on lines that are continued."""
        for left, right in pairwise(nodes):
            between = self.text[left.end_byte : right.start_byte].replace("\\\n", "")
            if "\n" in between:
                raise RefusedError("a command goes on after the end of its line; write it on one")

    def _opens_backticks(self, start: int) -> bool:
        return self.limit < len(self.text) and self.text[start - 1] == "`"

    def _continued(self, end: int) -> bool:
        """A word may be followed by a continued line, if that goes on with a blank."""
        return self.text[end : end + 2] == "\\\n" and self.text[end + 2 : end + 3] in (" ", "\t")

    def _touches(self, node: Node) -> RefusedError:
        return RefusedError(
            f"`{self.of(node)}` touches what is beside it; put blanks between words"
        )

    def check_backticks(self, node: Node) -> None:
        inside = self.of(node).strip()[1:-1]
        if any(letter in inside for letter in "\\`#"):
            raise RefusedError("backticks may hold plain commands only; use $( )")

    def check_comment(self, node: Node) -> None:
        start = node.start_byte
        begins = start == 0 or self.text[start - 1] in " \t\n;"
        ends = self.text[node.end_byte : node.end_byte + 1] in ("", "\n")
        if not (begins and ends) or "\n" in self.of(node) or self.depth:
            raise RefusedError("this comment cannot be read for certain; leave it out")
