"""
Figures of benches that only print: read from the Markdown and the JSON on their standard output.

A bench may print a table whose first column is `target` or `promise`; its rows are figures, whatever
else it prints. What such a table does not have is found by the patterns below. A pattern that finds
nothing is a figure that was not measured, never a silent gap.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from table import Figure, Found, Plot

_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_LIMIT = re.compile(r"(≥|≤|at least|at most)\s*(-?\d[\d,]*(?:\.\d+)?)")
_LEAST = ("≥", "at least")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def column(self, *names: str) -> int | None:
        """The place of the first column that is called one of these."""
        return next((at for at, name in enumerate(self.header) if name in names), None)


def tables(text: str) -> Iterator[Table]:
    """Every Markdown table in a text."""
    block: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            block.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        else:
            if len(block) > 2:
                yield Table(header=block[0], rows=block[2:])
            block = []


def figures(text: str) -> list[Figure]:
    """The rows of every table of targets."""
    found = []
    for table in tables(text):
        if table.column("target", "promise") == 0:
            found += [_figure(table, row) for row in table.rows]
    return found


def _figure(table: Table, row: Sequence[str]) -> Figure:
    def cell(*names: str) -> str:
        at = table.column(*names)
        return "" if at is None or at >= len(row) else row[at]

    limit = _LIMIT.search(cell("promised") or row[0])
    least = limit and limit[1] in _LEAST
    value = _value(cell("measured", "ratio", "this time"))
    at_most, at_least = _value(cell("at most")), _value(cell("at least"))
    if limit:
        at_most, at_least = (None, _value(limit[2])) if least else (_value(limit[2]), None)
    unit = "x" if table.column("ratio") is not None else ""
    return Figure(name=row[0], value=value, unit=unit, at_most=at_most, at_least=at_least)


def bars(text: str, column: str, *, title: str, unit: str, table: int = 0) -> Plot | None:
    """The first column of a table against the numbers of another; None when there is no such table."""
    seen = [each for each in tables(text) if each.column(column)]
    if len(seen) <= table:
        return None
    at = seen[table].column(column) or 0
    pairs = ((row[0], _value(row[at])) for row in seen[table].rows if len(row) > at)
    drawn = {name: value for name, value in pairs if value is not None}
    return Plot(title=title, unit=unit, bars=drawn) if drawn else None


def _value(text: str) -> float | None:
    found = _NUMBER.search(text)
    return float(found[0].replace(",", "")) if found else None


def _after(pattern: str, text: str) -> float | None:
    found = re.search(pattern, text)
    return float(found[1].replace(",", "")) if found else None


# One reader for each bench that prints only


def loop(text: str) -> Found:
    title = "Overhead of one iteration, of 15"
    plot = bars(text, "15 iterations, ms each", title=title, unit="ms of CPU time")
    return Found(figures=figures(text), plot=plot)


def workflow(text: str) -> Found:
    own = Figure(
        name="a workflow's step",
        value=_after(r"This time: ([\d.]+) x", text),
        unit="x the engine's",
        at_most=_after(r"Promised: ([\d.]+) x", text),
    )
    plot = bars(text, "CPU, middle", title="One step that does nothing", unit="ms of CPU time")
    return Found(figures=figures(text) or [own], plot=plot)


def serve(text: str) -> Found:
    own = [
        Figure(
            name="GET /api/skills",
            value=_after(r"([\d.]+) of the bare route", text),
            unit="x a bare route",
            at_least=0.7,
        ),
        Figure(
            name="delay p99, 1,000 readers",
            value=_first(text, "delay p50 ms", "p99 ms"),
            unit="ms",
            at_most=250,
        ),
        Figure(
            name="memory of a reader",
            value=_first(text, "delay p50 ms", "memory a reader, KB"),
            unit="KB",
            at_most=100,
        ),
        Figure(
            name="page of 5,000 events useful",
            value=_first(text, "useful ms", "useful ms"),
            unit="ms",
            at_most=1000,
        ),
    ]
    title = "GET /api/skills with 1,000 skills"
    plot = bars(text, "requests a second", title=title, unit="requests a second")
    return Found(figures=[*own, *figures(text)], plot=plot)


def _first(text: str, known_by: str, column: str) -> float | None:
    """The first row's number in a column of the table that is known by another."""
    for table in tables(text):
        if known_by in table.header and (at := table.column(column)) is not None:
            return _value(table.rows[0][at])
    return None


Reader = Callable[[str], Found]
