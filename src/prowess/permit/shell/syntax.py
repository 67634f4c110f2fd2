"""
A command line, read by a real parser and believed only where it cannot be wrong.

`read_script` returns every simple command that the line could ever run, wherever it stands. What
the parser does not know, marks as an error, or passes over in silence is a refusal: each byte must
belong to a node that is understood here, or be a blank between two of them.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Language, Node, Parser

from prowess.permit.shell.places import Cwds
from prowess.permit.shell.simple import Redirect, Simple
from prowess.permit.shell.words import RefusedError, Substitution, Word, plain, read_word

LONGEST = 10_000
MOST_COMMANDS = 50

_BLANK = re.compile(r"(?:[ \t\n]|\\\n)*")
_DELIMITERS = frozenset(" \t\n;&|<>()")
_PLAIN_LOOP_VALUE = re.compile(r"[\w./@%+*?~][\w./@%+,*?~-]*")
_LOOP_NAME = re.compile(r"[a-z][a-z0-9_]*")
_HEREDOC_START = re.compile(r"(?:'(\w+)'|\"(\w+)\"|\\?(\w+))")
_WRITERS = frozenset(("echo", "printf"))
_WORDS = frozenset(
    "word string raw_string ansi_c_string concatenation number simple_expansion expansion"
    " command_substitution process_substitution brace_expression extglob_pattern $".split()
)
_SEPARATORS = frozenset((";", "&", "\n"))
_TEST_OPERATORS = frozenset(("test_operator", "=", "==", "!=", "!"))
_TEST_NODES = frozenset(("unary_expression", "binary_expression"))


def read_script(command: str) -> tuple[Simple, ...]:
    """Every simple command of the line, in order; `RefusedError` when that is not certain."""
    check_characters(command)
    data = command.encode()
    tree = _parser().parse(data)
    reader = _Script(data, tree.root_node)
    reader.read()
    return tuple(reader.commands)


def check_characters(command: str) -> None:
    if not command.strip(" \t\n"):
        raise RefusedError("there is no command here; write one")
    if len(command) > LONGEST:
        raise RefusedError(f"the command is longer than {LONGEST:,} characters; run it in parts")
    for letter in command:
        if letter in "\n\t" or " " <= letter <= "~":
            continue
        if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs", "Co", "Cn") or (
            letter in "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
            or "\ufe00" <= letter <= "\ufe0f"
        ):
            raise RefusedError(
                f"the command has a character nobody can see (U+{ord(letter):04X}); leave it out"
            )


@cache
def _parser() -> Parser:
    import tree_sitter_bash

    return Parser(Language(tree_sitter_bash.language()))


@dataclass(slots=True)
class _Parts:
    """What one simple command is put together from, as the parser's nodes give it out."""

    nodes: list[tuple[int, Word]] = field(default_factory=list)
    assignments: list[tuple[str, Word]] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    after: list[Node] = field(default_factory=list)  # statements on a here-document's first line

    @property
    def words(self) -> tuple[Word, ...]:
        return tuple(word for _, word in sorted(self.nodes, key=lambda pair: pair[0]))


class _Script:
    """Walks the tree once, in the order of the text."""

    def __init__(self, data: bytes, root: Node) -> None:
        self.text = data.decode("latin-1")  # one character a byte: places are the parser's
        self.root = root
        self.commands: list[Simple] = []
        self.cwds = Cwds()
        self.crafted_names = _crafted_names(root, self.text)
        self.limit = len(self.text)  # where the innermost backticks end
        self.depth = 0  # of substitutions

    def read(self) -> None:
        self._check_coverage()
        self._statements(self.root.children)
        if not self.commands:
            raise RefusedError("there is no command here; write one")

    # What the tree is made of

    def _check_coverage(self) -> None:
        """Every byte belongs to one leaf, but for blanks between them."""
        if self.root.has_error:
            raise RefusedError("this is not a shell command that can be parsed; check the quoting")
        at = 0
        for leaf in _leaves(self.root):
            if leaf.is_missing or leaf.start_byte < at:
                raise RefusedError("the parser is not sure of this command; write it more plainly")
            if leaf.start_byte > at:
                self._check_gap(at, leaf.start_byte, before=leaf.type)
            at = leaf.end_byte
        self._check_gap(at, len(self.text), before="")

    def _check_gap(self, start: int, end: int, *, before: str) -> None:
        gap = self.text[start:end]
        if before in ("<<", "<<-") and gap.strip(" \t") == "-" and gap[0] in " \t":
            return  # read again, as an argument, by `_heredoc`
        if not _BLANK.fullmatch(gap):
            raise RefusedError(f"the parser passes over `{gap.strip()}`; quote it or leave it out")
        if gap.startswith("\\\n") and gap.endswith("\\\n"):
            raise RefusedError(
                "a line is continued inside a word; put a blank before the backslash"
            )

    # Statements

    def _statements(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            if node.type in _SEPARATORS:
                continue
            if node.type == "comment":
                self._check_comment(node)
            else:
                self._statement(node)

    def _statement(
        self,
        node: Node,
        *,
        outer: Sequence[Node] = (),
        piped: bool = False,
        fed: bool = False,
    ) -> None:
        """`outer` are redirections that the parser hangs above the command they belong to."""
        match node.type:
            case "command":
                self._command(node, outer, piped=piped, fed=fed)
            case "test_command":
                self._test(node, outer, piped=piped, fed=fed)
            case "redirected_statement":
                body = node.child_by_field_name("body")
                own = [child for child in node.children if child != body]
                if body is None:
                    self._simple(node, _Parts(), [*own, *outer], piped=piped, fed=fed)
                else:
                    self._statement(body, outer=[*own, *outer], piped=piped, fed=fed)
            case "list":
                self._list(node, outer, piped=piped, fed=fed)
            case "pipeline":
                self._pipeline(node, outer, piped=piped, fed=fed)
            case "negated_command":
                self._tokens(node, "!")
                self._statement(node.named_children[-1], outer=outer, piped=piped, fed=fed)
                self.cwds.forget_success()
            case _:
                if outer:
                    self._simple(node, _Parts(), outer, piped=piped, fed=fed)
                self._compound(node, fed=fed)

    def _list(self, node: Node, outer: Sequence[Node], *, piped: bool, fed: bool) -> None:
        left, operator, right = _three(node)
        self._statement(left, piped=piped, fed=fed)
        self._either(operator, right, outer, fed=fed)

    def _either(self, operator: Node, right: Node, outer: Sequence[Node], *, fed: bool) -> None:
        if operator.type not in ("&&", "||"):
            raise _unknown(operator)
        with self.cwds.second_of(operator.type):
            self._statement(right, outer=outer, fed=fed)

    def _pipeline(self, node: Node, outer: Sequence[Node], *, piped: bool, fed: bool) -> None:
        self._tokens(node, "|", "|&")
        stages = node.named_children
        for stage in stages:
            before = len(self.commands)
            with self.cwds.elsewhere():
                self._statement(
                    stage, outer=outer if stage == stages[-1] else (), piped=piped, fed=fed
                )
            piped, fed = True, fed or _writes(self.commands[before:])

    def _compound(self, node: Node, *, fed: bool) -> None:
        match node.type:
            case "subshell":
                self._tokens(node, "(", ")", *_SEPARATORS)
                with self.cwds.elsewhere():
                    self._inner(node, fed=fed)
            case "compound_statement":
                self._tokens(node, "{", "}", *_SEPARATORS)
                self._inner(node, fed=fed)
            case "if_statement" | "elif_clause" | "else_clause":
                self._tokens(node, "if", "then", "elif", "else", "fi", *_SEPARATORS)
                self._inner(node, fed=fed)
            case "while_statement":
                self._tokens(node, "while", "until", *_SEPARATORS)
                with self.cwds.loop():
                    self._inner(node, fed=fed)
            case "do_group":
                self._tokens(node, "do", "done", *_SEPARATORS)
                self._inner(node, fed=fed)
            case "for_statement":
                self._for(node, fed=fed)
            case "case_statement":
                self._case(node, fed=fed)
            case _:
                raise _unknown(node)
        self.cwds.forget_success()

    def _inner(self, node: Node, *, fed: bool) -> None:
        for child in node.named_children:
            if child.type == "comment":
                self._check_comment(child)
            else:
                self._statement(child, fed=fed)

    def _for(self, node: Node, *, fed: bool) -> None:
        self._tokens(node, "for", "in", *_SEPARATORS)
        variable = node.child_by_field_name("variable")
        if variable is None or not _LOOP_NAME.fullmatch(self._source(variable)):
            raise RefusedError("a loop variable must have a lower-case name")
        for child in node.named_children[1:]:
            if child.type in _WORDS:
                self._word(child)
            elif child.type == "comment":
                self._check_comment(child)
            elif child.type == "do_group":
                with self.cwds.loop():
                    self._statement(child, fed=fed)
            else:
                raise _unknown(child)

    def _case(self, node: Node, *, fed: bool) -> None:
        self._tokens(node, "case", "in", "esac", *_SEPARATORS)
        for child in node.named_children:
            if child.type != "case_item":
                self._word(child)
                continue
            self._tokens(child, "(", ")", "|", ";;", *_SEPARATORS)
            patterns = child.children_by_field_name("value")
            for each in child.named_children:
                if each in patterns:
                    self._word(each)
                elif each.type == "comment":
                    self._check_comment(each)
                else:
                    self._statement(each, fed=fed)

    # Simple commands

    def _command(self, node: Node, outer: Sequence[Node], *, piped: bool, fed: bool) -> None:
        parts = _Parts()
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
        self._simple(node, parts, outer, piped=piped, fed=fed)

    def _test(self, node: Node, outer: Sequence[Node], *, piped: bool, fed: bool) -> None:
        """`[ … ]` is a command like any other; what is an operator elsewhere is an operator here."""
        self._tokens(node, "[", "]")
        parts = _Parts()

        def add(child: Node) -> None:
            if child.type in _TEST_NODES:
                for each in child.children:
                    add(each)
            elif child.type in _TEST_OPERATORS:
                self._check_borders(child)
                parts.nodes.append((child.start_byte, plain(self._source(child))))
            else:
                self._add(parts, child)

        for child in node.children:
            if child.type in ("[", "]"):
                self._check_borders(child)
                parts.nodes.append((child.start_byte, plain(child.type)))
            else:
                add(child)
        self._simple(node, parts, outer, piped=piped, fed=fed)

    def _simple(
        self, node: Node, parts: _Parts, outer: Sequence[Node], *, piped: bool, fed: bool
    ) -> None:
        bodiless = not parts.nodes
        for child in outer:
            self._redirect(parts, child)
        if bodiless and parts.nodes:
            raise RefusedError("words after a redirection belong before it; write them there")
        last = outer[-1] if outer else node
        source = self.text[node.start_byte : last.end_byte].encode("latin-1").decode()
        simple = Simple(
            source=source,
            words=parts.words,
            assignments=tuple(parts.assignments),
            redirects=tuple(parts.redirects),
            piped=piped,
            fed=fed,
            cwds=self.cwds.now,
        )
        self.commands.append(simple)
        if len(self.commands) > MOST_COMMANDS:
            raise RefusedError(f"these are more than {MOST_COMMANDS} commands; run them in parts")
        self.cwds.ran(simple.words)
        for each in parts.after:
            self._after_heredoc(each, simple, fed=fed)

    def _assignment(self, node: Node) -> tuple[str, Word]:
        name, _, value = (
            node.child_by_field_name("name"),
            *node.children[1:2],
            node.child_by_field_name("value"),
        )
        if name is None or name.type != "variable_name" or node.children[1].type != "=":
            raise _unknown(node)
        if value is None:
            return self._source(name), plain("")
        return self._source(name), self._word(value, begins=False)

    def _redirect(self, parts: _Parts, node: Node) -> None:
        match node.type:
            case "file_redirect":
                self._file_redirect(parts, node)
            case "herestring_redirect":
                self._tokens(node, "<<<")
                self._word(node.named_children[-1])
            case "heredoc_redirect":
                self._heredoc(parts, node)
            case _:
                raise _unknown(node)

    def _file_redirect(self, parts: _Parts, node: Node) -> None:
        if self.text[node.start_byte - 1 : node.start_byte] == "}":
            raise RefusedError("a named file descriptor cannot be granted; use a number")
        operator = ""
        targets = node.children_by_field_name("destination")
        for child in node.children:
            if child in targets or child.type == "file_descriptor":
                continue
            operator += child.type
        words = [self._word(target) for target in targets]
        if operator in (">&-", "<&-"):
            parts.redirects.append(Redirect(operator=operator[:2], target=plain("-")))
            extra = list(zip(targets, words, strict=True))
        else:
            if not words:
                raise _unknown(node)
            parts.redirects.append(Redirect(operator=operator, target=words[0]))
            extra = list(zip(targets, words, strict=True))[1:]
        # The parser takes what follows a target for more targets; a shell takes it for arguments.
        parts.nodes.extend((target.start_byte, word) for target, word in extra)

    # Here-documents

    def _heredoc(self, parts: _Parts, node: Node) -> None:
        for child in node.children:
            match child.type:
                case "<<" | "<<-":
                    self._lone_dash(parts, child)
                case "heredoc_start":
                    self._check_heredoc(node, child)
                case "heredoc_body" | "heredoc_end" | "file_descriptor":
                    pass
                case "file_redirect" | "herestring_redirect":
                    self._redirect(parts, child)
                case "pipeline" | "&&" | "||":
                    parts.after.append(child)
                case _ if child in node.children_by_field_name("right"):
                    parts.after.append(child)
                case _:
                    self._add(parts, child)

    def _lone_dash(self, parts: _Parts, operator: Node) -> None:
        """The parser loses a `-` before a here-document; to the shell it is an argument."""
        before = self.text[: operator.start_byte].rstrip(" \t")
        if before.endswith((" -", "\t-")):
            parts.nodes.append((len(before) - 1, plain("-")))

    def _check_heredoc(self, node: Node, start: Node) -> None:
        """The text is taken as a shell takes it: whole lines, up to one that is the delimiter."""
        found = _HEREDOC_START.fullmatch(self._source(start))
        if not found or self.text[start.end_byte : start.end_byte + 1] not in (" ", "\t", "\n"):
            raise RefusedError("the end of a here-document must be one plain word, such as EOF")
        word = found[1] or found[2] or found[3]
        ends = [child for child in node.children if child.type == "heredoc_end"]
        begin = self._first_line_end(start)
        if len(ends) != 1 or (self.depth and self.text[:begin].count("`") % 2):
            raise RefusedError("this here-document cannot be read for certain; write it plainly")
        tabs = "\t" if node.children[0].type == "<<-" or node.children[1].type == "<<-" else ""
        at = begin
        for line in self.text[begin:].split("\n"):
            if line.lstrip(tabs) == word if tabs else line == word:
                break
            at += len(line) + 1
        at += len(self.text[at:]) - len(self.text[at:].lstrip(tabs)) if tabs else 0
        if at != ends[0].start_byte:
            raise RefusedError("this here-document ends where the parser does not see it")
        if found[3] and not self._source(start).startswith("\\"):
            body = self.text[begin:at]
            if any(letter in body for letter in "$`\\"):
                raise RefusedError(f"the here-document is not literal; quote its end: <<'{word}'")

    def _first_line_end(self, start: Node) -> int:
        """Where the text begins: after the first newline that no backslash hides."""
        at = start.end_byte
        while (at := self.text.find("\n", at)) >= 0:
            if self.text[at - 1] != "\\":
                if "<<" in self.text[start.end_byte : at].replace("<<<", ""):
                    raise RefusedError("two here-documents on one line cannot be granted")
                return at + 1
            at += 1
        raise RefusedError("this here-document has no text")

    def _after_heredoc(self, node: Node, head: Simple, *, fed: bool) -> None:
        """What stands after `<<EOF` on its line: the next stages, or the next command."""
        if node.type in ("&&", "||"):
            return
        if node.type != "pipeline":
            self._statement(node, fed=fed)
            self.cwds.forget_success()
            return
        self._tokens(node, "|", "|&")
        for stage in node.named_children:
            with self.cwds.elsewhere():
                self._statement(stage, piped=True, fed=True)

    # Words

    def _add(self, parts: _Parts, node: Node) -> None:
        parts.nodes.append((node.start_byte, self._word(node)))

    def _word(self, node: Node, *, begins: bool = True) -> Word:
        if node.type not in _WORDS:
            raise _unknown(node)
        if begins:
            self._check_borders(node)
        elif not self._closes(node.end_byte):
            raise RefusedError(f"`{self._source(node)}` does not end where the parser says")
        inner = dict(self._substitutions(node))
        return read_word(
            self.text, node.start_byte, node.end_byte, inner, crafted_names=self.crafted_names
        )

    def _check_borders(self, node: Node) -> None:
        """Two words that touch are one word to a shell."""
        start = node.start_byte
        opens = start == 0 or self.text[start - 1] in _DELIMITERS or self._opens_backticks(node)
        if not (opens and self._closes(node.end_byte)) or self.text[start - 2 : start] == "\\\n":
            raise RefusedError(
                f"`{self._source(node)}` touches what is beside it; put blanks between words"
            )

    def _opens_backticks(self, node: Node) -> bool:
        return self.limit < len(self.text) and self.text[node.start_byte - 1] == "`"

    def _closes(self, end: int) -> bool:
        return end == self.limit or self.text[end] in _DELIMITERS or self._continued(end)

    def _continued(self, end: int) -> bool:
        """A word may be followed by a continued line, if that goes on with a blank."""
        return self.text[end : end + 2] == "\\\n" and self.text[end + 2 : end + 3] in (" ", "\t")

    def _substitutions(self, node: Node) -> Iterator[tuple[int, Substitution]]:
        """The outermost substitutions in a word; their commands join the others to be judged."""
        if node.type not in ("command_substitution", "process_substitution"):
            for child in node.children:
                yield from self._substitutions(child)
            return
        opening, closing = node.children[0], node.children[-1]
        start = opening.end_byte - len(self._source(opening).lstrip())
        before = len(self.commands)
        limit, self.limit = self.limit, self.limit
        if opening.type == "`":
            self._check_backticks(node)
            self.limit = closing.start_byte
        elif opening.type not in ("$(", "<(", ">(") or self.text.startswith("$((", start):
            raise _unknown(node)
        elif not node.named_children or node.named_children[0].type in ("file_redirect",):
            raise RefusedError("`$(<file)` cannot be granted; use a command that reads the file")
        self.depth += 1
        with self.cwds.elsewhere():
            self._statements(node.children[1:-1])
        self.depth -= 1
        self.limit = limit
        if len(self.commands) == before:
            raise RefusedError("there is a substitution without a command; write one")
        yield start, Substitution(node.end_byte, _writes(self.commands[before:]))

    def _check_backticks(self, node: Node) -> None:
        inside = self._source(node).strip()[1:-1]
        if any(letter in inside for letter in "\\`#"):
            raise RefusedError("backticks may hold plain commands only; use $( )")

    def _check_comment(self, node: Node) -> None:
        start = node.start_byte
        begins = start == 0 or self.text[start - 1] in " \t\n;"
        ends = self.text[node.end_byte : node.end_byte + 1] in ("", "\n")
        if not (begins and ends) or "\n" in self._source(node) or self.depth:
            raise RefusedError("this comment cannot be read for certain; leave it out")

    def _tokens(self, node: Node, *known: str) -> None:
        """Keywords and operators that this kind of node may have."""
        for child in node.children:
            if not child.is_named and child.type != "$" and child.type not in known:
                raise _unknown(child)

    def _source(self, node: Node) -> str:
        return self.text[node.start_byte : node.end_byte]


def _leaves(node: Node) -> Iterator[Node]:
    if not node.children:
        yield node
    elif node.type == "heredoc_body":
        yield node  # read line by line, by `_check_heredoc`
    else:
        for child in node.children:
            yield from _leaves(child)


def _three(node: Node) -> tuple[Node, Node, Node]:
    if len(node.children) != 3:  # noqa: PLR2004
        raise _unknown(node)
    return node.children[0], node.children[1], node.children[2]


def _writes(commands: Iterable[Simple]) -> bool:
    """Could the line itself choose what these print?"""
    return any(
        "<<" in each.source or any(word.text in _WRITERS for word in each.words)
        for each in commands
    )


def _crafted_names(root: Node, text: str) -> frozenset[str]:
    """Loop variables, if a loop gives any of them something other than plain names."""
    names: set[str] = set()
    crafted = False
    found = [root]
    while found:
        node = found.pop()
        found.extend(node.children)
        if node.type != "for_statement":
            continue
        for child in node.named_children:
            source = text[child.start_byte : child.end_byte]
            if child.type == "variable_name":
                names.add(source)
            elif child.type in _WORDS:
                crafted = crafted or not _plain_value(source)
    return frozenset(names) if crafted else frozenset()


def _plain_value(source: str) -> bool:
    inner = source.strip("\"'")
    if inner.startswith("$(") and inner.endswith(")"):
        return not re.search(r"echo|printf|<<|[\"'\\]", inner)
    return bool(_PLAIN_LOOP_VALUE.fullmatch(inner) or re.fullmatch(r"\$\{?\w+\}?", inner))


def _unknown(node: Node) -> RefusedError:
    kind = node.type.replace("_", " ")
    return RefusedError(f"`{kind}` is a shell feature that cannot be granted; use plain commands")
