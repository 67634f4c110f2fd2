"""Text made fit: short enough to show, plain enough to store, and nothing in it that nobody sees."""

import re
from collections.abc import Callable

_MARGIN = 4_096  # characters behind a cut that are looked at, so that a secret there is seen whole

# What drives a terminal (all but tab and line end), what turns text around, and the tag characters,
# which a model reads and no screen shows.
UNSEEN = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"


def shortened(text: str, limit: int) -> str:
    """
    At most `limit` characters, cut between words.

    Never inside one: half a secret no longer looks like a secret, and would be shown.
    """
    if len(text) <= limit:
        return text
    whole, blank, _ = text[: limit - 1].rpartition(" ")
    return f"{whole} …" if blank else "…"


def clean_beginning(text: str, limit: int, clean: Callable[[str], str]) -> str:
    """
    The first `limit` characters, cleaned before they are cut: half a secret looks like none, and
    would be kept.
    """
    cleaned = clean(text[: limit + _MARGIN])
    sure = len(cleaned) - _MARGIN if len(text) > limit + _MARGIN else limit
    return cleaned[: max(0, min(limit, sure))]


def headline(text: str, limit: int, clean: Callable[[str], str]) -> str:
    """The first line of a text, shortened; cleaned first, unless that is all of it."""
    text = text.strip()
    if len(text) <= limit and "\n" not in text:
        return text
    line, more, _ = clean_beginning(text, limit + 1, clean).partition("\n")
    return shortened(line.rstrip() if more else line, limit)


def storable(text: str) -> str:
    """
    What every database keeps. Names of files may hold what is no text, and PostgreSQL keeps no NUL;
    such a character is written as its escape.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")


def visible(text: str) -> str:
    """`text` without what drives a terminal or is read by models and seen by nobody."""
    if text.isprintable():
        return text
    return re.sub(UNSEEN, lambda found: " " if found[0].isspace() else "", text)
