"""
One word of a command, as far as it is known before the values are.

A word that the shell makes from a value (`$x` after `x={x}`, `$(echo {x})`) holds a placeholder as
surely as one in which the placeholder is written.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from prowess.core.errors import ProwessError
from prowess.workflow.values import Part, Scope, Slot, fill_part

_SLOT = "\0"  # no command can hold it, so it can stand for a placeholder in what is matched
_NUMBERED = ("m4",)  # their number is no version
# What is made of a value may begin anywhere in it, so every dash that begins a word counts.
_BEGINS_OPTION = re.compile(r"^-|(?<!\w)-\S")


class UnsafeCommandError(ProwessError):
    """A placeholder stands where no quoting makes its value safe, or a value is not a safe one."""


@dataclass(frozen=True, slots=True)
class Made:
    """
    What the shell puts into a word, if that has a value in it: one of `words`, when a variable was
    given these and no others; without words, whatever was made of the values of `slots`.
    """

    words: "tuple[Word, ...]" = ()
    slots: tuple[Slot, ...] = ()


@dataclass(frozen=True, slots=True)
class Word:
    """`exact`: nothing in it is put in by the shell. `touched`: the shell puts a value in."""

    parts: tuple[Part | Made, ...]
    exact: bool = True
    touched: bool = False

    @property
    def has_slot(self) -> bool:
        return self.touched or any(isinstance(part, Slot) for part in self.parts)

    @property
    def text(self) -> str:
        """What is written in it, without what the shell puts in."""
        written = (part for part in self.parts if not isinstance(part, Made))
        return "".join(part if isinstance(part, str) else _SLOT for part in written)

    @property
    def is_option(self) -> bool:
        return self.text[:1] in ("-", "+") and len(self.text) > 1

    @property
    def is_input(self) -> bool:
        """It names what the program is fed with, or a file like it."""
        return self.text == "-" or self.text.startswith(("/dev/", "/proc/"))

    def filled(self, scope: Scope) -> str:
        """Only for a word into which the shell puts nothing."""
        (text,) = self.texts(scope)
        return text

    def texts(self, scope: Scope) -> list[str]:
        """All that it may be with these values, without what is made of them on the way."""
        found = [""]
        for part in self.parts:
            ends = _texts(part, scope) or [""]
            found = [text + end for text in found for end in ends]
        return found

    def made_of(self, scope: Scope) -> Iterator[str]:
        """The values of which something is made here that is not known beforehand."""
        for part in self.parts:
            if isinstance(part, Made):
                yield from (fill_part(slot, scope) for slot in part.slots)

    def as_option(self, scope: Scope) -> str:
        """The text for which it would be taken for an option, or an empty one."""
        for at, part in enumerate(self.parts):
            texts = _texts(part, scope)
            if at == 0 and isinstance(part, str):
                return ""  # an option is the author's own, and else it is none
            slots = part.slots if isinstance(part, Made) else ()
            made = [text for slot in slots if _BEGINS_OPTION.search(text := fill_part(slot, scope))]
            if found := [*(text for text in texts if text[:1] == "-"), *made]:
                return found[0]
            if texts and all(texts):
                return ""
        return ""


def _texts(part: Part | Made, scope: Scope) -> list[str]:
    """What one part may be; nothing when that is not known."""
    if isinstance(part, Made):
        return [text for word in part.words for text in word.texts(scope)]
    return [fill_part(part, scope)]


def program_of(word: Word) -> str:
    """The name of a program without its folder and version: `python` for /usr/bin/python3.11."""
    name = os.path.basename(word.text.lstrip("\\"))
    return name if name in _NUMBERED else re.sub(r"(?<=[a-zA-Z])[0-9.]+$", "", name)


def refused(why: str, hint: str) -> UnsafeCommandError:
    return UnsafeCommandError(f"no placeholder may stand here: {why}", hint=hint)
