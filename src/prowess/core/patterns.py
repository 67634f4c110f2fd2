"""Expressions that a stranger wrote, for texts that nobody vouches for."""

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """Matched in linear time, and without a word to the terminal; a wrong one is `re2.error`."""
    import re2  # type: ignore[import-untyped]

    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)
