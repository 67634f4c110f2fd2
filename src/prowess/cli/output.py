"""
How results reach a person or a program.

A terminal gets tables and colour, a pipe gets plain lines, `--json` gets one value. Text from
skills is shown without its control characters, so a description cannot drive a terminal.
"""

import json
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from prowess.core.skill import Problem

# Also the marks that turn the direction of text, which can make a line read as its opposite.
_TURNING = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_CONTROL = re.compile(rf"[\x00-\x1f\x7f-\x9f{_TURNING}]+")
_CONTROL_BUT_LINES = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{_TURNING}]+")


def print_json(value: Any, *, line: bool = False) -> None:
    """At once, because a program may be waiting; `line` for one of many."""
    indent = 2 if sys.stdout.isatty() and not line else None
    print(json.dumps(value, ensure_ascii=False, indent=indent), flush=True)


def clean(text: str) -> str:
    """One line that is safe to show."""
    return _CONTROL.sub(" ", text).strip()


def safe(text: str) -> str:
    """Lines that are safe to show."""
    return _CONTROL_BUT_LINES.sub(" ", text)


def say(text: str) -> None:
    """A line of the result, for a person; whatever skills and paths put into it cannot drive the terminal."""
    print(safe(text))


def note(text: str) -> None:
    """A word to the person, beside the result and never in it."""
    print(safe(text), file=sys.stderr)


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """On a terminal the last column is cut to the width; in a pipe everything is whole, parted by tabs."""
    cleaned = [[clean(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for row in cleaned:
            print("\t".join(row))
        return
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    widths = [
        max(cell_len(cell) for cell in column) for column in zip(headings, *cleaned, strict=True)
    ]
    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    for heading, width in zip(headings[:-1], widths, strict=False):
        table.add_column(
            heading, no_wrap=True, overflow="ellipsis", width=min(width, console.width // 2)
        )
    table.add_column(headings[-1], no_wrap=True, overflow="ellipsis", ratio=1)
    for row in cleaned:
        table.add_row(*(Text(cell, style="cyan" if at == 0 else "") for at, cell in enumerate(row)))
    console.print(table)


def print_problems(problems: Iterable[Problem]) -> None:
    """`path:line: level: what`, as compilers do and editors understand, then what to do."""
    for problem in problems:
        where = f"{problem.path}:{problem.line}" if problem.line else problem.path
        print(f"{clean(where)}: {problem.level}: {clean(problem.message)}")
        if problem.hint:
            print(f"    {clean(problem.hint)}")


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
