"""
Patterns for text that nobody vouches for: the one place here that knows re2.

Time grows with the text and never with its cunning. Patterns and text are bytes, one byte a
character (see `disguise.py`), so that a place in one is a place in the other.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol, cast

import re2  # type: ignore[import-untyped]


class Match(Protocol):
    def start(self, group: int = 0) -> int: ...
    def end(self, group: int = 0) -> int: ...
    def span(self, group: int = 0) -> tuple[int, int]: ...
    def group(self, group: int = 0) -> bytes | None: ...
    def __getitem__(self, group: int) -> bytes: ...


class Pattern(Protocol):
    def search(self, text: bytes, pos: int = 0) -> Match | None: ...
    def match(self, text: bytes, pos: int = 0) -> Match | None: ...
    def fullmatch(self, text: bytes) -> Match | None: ...
    def finditer(self, text: bytes) -> Iterator[Match]: ...


_METHODS = ("search", "match", "fullmatch", "finditer")


class Span(NamedTuple):
    """
    A stretch that must go. `since` is where the evidence begins: for a named value, at its name.
    """

    start: int
    end: int
    what: str
    since: int


class _Later:
    """
    A pattern that is compiled when it is first asked: most texts never need most patterns, and a
    short command should not pay for them. Its methods become those of the compiled one.
    """

    def __init__(self, source: str) -> None:
        self._source = source.encode("latin-1")

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re2.compile(self._source, _options())
        vars(self).update({each: getattr(compiled, each) for each in _METHODS})
        return vars(self)[name]


def pattern(source: str) -> Pattern:
    return cast("Pattern", _Later(source))


def is_compiled(made: Pattern) -> bool:
    """Whether it has been asked before, or else its first answer takes a moment."""
    return not isinstance(made, _Later) or "search" in vars(made)


def any_of(words: Iterable[bytes]) -> Pattern:
    """A pattern for these very words; where several fit, the longest."""
    options = _options()
    options.longest_match = True
    return cast("Pattern", re2.compile(b"|".join(re2.escape(word) for word in words), options))


def _options() -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = 64 << 20  # room for the many vendors' marks at once
    return options
