"""
How deep what a model writes may be nested.

It is sent back with every later request, and the libraries that write it give up at a depth of their
own (the first at some 250 levels), long after anything a tool could mean.
"""

from typing import Any

DEEPEST = 64


class TooDeepError(ValueError):
    """Says so, for the model to read; what is so deep stands before it."""

    def __init__(self) -> None:
        super().__init__(f"are nested deeper than {DEEPEST} levels: write them flatter")


def is_deep(value: Any) -> bool:
    """Whether lists and mappings are inside each other deeper than can be sent back."""
    level = [value]
    for _ in range(DEEPEST + 1):
        inside = [each for each in level if isinstance(each, list | dict)]
        if not inside:
            return False
        level = [
            each for one in inside for each in (one.values() if isinstance(one, dict) else one)
        ]
    return True
