#!/usr/bin/env python3
"""
A table as one HTML page that needs nothing else: charts drawn as SVG, the data below them.

Standard library only. Everything from the data is escaped, so that no cell can become markup.
"""

import argparse
import csv
import io
import json
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "templates" / "page.html"
ENCODINGS = ("utf-8-sig", "cp1252", "latin-1")  # the last one reads anything
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 320, 64, 40, 16, 32
LETTER = 7  # how wide one is, in a label
MOST_ROWS = 500  # in the table
TIME = re.compile(
    r"\d{4}(-\d\d){0,2}.*|q[1-4].*|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*.*|"
    r"(mon|tue|wed|thu|fri|sat|sun)\w*|(day|week|month|year)\s*\d+|\d{1,2}:\d\d.*",
    re.IGNORECASE,
)


@dataclass
class Table:
    header: list[str]
    rows: list[list[str]]

    def column(self, title: str) -> list[str]:
        if title not in self.header:
            raise ValueError(f"no column {title!r}; there are {', '.join(self.header)}")
        at = self.header.index(title)
        return [row[at] for row in self.rows]


def main() -> int:
    options = arguments()
    try:
        table = read(Path(options.data), options.encoding)
        across = options.x or label_column(table)
        shown = options.y or number_columns(table, besides=across)
        labels = table.column(across)
        line = in_order(labels) if options.kind is None else options.kind == "line"
        charts = [figure(title, across, labels, table.column(title), line=line) for title in shown]
    except (OSError, ValueError, LookupError) as error:
        print(f"{options.data}: {error}", file=sys.stderr)
        return 1
    name = Path(options.data)
    whole = page(
        title=options.title or name.stem.replace("_", " ").capitalize(),
        about=f"{len(table.rows):,} rows from {name.name}",
        charts=charts,
        tables=folded(table, shown),
    )
    Path(options.output).write_text(whole, encoding="utf-8")
    for each in shown:
        numbers = [value for cell in table.column(each) if (value := number(cell)) is not None]
        print(f"{each}: {len(numbers)} values from {short(min(numbers))} to {short(max(numbers))}")
    print(f"Wrote {options.output}: {len(charts)} charts, {len(whole.encode()):,} bytes")
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Make one HTML page with charts from a table.")
    parser.add_argument("data", help="a CSV file, or a JSON list of objects")
    parser.add_argument("--output", default="viz.html")
    parser.add_argument("--title")
    parser.add_argument(
        "--x", metavar="COLUMN", help="what names the rows (the first column of words)"
    )
    parser.add_argument(
        "--y", metavar="COLUMN", action="append", help="what to draw (every column of numbers)"
    )
    parser.add_argument(
        "--kind", choices=("line", "bar"), help="line for what is in order of time, else bars"
    )
    parser.add_argument("--encoding")
    return parser.parse_args()


def read(path: Path, encoding: str | None) -> Table:
    text = decoded(path.read_bytes(), encoding)
    if text.lstrip().startswith(("[", "{")):
        found = json.loads(text)
        records = (
            found
            if isinstance(found, list)
            else next((v for v in found.values() if isinstance(v, list)), [])
        )
        if not records or not all(isinstance(each, dict) for each in records):
            raise ValueError("this JSON is not a list of objects; make a CSV of it first")
        header = list(dict.fromkeys(key for each in records for key in each))
        return Table(header, [[str(each.get(key, "")) for key in header] for each in records])
    separator = max(",;\t|", key=text.partition("\n")[0].count)
    rows = [
        row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if any(row)
    ]
    if len(rows) <= 1:
        raise ValueError("there are no rows")
    header = [name.strip() for name in rows[0]]
    return Table(
        header,
        [[cell.strip() for cell in (row + [""] * len(header))[: len(header)]] for row in rows[1:]],
    )


def decoded(data: bytes, encoding: str | None) -> str:
    if encoding:
        return data.decode(encoding)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    for name in ENCODINGS:
        try:
            return data.decode(name)
        except UnicodeDecodeError:
            continue
    raise AssertionError("latin-1 reads anything")


def number(cell: str) -> float | None:
    """`1,234.5`, `1.234,5`, `12 %`; the later of the two signs is the decimal one."""
    bare = re.sub(r"[€$£%'\s\u00a0]", "", cell)
    if "," in bare and "." in bare:
        bare = bare.replace(min(",.", key=bare.rindex), "")
    try:
        value = float(bare.replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def numeric(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and sum(number(cell) is not None for cell in filled) >= 0.9 * len(filled)


def label_column(table: Table) -> str:
    words = [title for title in table.header if not numeric(table.column(title))]
    return (words or table.header)[0]


def number_columns(table: Table, *, besides: str) -> list[str]:
    found = [each for each in table.header if each != besides and numeric(table.column(each))]
    if not found:
        raise ValueError("no column of numbers; name one with --y")
    return found


def in_order(labels: Sequence[str]) -> bool:
    """Whether these are times one after the other, so that a line between them means something."""
    if not all(TIME.fullmatch(label) for label in labels):
        return False
    dated = [label for label in labels if label[:4].isdecimal()]
    return dated == sorted(dated)


def page(*, title: str, about: str, charts: Sequence[str], tables: str) -> str:
    values = {
        "title": escape(title),
        "about": escape(about),
        "charts": "\n".join(charts),
        "tables": tables,
    }
    # In one pass, so that braces in the data are left alone.
    return re.sub(
        r"\{(title|about|charts|tables)\}", lambda found: values[found[1]], PAGE.read_text("utf-8")
    )


def figure(
    title: str, across: str, labels: Sequence[str], cells: Sequence[str], *, line: bool
) -> str:
    values = [number(cell) for cell in cells]
    if not any(value is not None for value in values):
        raise ValueError(f"{title!r} holds no numbers")
    name = re.sub(r"\W+", "-", title).strip("-").lower() or "chart"
    buttons = "".join(
        f'<button type="button" value="{value}">{text}</button>'
        for value, text in (("whole", "Whole"), ("svg", "SVG"), ("png", "PNG"))
    )
    drawing = chart(title, labels, values, line=line)
    caption = f"<span>{escape(title)} by {escape(across)}</span>{buttons}"
    return (
        f'<figure data-name="{escape(name)}"><figcaption>{caption}</figcaption>\n{drawing}</figure>'
    )


def chart(title: str, labels: Sequence[str], values: Sequence[float | None], *, line: bool) -> str:
    known = [value for value in values if value is not None]
    steps = ticks(min(0.0, *known), max(0.0, *known))
    least, most = steps[0], steps[-1]
    step = (WIDTH - LEFT - RIGHT) / len(values)

    def x(at: float) -> float:
        return LEFT + step * (at + 0.5)

    def y(value: float) -> float:
        return TOP + (most - value) / (most - least) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
        f'<text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{short(tick)}</text>'
        for tick in steps
    ]
    every = math.ceil(LETTER * (max(len(clipped(each)) for each in labels) + 1) / step)
    parts += [
        f'<text x="{x(at):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{escape(clipped(label))}</text>'
        for at, label in enumerate(labels)
        if at % every == 0
    ]
    points = [(at, value) for at, value in enumerate(values) if value is not None]
    if line:
        path = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in points)
        parts.append(f'<polyline class="path" points="{path}"/>')
    for at, value in points:
        told = f"<title>{escape(labels[at])}: {short(value)}</title>"
        if line:
            parts.append(
                f'<circle class="dot" cx="{x(at):.1f}" cy="{y(value):.1f}" r="3">{told}</circle>'
            )
        else:
            top, tall = min(y(value), y(0)), abs(y(value) - y(0))
            parts.append(
                f'<rect class="bar" x="{x(at) - step * 0.35:.1f}" y="{top:.1f}" '
                f'width="{step * 0.7:.1f}" height="{tall:.1f}">{told}</rect>'
            )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">\n'
        + "\n".join(parts)
        + "\n</svg>"
    )


def ticks(least: float, most: float) -> list[float]:
    """Four to nine round numbers that hold everything between them."""
    span = (most - least) or 1.0
    size = 10 ** math.floor(math.log10(span))
    step = next(size * part for part in (0.2, 0.25, 0.5, 1.0, 2.0) if span / (size * part) <= 6)  # noqa: PLR2004
    first, last = math.floor(least / step), math.ceil((most or least + span) / step)
    return [round(step * at, 10) for at in range(first, last + 1)]


def folded(table: Table, numbers: Sequence[str]) -> str:
    right = [title in numbers for title in table.header]

    def row(tag: str, cells: Sequence[str]) -> str:
        pairs = zip(cells, right, strict=True)
        return (
            "<tr>"
            + "".join(
                f"<{tag}{' class=number' * aligned}>{escape(cell)}</{tag}>"
                for cell, aligned in pairs
            )
            + "</tr>"
        )

    body = "\n".join(row("td", cells) for cells in table.rows[:MOST_ROWS])
    more = (
        f"<p>{len(table.rows) - MOST_ROWS:,} more rows are not shown.</p>"
        if len(table.rows) > MOST_ROWS
        else ""
    )
    return (
        f"<details><summary>The data ({len(table.rows):,} rows)</summary>"
        f'<div class="wide"><table>\n{row("th", table.header)}\n{body}\n</table></div>{more}</details>'
    )


def short(value: float) -> str:
    return f"{value:,.2f}".rstrip("0").rstrip(".") if abs(value) < 1e15 else f"{value:.3g}"  # noqa: PLR2004


def clipped(label: str) -> str:
    return label if len(label) <= 11 else f"{label[:10]}…"  # noqa: PLR2004


if __name__ == "__main__":
    sys.exit(main())
