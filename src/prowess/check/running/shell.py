"""A line of shell as the simple commands that it is made of, as far as words alone tell."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

_SAY_NOTHING = frozenset(": true echo printf sleep cd pwd export set".split())
_SHELL = re.compile(r"(?:ba|da|z|k)?sh")
_LEAVES_EARLY = frozenset("head grep egrep fgrep rg sed awk read less more true".split())
_PARTS = frozenset(("&&", "||", ";", "|", "&", "|&", ";;"))
# What is quoted is passed over: only outside of it does a word begin a comment.
_COMMENT = re.compile(
    r"'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|(?P<comment>(?<![^\s;&|()])#[^\n]*)", re.DOTALL
)
_STRICT, _LAX = re.compile(r"-\w*e|-o errexit"), re.compile(r"\+\w*e|\+o errexit")
_DEEPEST = 20  # groups in groups; more is nobody's honest command

Simple = tuple[str, list[str]]
# How a command may end. Under `set -e`, a failure within `a && b` ends nothing.
_GOOD, _BAD, _BAD_WITHIN = 0, 1, 2
Endings = frozenset[int]
_EITHER: Endings = frozenset((_GOOD, _BAD))


@dataclass(slots=True)
class _Group:
    """Commands in braces or parentheses; `opened` is which, empty for the whole line."""

    opened: str = ""
    joined: str = ""
    parts: "list[Simple | _Group]" = field(default_factory=list)

    def add(self, part: "Simple | _Group") -> None:
        """Of a pipe only the last is kept, in the place of the first."""
        joined = _joined(part)
        if joined in ("|", "|&") and self.parts:
            first = _joined(self.parts.pop())
            part = (
                _Group(part.opened, first, part.parts)
                if isinstance(part, _Group)
                else (first, part[1])
            )
        self.parts.append(part)


@dataclass(slots=True)
class _Flow:
    """How a shell may stand at one place of its line; `left` is how it may have ended before that."""

    now: Endings = frozenset((_GOOD,))
    left: Endings = frozenset()
    strict: bool = False  # `set -e`

    def ends(self) -> Endings:
        return frozenset(min(each, _BAD) for each in self.now | self.left)


def says_nothing(command: str) -> bool:
    """Whether it ends the same way whatever is true: `true`, `pytest || true`, `make; echo done`."""
    words = _words(command)
    if words is None:
        return False  # more shell than we read here; what it prints is looked at all the same
    if words[-1:] == ["&"]:
        return True
    flow = _Flow()
    _go(_grouped(_simple_commands(words)), flow)
    return flow.ends() != _EITHER


def reads_in_part(command: str) -> bool:
    """Whether the last of a pipe may have seen enough before the others were done: `seq 9 | head -n 1`."""
    commands = simple_commands(command) or []
    return bool(commands) and commands[-1][0] == "|" and _program(commands[-1][1]) in _LEAVES_EARLY


def is_inline(command: str) -> bool:
    """Whether it is a program that stands in the command itself: `python -c …`, `node -e …`."""
    commands = simple_commands(command) or []
    return any(set(words) & {"-c", "-e", "-ec", "-lc", "--eval", "-p"} for _, words in commands[:1])


def simple_commands(command: str) -> list[Simple] | None:
    """The simple commands in order, each with what joins it to the one before."""
    words = _words(command)
    return None if words is None else _simple_commands(words)


def _words(command: str) -> list[str] | None:
    plain = _COMMENT.sub(lambda found: "" if found["comment"] else found[0], command)
    lexer = shlex.shlex(
        plain.replace("\\\n", " ").replace("\n", " ; "), posix=True, punctuation_chars=";&|"
    )
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return None


def _simple_commands(words: Sequence[str]) -> list[Simple]:
    found: list[Simple] = [("", [])]
    for word in words:
        if word not in _PARTS:
            found[-1][1].append(word)
        elif found[-1][1]:  # after `||`, a line may go on in the next one
            found.append((word, []))
    return [(joined, each) for joined, each in found if each]


def _program(words: Sequence[str]) -> str:
    """The name of the program, past variables that are set for it."""
    return next(iter(_called(words)), ":").strip("()").rpartition("/")[2]


def _called(words: Sequence[str]) -> list[str]:
    first = next((at for at, word in enumerate(words) if not re.match(r"\w+=", word)), len(words))
    return list(words[first:])


def _joined(part: Simple | _Group) -> str:
    return part.joined if isinstance(part, _Group) else part[0]


def _grouped(commands: Sequence[Simple]) -> _Group:
    """The same with groups as one; what is left open is closed at the end."""
    open_ = [_Group()]
    for joined, words in commands:
        left = list(words)
        while left and (left[0] == "{" or left[0].startswith("(")):
            open_.append(_Group(left[0][0], joined))
            left[0] = left[0][1:]
            left, joined = left[not left[0] :], ""  # noqa: PLW2901
        said = "".join(left)
        closes = left[:1] == ["}"] or said.count(")") - said.count("(")
        if closes > 0 and len(open_) > 1:
            left = [word.rstrip(")") for word in left if word not in ("}", ")")]
        if left:
            open_[-1].add((joined, left))
        for _ in range(min(closes, len(open_) - 1)):
            group = open_.pop()
            open_[-1].add(group)
    while len(open_) > 1:
        group = open_.pop()
        open_[-1].add(group)
    return open_[0]


def _go(group: _Group, flow: _Flow, depth: int = 0) -> None:
    for part in group.parts:
        runs = _runs(flow, _joined(part))
        stay, flow.now = flow.now - runs, runs
        if not runs or depth > _DEEPEST:
            pass
        elif not isinstance(part, _Group):
            flow.now = _simple(part[1], flow, depth)
        elif part.opened == "{":
            _go(part, flow, depth + 1)
        else:  # whoever leaves what is in parentheses leaves only that
            inner = _Flow(now=flow.now, strict=flow.strict)
            _go(part, inner, depth + 1)
            flow.now = inner.ends()
        flow.now |= stay


def _runs(flow: _Flow, joined: str) -> Endings:
    """With which of the endings so far the next command runs; the others are handed on."""
    if joined == "&&":
        flow.now = frozenset(_BAD_WITHIN if each else _GOOD for each in flow.now)
        return flow.now & {_GOOD}
    if joined == "||":
        return flow.now - {_GOOD}
    if flow.strict and _BAD in flow.now:
        flow.left |= {_BAD}
        flow.now -= {_BAD}
    return flow.now


def _simple(words: Sequence[str], flow: _Flow, depth: int) -> Endings:
    """How one command may end; nothing comes after one that leaves the shell."""
    if words[0] == "!" and words[1:]:
        return frozenset(_GOOD if each else _BAD for each in _simple(words[1:], flow, depth))
    name, (_, *given) = _program(words), [*_called(words), ""]
    if name == "exit":
        flow.left |= _exits(given[0], flow.now)
        return frozenset()
    if name == "set":
        options = " ".join(given)
        flow.strict = bool(_STRICT.search(options)) or (flow.strict and not _LAX.search(options))
    if name in _SAY_NOTHING:
        return frozenset((_GOOD,))
    if name == "false":
        return frozenset((_BAD,))
    return _script(given, depth) if _SHELL.fullmatch(name) else _EITHER


def _exits(named: str, now: Endings) -> Endings:
    """By the number. A bare `exit` hands on how the last command ended, and is not trusted to."""
    if named == "$?":
        return now
    if not named:
        return frozenset((_GOOD,))
    return frozenset((_BAD if int(named[-3:]) % 256 else _GOOD,)) if named.isdecimal() else _EITHER


def _script(given: Sequence[str], depth: int) -> Endings:
    """What a shell is given to run in the command itself."""
    at = next((at for at, word in enumerate(given) if re.fullmatch(r"-\w*c", word)), len(given))
    words = _words(" ".join(given[at + 1 : at + 2])) if depth <= _DEEPEST else []
    if at == len(given) or words is None:
        return _EITHER
    inner = _Flow(strict=bool(_STRICT.search(" ".join(given[: at + 1]))))
    _go(_grouped(_simple_commands(words)), inner, depth + 1)
    return inner.ends()
