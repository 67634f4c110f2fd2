"""
How results reach a person or a program.

A terminal gets tables and colour, a pipe gets plain lines, `--json` gets one value. Text from
skills is shown without its control characters, so a description cannot drive a terminal.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from prowess.core.skill import Problem
from prowess.core.text import UNSEEN

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Table = tuple[Sequence[str], Iterable[Sequence[str]]]  # the headings, and the rows
_ROOM = 24  # columns that the last column of a table needs at least to be worth reading

# What a line of Markdown begins with before its words: blanks, the mark of an item or of a quotation.
_BEGINS = re.compile(r"\s*(?:(?:[-*+>]|\d+[.)])\s+)*")
_CONTROL = re.compile(rf"(?:{UNSEEN}|[\t\n])+")
_CONTROL_BUT_LINES = re.compile(f"{UNSEEN}+")


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


def print_text(text: str) -> None:
    """What a skill or a prompt says: a program gets every character, and no terminal is driven by it."""
    print(safe(text) if sys.stdout.isatty() else text, end="")


def say_wrapped(text: str, *, head: str = "", indent: int | None = None) -> None:
    """
    A line of the result that goes on below itself where the terminal ends; in a pipe it stays one.

    It goes on below the end of `head`, unless `indent` says where. A word that is too long for its
    line, such as a path, stays whole beside the head.
    """
    if not sys.stdout.isatty():
        say(head + text)
        return
    import shutil

    indent = len(head) if indent is None else indent
    width = max(shutil.get_terminal_size().columns, indent + 20)
    for line in safe(text).split("\n"):
        say(_wrapped(line, width, head, " " * indent) if line.strip() else head.rstrip())
        head = " " * indent


def say_prose(text: str) -> None:
    """Markdown as it was written; on a terminal, lines that are too long go on below their own beginning."""
    if not sys.stdout.isatty():
        say(text)
        return
    import shutil

    width = max(shutil.get_terminal_size().columns, 20)
    is_code = False
    for line in safe(text).split("\n"):
        fence = line.lstrip().startswith(("```", "~~~"))
        is_code ^= fence
        if is_code or fence or len(line) <= width or line.lstrip().startswith("|"):
            say(line)
            continue
        begins = _BEGINS.match(line)
        head = begins[0] if begins else ""
        indent = min(len(head), width // 2)
        say(_wrapped(line[len(head) :], width, head, " " * indent))


def _wrapped(line: str, width: int, head: str, below: str) -> str:
    import textwrap

    return textwrap.fill(
        line,
        width=width,
        initial_indent=head,
        subsequent_indent=below,
        break_long_words=False,
        break_on_hyphens=False,
    )


def words(value: Any) -> str:
    """A value of an event or a view for a person: no quotes and braces, nothing for what is not there."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        told = [(key, words(each)) for key, each in value.items()]
        return ", ".join(f"{key} {each}" for key, each in told if each)
    if isinstance(value, list | tuple):
        return "; ".join(filter(None, map(words, value)))
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return str(value)


def open_console(*, stderr: bool = False) -> "Console":
    """NO_COLOR means no styles at all: bold and dim are as little wanted in a plain file as red."""
    from rich.console import Console

    class Ours(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # for who handles it for all; Rich would leave with a failure

    plain: dict[str, Any] = {"color_system": None} if os.environ.get("NO_COLOR") else {}
    return Ours(stderr=stderr, highlight=False, soft_wrap=True, **plain)


def print_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    shorter: Iterable[Table] = (),
    is_cut: bool = True,
) -> None:
    """
    On a terminal the last column is cut to the width, or goes on below itself where nothing else
    shows it whole. Where the others leave it no room, the first of the `shorter` tables that fits
    is shown; where none does, the first of them with several lines for each row. In a pipe
    everything is whole, parted by tabs.
    """
    whole = _cleaned((headings, rows))
    if not sys.stdout.isatty():
        for row in whole[1]:
            print("\t".join(row))
        return
    console = open_console()
    less = list(map(_cleaned, shorter))
    for table in (whole, *less):
        if _fits(console.width, *table):
            _print_columns(console, *table, is_cut=is_cut)
            return
    _print_stacked(console, *(less or [whole])[0], is_cut=is_cut)


def _cleaned(table: Table) -> tuple[Sequence[str], list[list[str]]]:
    headings, rows = table
    return headings, [[clean(cell) for cell in row] for row in rows]


def _fits(width: int, headings: Sequence[str], rows: list[list[str]]) -> bool:
    from rich.cells import cell_len

    *others, last = (max(map(cell_len, column)) for column in zip(headings, *rows, strict=True))
    return sum(others) + 2 * len(others) + min(last, _ROOM) <= width


def _print_columns(
    console: "Console", headings: Sequence[str], rows: list[list[str]], *, is_cut: bool
) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", expand=True)
    for heading in headings[:-1]:
        table.add_column(heading, no_wrap=True)
    overflow: Literal["ellipsis", "fold"] = "ellipsis" if is_cut else "fold"
    table.add_column(headings[-1], no_wrap=is_cut, overflow=overflow, ratio=1)
    for row in rows:
        table.add_row(Text(row[0], style=_first(row[0])), *map(Text, row[1:]))
    console.print(table, soft_wrap=False)


def _print_stacked(
    console: "Console", headings: Sequence[str], rows: list[list[str]], *, is_cut: bool
) -> None:
    """The first cells of a row, as many on a line as fit; then the last cell, below and further in."""
    from rich.text import Text

    styled = [("bold", headings), *(("", row) for row in rows)]
    for style, row in styled:
        lines = _stacked(row[:-1] or row, console.width, style)
        if row[1:] and row[-1]:
            last, room = Text(row[-1], style=style), console.width - 2
            below = [last] if is_cut else last.wrap(console, room, no_wrap=False)
            lines += [Text.assemble("  ", line) for line in below]
        for line in lines:
            line.rstrip()
            line.truncate(console.width, overflow="ellipsis")
            console.print(line)


def _stacked(cells: Sequence[str], width: int, style: str) -> "list[Text]":
    from rich.text import Text

    lines = [Text(cells[0], style=style or _first(cells[0]))]
    for cell in filter(None, cells[1:]):
        more = Text(f"  {cell}", style=style)
        if lines[-1].cell_len + more.cell_len > width:
            lines.append(more)
        else:
            lines[-1].append_text(more)
    return lines


def _first(cell: str) -> str:
    """The style of the first cell of a row: a verdict has its own colour."""
    return {"PASS": "green", "FAIL": "red", "INCONCLUSIVE": "yellow"}.get(cell, "cyan")


def print_problems(problems: Iterable[Problem]) -> None:
    """`path:line:column: level: what`, as compilers do and editors understand, then what to do."""
    for problem in problems:
        print(f"{clean(problem.place)}: {problem.level}: {clean(problem.message)}")
        if problem.hint:
            print(f"    {clean(problem.hint)}")


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
