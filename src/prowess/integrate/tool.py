"""What a coding tool is to us: a file of its own, and how our entry goes in and out of its text."""

from collections.abc import Callable
from dataclasses import dataclass

from prowess.core.errors import UsageError

NAME = "prowess"
SERVER = {"command": NAME, "args": ["mcp"]}

ADD, TAKE_OUT = "add this", "take this out"  # what remains to be done by hand

Add = Callable[[str | None], str]
Remove = Callable[[str | None], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """
    `add` returns the text of `file` with our entry, `remove` without; None is a file that is not
    there. Both change nothing when there is nothing to do. `then` is what the person does next.
    """

    name: str
    file: str
    add: Add
    remove: Remove
    then: str


def by_hand(what: str, snippet: str, *, do: str = ADD) -> UsageError:
    return UsageError(what, hint=f"nothing was changed; {do} by hand:\n{snippet}")


def not_ours(file: str, snippet: str) -> UsageError:
    return UsageError(
        f"{file} has a server {NAME!r} that Prowess did not write, or that was changed since",
        hint=f"nothing was changed; edit it by hand. What Prowess would write:\n{snippet}",
    )
