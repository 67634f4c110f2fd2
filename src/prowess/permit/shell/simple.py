"""A simple command: the unit that a rule grants."""

import re
from dataclasses import dataclass

from prowess.permit.shell.words import Word

COPIED = re.compile(r"\d+|-", re.ASCII)  # after `>&`: a descriptor, or none


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """`2> file`, `< file`, `>& 1`. Here-documents and here-strings open no file and are not listed."""

    operator: str
    target: Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Simple:
    """
    One simple command. Without words it is a redirection of something larger.

    `piped`: it reads what the stage before it writes. `fed`: that is text the line itself wrote.
    `cwds`: the folders it may run in, as seen from where the line begins; None is anywhere.
    """

    source: str
    words: tuple[Word, ...]
    assignments: tuple[tuple[str, Word], ...] = ()
    redirects: tuple[Redirect, ...] = ()
    piped: bool = False
    fed: bool = False
    cwds: frozenset[str | None] = frozenset(("",))
