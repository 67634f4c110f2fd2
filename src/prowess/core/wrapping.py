"""
Lines as wide as a terminal, broken between words alone.

A terminal breaks wherever its last column is, also in the middle of a word. What is wrapped here goes
on below the words of its line, beside its mark. A word that is wider than the terminal, such as a
path, stays whole, so that it can still be copied.
"""

import re

_MARK = re.compile(
    r"\s*(?:(?:\[[^\]\s]*\]|\d+\.|[^\w\s]) +)?"
)  # what a line may begin with: "  ✓ "


def wrapped(text: str, width: int) -> str:
    """The text with no line wider than `width` that could be broken between words."""
    return "\n".join(_wrapped_line(line, width) for line in text.split("\n"))


def _wrapped_line(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    import textwrap

    mark = _MARK.match(line)
    hang = len(mark[0]) if mark and len(mark[0]) <= width // 2 else 0
    wrapper = textwrap.TextWrapper(
        width=width,
        subsequent_indent=" " * hang,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )
    return "\n".join(wrapper.wrap(line)) or line
