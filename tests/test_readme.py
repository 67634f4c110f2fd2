"""The README is true to the letter: what it shows is what happens."""

import json
import re
from pathlib import Path

import pytest

from journeys.page import read_page
from journeys.walking import ROOT, Walk

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
KEPT = ROOT / "docs" / "benchmarks.json"
# Each row of the table of speed, and which figure of which bench it tells; a share is told in percent.
FIGURES = {
    "10,000 skills found, nothing known yet": ("discovery", "cold, at 10,000 skills", 1),
    "10,000 skills found, the second time": ("discovery", "warm, at 10,000 skills", 1),
    "a task ranked among 10,000 skills": ("matching", "ranking at 10,000", 1),
    "a right skill among the first two": ("matching", "hit@2", 100),
    "an iteration of a run": ("loop", "not durable, beside agno, at 15", 1),
    "tokens saved": ("context", "tokens saved by chapters", 1),
    "everyday faults recovered": ("recovery", "of 111 faults recovered", 1),
}
MOVES = 0.2  # from run to run, on a machine that others use too


def test_the_commands_of_the_readme_show_what_it_says(tmp_path: Path) -> None:
    """`make demo` is `prowess demo` in an environment that make sets up; here one is there already."""
    page = tmp_path / "README.md"
    page.write_text(TEXT.replace("$ make demo", "$ prowess demo"), encoding="utf-8")

    Walk(tmp_path).through(page)


def test_make_demo_is_the_demo() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert re.search(r"^demo:.*\n\t@\$\(BIN\)/prowess demo$", makefile, re.MULTILINE)


def test_the_readme_begins_with_what_a_newcomer_can_do() -> None:
    commands = [step.command for step in read_page(README) if hasattr(step, "command")]

    assert commands[0] == "make demo"


def test_every_journey_is_in_the_readme() -> None:
    pages = {path.name for path in (ROOT / "docs" / "journeys").glob("*.md")}

    assert set(re.findall(r"docs/journeys/([\w-]+\.md)", TEXT)) == pages
    assert len(pages) == 5


def test_pictures_are_small() -> None:
    for path in (ROOT / "docs" / "pictures").iterdir():
        assert path.stat().st_size < 150_000, path.name


def test_every_page_of_the_documents_can_be_reached_from_the_readme() -> None:
    linked = {
        (file.parent / target).resolve()
        for file in (README, *(ROOT / "docs").rglob("*.md"))
        for target in re.findall(r"\]\(([^)#\s]+\.md)", file.read_text(encoding="utf-8"))
    }

    assert {path.resolve() for path in (ROOT / "docs").rglob("*.md")} <= linked


@pytest.mark.parametrize("row", FIGURES)
def test_a_figure_is_the_one_that_was_kept(row: str) -> None:
    """`make bench BENCH=--keep` writes them; what was not measured yet cannot be compared."""
    bench, name, times = FIGURES[row]
    told = re.search(rf"^\| {re.escape(row)}[^|]*\| ([\d.]+)", TEXT, re.MULTILINE)
    kept = {
        (each["name"], figure["name"]): figure["value"]
        for each in (json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else [])
        for figure in each["found"]["figures"]
    }

    assert told, "the README has no such row"
    measured = kept.get((bench, name))
    assert measured is None or float(told[1]) == pytest.approx(measured * times, rel=MOVES), (
        f"the README says {told[1]}, {bench} measured {measured * times:.3g}"
    )
