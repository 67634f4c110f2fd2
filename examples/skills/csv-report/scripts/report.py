#!/usr/bin/env python3
"""
A CSV file described in Markdown: its columns, what they add up to, and what is wrong with it.

Nothing but the standard library is needed. The file itself is never changed.
"""

import argparse
import codecs
import csv
import difflib
import io
import re
import statistics
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
GUESSES = ("utf-8", "cp1252", "latin-1")  # the last one reads anything
NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:[.,' \u00a0]\d{3})+|\d+)(?:[.,]\d+)?\s?[€$£%]?")
FEW = 12  # different values that are worth listing
MOST_FAULTS = 20


@dataclass
class Table:
    """A header and its rows; `faults` tell what did not fit, with the line it stands on."""

    header: list[str]
    rows: list[list[str]]
    faults: list[str]
    encoding: str
    delimiter: str


def main() -> int:
    options = arguments()
    path = Path(options.file)
    if not path.is_file():
        near = difflib.get_close_matches(
            path.name, [each.name for each in path.parent.glob("*")], n=1
        )
        print(
            f"no such file: {path}" + (f". Did you mean {near[0]}?" if near else ""),
            file=sys.stderr,
        )
        return 2
    try:
        table = read(path.read_bytes(), options.encoding, options.delimiter)
        text = report(path.name, table, options.group_by, options.sum)
    except (ValueError, LookupError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 1
    Path(options.output).write_text(text, encoding="utf-8")
    print(
        f"{path.name}: {len(table.rows)} rows, {len(table.header)} columns, {table.encoding}, "
        f"{len(table.faults)} faults. Written to {options.output}"
    )
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Describe a CSV file in Markdown.")
    parser.add_argument("file")
    parser.add_argument("--output", default="report.md", help="where to write (report.md)")
    parser.add_argument("--encoding", help="when it is recognised wrongly, e.g. shift_jis")
    parser.add_argument("--delimiter", help="when it is recognised wrongly, e.g. ';'")
    parser.add_argument("--group-by", metavar="COLUMN", help="one line for each value of it")
    parser.add_argument("--sum", metavar="COLUMN", help="what to add up in each group")
    return parser.parse_args()


def read(data: bytes, encoding: str | None, delimiter: str | None) -> Table:
    encoding, text = decoded(data, encoding)
    delimiter = delimiter or most_regular(text)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header = [name.strip() for name in next(lines, [])]
    if not any(header):
        raise ValueError("the file has no header")
    rows, faults = [], []
    for row in lines:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            faults.append(f"line {lines.line_num}: {len(row)} fields instead of {len(header)}")
        rows.append([cell.strip() for cell in (row + [""] * len(header))[: len(header)]])
    faults += doubled(rows)
    return Table(header, rows, faults, encoding, delimiter)


def decoded(data: bytes, encoding: str | None) -> tuple[str, str]:
    if encoding:
        return encoding, data.decode(encoding)
    for mark, name in MARKS.items():
        if data.startswith(mark):
            return name, data.decode(name)
    for name in GUESSES:
        try:
            return name, data.decode(name)
        except UnicodeDecodeError:
            continue
    raise AssertionError("latin-1 reads anything")


def most_regular(text: str) -> str:
    """The separator that gives most lines the same number of fields, and more than one."""
    sample = text.splitlines()[:50]

    def regular(separator: str) -> int:
        counts = Counter(len(row) for row in csv.reader(sample, delimiter=separator))
        return max((times for fields, times in counts.items() if fields > 1), default=0)

    return max(",;\t|", key=regular)


def doubled(rows: list[list[str]]) -> list[str]:
    times = Counter(map(tuple, rows))
    return [
        f"the row {', '.join(row)!r} stands there {n} times" for row, n in times.items() if n > 1
    ]


def number(cell: str) -> float | None:
    """`1.234,56`, `1,234.56`, `12 %`: the last of the two signs is the decimal one."""
    if not NUMBER.fullmatch(cell):
        return None
    bare = re.sub(r"[€$£%'\s\u00a0]", "", cell)
    if "," in bare and "." in bare:
        thousands = min(",.", key=bare.rindex)
        bare = bare.replace(thousands, "")
    elif re.fullmatch(r"[-+]?\d{1,3}(?:[.,]\d{3}){2,}", bare):
        bare = re.sub("[.,]", "", bare)
    return float(bare.replace(",", "."))


def report(name: str, table: Table, group_by: str | None, add_up: str | None) -> str:
    columns = list(zip(*table.rows, strict=True)) if table.rows else [()] * len(table.header)
    described = [
        describe(title, cells, table.faults)
        for title, cells in zip(table.header, columns, strict=True)
    ]
    parts = [
        f"# {name}",
        (
            f"{len(table.rows)} rows, {len(table.header)} columns, "
            f"encoding {table.encoding}, separator {table.delimiter!r}."
        ),
        "## Columns",
        "\n".join(
            ["| column | filled | different | what it holds |", "|---|---:|---:|---|", *described]
        ),
    ]
    if group_by:
        parts += [f"## By {group_by}", grouped(table, group_by, add_up)]
    shown = [f"- {fault}" for fault in table.faults[:MOST_FAULTS]]
    if len(table.faults) > MOST_FAULTS:
        shown.append(f"- and {len(table.faults) - MOST_FAULTS} more")
    parts += ["## Faults", "\n".join(shown) or "None found."]
    return "\n\n".join(parts) + "\n"


def describe(title: str, cells: tuple[str, ...], faults: list[str]) -> str:
    filled = [cell for cell in cells if cell]
    numbers = [value for cell in filled if (value := number(cell)) is not None]
    if filled and len(numbers) >= 0.9 * len(filled):
        odd = [(at, cell) for at, cell in enumerate(cells, 1) if cell and number(cell) is None]
        faults += [f"row {at}: {title} is {cell!r}, not a number" for at, cell in odd]
        held = (
            f"numbers from {plain(min(numbers))} to {plain(max(numbers))}, "
            f"median {plain(statistics.median(numbers))}, sum {plain(sum(numbers))}"
        )
    elif len(set(filled)) <= FEW:
        held = ", ".join(f"{value} ({times})" for value, times in Counter(filled).most_common())
    else:
        held = f"text, for example {filled[0]}" if filled else "nothing"
    missing = len(cells) - len(filled)
    if missing:
        faults.append(f"{title} is empty in {missing} of {len(cells)} rows")
    return f"| {escaped(title)} | {len(filled)} | {len(set(filled))} | {escaped(held)} |"


def grouped(table: Table, group_by: str, add_up: str | None) -> str:
    by = column(table, group_by)
    what = column(table, add_up) if add_up else None
    totals: dict[str, float] = defaultdict(float)
    for row in table.rows:
        totals[row[by]] += 1 if what is None else number(row[what]) or 0
    lines = [
        f"| {escaped(key)} | {plain(total)} |"
        for key, total in sorted(totals.items(), key=lambda each: (-each[1], each[0]))
    ]
    return f"| {escaped(group_by)} | {escaped(add_up or 'rows')} |\n|---|---:|\n" + "\n".join(lines)


def column(table: Table, title: str) -> int:
    if title not in table.header:
        raise ValueError(f"no column {title!r}; there are {', '.join(table.header)}")
    return table.header.index(title)


def plain(value: float) -> str:
    return f"{value:,.2f}".removesuffix(".00")


def escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    sys.exit(main())
