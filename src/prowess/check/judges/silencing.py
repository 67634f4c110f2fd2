"""
What a file tells linters and type checkers to overlook in it, as a whole.

One line that is passed over, somebody may well have a reason for, and it is named; a file of which nothing
is looked at any more shows nothing.
"""

import re
from collections.abc import Iterator

_PYTHON_TYPES = r"\b(?:mypy|pyright|basedpyright|ty|pyrefly)\b"
_WEB = r"\b(?:eslint|biome|oxlint|tsc|npm|pnpm|yarn|bun)\b"
_WHOLE = (
    (r"^#[ \t]*ruff:[ \t]*noqa\b.*$", r"\bruff\b"),
    (r"^#[ \t]*flake8:[ \t]*noqa\b.*$", r"\b(?:flake8|ruff)\b"),
    (r"^#[ \t]*mypy:[ \t]*(?:ignore[-_]errors|disable-error-code).*$", r"\bmypy\b"),
    (r"^#[ \t]*type:[ \t]*ignore\b.*$", _PYTHON_TYPES),
    (r"^#[ \t]*pyright:[ \t]*(?:basic|report\w+[ \t]*=[ \t]*(?:false|none)).*$", _PYTHON_TYPES),
    (r"^#[ \t]*pylint:[ \t]*(?:skip-file|disable=).*$", r"\bpylint\b"),
    (r"^#[ \t]*isort:[ \t]*skip_file\b.*$", r"\b(?:isort|ruff)\b"),
    (r"^[ \t]*(?://|/\*)[ \t]*@ts-nocheck\b.*$", _WEB),
    (r"^[ \t]*/\*[ \t]*(?:eslint|oxlint)-disable[ \t]*\*/", _WEB),
    (r"^[ \t]*//[ \t]*biome-ignore-all\b.*$", _WEB),
    (r"^[ \t]*#!\[allow\([^)\n]*\b(?:warnings|unused|clippy::all)\b.*$", r"\b(?:clippy|cargo)\b"),
)
_PATTERNS = [(re.compile(said, re.MULTILINE), commands) for said, commands in _WHOLE]


def silenced_for(before: str, now: str) -> Iterator[tuple[str, str]]:
    """What is said more often than before, by its words, with a pattern of the commands that hear it."""
    for said, commands in _PATTERNS:
        found = [each.strip() for each in said.findall(now)]
        if len(found) > len(said.findall(before)):
            yield found[0], commands
