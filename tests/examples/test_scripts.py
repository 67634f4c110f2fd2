"""The scripts of the examples, run as a skill runs them."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from support import write_file


@pytest.fixture
def visualise(skills: Path, tmp_path: Path) -> "Script":
    return Script(skills / "data-visualiser/scripts/visualise.py", tmp_path)


@pytest.fixture
def report(skills: Path, tmp_path: Path) -> "Script":
    return Script(skills / "csv-report/scripts/report.py", tmp_path)


class Script:
    """A script and the folder it is run in."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.folder = folder

    def __call__(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-I", "-W", "error", self.path, *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            encoding="utf-8",
        )

    def made(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


class Seen(HTMLParser):
    """The tags of a page, and every address that a browser would load."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [f"{tag} {value}" for name, value in attrs if name in ("src", "href")]


def test_a_table_becomes_one_page_that_needs_nothing_else(visualise: Script, data: Path) -> None:
    done = visualise(data / "visitors.csv", "--title", "Visitors in 2025")

    page = visualise.made("viz.html")
    assert done.returncode == 0
    assert "Visitors: 12 values from 8,200 to 14,767" in done.stdout
    assert Seen(page).loads == []
    assert not re.search(r"https?:|//\w|@import|url\(", page.replace("  //", ""))
    assert "default-src 'none'" in page


def test_the_page_has_charts_folded_tables_and_two_sets_of_colours(
    visualise: Script, data: Path
) -> None:
    visualise(data / "visitors.csv")

    page = visualise.made("viz.html")
    tags = Seen(page).tags
    assert tags.count("svg") == tags.count("figure") == 3
    assert tags.count("polyline") == 3, "months are in order, so there are lines"
    assert tags.count("details") == 1
    assert tags.count("tr") == 13
    assert "prefers-color-scheme: dark" in page


def test_dates_that_jump_back_and_forth_are_not_joined_by_a_line(visualise: Script) -> None:
    write_file(visualise.folder / "d.csv", "day,n\n2025-01-08,3\n2025-01-01,4\n")

    visualise("d.csv")

    tags = Seen(visualise.made("viz.html")).tags
    assert (tags.count("polyline"), tags.count("rect")) == (0, 2)


@pytest.mark.parametrize(
    ("file", "word"),
    [
        ("sales_2025.csv", "Käthe Schröder"),
        ("orders.csv", "Châtelain"),
        ("stock.csv", "Smørrebrød"),
    ],
)
def test_awkward_encodings_are_drawn_right(
    file: str, word: str, visualise: Script, data: Path
) -> None:
    assert visualise(data / file).returncode == 0
    assert word in visualise.made("viz.html")


def test_what_stands_in_a_cell_never_becomes_markup(visualise: Script) -> None:
    bait = "<script>alert(1)</script>"
    write_file(
        visualise.folder / "bait.csv", f'name,n{{tables}}\n"{bait}{{charts}}",3\n"</title>",4\n'
    )

    assert visualise("bait.csv", "--title", bait).returncode == 0
    page = visualise.made("viz.html")
    assert bait not in page
    assert Seen(page).tags.count("script") == 1
    assert "{charts}" in page


def test_json_is_drawn_too(visualise: Script) -> None:
    write_file(visualise.folder / "d.json", '[{"day": "Mon", "n": -2}, {"day": "Tue", "n": 6.5}]')

    assert "n: 2 values from -2 to 6.5" in visualise("d.json").stdout


@pytest.mark.parametrize("top", [1, 6, 7, 14_767, 0.003, 99, 1e12])
def test_any_range_of_numbers_gets_an_axis(top: float, visualise: Script) -> None:
    write_file(visualise.folder / "t.csv", f"name,n\na,0\nb,{top}\n")

    assert visualise("t.csv").returncode == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,b\n", "no rows"),
        ("a,b\nx,y\n", "no column of numbers"),
        ('{"a": 1}', "not a list of objects"),
    ],
)
def test_what_cannot_be_drawn_is_told(text: str, told: str, visualise: Script) -> None:
    write_file(visualise.folder / "odd", text)

    done = visualise("odd")

    assert done.returncode == 1
    assert told in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("file", "facts"),
    [
        ("sales_2025.csv", ("100 rows", "cp1252", "Søren Ødegård (9)", "sum 64,452.85", "'folgt'")),
        ("orders.csv", ("25 rows", "line 10: 5 fields instead of 4", "stands there 2 times")),
        ("stock.csv", ("8 rows", "utf-16", "Piñata, large")),
        ("visitors.csv", ("12 rows", "| Month |", "sum 124,816")),
    ],
)
def test_a_report_tells_what_is_in_a_file_and_what_is_wrong(
    file: str, facts: tuple[str, ...], report: Script, data: Path
) -> None:
    assert report(data / file).returncode == 0

    for fact in facts:
        assert fact in report.made("report.md")


def test_an_encoding_nobody_can_guess_is_named(report: Script, data: Path) -> None:
    assert report(data / "members.csv", "--encoding", "shift_jis").returncode == 0

    assert "佐藤" in report.made("report.md")


def test_sums_are_made_by_group(report: Script, data: Path) -> None:
    done = report(data / "sales_2025.csv", "--group-by", "Ort", "--sum", "Betrag")

    table = report.made("report.md").split("## By Ort")[1].split("\n## ")[0]
    totals = [float(each.replace(",", "")) for each in re.findall(r"\| ([\d,.]+) \|\n", table)]
    assert done.returncode == 0
    assert len(totals) == 5
    assert round(sum(totals), 2) == 64_452.85


def test_a_file_that_is_not_there_is_told_with_the_nearest(report: Script, data: Path) -> None:
    done = report(data / "sales-2025.csv")

    assert done.returncode == 2
    assert "Did you mean sales_2025.csv?" in done.stderr
