"""The names most like one that is not there: one way to offer them, wherever somebody mistyped."""

from collections.abc import Iterable


def did_you_mean(said: str, known: Iterable[str], *, most: int = 3) -> str:
    """A question that offers the names most like `said`, whatever their case; empty when none is."""
    import difflib

    by_lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(said.lower(), by_lower, n=most, cutoff=0.6)
    return f"did you mean {' or '.join(by_lower[each] for each in near)}?" if near else ""
