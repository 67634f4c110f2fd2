"""
What a call looks for or reads, whichever tool it is made with.

A search with `rg` in a shell and the same search with a tool are the same search, so both are told
in one form: what kind, for what, where.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from prowess.check.running.shell import simple_commands

_TEXT = frozenset("ack ag egrep fgrep grep rg".split())
_NAMES = frozenset("fd fdfind find locate tree".split())
_FINDERS = frozenset("find glob list ls".split())  # tools that look for names
_READERS = frozenset("bat cat head less more nl sed tail".split())
_TAKES_VALUE = frozenset(
    "-A -B -C -M -d -f -g -m -t --context --glob --include --exclude-dir".split()
)


@dataclass(frozen=True, slots=True)
class Search:
    """`place` is where it looks, `.` for everywhere."""

    kind: Literal["text", "names"]
    pattern: str
    place: str


Deed = Search | Literal["read"]


def deeds(tool: str, tool_kind: str, given: Mapping[str, Any]) -> Iterator[Deed]:
    """What one call does of searching and reading; nothing for any other call."""
    if tool_kind == "SHELL":
        yield from _shell(str(given.get("command", "")))
    elif tool_kind == "SEARCH":
        pattern = str(given.get("pattern") or given.get("query") or "")
        place = _place([str(given.get("path") or ".")])
        yield Search("names" if tool.casefold() in _FINDERS else "text", pattern, place)
    elif tool_kind == "FILE" and tool.casefold().startswith(("read", "view")):
        yield "read"


def _shell(command: str) -> Iterator[Deed]:
    for joined, words in simple_commands(command) or ():
        if joined in ("|", "|&"):
            continue  # it only filters what another one printed
        program = posixpath.basename(words[0])
        if words[:2] == ["git", "grep"]:
            yield _text(words[2:])
        elif words[:2] == ["git", "ls-files"]:
            yield Search("names", " ".join(_plain(words[2:])), ".")
        elif program in _TEXT and "--files" not in words:
            yield _text(words[1:])
        elif program in _NAMES or program in _TEXT:
            yield _names(words[1:])
        elif program == "ls" and any(re.fullmatch(r"-\w*R\w*", word) for word in words):
            yield Search("names", "*", _place(_plain(words[1:])))
        elif program in _READERS:
            yield "read"


def _text(words: list[str]) -> Search:
    named = [after for word, after in pairwise(words) if word == "-e"]
    plain = _plain(words)
    if named:
        return Search(
            "text", "|".join(named), _place([each for each in plain if each not in named])
        )
    return Search("text", plain[0] if plain else "", _place(plain[1:]))


def _names(words: list[str]) -> Search:
    flags = ("-name", "-iname", "-path", "-g")
    named = [after for word, after in pairwise(words) if word in flags]
    places = [word for word in words if not word.startswith("-") and word not in named]
    return Search("names", "|".join(named) or "*", _place(places[:1]))


def _plain(words: list[str]) -> list[str]:
    """Arguments that are neither options nor their values."""
    values = {
        place + 1 for place, word in enumerate(words) if word in _TAKES_VALUE and "=" not in word
    }
    return [
        word
        for place, word in enumerate(words)
        if place not in values and not word.startswith("-") and not re.match(r"\d?[<>]", word)
    ]


def _place(places: list[str]) -> str:
    return " ".join(sorted({posixpath.normpath(each) for each in places})) or "."
