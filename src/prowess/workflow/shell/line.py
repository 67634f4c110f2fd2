"""
A line for the shell with placeholders in it, each of which becomes exactly one quoted word.

The line is parsed once, with a made-up word for each placeholder. What stands around that word says
how its value is quoted, and where quoting cannot be relied on the line is refused before anything
runs: with placeholders, only plain commands, pipes, lists, branches and loops are taken, and what
the parser is not sure of is not. Lines without placeholders are the author's own and pass as they are.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from prowess.workflow.shell.flow import Flow
from prowess.workflow.shell.quoting import Quoting, check_text, quoted
from prowess.workflow.shell.word import Made, UnsafeCommandError, Word, program_of
from prowess.workflow.shell.words import (
    check_declaration,
    check_options,
    check_words,
    reads_code,
    with_input,
)
from prowess.workflow.shell.wrappers import is_risky
from prowess.workflow.tree import Node, Tree, nodes_of
from prowess.workflow.values import Part, Scope, Slot, check_path, elsewhere, parts_of

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
# Where the shell takes apart what is not in quotes, and finds files for it.
_SPLITS = frozenset("command test_command unary_expression binary_expression negation_expression".split())  # fmt: skip
_EXPANSIONS = ("simple_expansion", "expansion", "command_substitution")
# Of a variable, text as it is or cut at fixed places: nothing that is calculated or looked up.
_PLAIN_EXPANSION = re.compile(
    r"\$\{#?(?:\w+|[@*#?$-])(?:\}|:?[-=+?]|[#%/^,]|:\s*-?[0-9]+(?::\s*-?[0-9]+)?\})"
)
_CALCULATION = re.compile(r"\$\(\(|\$\[")
# A line end that the shell does not see, where the parser takes what it joins for two words.
_HIDDEN_END = re.compile(rb"(?<!\\)(?:\\\\)*\\\n(?=\S)")
_OPEN_DOLLAR = re.compile(rb"\$[\w({]*\Z")
# `{name[…]}>` puts the number of a descriptor there, and calculates where that is.
_DESCRIPTOR = re.compile(r"\{\w+\[.*\}", re.DOTALL)
# Of a value that is taken apart on the way, what may lead out of a folder.
_ELSEWHERE = re.compile(r"(?<![\w.-])[/~]|(?<![\w.])\.\.(?![\w.])")


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
            _check_target(target, scope)
        line = "".join(
            piece if isinstance(piece, str) else quoted(*piece, scope) for piece in self.pieces
        )
        if self.document_end and _ends(line, self.document_end) != 1:
            raise UnsafeCommandError(
                f"a value has a line that begins with {self.document_end!r}, which ends the here-document",
                hint="end the here-document with another word",
            )
        if len(line.encode()) > LONGEST:
            raise UnsafeCommandError(
                f"the command is longer than {LONGEST:,} bytes with its values",
                hint="hand long text over in a file",
            )
        return line

    def argv(self, scope: Scope) -> tuple[str, ...] | None:
        """The program and its arguments, when the line is one command that needs no shell."""
        return None if self.plain is None else tuple(word.filled(scope) for word in self.plain)


def _ends(line: str, end: str) -> int:
    """How many lines begin with `end`: inside $( ) bash takes one that has a `)` too for the end."""
    joined = re.sub(r"(?<!\\)((?:\\\\)*)\\\n", r"\1", line)
    return max(
        sum(each.lstrip("\t").startswith(end) for each in text.split("\n"))
        for text in (line, joined)
    )


def _check_target(word: Word, scope: Scope) -> None:
    """What is written to by `>` stays in the folder that the author wrote."""
    plain = "".join(part if isinstance(part, str) else "x" for part in word.parts)
    for text in word.texts(scope):
        check_path(text, plain)
    for value in word.made_of(scope):
        if _ELSEWHERE.search(value):
            raise elsewhere(value)


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
        check_text(text)
    return filled


def argument_words(command: tuple[str, ...]) -> tuple[Word, ...]:
    return tuple(Word(parts_of(each)) for each in command)


class _Reader:
    def __init__(self, parts: tuple[Part, ...]) -> None:
        self._tree = Tree(parts)
        self._flow = Flow(self._tree)

    def line(self) -> Line:
        tree, flow = self._tree, self._flow
        every = [node for node in tree.nodes if node.type == "command"]
        commands = tuple(map(flow.words, every))
        plain = self._plain(commands)
        if not tree.slots:
            return Line((tree.data.decode(),) if tree.data else (), plain=plain)
        self._check_tree()
        self._check_variables(commands)
        fed = [flow.is_fed(node) for node in every]
        for words, is_fed in zip(commands, fed, strict=True):
            check_words(words, fed=is_fed)
        if any(map(reads_code, commands)):
            raise _refused("an interpreter in this line reads its program from a pipe")
        pieces, end = self._pieces()
        read = Word((Made(slots=tree.slots),), exact=False, touched=True)
        run = tuple(
            with_input(words, read) if is_fed else words
            for words, is_fed in zip(commands, fed, strict=True)
        )
        return Line(pieces, run, self._targets(), end, plain)

    def _targets(self) -> tuple[Word, ...]:
        """The files that the line reads or writes by `<` and `>`, where a value has a part in their names."""
        return tuple(
            self._flow.word(node)
            for redirect in self._tree.nodes if redirect.type == "file_redirect"
            for node in redirect.children_by_field_name("destination")
            if node.type != "process_substitution" and self._flow.touches(node)
        )  # fmt: skip

    def _check_variables(self, commands: tuple[tuple[Word, ...], ...]) -> None:
        """What a variable with a value in it would do, however the value got there."""
        for name in sorted(self._flow.assigned):
            if is_risky(name):
                raise _refused(
                    f"the variable {name} tells which programs are run, or is calculated"
                )
        makes = any(program_of(word) in ("make", "gmake") for words in commands for word in words)
        if makes and self._flow.assigned:  # it may be exported, here or before
            raise _refused("`make` puts its variables into lines for the shell")

    def _check_tree(self) -> None:
        if self._tree.root.has_error:
            raise _refused("this line cannot be parsed for certain")
        self._check_line_ends()
        for node in self._tree.nodes:
            opening = node.children[0].type if node.children else ""
            if node.type not in _KNOWN or opening in ("((", "[["):
                raise _refused(
                    f"`{opening if opening in ('((', '[[') else node.type.replace('_', ' ')}` in this line may take a value for code"
                )
            self._check_kind(node)
            if self._flow.touches(node):
                self._check_holder(node)
            if not self._tree.holds(node):
                if node.type == "command_name" and not self._flow.word(node.children[0]).exact:
                    raise _refused("the program of a command in this line is not written out")
                continue
            if node.type in _HOLDS_NONE:
                raise _refused(f"it is inside a {node.type.replace('_', ' ')}")
            if opening == "`":
                raise _refused("inside backticks quotes do not hold; write $( ) instead")
            if node.type == "string" and b"$" in (
                self._tree.data[node.start_byte - 1 : node.start_byte],
                self._tree.data[node.start_byte : node.start_byte + 1],
            ):
                raise _refused('`$"` is translated before it is read')

    def _check_line_ends(self) -> None:
        data = self._tree.data
        for found in _HIDDEN_END.finditer(data):
            at = found.end() - len("\\\n")
            node = self._tree.root.descendant_for_byte_range(at, found.end())
            kind = node.type if node is not None and node.type != "word" else ""
            joins = kind not in _QUOTED and data[:at] and not data[:at][-1:].isspace()
            if joins or (kind != "raw_string" and _OPEN_DOLLAR.search(data, 0, at)):
                raise UnsafeCommandError(
                    "a backslash at the end of a line joins two parts of a word",
                    hint="write a space before the backslash, or the word in one line",
                )

    def _check_kind(self, node: Node) -> None:
        """What may take a variable's value for code, wherever that comes from."""
        if node.type == "declaration_command":
            check_declaration(self._tree.text(node.children[0]), self._flow.words(node)[1:])
        elif node.type in ("expansion", "command_substitution") and self._may_run(node):
            raise _refused(f"`{self._tree.text(node)}` in this line may take a value for code")
        elif _DESCRIPTOR.fullmatch(self._tree.text(node)) and self._tree.redirects(node):
            raise _refused(f"the shell calculates the subscript of `{self._tree.text(node)}`")
        elif (node.type == "array" and "[" in self._tree.text(node)) or (
            node.type == "heredoc_redirect" and self._calculates(node)
        ):
            raise _refused(f"this {node.type.split('_')[0]} may take a value for code")

    def _may_run(self, node: Node) -> bool:
        """The parser takes a calculation inside `${ }` for a substitution or for text."""
        text = self._tree.text(node)
        if node.type == "command_substitution":  # in backticks a backslash hides what is read later
            return text.startswith("$((") or (text.startswith("`") and "\\" in text)
        inside = (found.start() for found in re.finditer(r"\$\{", text))
        plain = all(_PLAIN_EXPANSION.match(text, at) for at in inside)
        return not plain or _CALCULATION.search(text) is not None

    def _check_holder(self, node: Node) -> None:
        if node.type == "unary_expression" and self._tree.text(node.children[0]) in ("-v", "-R"):
            raise _refused("`-v` takes a word for a variable")
        if node.type == "file_redirect" and len(node.children_by_field_name("destination")) > 1:
            raise _refused("an argument follows a redirection; write redirections last")
        if node.type == "command" and any(child.type == "subscript" for child in node.children):
            raise _refused("it is inside a subscript")
        if node.type in _EXPANSIONS:
            self._check_quotes(node)

    def _check_quotes(self, node: Node) -> None:
        """A variable with a value is one argument only in quotes; a test takes more of them for operators."""
        above = node.parent
        while above is not None and above.type == "concatenation":
            above = above.parent
        if above is None or above.type not in _SPLITS:
            return
        words = self._flow.words(above) if above.type == "command" else ()
        tests = above.type != "command" or any(word.text in ("test", "[") for word in words)
        text = self._tree.text(node)
        if tests or not (node.type == "command_substitution" or text.startswith("${#")):
            what = "a substitution" if self._tree.holds(node) else text
            raise UnsafeCommandError(
                f"the shell takes {what} apart, and there is a value in it",
                hint='write it in double quotes, like "$name"',
            )

    def _calculates(self, document: Node) -> bool:
        """Whether the shell reads backticks or a calculation in it; the parser takes them for text."""
        start, *_ = (
            self._tree.text(node) for node in document.children if node.type == "heredoc_start"
        )
        body = "".join(self._tree.text(each) for each in self._flow.read_of(document))
        return start.isidentifier() and bool(re.search(r"(?<!\\)(?:`|\$\(\(|\$\[)", body))

    def _pieces(self) -> tuple[tuple[str | tuple[Slot, Quoting], ...], str]:
        """The line cut at its placeholders; a here-document that is plain text becomes a quoted one."""
        starts = [node for node in self._tree.nodes if node.type == "heredoc_start"]
        bodies = [node for node in self._tree.nodes if node.type == "heredoc_body"]
        if any(map(self._tree.holds, bodies)) and len(starts) != 1:
            raise _refused("there is more than one here-document in this line")
        end = ""
        edits: list[tuple[int, int, str | tuple[Slot, Quoting]]] = []
        raw = False
        if starts and any(map(self._tree.holds, bodies)):
            start = self._tree.text(starts[0])
            end = start.strip("'\"\\")
            raw = start != end or not set("$`\\") & set(self._tree.text(bodies[0]))
            if raw and start == end:
                edits.append((starts[0].start_byte, starts[0].end_byte, f"'{start}'"))
        for at, after, slot in self._tree.places():
            quoting = self._quoting(at, after)
            if quoting == "document" and raw:
                quoting = "raw document"
            edits.append((at, after, (slot, quoting)))
        pieces: list[str | tuple[Slot, Quoting]] = []
        last = 0
        for begin, after, piece in sorted(edits, key=lambda edit: edit[0]):
            pieces += [self._tree.data[last:begin].decode(), piece]
            last = after
        return (*pieces, self._tree.data[last:].decode()), end

    def _quoting(self, begin: int, end: int) -> Quoting:
        node = self._tree.root.descendant_for_byte_range(begin, end)
        if node is None or node.type not in _QUOTED:
            raise _refused(f"it is inside a {node.type.replace('_', ' ') if node else 'gap'}")
        before = self._tree.data[:begin]
        escapes = len(before) - len(before.rstrip(b"\\"))
        if node.type != "raw_string" and escapes % 2:
            raise _refused("a backslash stands before it")
        return _QUOTED[node.type]

    def _plain(self, commands: tuple[tuple[Word, ...], ...]) -> tuple[Word, ...] | None:
        children = self._tree.root.children
        if len(children) != 1 or children[0].type != "command" or self._tree.root.has_error:
            return None
        fixed = {"command_name", "word", "raw_string", "string", "number", "concatenation"}
        simple = all(node.type in fixed for node in children[0].children)
        globs = any(set("*?[{~") & set(self._tree.text(node)) for node in nodes_of(children[0]) if node.type == "word")  # fmt: skip
        return commands[0] if simple and not globs and all(w.exact for w in commands[0]) else None


def _refused(why: str) -> UnsafeCommandError:
    return UnsafeCommandError(
        f"no placeholder may stand here: {why}",
        hint="make it an argument of a plain command, or write the command as a list",
    )
