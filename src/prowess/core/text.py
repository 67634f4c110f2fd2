"""Text made short enough to show."""


def shortened(text: str, limit: int) -> str:
    """
    At most `limit` characters, cut between words.

    Never inside one: half a secret no longer looks like a secret, and would be shown.
    """
    if len(text) <= limit:
        return text
    whole, blank, _ = text[:limit].rpartition(" ")
    return f"{whole} …" if blank else "…"
