"""A stranger's JSON: each value is taken for what it should be, or for nothing, and never complained about."""

import json
from collections.abc import Mapping
from typing import Any

_NOTHING: Mapping[str, Any] = {}


def json_line(line: bytes) -> Mapping[str, Any] | None:
    """The object on a line of a stream, None for everything else."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = json.loads(line.decode("utf-8", errors="replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else _NOTHING


def rows(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """Text as it is, nothing for nothing, and other values as JSON."""
    if isinstance(value, str):
        return value.encode(
            errors="replace"
        ).decode()  # half of a surrogate pair can be kept nowhere
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def count(value: Any) -> int:
    """A number of tokens."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def money(value: Any) -> float | None:
    """Dollars; agents that know no price say 0."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 < value < float("inf") else None
