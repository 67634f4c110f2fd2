"""
The README's table of speed, written from the figures that were kept: nobody types a number there.

    .venv/bin/python bench/headlines.py     write it anew from docs/benchmarks.json

`bench/all.py --keep` does it too, and a test holds that the README has no other table.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import report
from table import Figure

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- speed: written by bench/all.py -->", "<!-- end of speed -->"


def keep() -> None:
    page = README.read_text(encoding="utf-8")
    README.write_text(report.inserted(page, table(report.kept()), BEGIN, END), encoding="utf-8")


def table(benches: Mapping[str, report.Bench]) -> str:
    rows = [
        (
            "10,000 skills found, nothing known yet",
            f"{_value(benches, 'discovery', 'faster than'):.1f} x faster",
            "the fastest of three peers",
        ),
        (
            "10,000 skills found, the second time",
            f"{_value(benches, 'discovery', 'warm, at'):.2f} x the time",
            "opening each file and splitting its header",
        ),
        (
            "a task ranked among 10,000 skills",
            f"{_value(benches, 'matching', 'ranking at'):.1f} x faster",
            "SQLite's full-text search",
        ),
        (
            "a right skill among the first two, for tasks labelled by others",
            f"{100 * _bar(benches, 'matching', 'prowess'):.0f} %",
            f"{100 * _bar(benches, 'matching', 'FTS5'):.0f} % by full-text search",
        ),
        (
            "an iteration of a run, beside model and tools",
            f"{_value(benches, 'loop', 'beside agno'):.2f} x the time",
            "the fastest of four agent libraries",
        ),
        (
            "tokens saved by reading a large skill by chapter",
            f"{_value(benches, 'context', 'saved'):.0f} %",
            "all of it in the first prompt",
        ),
        (
            f"everyday faults recovered, {_figure(benches, 'recovery', 'faults').name.split(' faults')[0]}",
            f"{_bar(benches, 'recovery', 'prowess'):.0f} %",
            f"{_bar(benches, 'recovery', 'without'):.0f} % without the tools' own help",
        ),
        (
            f"{_bar(benches, 'kills', 'kills'):.0f} kills at random moments over {_bar(benches, 'kills', 'ended right'):.0f} runs",
            _right(_figure(benches, "kills", "broken")),
            "nothing repeated, no event lost",
        ),
        (
            f"{_value(benches, 'workers', 'ended well'):.0f} runs while workers are killed and PostgreSQL restarts",
            _right(_figure(benches, "workers", "ended well")),
            "none twice, no gap in their events",
        ),
    ]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(["| | measured | beside |", "|---|---:|---|", *lines])


def _figure(benches: Mapping[str, report.Bench], bench: str, part: str) -> Figure:
    """The first figure whose name or unit has this in it."""
    return next(each for each in benches[bench].found.figures if part in f"{each.name} {each.unit}")


def _value(benches: Mapping[str, report.Bench], bench: str, part: str) -> float:
    value = _figure(benches, bench, part).value
    if value is None:
        sys.exit(f"the README is left as it was: {bench} has no {part!r}; are its peers installed?")
    return value


def _bar(benches: Mapping[str, report.Bench], bench: str, part: str) -> float:
    plot = benches[bench].found.plot
    assert plot is not None, f"{bench} has no plot"
    return next(value for name, value in plot.bars.items() if part in name)


def _right(figure: Figure) -> str:
    return "all ended right" if figure.verdict == "met" else "NOT all ended right"


if __name__ == "__main__":
    keep()
