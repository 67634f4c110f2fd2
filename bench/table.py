"""
What a bench found, in a form that `bench/all.py` can read: figures, and bars to draw.

A figure carries what was promised of it, so that nobody has to look up elsewhere whether it is good.
`at_least` says that more is better; without it, less is.
"""

import argparse
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """`value` is None where it could not be measured; a ratio's `unit` names what it is a ratio to."""

    name: str
    value: float | None
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None

    @property
    def verdict(self) -> str:
        """`met`, `missed` or `not measured`; empty where nothing was promised."""
        if self.value is None:
            return "not measured"
        if self.at_most is None and self.at_least is None:
            return ""
        low = self.value if self.at_least is None else self.at_least
        high = self.value if self.at_most is None else self.at_most
        return "met" if low <= self.value <= high else "missed"

    @property
    def promise(self) -> str:
        if self.at_least is not None:
            return f"≥ {number(self.at_least)}"
        return "" if self.at_most is None else f"≤ {number(self.at_most)}"

    @property
    def shown(self) -> str:
        if self.value is None:
            return "-"
        unit = f" {self.unit}" if self.unit else ""
        return f"{number(self.value)}{unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """One bar for each subject, in their order; `beside` are plots of the same subjects, each to its own scale."""

    title: str
    unit: str
    bars: Mapping[str, float]
    beside: Sequence["Plot"] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    figures: Sequence[Figure] = ()
    plot: Plot | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def found_from_json(value: Mapping[str, Any]) -> Found:
    plot = value["plot"]
    return Found(
        figures=tuple(Figure(**each) for each in value["figures"]),
        plot=_plot(plot) if plot else None,
    )


def _plot(value: Mapping[str, Any]) -> Plot:
    return Plot(**{**value, "beside": tuple(map(_plot, value.get("beside", ())))})


def number(value: float) -> str:
    """Three digits that mean something: 0.123, 12.3, 1,234."""
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A Markdown table that also reads well as it is."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    rule = ["-" * width if not at else "-" * (width - 1) + ":" for at, width in enumerate(widths)]
    for row in (header, rule, *rows):
        cells = [
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print(f"| {' | '.join(cells)} |")


def target_table(figures: Sequence[Figure]) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Header and rows of a table of what was promised."""
    rows = [(each.name, each.shown, each.promise, each.verdict) for each in figures]
    return ("target", "measured", "promised", "verdict"), rows


def add_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--figures", type=Path, metavar="FILE", help="also write the figures here, as JSON"
    )


def write(path: Path | None, found: Found) -> None:
    """Nothing is written where nobody asked for it."""
    if path:
        path.write_text(json.dumps(found.as_json(), indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> Found:
    return found_from_json(json.loads(path.read_text(encoding="utf-8")))
