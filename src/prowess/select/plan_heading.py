"""
What the headings of a plan say of what stands below them: that it is for people, or that its fences
hold the commands that prove every task.

Emphasis, and a number in front of a heading, change nothing. A plan's own title may say anything, so a
heading of the first level counts only where it says nothing else, and for what stands right below it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_EMPHASIS = re.compile(r"[*_~`]+")
_LEAD = re.compile(r"(?:\W|\d+(?:\.\d+)*[.):]?(?=\s))*")
_IGNORED = re.compile(r"verification|checklist", re.IGNORECASE)
_MANUAL = re.compile(r"manual[\s-]+qa\b", re.IGNORECASE)
_ALONE = re.compile(
    r"(?:final\s+)?validation"
    r"(?:\W+(?:and|commands?|steps?|checks?|tests?|testing|scripts?|verification))*\W*",
    re.IGNORECASE,
)
_AMONG = re.compile(r"\bvalidation\s+commands?\b|^commands?\s+to\s+run\b", re.IGNORECASE)
# What is not taken, and may well be meant: whoever wrote it would think that every task is proven.
_NEAR = re.compile(
    r"^(?:final\s+)?validat(?:ion|e|ing)\b|\b(?:tests?|check|verification|verify)\s+commands?\b",
    re.IGNORECASE,
)
_SHELL = re.compile(r"(?:ba|z|da|k)?sh\b|shell|console|terminal|$", re.IGNORECASE)


@dataclass(slots=True)
class Heading:
    """`ignored`: what is below it is for people. `holds`: it is to hold commands; `used`: there is something below it."""

    level: int
    line: int
    title: str = ""
    ignored: bool = False
    holds: bool = False
    near: bool = False
    used: bool = False

    def called(self, title: str) -> None:
        self.title = " ".join(title.split())
        bare = _LEAD.sub("", _EMPHASIS.sub("", self.title), count=1)
        alone = _ALONE.fullmatch(bare) is not None
        inside = self.level > 1
        self.ignored = inside and bool(_IGNORED.search(bare) or _MANUAL.match(bare))
        self.holds = alone or (inside and bool(_AMONG.search(bare)))
        self.near = inside and bool(_NEAR.search(bare))


def hold_commands(headings: Sequence[Heading]) -> bool:
    """Whether a fence below these headings, the innermost last, holds commands."""
    return any(each.holds and (each.level > 1 or each is headings[-1]) for each in headings)


def about_fence(headings: Sequence[Heading], language: str) -> str:
    """What is wrong with a fence that holds no commands and looks as if it should; empty when nothing is."""
    near = next((each.title for each in headings if each.near), "")
    if not near or not _SHELL.match(language.strip()):
        return ""
    return f"nothing runs this fence under {near!r}; call the section `## Validation commands`"


def about_empty(heading: Heading) -> str:
    """What is wrong with a section without anything in it that could be run."""
    return f"{heading.title!r} holds no command; write commands in a fence (```) below it"
