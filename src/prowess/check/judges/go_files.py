"""
What a `go.mod` or `go.work` says of which code `go test` runs, and which tests it finds.

More that is required or used is the work's own; a new module below another takes its folder out of
`./...`, and other lines put one thing in the place of another.
"""

from collections.abc import Iterator

_PUT_IN_PLACE = frozenset(("replace", "exclude", "ignore"))


def is_go_file(path: str) -> bool:
    return path.rpartition("/")[2] in ("go.mod", "go.work")


def go_judges(path: str, old: str, new: str) -> bool:
    """Whether tests may end otherwise for it."""
    before, now = set(_lines(old)), set(_lines(new))
    used = {line for line in before if line.startswith("use ")}
    others = {line for line in before ^ now if line.partition(" ")[0] in _PUT_IN_PLACE}
    is_nested = path.endswith("/go.mod") and not old
    return is_nested or bool(others or used - now)


def _lines(text: str) -> Iterator[str]:
    """Each with its verb, also those of a block."""
    block = ""
    for line in text.splitlines():
        words = line.partition("//")[0].split()
        if words == [")"]:
            block = ""
        elif words[1:] == ["("]:
            block = words[0]
        elif words:
            yield " ".join((block, *words) if block else words)
