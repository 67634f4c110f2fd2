"""
From the nodes of one simple command to its words, assignments and redirections.

The parser hangs redirections, and what follows them, in places of its own; here each word is put
back where a shell sees it. Commands inside substitutions are handed to `inside`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from prowess.permit.shell.crafted import WORDS
from prowess.permit.shell.heredocs import check_heredoc
from prowess.permit.shell.simple import COPIED, Redirect
from prowess.permit.shell.source import Source
from prowess.permit.shell.tree import unknown
from prowess.permit.shell.words import (
    Names,
    RefusedError,
    Substitution,
    Word,
    plain,
    read_word,
    values_of,
)

_TEST_OPERATORS = frozenset(("test_operator", "=", "==", "!=", "!"))
_HEREDOC_TEXT = frozenset(("heredoc_body", "heredoc_end"))
_TEST_NODES = frozenset(("unary_expression", "binary_expression"))


@dataclass(slots=True)
class Parts:
    """`placed` are words with where they stand; `after` is what follows a here-document on its line."""

    placed: list[tuple[int, Word]] = field(default_factory=list)
    assignments: list[tuple[str, Word]] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    after: list[Node] = field(default_factory=list)

    @property
    def words(self) -> tuple[Word, ...]:
        return tuple(word for _, word in sorted(self.placed, key=lambda pair: pair[0]))


class PartsReader:
    """`inside` reads the statements of a substitution, and says whether the line chose their output."""

    def __init__(
        self,
        source: Source,
        *,
        names: Names,
        inside: Callable[[Sequence[Node]], bool],
    ) -> None:
        self.source = source
        self.names = names
        self.inside = inside

    def command(self, node: Node) -> Parts:
        parts = Parts()
        self.source.check_line(node.children)
        for child in node.children:
            match child.type:
                case "variable_assignment":
                    parts.assignments.append(self._assignment(child))
                case "command_name":
                    (name,) = child.children
                    self._add(parts, name)
                case "file_redirect" | "herestring_redirect":
                    self._redirect(parts, child)
                case _:
                    self._add(parts, child)
        return parts

    def test(self, node: Node) -> Parts:
        """`[ … ]` is a command like any other; what is an operator elsewhere is an operand here."""
        parts = Parts()
        self.source.check_line(node.children)
        left = list(reversed(node.children))
        while left:
            child = left.pop()
            if child.type in _TEST_NODES:
                left.extend(reversed(child.children))
            elif child.type in ("[", "]") or child.type in _TEST_OPERATORS:
                self.source.check_borders(child)
                parts.placed.append((child.start_byte, plain(self.source.of(child))))
            elif child.is_named:
                self._add(parts, child)
            else:
                raise unknown(child)
        return parts

    def add_outer(self, parts: Parts, nodes: Sequence[Node]) -> None:
        """Redirections that the parser hangs above the command they belong to."""
        bodiless = not parts.placed
        for node in nodes:
            self._redirect(parts, node)
        if bodiless and parts.placed:
            raise RefusedError("words after a redirection belong before it; write them there")

    def _add(self, parts: Parts, node: Node) -> None:
        words = values_of(self.source.of(node), self.names)
        word = self.word(node)
        parts.placed.extend(
            (node.start_byte, each) for each in (words if words is not None else [word])
        )

    def _assignment(self, node: Node) -> tuple[str, Word]:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or name.type != "variable_name" or node.children[1].type != "=":
            raise unknown(node)
        if value is None:
            return self.source.of(name), plain("")
        self.source.check_end(value)
        return self.source.of(name), self._read(value)

    def _redirect(self, parts: Parts, node: Node) -> None:
        match node.type:
            case "file_redirect":
                self._file_redirect(parts, node)
            case "herestring_redirect":
                if [child.type for child in node.children if not child.is_named] != ["<<<"]:
                    raise unknown(node)
                self.word(node.named_children[-1])
            case "heredoc_redirect":
                self._heredoc(parts, node)
            case _:
                raise unknown(node)

    def _file_redirect(self, parts: Parts, node: Node) -> None:
        if self.source.text[node.start_byte - 1 : node.start_byte] == "}":
            raise RefusedError("a named file descriptor cannot be granted; use a number")
        self.source.check_line(node.children)
        targets = node.children_by_field_name("destination")
        operator = "".join(
            child.type
            for child in node.children
            if child not in targets and child.type != "file_descriptor"
        )
        placed = [(target.start_byte, self.word(target)) for target in targets]
        if operator in (">&-", "<&-"):
            parts.redirects.append(Redirect(operator=operator[:2], target=plain("-")))
        elif placed:
            _check_copy(operator, placed[0][1])
            parts.redirects.append(Redirect(operator=operator, target=placed.pop(0)[1]))
        else:
            raise unknown(node)
        # The parser takes what follows a target for more targets; a shell takes it for arguments.
        parts.placed.extend(placed)

    def _heredoc(self, parts: Parts, node: Node) -> None:
        check_heredoc(self.source, node)
        right = node.children_by_field_name("right")
        self.source.check_line(each for each in node.children if each.type not in _HEREDOC_TEXT)
        for child in node.children:
            match child.type:
                case "<<" | "<<-":
                    before = len(self.source.text[: child.start_byte].rstrip(" \t")) - 1
                    if before in self.source.lost_dashes:
                        parts.placed.append((before, plain("-")))
                case "heredoc_start" | "heredoc_body" | "heredoc_end" | "file_descriptor":
                    pass
                case "file_redirect" | "herestring_redirect":
                    self._redirect(parts, child)
                case "pipeline" | "&&" | "||":
                    parts.after.append(child)
                case _ if child in right:
                    parts.after.append(child)
                case _:
                    self._add(parts, child)

    def word(self, node: Node) -> Word:
        self.source.check_borders(node)
        return self._read(node)

    def _read(self, node: Node) -> Word:
        if node.type not in WORDS:
            raise unknown(node)
        return read_word(
            self.source.text,
            node.start_byte,
            node.end_byte,
            dict(self._substitutions(node)),
            names=self.names,
        )

    def _substitutions(self, node: Node) -> Iterator[tuple[int, Substitution]]:
        """The outermost substitutions in a word."""
        if node.type not in ("command_substitution", "process_substitution"):
            for child in node.children:
                yield from self._substitutions(child)
            return
        opening, closing = node.children[0], node.children[-1]
        start = opening.end_byte - len(self.source.of(opening).lstrip())
        limit = None
        if opening.type == "`":
            self.source.check_backticks(node)
            limit = closing.start_byte
        elif opening.type not in ("$(", "<(", ">(") or self.source.text.startswith("$((", start):
            raise unknown(node)
        elif not node.named_children or node.named_children[0].type == "file_redirect":
            raise RefusedError("`$(<file)` cannot be granted; use a command that reads the file")
        with self.source.inside(limit=limit):
            crafted = self.inside(node.children[1:-1])
        # What stands for `<(…)` is the name of a descriptor, whatever comes out of it.
        yield start, Substitution(node.end_byte, crafted and opening.type in ("$(", "`"))


def _check_copy(operator: str, target: Word) -> None:
    """To bash `>& -x` closes a descriptor, and the `x` is an argument."""
    copies = operator in (">&", "<&") and target.text[:1] in tuple("-0123456789")
    if copies and not COPIED.fullmatch(target.text):
        raise RefusedError(f"`{operator} {target.text}` can be read in two ways; write it plainly")
