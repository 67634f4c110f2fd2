"""
A budget for the catalog: when the descriptions do not fit, they shrink evenly.

Short ones stay whole; the long ones are cut to one common length, at a word where there is one.
Names always stay, even if they alone exceed the budget. What was cut is reported.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from prowess.prompt.cards import Card

MARK = "…"


@dataclass(frozen=True, slots=True)
class Fitted:
    """The cards that fit, the longest a description may be (None: all are whole), and whose was cut."""

    cards: list[Card]
    limit: int | None = None
    cut: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {"cut": list(self.cut), "description_chars": self.limit}


def fit(
    offered: Sequence[Card], *, max_chars: int, form: Callable[[Sequence[Card]], str]
) -> Fitted:
    """Shorten descriptions until `form` of the cards has at most `max_chars` characters; 0 means no limit."""
    if not max_chars or len(form(offered)) <= max_chars:
        return Fitted(list(offered))
    low, high = 0, max((len(card.description) for card in offered), default=0)
    while low < high:  # the largest limit that fits, or 0
        middle = (low + high + 1) // 2
        if len(form(_cut(offered, middle))) <= max_chars:
            low = middle
        else:
            high = middle - 1
    cut = tuple(card.name for card in offered if len(card.description) > low)
    return Fitted(_cut(offered, low), low, cut)


def _cut(offered: Sequence[Card], limit: int) -> list[Card]:
    return [replace(card, description=shortened(card.description, limit)) for card in offered]


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters, the mark included; cut after a word if that costs little."""
    if len(text) <= limit:
        return text
    if limit <= len(MARK):
        return ""
    kept = text[: limit - len(MARK)]
    word = kept.rfind(" ")
    return (kept[:word] if word > limit // 2 else kept).rstrip() + MARK
