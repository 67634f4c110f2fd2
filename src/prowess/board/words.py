"""
What people write on the board, made fit to keep.

Every text from outside comes through here once: without secrets, of a bearable length, and such
that any database can hold it.
"""

import re

from prowess.core.board import ROLES, Board
from prowess.core.errors import UsageError

LONGEST_LINE = 200
LONGEST_TEXT = 20_000
_NAME = re.compile(r"[^\W\d_][\w'-]{0,39}")


def line(board: Board, text: str, what: str) -> str:
    """On one line."""
    return _kept(board, " ".join(text.split()), what, LONGEST_LINE)


def text(board: Board, text: str, what: str) -> str:
    """On as many lines as it has."""
    return _kept(board, text.strip(), what, LONGEST_TEXT)


def needed(text: str, what: str, hint: str) -> str:
    if not text:
        raise UsageError(f"{what} is missing", hint=hint)
    return text


def agent_name(name: str) -> str:
    """A name is one word, and not that of a role, so that it can stand where a role can."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be a name",
            hint="use one word of up to 40 letters, digits and hyphens that begins with a letter",
        )
    if name.lower() in {role.name.lower() for role in ROLES}:
        raise UsageError(f"{name} is a role", hint=f"`prowess name suggest {name}` has names")
    return name


def _kept(board: Board, text: str, what: str, longest: int) -> str:
    if len(text) > longest:
        raise UsageError(f"{what} has {len(text):,} characters", hint=f"keep it within {longest:,}")
    # An argument may hold bytes that are no text, and a database takes neither those nor a zero.
    plain = text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "")
    return board.clean(plain)
