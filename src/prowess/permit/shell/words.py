"""
One word of a shell command, as the program would receive it.

The parser says where a word begins and ends; this module reads what is between, by itself and
strictly. Two readers that disagree about a word are a refusal, so a mistake in either of them
grants nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from prowess.permit.rule import HOLE

_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*)|[0-9@*#?$!-])", re.ASCII)
_ANSI = re.compile(r"\$'((?:[^'\\]|\\[abfnrtv])*)'")
_ANSI_LETTERS = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_TILDE = re.compile(r"~[\w+.-]*", re.ASCII)
# Whatever these become, it is a name: no option, no address.
_PLAIN_BRACES = re.compile(r"(?:[\w./]|\{[\w.]+(?:,[\w.]+)+\})[\w./*,{}-]*", re.ASCII)
_META = frozenset(" \t\n;&|<>()")
# After these a `$` can begin no expansion.
_HARMLESS_AFTER_DOLLAR = frozenset(" \t\n.,:;/)%|\\")


class RefusedError(Exception):
    """This cannot be granted; the message says why, and what to do instead."""


class ForbiddenError(RefusedError):
    """Somebody has said no, and nobody is to be asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """
    `text` has no quotes left, and a HOLE for each part that only running would tell.

    `single`: it is one word whatever its holes turn out to be. `crafted`: a hole is filled by text
    that the command itself wrote, so it may turn out to be an option. `coded`: part of it is
    written as `$'…'`.
    """

    text: str
    single: bool = True
    crafted: bool = False
    coded: bool = False

    @property
    def literal(self) -> bool:
        return HOLE not in self.text

    @property
    def program(self) -> str:
        """The program that a command of this name runs, without the path to it."""
        return self.text.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(…)`, `` `…` ``, `<(…)` or `>(…)` inside a word; its commands are judged on their own."""

    end: int
    crafted: bool


def plain(text: str) -> Word:
    return Word(text=text)


def hole(*, crafted: bool = False) -> Word:
    """A word that another program will supply."""
    return Word(text=HOLE, single=False, crafted=crafted)


def read_word(
    source: str,
    start: int,
    end: int,
    substitutions: Mapping[int, Substitution],
    *,
    crafted_names: frozenset[str] = frozenset(),
) -> Word:
    """
    The word at `source[start:end]`; anything that is not surely one word is refused.

    `source` has one character for each byte (latin-1), so that places are the parser's places.
    """
    return _Reader(source, start, end, substitutions, crafted_names).word()


class _Reader:
    """Walks over one word; `at` is the next character."""

    def __init__(
        self,
        source: str,
        start: int,
        end: int,
        substitutions: Mapping[int, Substitution],
        crafted_names: frozenset[str],
    ) -> None:
        self.source = source[:end]
        self.start, self.at, self.end = start, start, end
        self.substitutions = substitutions
        self.crafted_names = crafted_names
        self.text: list[str] = []
        self.bare: list[str] = []  # the unquoted characters, for braces
        self.certain: int | None = None  # how much of `text` stands, whatever a `[…]` matches
        self.single = True
        self.crafted = False
        self.coded = False

    def word(self) -> Word:
        while self.at < self.end:
            self._unquoted()
        if self._has_braces():
            plain = _PLAIN_BRACES.fullmatch(self.source, self.start) is not None
            return Word(text=HOLE, single=False, crafted=self.crafted or not plain)
        kept = self.text if self.certain is None else [*self.text[: self.certain], HOLE]
        text = "".join(kept).encode("latin-1").decode()
        return Word(text=text, single=self.single, crafted=self.crafted, coded=self.coded)

    def _unquoted(self) -> None:
        letter = self.source[self.at]
        if letter == "'":
            close = self.source.find("'", self.at + 1)
            self._need(close > 0)
            self._keep(self.source[self.at + 1 : close], to=close + 1)
        elif letter == '"':
            self._quoted()
        elif letter == "\\":
            self._need(self.at + 1 < self.end and self.source[self.at + 1] != "\n")
            self._keep(self.source[self.at + 1], to=self.at + 2)
        elif letter in "$`" or self.at in self.substitutions:
            self._expansion(quoted=False)
        elif letter in "*?[" or (letter == "~" and self._begins_path()):
            self._pattern(letter)
        else:
            self._need(letter not in _META and not (letter == "#" and self.at == self.start))
            self.bare.append(letter)
            self._keep(letter, to=self.at + 1)

    def _begins_path(self) -> bool:
        """A `~` is somebody's home at the start of a word, and of a value in `NAME=value`."""
        return self.at == self.start or self.source[self.at - 1] in "=:"

    def _pattern(self, letter: str) -> None:
        """What files or users may be put here is not known, nor what of a `[…]` is still there then."""
        self.single = False
        if letter == "[" and self.certain is None:
            self.certain = len(self.text)
        tilde = _TILDE.match(self.source, self.at)
        self._keep(HOLE, to=tilde.end() if tilde else self.at + 1)

    def _quoted(self) -> None:
        self.at += 1
        while True:
            self._need(self.at < self.end)
            letter = self.source[self.at]
            if letter == '"':
                self._keep("", to=self.at + 1)
                return
            if letter == "\\":
                self._need(self.at + 1 < self.end and self.source[self.at + 1] != "\n")
                following = self.source[self.at + 1]
                self._keep(
                    following if following in '$`"\\' else letter + following, to=self.at + 2
                )
            elif letter in "$`":
                self._expansion(quoted=True)
            else:
                self._keep(letter, to=self.at + 1)

    def _expansion(self, *, quoted: bool) -> None:
        if inner := self.substitutions.get(self.at):
            self._fill(crafted=inner.crafted, quoted=quoted, to=inner.end)
        elif found := _VARIABLE.match(self.source, self.at):
            name = found[1] or found[2] or ""
            self._fill(crafted=name in self.crafted_names, quoted=quoted, to=found.end())
        elif not quoted and (found := _ANSI.match(self.source, self.at)):
            text = re.sub(r"\\(.)", lambda escape: _ANSI_LETTERS[escape[1]], found[1])
            self._keep(text, to=found.end())
            self.coded = True
        else:
            following = self.source[self.at + 1 : self.at + 2]
            self._need(
                self.source[self.at] == "$"
                and (
                    following in _HARMLESS_AFTER_DOLLAR
                    if following and following != '"'
                    else quoted or not following
                )
            )
            self._keep("$", to=self.at + 1)

    def _fill(self, *, crafted: bool, quoted: bool, to: int) -> None:
        # Behind `--name=` or a letter, and in quotes, written text can no longer become an option.
        before = "".join(self.text)
        leads = not before or (before.startswith("-") and "=" not in before) or HOLE in before
        self.crafted = self.crafted or (crafted and (leads or not quoted))
        self.single = self.single and quoted
        self._keep(HOLE, to=to)

    def _has_braces(self) -> bool:
        """`{a,b}` and `{1..3}` become several words; `{}` and `HEAD@{1}` stay as they are."""
        bare = "".join(self.bare)
        opened = bare.partition("{")[2]
        return "}" in opened and ("," in opened or ".." in opened)

    def _keep(self, text: str, *, to: int) -> None:
        self.text.append(text)
        self.at = to

    def _need(self, fine: bool) -> None:  # noqa: FBT001
        if not fine:
            written = self.source[self.start : self.start + 40]
            raise RefusedError(
                f"`{written}` is not a word this gate can read for certain; write it more plainly"
            )
