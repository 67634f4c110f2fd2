"""
Every simple command that a line could ever run, wherever it stands in it.

The tree is walked in the order of the text. Each kind of node must be known here, and so must each
keyword and operator in it; what is not is refused.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tree_sitter import Node

from prowess.permit.shell.crafted import WORDS, chosen, plain_value
from prowess.permit.shell.parts import Parts, PartsReader
from prowess.permit.shell.places import MOVERS, Cwds
from prowess.permit.shell.simple import Simple
from prowess.permit.shell.source import Source
from prowess.permit.shell.tree import parse, unknown
from prowess.permit.shell.words import Names, RefusedError

MOST_COMMANDS = 50

_LOOP_NAME = re.compile(r"[a-z][a-z0-9_]*")
_ONE_LINE = frozenset(("command", "test_command"))
_SEPARATORS = (";", "&", "\n")


def read_script(command: str, values: Mapping[str, str] | None = None) -> tuple[Simple, ...]:
    """
    Every simple command of the line, in order; `RefusedError` when that is not certain.

    `values` are the variables that hold an outsider's text.
    """
    source, root = parse(command)
    names = Names(values=values or {})
    script = _Script(source, names)
    script.statements(root.children)
    while (
        script.shaped > names.crafted
    ):  # known only now, and a variable may be used before its loop
        names = replace(names, crafted=script.shaped)
        script = _Script(source, names)
        script.statements(root.children)
    if not script.commands:
        raise RefusedError("there is no command here; write one")
    return tuple(script.commands)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    """
    Where a statement stands: what it reads (see `Simple`), and the redirections that the parser
    hangs above it.
    """

    piped: bool = False
    fed: bool = False
    outer: tuple[Node, ...] = ()

    def within(self) -> "_Setting":
        """For the statements inside a larger one."""
        return _Setting(fed=self.fed)


class _Script:
    def __init__(self, source: Source, names: Names) -> None:
        self.source = source
        self.moves = False
        self.loops: set[str] = set()
        self.crafts = False  # some loop has values that are not plain names
        self.commands: list[Simple] = []
        self.cwds = Cwds()
        self.parts = PartsReader(self.source, names=names, inside=self._inside)

    @property
    def shaped(self) -> frozenset[str]:
        """The variables in which the line may put text of its own."""
        return frozenset((*(self.loops if self.crafts else ()), *(["PWD"] if self.moves else ())))

    def statements(self, nodes: Iterable[Node], setting: _Setting = _Setting()) -> None:
        for node in nodes:
            if node.type == "comment":
                self.source.check_comment(node)
            elif node.type not in _SEPARATORS:
                self._statement(node, setting)

    def _inside(self, nodes: Sequence[Node]) -> bool:
        """The statements of a substitution: could the line itself choose what they print?"""
        before = len(self.commands)
        with self.cwds.elsewhere():
            self.statements(nodes)
        if len(self.commands) == before:
            raise RefusedError("there is a substitution without a command; write one")
        return chosen(self.commands[before:])

    def _statement(self, node: Node, setting: _Setting) -> None:
        match node.type:
            case "command":
                self._simple(node, self.parts.command(node), setting)
            case "test_command":
                self._simple(node, self.parts.test(node), setting)
            case "redirected_statement":
                self._redirected(node, setting)
            case "list":
                self._list(node, setting)
            case "pipeline":
                self._pipeline(node, setting)
            case "negated_command":
                self._check_tokens(node, "!")
                self._statement(node.named_children[-1], setting)
                self.cwds.forget_success()
            case _:
                if setting.outer:
                    self._simple(node, Parts(), setting)
                fed = setting.fed or any(_is_input(each) for each in setting.outer)
                self._compound(node, _Setting(fed=fed))
                self.cwds.forget_success()

    def _simple(self, node: Node, parts: Parts, setting: _Setting) -> None:
        self.parts.add_outer(parts, setting.outer)
        last = setting.outer[-1] if setting.outer else node
        source = self.source.text[node.start_byte : last.end_byte].encode("latin-1").decode()
        simple = Simple(
            source=source,
            words=parts.words,
            assignments=tuple(parts.assignments),
            redirects=tuple(parts.redirects),
            piped=setting.piped,
            fed=setting.fed
            or "<<" in source
            or any(each.operator == "<" for each in parts.redirects),
            cwds=self.cwds.now,
        )
        self.commands.append(simple)
        if len(self.commands) > MOST_COMMANDS:
            raise RefusedError(f"these are more than {MOST_COMMANDS} commands; run them in parts")
        self.cwds.ran(simple.words)
        self.moves = self.moves or any(word.text in MOVERS for word in simple.words)
        for each in parts.after:
            self._after_heredoc(each, setting)

    def _after_heredoc(self, node: Node, setting: _Setting) -> None:
        """What stands after `<<EOF` on its line: the next stages, or the next command."""
        if node.type in ("&&", "||"):
            return
        if node.type == "pipeline":
            self._pipeline(node, _Setting(piped=True, fed=True))
        else:
            self._statement(node, setting.within())
        self.cwds.forget_success()

    def _redirected(self, node: Node, setting: _Setting) -> None:
        body = node.child_by_field_name("body")
        own = tuple(child for child in node.children if child != body)
        if body is None or body.type in _ONE_LINE:
            self.source.check_line(node.children)
        inner = replace(setting, outer=own + setting.outer)
        if body is None:
            self._simple(node, Parts(), inner)
        else:
            self._statement(body, inner)

    def _list(self, node: Node, setting: _Setting) -> None:
        if len(node.children) != 3 or node.children[1].type not in ("&&", "||"):  # noqa: PLR2004
            raise unknown(node)
        left, operator, right = node.children
        self._statement(left, replace(setting, outer=()))
        with self.cwds.second_of(operator.type):
            self._statement(right, replace(setting, piped=False))

    def _pipeline(self, node: Node, setting: _Setting) -> None:
        self._check_tokens(node, "|", "|&")
        stages = node.named_children
        piped, fed = setting.piped, setting.fed
        mixed = any(child.type == "|&" for child in node.children)  # error messages as well
        for stage in stages:
            before = len(self.commands)
            outer = setting.outer if stage == stages[-1] else ()
            with self.cwds.elsewhere():
                self._statement(stage, _Setting(piped=piped, fed=fed, outer=outer))
            piped, fed = True, fed or mixed or chosen(self.commands[before:])

    def _compound(self, node: Node, setting: _Setting) -> None:
        match node.type:
            case "subshell":
                self._check_tokens(node, "(", ")", *_SEPARATORS)
                with self.cwds.elsewhere():
                    self.statements(node.named_children, setting)
            case "compound_statement":
                self._check_tokens(node, "{", "}", *_SEPARATORS)
                self.statements(node.named_children, setting)
            case "if_statement" | "elif_clause" | "else_clause":
                self._check_tokens(node, "if", "then", "elif", "else", "fi", *_SEPARATORS)
                self.statements(node.named_children, setting)
            case "while_statement":
                self._check_tokens(node, "while", "until", *_SEPARATORS)
                with self.cwds.loop():
                    self.statements(node.named_children, setting)
            case "do_group":
                self._check_tokens(node, "do", "done", *_SEPARATORS)
                self.statements(node.named_children, setting)
            case "for_statement":
                self._for(node, setting)
            case "case_statement":
                self._case(node, setting)
            case _:
                raise unknown(node)

    def _for(self, node: Node, setting: _Setting) -> None:
        self._check_tokens(node, "for", "in", *_SEPARATORS)
        variable = node.child_by_field_name("variable")
        if variable is None or not _LOOP_NAME.fullmatch(self.source.of(variable)):
            raise RefusedError("a loop variable must have a lower-case name")
        self.loops.add(self.source.of(variable))
        for child in node.named_children[1:]:
            if child.type in WORDS:
                word = self.parts.word(child)
                self.crafts = self.crafts or not plain_value(self.source.of(child), word)
            elif child.type == "comment":
                self.source.check_comment(child)
            elif child.type == "do_group":
                with self.cwds.loop():
                    self._compound(child, setting)
            else:
                raise unknown(child)

    def _case(self, node: Node, setting: _Setting) -> None:
        self._check_tokens(node, "case", "in", "esac", *_SEPARATORS)
        for child in node.named_children:
            if child.type != "case_item":
                self.parts.word(child)
                continue
            self._check_tokens(child, "(", ")", "|", ";;", *_SEPARATORS)
            patterns = child.children_by_field_name("value")
            for pattern in patterns:
                self.parts.word(pattern)
            self.statements(
                [each for each in child.named_children if each not in patterns], setting
            )

    def _check_tokens(self, node: Node, *known: str) -> None:
        """Keywords and operators that this kind of node may have."""
        for child in node.children:
            if not child.is_named and child.type not in known:
                raise unknown(child)


def _is_input(node: Node) -> bool:
    """Does this redirection say what is read?"""
    return node.type in ("heredoc_redirect", "herestring_redirect") or any(
        child.type in ("<", "<>") for child in node.children
    )
