"""How deep lists and mappings are inside each other."""

from typing import Any


def is_deep(value: Any, most: int) -> bool:
    """Whether they are more than `most` levels deep; asked without going deeper than that."""
    level = [value]
    for _ in range(most + 1):
        inside = [each for each in level if isinstance(each, list | dict)]
        if not inside:
            return False
        level = [
            each for one in inside for each in (one.values() if isinstance(one, dict) else one)
        ]
    return True
