"""
The page of benchmarks: one table of all figures, and below it each bench with its plot and its tables.

`docs/benchmarks.json` is what is kept; the page is computed from it, between two marks, and the rest
of the page is people's. A figure is compared with the one of the same name that was kept before.
"""

import json
import os
import platform
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from drawing import svg
from table import Figure, Found, found_from_json

DOCS = Path(__file__).parent.parent / "docs"
KEPT, PAGE, PLOTS = DOCS / "benchmarks.json", DOCS / "benchmarks.md", DOCS / "plots"
BEGIN, END = "<!-- figures: written by bench/all.py -->", "<!-- end of figures -->"
WORSE = 0.20  # a share by which a figure may move from run to run without being told as worse
_HEADER = ("bench", "figure", "measured", "promised", "verdict", "last time")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """One bench as it was run: `failed` says why there are no figures; `tables` is what it printed."""

    name: str
    found: Found
    tables: str
    machine: str
    when: str
    commit: str
    seconds: float
    failed: str = ""


def kept(path: Path = KEPT) -> dict[str, Bench]:
    """What was kept last, by name; nothing when there is nothing yet."""
    if not path.exists():
        return {}
    read = json.loads(path.read_text(encoding="utf-8"))
    return {
        each["name"]: Bench(**{**each, "found": found_from_json(each["found"])}) for each in read
    }


def keep(benches: Mapping[str, Bench], *, docs: Path = DOCS) -> None:
    """
    Write the figures, the plots and the page; `last time` are the figures that were there before.
    A bench that found nothing is told on the page, and what it found before stays to be compared with.
    """
    file = docs / KEPT.name
    before = kept(file)
    together = {**before, **benches}
    (docs / PLOTS.name).mkdir(exist_ok=True)
    for bench in together.values():
        if bench.found.plot:
            drawn = docs / PLOTS.name / f"{bench.name}.svg"
            drawn.write_text(svg(bench.found.plot), encoding="utf-8")
    page = docs / PAGE.name
    page.write_text(inserted(page.read_text(encoding="utf-8"), document(together, before)), "utf-8")
    measured = {**before, **{name: each for name, each in benches.items() if each.found.figures}}
    file.write_text(json.dumps([asdict(each) for each in measured.values()], indent=1) + "\n")


def inserted(page: str, text: str, begin: str = BEGIN, end: str = END) -> str:
    """The page with this text between its marks."""
    head, rest = page.split(begin)
    return f"{head}{begin}\n\n{text.strip()}\n\n{end}{rest.split(end)[1]}"


def document(benches: Mapping[str, Bench], before: Mapping[str, Bench]) -> str:
    return f"{summary(benches, before)}\n\n" + "\n\n".join(map(_section, benches.values()))


def summary(benches: Mapping[str, Bench], before: Mapping[str, Bench]) -> str:
    """The one table."""
    rows = [row for bench in benches.values() for row in _rows(bench, before.get(bench.name))]
    lines = [f"| {' | '.join(row)} |" for row in (_HEADER, ("---",) * len(_HEADER), *rows)]
    return "\n".join(lines)


def _rows(bench: Bench, before: Bench | None) -> Iterator[Sequence[str]]:
    if bench.failed:
        yield (bench.name, f"failed: {bench.failed}", "-", "", "not measured", "")
    old = {figure.name: figure for figure in before.found.figures} if before else {}
    for figure in bench.found.figures:
        last = _last(figure, old.get(figure.name))
        yield (bench.name, figure.name, figure.shown, figure.promise, figure.verdict, last)


def _last(figure: Figure, before: Figure | None) -> str:
    """The figure before, and by how much this one is better or worse, where a promise says which is which."""
    if before is None or before.value is None or figure.value is None:
        return ""
    if not before.value or not figure.promise:
        return before.shown
    more = figure.value / before.value - 1
    gain = more if figure.at_least is not None else -more
    word = "better" if gain > 0 else "worse"
    told = f"{before.shown} ({abs(gain):.0%} {word})" if abs(gain) >= 0.01 else before.shown
    return f"**{told}**" if gain < -WORSE else told


def _section(bench: Bench) -> str:
    parts = [f"## {bench.name.replace('_', ' ').capitalize()}"]
    about = f"`bench/{bench.name}.py`, {bench.when}, commit {bench.commit}, {bench.seconds:.0f} s. {bench.machine}."
    parts.append(about)
    if bench.failed:
        parts.append(f"Failed: {bench.failed}")
    if bench.found.plot:
        parts.append(f"![{bench.found.plot.title}](plots/{bench.name}.svg)")
    return "\n\n".join([*parts, bench.tables] if bench.tables else parts)


def only_tables(printed: str) -> str:
    """Headings and tables of what a bench printed, the headings two steps lower."""
    lines = [
        re.sub("^#+", "###", line) if line.startswith("#") else line
        for line in printed.splitlines()
        if line.startswith(("|", "## "))
    ]
    text = ""
    for line, last in zip(lines, ["", *lines], strict=False):
        text += "\n" if line.startswith("|") and last.startswith("|") else "\n\n"
        text += line
    return text.strip()


def machine() -> str:
    """What the figures depend on: processors, memory, system, Python, and who else was at work."""
    model = _first(r"model name\s*: (.+)", "/proc/cpuinfo") or platform.processor() or "processor"
    memory = int(_first(r"MemTotal:\s*(\d+) kB", "/proc/meminfo") or 0) / 2**20
    return (
        f"{os.cpu_count()} x {model}, {memory:.0f} GB, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f} when it began"
    )


def _first(pattern: str, file: str) -> str:
    try:
        found = re.search(pattern, Path(file).read_text(encoding="utf-8"))
    except OSError:
        return ""
    return found[1].strip() if found else ""


def commit() -> str:
    asked = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(asked, cwd=DOCS, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def today() -> str:
    return datetime.now(UTC).date().isoformat()
