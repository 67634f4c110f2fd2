"""A line of shell as the simple commands that it is made of, as far as words alone tell."""

import re
import shlex

_SAY_NOTHING = frozenset(": true echo printf exit sleep cd pwd export set".split())
_INNER = re.compile(r"(?:\S*/)?(?:ba|da|z|k)?sh(?: -[a-z]+)* -\w*c (.+)", re.DOTALL)
_LEAVES_EARLY = frozenset("head grep egrep fgrep rg sed awk read less more true".split())
_PARTS = frozenset(("&&", "||", ";", "|", "&", "|&", ";;"))


def says_nothing(command: str) -> bool:
    """Whether its exit code is 0 whatever is true: `true`, `pytest || true`, `make; echo done`."""
    commands = simple_commands(command)
    if commands is None:
        return False  # more shell than we read here; what it prints is looked at all the same
    if len(commands) == 1 and (inner := _INNER.fullmatch(" ".join(commands[0][1]))):
        return says_nothing(inner[1])
    names = [_program(words) for _, words in commands]
    if not names or all(name in _SAY_NOTHING for name in names):
        return True
    joined, last = commands[-1][0], names[-1]
    return last in _SAY_NOTHING and joined in ("||", ";", "&", "|", "\n")


def reads_in_part(command: str) -> bool:
    """Whether the last of a pipe may have seen enough before the others were done: `seq 9 | head -n 1`."""
    commands = simple_commands(command) or []
    return bool(commands) and commands[-1][0] == "|" and _program(commands[-1][1]) in _LEAVES_EARLY


def is_inline(command: str) -> bool:
    """Whether it is a program that stands in the command itself: `python -c …`, `node -e …`."""
    commands = simple_commands(command) or []
    return any(set(words) & {"-c", "-e", "-ec", "-lc", "--eval", "-p"} for _, words in commands[:1])


def simple_commands(command: str) -> list[tuple[str, list[str]]] | None:
    """The simple commands in order, each with what joins it to the one before."""
    lexer = shlex.shlex(command.replace("\n", " ; "), posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        return None
    found: list[tuple[str, list[str]]] = [("", [])]
    for word in words:
        if word in _PARTS:
            found.append((word, []))
        else:
            found[-1][1].append(word)
    return [(joined, each) for joined, each in found if each]


def _program(words: list[str]) -> str:
    """The name of the program, past variables that are set for it."""
    named = (word for word in words if not re.match(r"\w+=", word))
    return next(named, ":").strip("()").rpartition("/")[2]
