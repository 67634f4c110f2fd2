"""
Words of agents, commands and files inside a report in Markdown, where they are shown and mean nothing.

Whoever writes a report of what strangers said must not let them write it: in what is quoted here no
line is a heading, an item, a link or HTML, and none of it ends where it says.
"""

import re

from prowess.core.text import visible

_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")  # code, as Markdown finds it
_MEANS_MORE = re.compile(r"\\(?=[!-/:-@\[-`{-~]|$)|[<\[\]`]")  # outside of code
_STRONG = re.compile(r"(?<!\w)[*_]+(?=\w)|(?<=\w)[*_]+(?!\w)")  # so is `*` at an end of a word
_BEGINS = re.compile(
    r"([-+*#>=~|:]|\d+[.)])"
)  # what a line may begin with, and be more than a line
_TICKS = re.compile(r"`+")


def inline(text: str) -> str:
    """One line in which code stays code and nothing else is more than its letters."""
    line = " ".join(visible(text).split())
    told, end = "", 0
    for code in _CODE.finditer(line):
        told += _escaped(line[end : code.start()]) + code[0]
        end = code.end()
    return told + _escaped(line[end:])


def alone(text: str) -> str:
    """The same for a line of its own."""
    line = inline(text)
    if not (begins := _BEGINS.match(line)):
        return line
    sign = begins[0]
    return f"{sign[:-1]}\\{sign[-1]}{line[len(sign) :]}"


def quoted(text: str) -> list[str]:
    """
    As lines: one that stands alone, or several in a fence that none of them closes. Each is marked as
    quoted too, for who reads the report as it is written.
    """
    lines = visible(text).strip("\n").split("\n")
    if len(lines) == 1:
        return [alone(text)]
    fence = _more_ticks(text, 3)
    return [f"> {line}".rstrip() for line in (f"{fence}text", *lines, fence)]


def code(text: str) -> str:
    """A name as Markdown shows it letter by letter."""
    line = " ".join(visible(text).split())
    ticks = _more_ticks(line, 1)
    return f"{ticks} {line} {ticks}" if "`" in line else f"`{line}`"


def _more_ticks(text: str, least: int) -> str:
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)


def _escaped(text: str) -> str:
    told = _MEANS_MORE.sub(r"\\\g<0>", text)
    return _STRONG.sub(lambda found: "".join(f"\\{sign}" for sign in found[0]), told)
