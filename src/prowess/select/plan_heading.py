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


@dataclass(slots=True)
class Heading:
    """`ignored`: what is below it is for people, `manual`: to try. `holds`: it is to hold commands; `used`: there is something below it."""

    level: int
    line: int
    title: str = ""
    ignored: bool = False
    manual: bool = False
    holds: bool = False
    near: bool = False
    used: bool = False

    def called(self, title: str) -> None:
        self.title = " ".join(title.split())
        bare = _LEAD.sub("", _EMPHASIS.sub("", self.title), count=1)
        alone = _ALONE.fullmatch(bare) is not None
        inside = self.level > 1
        self.manual = inside and bool(_MANUAL.match(bare))
        self.ignored = self.manual or (inside and bool(_IGNORED.search(bare)))
        self.holds = alone or (inside and bool(_AMONG.search(bare)))
        self.near = inside and bool(_NEAR.search(bare))


def hold_commands(headings: Sequence[Heading]) -> bool:
    """Whether a fence below these headings, the innermost last, holds commands."""
    return any(each.holds and (each.level > 1 or each is headings[-1]) for each in headings)


def about_fence(headings: Sequence[Heading], *, proves: bool) -> str:
    """
    What is wrong with a fence of shell that holds no commands and looks as if it should; empty when
    nothing is. `proves`: it looks so by itself, unless it is for a person who tries things by hand.
    """
    near = next((each.title for each in headings if each.near), "")
    if near:
        return f"nothing runs this fence under {near!r}; call the section `## Validation commands`"
    if not proves or any(each.manual for each in headings):
        return ""
    under = f" under {headings[-1].title!r}" if headings else ""
    call = "to have it prove every task, call the section `## Validation commands`"
    return f"nothing runs this fence{under}; {call}"


def about_empty(heading: Heading) -> str:
    """What is wrong with a section without anything in it that could be run."""
    return f"{heading.title!r} holds no command; write commands in a fence (```) below it"
