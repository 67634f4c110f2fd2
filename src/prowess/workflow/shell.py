"""
A line for the shell with placeholders in it, each of which becomes exactly one quoted word.

The line is parsed once, with a made-up word for each placeholder. What stands around that word says
how its value is quoted, and where quoting cannot be relied on the line is refused before anything
runs: with placeholders, only plain commands, pipes, lists, branches and loops are taken, and what
the parser is not sure of is not. Lines without placeholders are the author's own and pass as they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from tree_sitter import Language, Node, Parser

from prowess.workflow.values import Part, Scope, Slot, fill_part, fill_path, parts_of
from prowess.workflow.words import (
    UnsafeCommandError,
    Word,
    check_options,
    check_words,
    reads_code,
)

Quoting = Literal["bare", "single", "double", "document", "raw document"]
LONGEST = 120_000  # bytes; the kernel takes no argument much longer
_KNOWN = frozenset(
    "program list pipeline command command_name word string string_content raw_string concatenation"
    " number simple_expansion expansion variable_name special_variable_name variable_assignment"
    " variable_assignments command_substitution process_substitution subshell compound_statement"
    " if_statement elif_clause else_clause while_statement for_statement do_group case_statement"
    " case_item negated_command redirected_statement file_redirect herestring_redirect"
    " heredoc_redirect heredoc_start heredoc_body heredoc_content heredoc_end file_descriptor"
    " test_command unary_expression binary_expression test_operator comment ansi_c_string"
    " brace_expression extglob_pattern array declaration_command".split()
)
_QUOTED: dict[str, Quoting] = {
    "word": "bare", "raw_string": "single", "string_content": "double", "string": "double",
    "heredoc_body": "document", "heredoc_content": "document",
}  # fmt: skip
_HOLDS_NONE = frozenset(
    "comment ansi_c_string expansion simple_expansion brace_expression extglob_pattern"
    " declaration_command heredoc_start heredoc_end subscript array variable_name".split()
)
# Variables by which a program is chosen, or told to run another.
_RISKY = (
    "PATH IFS ENV SHELL EDITOR VISUAL PAGER BROWSER PS0 PS1 PS2 PS4 PROMPT_COMMAND CDPATH GLOBIGNORE".split()
)  # fmt: skip
_RISKY_BEGIN = ("LD_", "DYLD_", "BASH", "SHELLOPTS", "PYTHON", "PERL", "RUBY", "NODE_", "GIT_", "LESS", "JAVA_")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """`pieces` make the line; the rest is what is looked at once the values are known."""

    pieces: tuple[str | tuple[Slot, Quoting], ...]
    commands: tuple[tuple[Word, ...], ...] = ()
    targets: tuple[Word, ...] = ()
    document_end: str = ""  # the line that ends the here-document with a placeholder in it
    plain: tuple[Word, ...] | None = None  # the line is this one command and nothing else

    def filled(self, scope: Scope) -> str:
        """The line as the shell gets it. Raises for values that cannot be made safe."""
        for command in self.commands:
            check_options(command, scope)
        for target in self.targets:
            fill_path("".join(_written(part) for part in target.parts), scope)
        line = "".join(
            piece if isinstance(piece, str) else _quoted(*piece, scope) for piece in self.pieces
        )
        if self.document_end and self._ends(line) != 1:
            raise UnsafeCommandError(
                f"a value has the line {self.document_end!r}, which ends the here-document",
                hint="end the here-document with another word",
            )
        if len(line.encode()) > LONGEST:
            raise UnsafeCommandError(
                f"the command is longer than {LONGEST:,} bytes with its values",
                hint="hand long text over in a file",
            )
        return line

    def _ends(self, line: str) -> int:
        return sum(each.lstrip("\t") == self.document_end for each in line.split("\n"))

    def argv(self, scope: Scope) -> tuple[str, ...] | None:
        """The program and its arguments, when the line is one command that needs no shell."""
        return None if self.plain is None else tuple(word.filled(scope) for word in self.plain)


def _written(part: Part) -> str:
    return part if isinstance(part, str) else part.source


@lru_cache(maxsize=1024)
def parse_line(text: str) -> Line:
    """Raises `UnsafeCommandError` when a placeholder stands where it cannot be made safe."""
    parts = tuple(
        part.source if isinstance(part, Slot) and part.foreign else part
        for part in parts_of(text, line=True)
    )
    return _Reader(parts).line()


def fill_arguments(command: tuple[str, ...], scope: Scope) -> tuple[str, ...]:
    """A command that is a list: each element is one argument, whatever its values."""
    words = argument_words(command)
    check_options(words, scope)
    filled = tuple(word.filled(scope) for word in words)
    for text in filled:
        _check_text(text)
    return filled


def argument_words(command: tuple[str, ...]) -> tuple[Word, ...]:
    return tuple(Word(parts_of(each)) for each in command)


@cache
def _parser() -> Parser:
    import tree_sitter_bash

    return Parser(Language(tree_sitter_bash.language()))


class _Reader:
    def __init__(self, parts: tuple[Part, ...]) -> None:
        plain = "".join(part for part in parts if isinstance(part, str))
        self._mark = "qvq"  # a word that stands for a placeholder, and that nobody wrote
        while self._mark in plain:
            self._mark += "vq"
        self._slots = [part for part in parts if isinstance(part, Slot)]
        numbers = iter(range(len(self._slots)))
        self._data = "".join(
            part if isinstance(part, str) else self._marked(next(numbers)) for part in parts
        ).encode()
        self._root = _parser().parse(self._data).root_node

    def _marked(self, number: int) -> str:
        return f"{self._mark}{number:04d}q"

    def line(self) -> Line:
        nodes = list(_walk(self._root))
        commands = tuple(self._words(node) for node in nodes if node.type == "command")
        plain = self._plain(commands)
        if not self._slots:
            return Line((self._data.decode(),) if self._data else (), plain=plain)
        self._check_tree(nodes)
        for words in commands:
            check_words(words)
        if any(map(reads_code, commands)):
            raise _refused("an interpreter in this line reads its program from a pipe")
        pieces, end = self._pieces(nodes)
        targets = tuple(
            self._word(node) for each in nodes if each.type == "file_redirect"
            for node in each.children_by_field_name("destination") if self._holds(node)
        )  # fmt: skip
        return Line(pieces, commands, targets, end, plain)

    def _check_tree(self, nodes: list[Node]) -> None:
        if self._root.has_error:
            raise _refused("this line cannot be parsed for certain")
        for node in nodes:
            opening = node.children[0].type if node.children else ""
            if node.type not in _KNOWN or opening in ("((", "[["):
                raise _refused(
                    f"`{opening if opening in ('((', '[[') else node.type.replace('_', ' ')}` in this line may take a value for code"
                )
            if not self._holds(node):
                if node.type == "command_name" and not self._word(node.children[0]).exact:
                    raise _refused("the program of a command in this line is not written out")
                continue
            if node.type in _HOLDS_NONE:
                raise _refused(f"it is inside a {node.type.replace('_', ' ')}")
            if opening == "`":
                raise _refused("inside backticks quotes do not hold; write $( ) instead")
            if node.type == "string" and b"$" in (
                self._data[node.start_byte - 1 : node.start_byte],
                self._data[node.start_byte : node.start_byte + 1],
            ):
                raise _refused('`$"` is translated before it is read')
            self._check_holder(node)

    def _check_holder(self, node: Node) -> None:
        if node.type == "variable_assignment":
            name = node.child_by_field_name("name")
            risky = self._text(name) if name else ""
            if risky in _RISKY or risky.startswith(_RISKY_BEGIN):
                raise _refused(f"the variable {risky} tells which programs are run")
        elif node.type == "unary_expression" and self._text(node.children[0]) in ("-v", "-R"):
            raise _refused("`-v` takes a word for a variable")
        elif node.type == "file_redirect" and len(node.children_by_field_name("destination")) > 1:
            raise _refused("an argument follows a redirection; write redirections last")
        elif node.type == "command" and any(child.type == "subscript" for child in node.children):
            raise _refused("it is inside a subscript")

    def _pieces(self, nodes: list[Node]) -> tuple[tuple[str | tuple[Slot, Quoting], ...], str]:
        """The line cut at its placeholders; a here-document that is plain text becomes a quoted one."""
        starts = [node for node in nodes if node.type == "heredoc_start"]
        bodies = [node for node in nodes if node.type == "heredoc_body"]
        if any(map(self._holds, bodies)) and len(starts) != 1:
            raise _refused("there is more than one here-document in this line")
        end = ""
        edits: list[tuple[int, int, str | tuple[Slot, Quoting]]] = []
        raw = False
        if starts and any(map(self._holds, bodies)):
            start = self._text(starts[0])
            end = start.strip("'\"\\")
            raw = start != end or not set("$`\\") & set(self._text(bodies[0]))
            if raw and start == end:
                edits.append((starts[0].start_byte, starts[0].end_byte, f"'{start}'"))
        for number, slot in enumerate(self._slots):
            mark = self._marked(number).encode()
            at = self._data.index(mark)
            quoting = self._quoting(at, at + len(mark))
            if quoting == "document" and raw:
                quoting = "raw document"
            edits.append((at, at + len(mark), (slot, quoting)))
        pieces: list[str | tuple[Slot, Quoting]] = []
        last = 0
        for begin, after, piece in sorted(edits, key=lambda edit: edit[0]):
            pieces += [self._data[last:begin].decode(), piece]
            last = after
        return (*pieces, self._data[last:].decode()), end

    def _quoting(self, begin: int, end: int) -> Quoting:
        node = self._root.descendant_for_byte_range(begin, end)
        if node is None or node.type not in _QUOTED:
            raise _refused(f"it is inside a {node.type.replace('_', ' ') if node else 'gap'}")
        before = self._data[:begin]
        escapes = len(before) - len(before.rstrip(b"\\"))
        if node.type != "raw_string" and escapes % 2:
            raise _refused("a backslash stands before it")
        return _QUOTED[node.type]

    def _plain(self, commands: tuple[tuple[Word, ...], ...]) -> tuple[Word, ...] | None:
        children = self._root.children
        if len(children) != 1 or children[0].type != "command" or self._root.has_error:
            return None
        fixed = {"command_name", "word", "raw_string", "string", "number", "concatenation"}
        simple = all(node.type in fixed for node in children[0].children)
        globs = any(set("*?[{~") & set(self._text(node)) for node in _walk(children[0]) if node.type == "word")  # fmt: skip
        return commands[0] if simple and not globs and all(w.exact for w in commands[0]) else None

    def _words(self, command: Node) -> tuple[Word, ...]:
        given = ("variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect")
        return tuple(self._word(node) for node in command.children if node.type not in given)

    def _word(self, node: Node) -> Word:
        """What a program would get, as far as it is written here."""
        text = self._text(node)
        if node.type == "word":
            return Word(self._cut(_unescaped(text)))
        if node.type == "raw_string":
            return Word(self._cut(text[1:-1]))
        if node.type == "number":
            return Word(self._cut(text), not node.children)
        if node.type == "string":
            inner = all(child.type in ('"', "string_content") for child in node.children)
            content = text[1:-1] if inner else "".join(
                self._text(child) for child in node.children if child.type == "string_content"
            )  # fmt: skip
            return Word(self._cut(_unescaped(content, only='$`"\\\n')), inner)
        if node.type in ("concatenation", "command_name"):
            words = [self._word(child) for child in node.children]
            parts = tuple(part for word in words for part in word.parts)
            return Word(parts, all(word.exact for word in words))
        return Word((), exact=False)

    def _cut(self, text: str) -> tuple[Part, ...]:
        parts: list[Part] = []
        first, *others = text.split(self._mark)
        parts.append(first)
        for other in others:
            parts += [self._slots[int(other[:4])], other[5:]]
        return tuple(part for part in parts if part != "")

    def _holds(self, node: Node) -> bool:
        return self._mark.encode() in self._data[node.start_byte : node.end_byte]

    def _text(self, node: Node) -> str:
        return self._data[node.start_byte : node.end_byte].decode()


def _walk(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if here.is_named:
            yield here
        waiting += reversed(here.children)


def _unescaped(text: str, only: str = "") -> str:
    """Without the backslashes that the shell takes away: all of them, or those before `only`."""
    found, at = "", 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text) and (not only or text[at + 1] in only):
            at += 1
            if text[at] == "\n":
                at += 1
                continue
        found += text[at]
        at += 1
    return found


def _quoted(slot: Slot, quoting: Quoting, scope: Scope) -> str:
    text = fill_part(slot, scope)
    _check_text(text)
    if quoting == "bare":
        return "'" + text.replace("'", "'\\''") + "'"
    if quoting == "single":
        return text.replace("'", "'\\''")
    if quoting == "raw document":
        return text
    escaped = '\\$`"' if quoting == "double" else "\\$`"
    return "".join(f"\\{letter}" if letter in escaped else letter for letter in text)


def _check_text(text: str) -> None:
    if "\0" in text:
        raise UnsafeCommandError("a value has a NUL in it", hint="no command can take one")
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise UnsafeCommandError("a value is not proper text", hint="give it as UTF-8")


def _refused(why: str) -> UnsafeCommandError:
    return UnsafeCommandError(
        f"no placeholder may stand here: {why}",
        hint="make it an argument of a plain command, or write the command as a list",
    )
