"""
A budget for the catalog: when the descriptions do not fit, they shrink evenly.

Short ones stay whole; the long ones are cut to one common length, at a word where there is one.
Names always stay, even if they alone exceed the budget, unless the cards are known to be in the
order of their worth. What was cut is reported.
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


def fit_best(
    offered: Sequence[Card], *, max_chars: int, least: int, form: Callable[[Sequence[Card]], str]
) -> Fitted:
    """The same of cards that come best first: the last go until what is cut keeps `least` characters."""
    # One whose name alone takes the room of all would take the others with it.
    kept = [card for card in offered if len(form(_cut([card], least))) <= max_chars]
    while True:
        fitted = fit(kept, max_chars=max_chars, form=form)
        if not kept or fitted.limit is None or fitted.limit >= least:
            return fitted
        kept.pop()


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
