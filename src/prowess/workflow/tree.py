"""A line for the shell as a tree, with a made-up word in the place of each of its placeholders."""

from collections.abc import Iterator, Sequence
from functools import cache

from tree_sitter import Language, Node, Parser

from prowess.workflow.values import Part, Slot

__all__ = ["Node", "Tree", "nodes_of"]


class Tree:
    """The nodes of a line in its order, what is written in each, and which of them hold a placeholder."""

    def __init__(self, parts: Sequence[Part]) -> None:
        plain = "".join(part for part in parts if isinstance(part, str))
        self._mark = "qvq"  # begins the word that stands for a placeholder; nobody wrote it
        while self._mark in plain:
            self._mark += "vq"
        self.slots = tuple(part for part in parts if isinstance(part, Slot))
        numbers = iter(range(len(self.slots)))
        self.data = "".join(
            part if isinstance(part, str) else self._marked(next(numbers)) for part in parts
        ).encode()
        self.root = _parser().parse(self.data).root_node
        self.nodes = list(nodes_of(self.root))

    def text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode()

    def holds(self, node: Node) -> bool:
        return self._mark.encode() in self.data[node.start_byte : node.end_byte]

    def redirects(self, node: Node) -> bool:
        """Whether it touches a `<` or `>`: then the shell takes a number for a descriptor, and no word."""
        return self.data[node.end_byte : node.end_byte + 1] in (b"<", b">")

    def cut(self, text: str) -> tuple[Part, ...]:
        """What is written in a part of the line, with its placeholders again."""
        first, *others = text.split(self._mark)
        parts: list[Part] = [first]
        for other in others:
            parts += [self.slots[int(other[:4])], other[5:]]
        return tuple(part for part in parts if part != "")

    def places(self) -> Iterator[tuple[int, int, Slot]]:
        """Where each placeholder stands in the data, from and to."""
        for number, slot in enumerate(self.slots):
            mark = self._marked(number).encode()
            at = self.data.index(mark)
            yield at, at + len(mark), slot

    def _marked(self, number: int) -> str:
        return f"{self._mark}{number:04d}q"


@cache
def _parser() -> Parser:
    import tree_sitter_bash

    return Parser(Language(tree_sitter_bash.language()))


def nodes_of(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if here.is_named:
            yield here
        waiting += reversed(here.children)
