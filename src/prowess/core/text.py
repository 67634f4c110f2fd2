"""Text made fit: short enough to show, plain enough to store."""


def shortened(text: str, limit: int) -> str:
    """
    At most `limit` characters, cut between words.

    Never inside one: half a secret no longer looks like a secret, and would be shown.
    """
    if len(text) <= limit:
        return text
    whole, blank, _ = text[: limit - 1].rpartition(" ")
    return f"{whole} …" if blank else "…"


def storable(text: str) -> str:
    """
    What every database keeps. Names of files may hold what is no text, and PostgreSQL keeps no NUL;
    such a character is written as its escape.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")
