"""
Names for agents: each role has some, with a line about who bore the name first.

Of those that nobody at work has, the least used come first, then by name; so the same board always
suggests the same.
"""

import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count as counting
from typing import Any

from prowess.core.board import Board, role_named

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "names.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentName:
    """`uses` is how many sessions have had it; `about` is for "a bit about me"."""

    name: str
    about: str
    uses: int

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "about": self.about, "uses": self.uses}


def suggest(board: Board, role: str, *, count: int = 3) -> list[AgentName]:
    """When a role's own names are all at work, they come again with a number."""
    own = names()[role_named(role).name]
    at_work = {session.name.lower() for session in board.sessions()}
    used = board.names_used()
    free: list[AgentName] = []
    for together in _rounds(own):
        free += [
            AgentName(name=name, about=about, uses=used.get(name.lower(), 0))
            for name, about in together.items()
            if name.lower() not in at_work
        ]
        if len(free) >= count:
            break
    return sorted(free, key=lambda each: (each.uses, each.name))[:count]


def about(name: str) -> str:
    """The line about a name, or an empty one for a name of somebody's own."""
    first = name.partition("-")[0].lower()
    return next(
        (told for own in names().values() for each, told in own.items() if each.lower() == first),
        "",
    )


@cache
def names() -> dict[str, dict[str, str]]:
    """By role, then by name."""
    with open(_FILE, "rb") as file:
        return tomllib.load(file)


def _rounds(own: dict[str, str]) -> Iterator[dict[str, str]]:
    yield own
    for number in counting(2):
        yield {f"{name}-{number}": about for name, about in own.items()}
