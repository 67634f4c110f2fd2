"""
Where the values of a line go inside the shell, and the words that it makes of them.

A value gets into a variable by an assignment, a loop, `${n:=…}` or a command that reads; and into
`$( )` and `<( )` by what stands in them, or by what they are fed with. What is in doubt has a value.
What goes through a file or another program's memory is not seen from here.
"""

import re
from collections.abc import Iterator

from prowess.workflow.shell.quoting import unescaped
from prowess.workflow.shell.word import Made, Word, program_of
from prowess.workflow.tree import Node, Tree
from prowess.workflow.values import Part

# The last word of a command, and the text of the line itself.
_ALWAYS = frozenset("_ BASH_COMMAND BASH_EXECUTION_STRING".split())
_NAMED = re.compile(r"\$\{?[#!]?(\w+)")
_READERS = frozenset("read mapfile readarray".split())
_MOVERS = frozenset("cd pushd popd".split())
_FOLDERS = frozenset("PWD OLDPWD DIRSTACK".split())
_INPUTS = ("heredoc_redirect", "herestring_redirect", "file_redirect")
_SUBSTITUTIONS = ("command_substitution", "process_substitution")
_MOST = 4  # words of a variable that are each looked at


class Flow:
    """`names` are the variables of the line that have a value in them."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.names = set(_ALWAYS) if tree.slots else set()
        self._fed: set[tuple[int, int]] = set()  # substitutions that are fed with a value
        self._given: dict[str, list[Node]] = {}  # by assignments and loops
        self._made: set[str] = set(_ALWAYS)  # of values, in another way
        while tree.slots and self._spread():
            pass

    @property
    def assigned(self) -> set[str]:
        """The variables that the line gives a value to, but for those that tell where it is."""
        return self.names - _ALWAYS - _FOLDERS

    def _spread(self) -> bool:
        """Go through the line once more; whether a value was found anywhere new."""
        before = len(self.names), len(self._fed), len(self._made)
        self._given = {}
        for node in self._tree.nodes:
            if node.type == "variable_assignment":
                self._assign(node)
            elif node.type == "for_statement":
                self._give(self.name(node), node.children_by_field_name("value"))
            elif node.type == "expansion" and re.match(r"\$\{\w+:?=", self._tree.text(node)):
                if self.touches(node):
                    self._make(*_NAMED.findall(self._tree.text(node))[:1])
            elif node.type == "command":
                self._make(*self._set_by(node))
            elif self._gives(node) and self.is_fed(node):
                self._fed.add((node.start_byte, node.end_byte))
        return before != (len(self.names), len(self._fed), len(self._made))

    def _gives(self, node: Node) -> bool:
        """Whether the shell puts in what this prints: `$( )` and `<( )`, but not `>( )`."""
        return node.type in _SUBSTITUTIONS and not self._tree.text(node).startswith(">")

    def _assign(self, node: Node) -> None:
        value = node.child_by_field_name("value")
        appended = any(child.type == "+=" for child in node.children)
        if appended and self.touches(node):
            self._make(self.name(node))
        elif value:
            self._give(self.name(node), [value])
        else:  # it may be empty, and then what follows it begins the word
            self._made.add(self.name(node))

    def _give(self, name: str, values: list[Node]) -> None:
        self._given.setdefault(name, []).extend(values)
        if any(map(self.touches, values)):
            self.names.add(name)

    def _make(self, *names: str) -> None:
        self.names.update(names)
        self._made.update(names)

    def _set_by(self, command: Node) -> Iterator[str]:
        """Variables that a command sets to what it is given, or to what it reads."""
        words = self.words(command)
        at = 0
        while at < len(words) and program_of(words[at]) in ("command", "builtin"):
            at += 1
            while at < len(words) and words[at].is_option:
                at += 1
        program = program_of(words[at]) if at < len(words) else ""
        if program in _READERS and self.is_fed(command):
            yield from ("REPLY", "MAPFILE", *(word.text for word in words[at + 1 :] if word.text))
        elif program in _MOVERS and any(word.has_slot for word in words):
            yield from _FOLDERS

    def name(self, node: Node) -> str:
        name = node.child_by_field_name("name") or node.child_by_field_name("variable")
        return self._tree.text(name) if name else ""

    def touches(self, node: Node) -> bool:
        """Whether a value is in it, or something that the shell puts there and that has one."""
        return self._tree.holds(node) or self._makes(node)

    def _makes(self, node: Node) -> bool:
        named = _NAMED.findall(self._tree.text(node))
        return not self.names.isdisjoint(named) or any(
            node.start_byte <= begin and end <= node.end_byte for begin, end in self._fed
        )

    def is_fed(self, node: Node) -> bool:
        """Whether what this command reads, or may read, has a value in it."""
        here: Node | None = node
        while here is not None:
            above = here.parent
            inputs = (child for child in here.children if child.type in _INPUTS)
            parts = (part for child in inputs for part in self.read_of(child))
            if any(self.touches(part) for part in parts if not _encloses(part, node)):
                return True
            if here.type == "process_substitution" and self._tree.text(here).startswith(">"):
                return True
            if above is not None and above.type == "pipeline":
                before = (child for child in above.children if child.end_byte <= here.start_byte)
                if any(map(self.touches, before)):
                    return True
            here = above
        return False

    def read_of(self, redirect: Node) -> list[Node]:
        """The parts of a redirection that a program reads."""
        if redirect.type == "heredoc_redirect":
            return [child for child in redirect.children if child.type == "heredoc_body"]
        reads = self._tree.text(redirect).lstrip("0123456789").startswith("<")
        return [redirect] if reads else []

    def words(self, command: Node) -> tuple[Word, ...]:
        given = ("variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect")
        own = (node for node in command.children if node.type not in given)
        words = [self.word(node) for node in own if not self._is_descriptor(node)]
        for each in command.parent.children if command.parent else ():
            if each.type == "heredoc_redirect" and each.start_byte >= command.end_byte:
                gap = self._tree.data[command.end_byte : each.start_byte].decode().split()
                words += [Word(("-",)) for text in gap if text == "-"]  # the parser drops it there
                words += [self.word(node) for node in each.children_by_field_name("argument")]
        return tuple(words)

    def _is_descriptor(self, node: Node) -> bool:
        """The parser takes the number of `0<<<` for a word."""
        return self._tree.text(node).isdecimal() and self._tree.redirects(node)

    def word(self, node: Node) -> Word:
        """What a program would get, as far as it is written here."""
        text = self._tree.text(node)
        if node.type in ("word", "variable_name", "raw_string"):
            return Word(
                self._tree.cut(text[1:-1] if node.type == "raw_string" else unescaped(text))
            )
        if node.type == "number":
            return Word(self._tree.cut(text), not node.children)
        if node.type == "string":
            return self._string(node)
        if node.type in ("concatenation", "command_name"):
            return _joined([self.word(child) for child in node.children])
        if not self.touches(node):
            return Word((), exact=False)
        return Word((self._put_in(node),), exact=False, touched=True)

    def _string(self, node: Node) -> Word:
        """What is in double quotes: text, and what the shell puts between."""
        words, at, end = [], node.start_byte + 1, node.end_byte - 1
        for child in node.children:
            if child.type not in ('"', "string_content"):
                words += [self._quoted(at, child.start_byte), self.word(child)]
                at = child.end_byte
        return _joined([*words, self._quoted(at, end)])

    def _quoted(self, begin: int, end: int) -> Word:
        text = self._tree.data[begin:end].decode()
        return Word(self._tree.cut(unescaped(text, only='$`"\\\n')))

    def _put_in(self, node: Node) -> Made:
        """A plain variable is one of the words that it was given, if nothing was made of values there."""
        anything = Made(slots=self._tree.slots)
        plain = re.fullmatch(r"\$(?:(\w+)|\{(\w+)\})", self._tree.text(node))
        name = (plain[1] or plain[2]) if plain else ""
        values = self._given.get(name, [])
        if name in self._made or not 0 < len(values) <= _MOST or any(map(self._makes, values)):
            return anything
        return Made(words=tuple(map(self.word, values)))


def _joined(words: list[Word]) -> Word:
    parts: list[Part | Made] = [part for word in words for part in word.parts]
    return Word(
        tuple(parts),
        exact=all(word.exact for word in words),
        touched=any(word.touched for word in words),
    )


def _encloses(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte
