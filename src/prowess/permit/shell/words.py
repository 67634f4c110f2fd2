"""
One word of a shell command, as the program would receive it.

The parser says where a word begins and ends; this module reads what is between, by itself and
strictly. Two readers that disagree about a word are a refusal, so a mistake in either of them
grants nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from prowess.permit.rule import HOLE

_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*)|([0-9@*#?$!-]))", re.ASCII)
# The shell keeps in these what the line did or read, so that it could write them without a `=`.
_SHAPED = re.compile(
    r"_|(?:BASH|COMP|COPROC|READLINE)_\w*|COMPREPLY|COPROC|DIRSTACK|FUNCNAME|MAPFILE|OLDPWD|OPTARG"
    r"|REPLY"
)
_ANSI = re.compile(r"\$'((?:[^'\\]|\\[abfnrtv])*)'")
_ANSI_LETTERS = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_TILDE = re.compile(r"~[\w+.-]*", re.ASCII)
_MOVING_TILDE = re.compile(r"~[-+\d]", re.ASCII)  # where `cd` and `pushd` were
# Whatever these become, it is a name: no option, no address.
_PLAIN_BRACES = re.compile(r"(?:[\w./]|\{[\w.]+(?:,[\w.]+)+\})[\w./*,{}-]*", re.ASCII)
_ONE_WORD = re.compile(r"[\w./:@%+,=-]+", re.ASCII)
_UNSURE = re.compile(r"[*?\[\\\0]")  # files may be found for these, or they are lost on the way
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

    `single`: it is one word whatever its holes turn out to be. `chosen`: a hole is filled by text
    that the line or an outsider wrote; `crafted`: so that it may turn out to be an option. `filled`:
    part of it is the value of a variable. `coded`: part of it is written as `$'…'`. `braces` is how
    a word is written that braces make several of, without quotes.
    """

    text: str
    single: bool = True
    crafted: bool = False
    chosen: bool = False
    filled: bool = False
    coded: bool = False
    braces: str = ""

    @property
    def literal(self) -> bool:
        return HOLE not in self.text

    @property
    def program(self) -> str:
        """The program that a command of this name runs, without the path to it."""
        return self.text.rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """
    The variables of a line of which something is known: `crafted` may hold what the line wrote,
    `values` is what an outsider gave, by name and number.
    """

    crafted: frozenset[str] = frozenset()
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(…)`, `` `…` ``, `<(…)` or `>(…)` inside a word; its commands are judged on their own."""

    end: int
    crafted: bool


def plain(text: str) -> Word:
    return Word(text=text)


def hole(*, crafted: bool = False) -> Word:
    """A word that another program will supply."""
    return Word(text=HOLE, single=False, crafted=crafted, chosen=crafted)


def values_of(source: str, names: Names) -> list[Word] | None:
    """The words that a shell makes of an outsider's text, where a word is nothing but its variable."""
    found = _VARIABLE.fullmatch(source)
    value = names.values.get(found[1] or found[2] or found[3]) if found else None
    if value is None or _UNSURE.search(value):
        return None
    return [Word(text=each, filled=True) for each in re.split(r"[ \t\n]+", value) if each]


def read_word(
    source: str,
    start: int,
    end: int,
    substitutions: Mapping[int, Substitution],
    *,
    names: Names,
) -> Word:
    """
    The word at `source[start:end]`; anything that is not surely one word is refused.

    `source` has one character for each byte (latin-1), so that places are the parser's places.
    """
    return _Reader(source, start, end, substitutions, names).word()


class _Reader:
    """Walks over one word; `at` is the next character."""

    def __init__(
        self,
        source: str,
        start: int,
        end: int,
        substitutions: Mapping[int, Substitution],
        names: Names,
    ) -> None:
        self.source = source[:end]
        self.start, self.at, self.end = start, start, end
        self.substitutions = substitutions
        self.names = names
        self.text: list[str] = []
        self.bare: list[str] = []  # the unquoted characters, for braces
        self.certain: int | None = None  # how much of `text` stands, whatever a `[…]` matches
        self.single = True
        self.crafted = False
        self.chosen = False
        self.filled = False
        self.coded = False

    def word(self) -> Word:
        while self.at < self.end:
            self._unquoted()
        if self._has_braces():
            plain = _PLAIN_BRACES.fullmatch(self.source, self.start) is not None
            written = re.sub(r"[\\'\"]", "", self.source[self.start : self.end])
            crafted = self.crafted or not plain
            return Word(
                text=HOLE, single=False, crafted=crafted, chosen=self.chosen, braces=written
            )
        kept = self.text if self.certain is None else [*self.text[: self.certain], HOLE]
        text = "".join(kept).encode("latin-1").decode()
        return Word(
            text=text,
            single=self.single,
            crafted=self.crafted,
            chosen=self.chosen,
            filled=self.filled,
            coded=self.coded,
        )

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
        self._need(not _MOVING_TILDE.match(self.source, self.at))
        before = "".join(self.text)
        self.crafted = self.crafted or (before.startswith("-") and "=" not in before)
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
            self._variable(found[1] or found[2] or found[3], quoted=quoted, to=found.end())
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

    def _variable(self, name: str, *, quoted: bool, to: int) -> None:
        if _SHAPED.fullmatch(name):
            raise RefusedError(
                f"`${name}` holds what the line itself did before; write out what is meant"
            )
        value = self.names.values.get(name)
        if value is None:
            self._fill(crafted=name in self.names.crafted, quoted=quoted, to=to)
        elif _ONE_WORD.fullmatch(value) or (quoted and name != "@" and HOLE not in value):
            self.filled = True
            self._keep(value.encode("utf-8", "replace").decode("latin-1"), to=to)
        else:
            self._fill(crafted=True, quoted=quoted, to=to)

    def _fill(self, *, crafted: bool, quoted: bool, to: int) -> None:
        # Behind `--name=` or a letter, and in quotes, written text can no longer become an option.
        before = "".join(self.text)
        leads = not before or (before.startswith("-") and "=" not in before) or HOLE in before
        self.crafted = self.crafted or (crafted and (leads or not quoted))
        self.chosen = self.chosen or crafted
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
