"""
Whole characters: what a model wrote can be sent back to it, shown and kept.

JSON can name half of a surrogate pair, and that is no text: no request, file or command takes it.
The two halves of a pair that came in two pieces become their character; a half alone becomes U+FFFD.
"""

from typing import Any


def whole(value: Any) -> Any:
    """The value, all through lists and mappings, with every text in whole characters."""
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, dict):
        return {whole(key): whole(each) for key, each in value.items()}
    if isinstance(value, list):
        return [whole(each) for each in value]
    return value


def whole_text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
