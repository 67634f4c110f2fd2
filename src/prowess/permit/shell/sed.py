"""
sed scripts that only edit what passes through.

The script is read command by command as GNU sed reads it; `e`, `w`, `W`, `r`, `R` and what is not
known are refused, and so is a script that is not written out.
"""

import re
from collections.abc import Mapping, Sequence

from prowess.permit.shell.words import RefusedError, Word

_FLAGS = "nErsuzb"
_LONG_FLAGS = frozenset(
    "quiet silent regexp-extended separate unbuffered null-data zero-terminated posix debug sandbox"
    " follow-symlinks help version".split()
)
_ADDRESS = re.compile(r"\$|\+?\d+(?:~\d+)?|~\d+")
# Commands by their letters, and what may follow them.
_PLAIN = {
    ":": re.compile(r"[ \t]*[\w.-]+(?=[ \t]*(?:[;\n]|$))"),
    "btT": re.compile(r"[ \t]*[\w.-]*(?![ \t]*#)"),
    "qQl": re.compile(r"[ \t]*\d*"),
    "=dDgGhHnNpPxzF": re.compile(""),
}
# The delimiter may stand in the brackets of a pattern. Versions of sed differ about that, and about
# backslashes in brackets: a pattern counts only if it ends at the same place whoever reads it.
_BRACKETS: Mapping[str, Sequence[re.Pattern[str] | None]] = {
    "p": (
        None,
        re.compile(r"\[\^?\]?(?:\[[:.=].*?[:.=]\]|[^\]])*\]"),
        re.compile(r"\[\^?\]?(?:\\.|\[[:.=].*?[:.=]\]|[^\]\\])*\]"),
    ),
    "t": (None,),
}
_END = re.compile(r"[ \t]*(?:[;\n]|(?=[}#])|$)")


def check_sed(words: Sequence[Word]) -> None:
    scripts, operands = [], []
    at = 1
    while at < len(words):
        word = words[at]
        at += 1
        if word.text == "--":
            operands += [each.text for each in words[at:]]
            break
        if word.text.startswith("--"):
            name, equals, value = word.text[2:].partition("=")
            if name in ("expression", "line-length") and not equals and at < len(words):
                value, at = words[at].text, at + 1
            if name == "expression":
                scripts.append(value)
            elif name not in _LONG_FLAGS and name not in ("in-place", "line-length"):
                raise RefusedError(f"`sed {word.text}` is not known to be harmless; leave it out")
        elif word.text.startswith("-") and word.text != "-":
            at = _cluster(words, at, scripts)
        else:
            operands.append(word.text)
    if not scripts and operands:
        scripts = operands[:1]
    _Sed("\n".join(scripts)).check()


def _cluster(words: Sequence[Word], at: int, scripts: list[str]) -> int:
    text = words[at - 1].text
    for place, letter in enumerate(text[1:], 1):
        if letter == "i":
            return at  # the rest is a suffix for copies
        if letter in "el":
            value = text[place + 1 :]
            if not value and at < len(words):
                value, at = words[at].text, at + 1
            if letter == "e":
                scripts.append(value)
            return at
        if letter not in _FLAGS:
            raise RefusedError(f"`sed {text}` is not known to be harmless; leave it out")
    return at


class _Sed:
    """`at` is the next character of the script."""

    def __init__(self, script: str) -> None:
        self.script = script
        self.at = 0

    def check(self) -> None:
        if "\0" in self.script:
            raise RefusedError("a sed script must be written out, in single quotes")
        while self._skip(" \t\n;"):
            self._command()

    def _command(self) -> None:
        if self._address() and self._skip(" \t") and self.script[self.at] == ",":
            self.at += 1
            self._skip(" \t")
            if not self._address():
                raise self._refused()
        self._skip(" \t!")
        letter = self._next()
        if letter in "{}":
            return
        if letter == "#":
            self._to_line_end()
        elif letter in "aic":
            self._text()
        elif letter == "s":
            self._delimited("pt")
            self._match(re.compile(r"[gpiImM0-9]*"))
            self._match(_END)
        elif letter == "y":
            self._delimited("tt")
            self._match(_END)
        elif pattern := next((_PLAIN[known] for known in _PLAIN if letter in known), None):
            self._match(pattern)
            self._match(_END)
        else:
            raise self._refused(letter)

    def _address(self) -> bool:
        if self.at >= len(self.script):
            return False
        if self.script[self.at] in "/\\":
            if self.script[self.at] == "\\":
                self.at += 1
            self._delimited("p")
            self._skip("IM")
            return True
        if found := _ADDRESS.match(self.script, self.at):
            self.at = found.end()
            return True
        return False

    def _delimited(self, parts: str) -> None:
        """`/one/two/`, with any delimiter; `at` stands on the first. `parts`: p a pattern, t text."""
        delimiter = self._next()
        if delimiter in "\n\\[]":
            raise self._refused()
        for part in parts:
            ends = {self._end(delimiter, bracket) for bracket in _BRACKETS[part]}
            if len(ends) != 1:
                raise self._refused()
            self.at = ends.pop() + 1

    def _end(self, delimiter: str, bracket: re.Pattern[str] | None) -> int:
        at = self.at
        while at < len(self.script) and self.script[at] not in (delimiter, "\n"):
            if bracket and (found := bracket.match(self.script, at)):
                at = found.end()
            else:
                at += 2 if self.script[at] == "\\" else 1
        if self.script[at : at + 1] != delimiter:
            raise self._refused()
        return at

    def _text(self) -> None:
        """What `a`, `i` and `c` add: to the end of the line, which a backslash continues."""
        while self.at < len(self.script):
            letter = self._next()
            if letter == "\\" and self.at < len(self.script):
                self._next()
            elif letter == "\n":
                return

    def _to_line_end(self) -> None:
        found = self.script.find("\n", self.at)
        self.at = len(self.script) if found < 0 else found

    def _skip(self, letters: str) -> bool:
        """Whether anything is left after them."""
        while self.at < len(self.script) and self.script[self.at] in letters:
            self.at += 1
        return self.at < len(self.script)

    def _next(self) -> str:
        if self.at >= len(self.script):
            raise self._refused()
        self.at += 1
        return self.script[self.at - 1]

    def _match(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.script, self.at)
        if not found:
            raise self._refused(self.script[self.at])
        self.at = found.end()

    def _refused(self, letter: str = "") -> RefusedError:
        what = f"`{letter}` in a sed script" if letter else "this sed script"
        return RefusedError(f"{what} may run a program or touch a file; use plain editing commands")
