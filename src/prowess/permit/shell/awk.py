"""
awk programs that only compute and print.

`system`, `getline`, pipes, `>` and `@` are looked for outside strings and patterns. Where a `/`
could be either a division or the start of a pattern, nothing is certain and the program is refused.
"""

import re
from collections.abc import Sequence

from prowess.permit.shell.words import RefusedError, Word

_FLAGS = "bchMnNPrsStVO"
_DANGER = re.compile(r"system|getline|\||>|@")
_TOKEN = re.compile(
    r"(?P<blank>[ \t\r]+|\\\n)|(?P<comment>#[^\n]*)|(?P<string>\"(?:[^\"\\\n]|\\.)*\")"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<number>\d[\w.]*|\.\d\w*)"
    r"|(?P<safe>\|\||>=|&&|\+\+|--|[-+*%^=!<]=?|[~?:,;{}()\[\]$\n])"
    r"|(?P<slash>/)|(?P<other>.)",
    re.DOTALL,
)
_PATTERN = re.compile(r"/((?:[^/\\\n\[]|\\[^\n]|\[\^?\]?[^\]/\n\\]*\])*)/")
_RUNNING = re.compile(r"system|getline|@")
_WORDS_BEFORE_PATTERN = frozenset(
    "print printf return in else do case exit if while for delete getline length next nextfile break"
    " continue default switch function func BEGIN END BEGINFILE ENDFILE".split()
)


def check_awk(words: Sequence[Word]) -> None:
    programs, at = [], 1
    while at < len(words) and words[at].text.startswith("-") and words[at].text != "-":
        text = words[at].text
        at += 1
        if text == "--":
            break
        name, equals, value = text.partition("=")
        if name in ("--source", "--field-separator", "--assign"):
            if not equals and at < len(words):
                value, at = words[at].text, at + 1
        elif text[:2] in ("-F", "-v", "-e"):
            name, value = text[:2], text[2:]
            if not value and at < len(words):
                value, at = words[at].text, at + 1
        elif (
            text.startswith("--") and text not in ("--posix", "--sandbox", "--version", "--csv")
        ) or (not text.startswith("--") and any(letter not in _FLAGS for letter in text[1:])):
            raise RefusedError(f"`awk {text}` is not known to be harmless; leave it out")
        if name in ("-e", "--source"):
            programs.append(value)
    if not programs and at < len(words):
        programs.append(words[at].text)
    _check_program("\n".join(programs))


def _check_program(program: str) -> None:
    if "\0" in program:
        raise RefusedError("an awk program must be written out, in single quotes")
    if not _DANGER.search(program):
        return
    if "/" in program and _RUNNING.search(program):
        raise RefusedError(
            "an awk program with a `/` may not say system, getline or @, not even in a text: what "
            "is a text there cannot be told for certain; write it without them"
        )
    at, before = 0, "\n"
    while at < len(program):
        token = _TOKEN.match(program, at)
        kind, text = (token.lastgroup, token[0]) if token else ("other", program[at])
        at += len(text)
        if kind == "slash":
            at, before = _after_slash(program, at - 1, before), "/"
        elif kind == "other" or text in ("system", "getline"):
            raise RefusedError(
                f"`{text}` in an awk program may run a program or write a file; do without it"
            )
        elif kind not in ("blank", "comment"):
            before = text


def _after_slash(program: str, at: int, before: str) -> int:
    """Past a division sign, or past a whole pattern."""
    if before[-1] in ")$" or before in ("++", "--", "/") or before in _WORDS_BEFORE_PATTERN:
        raise RefusedError("a `/` in this awk program can be read in two ways; write it plainly")
    if before[-1].isalnum() or before[-1] in '_]".':
        return at + 1
    found = _PATTERN.match(program, at)
    if not found:
        raise RefusedError("a pattern in this awk program cannot be read for certain")
    return found.end()
