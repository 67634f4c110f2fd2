"""Every requirement of the design, and every trap, has a row with a test that is there and is run."""

import ast
import os
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROOT = TESTS.parent
PAGE = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
ROWS = re.findall(
    r"^\| (\d+\.\d+) \| (.+) \| `(.+)` \| ((?:`.+?::\w+`(?:, )?)+) \| \[.+\]\((.+)\) \|$",
    PAGE,
    re.MULTILINE,
)
TRAPS = re.findall(r"^\| (\D.+) \| `(.+)` \| `(.+)::(\w+)` \|$", PAGE, re.MULTILINE)
SECTIONS = (10, 5, 8, 12, 7, 6, 6, 3, 4, 3)  # how many requirements each has, in the design
NUMBERS = [
    f"{section}.{number}"
    for section, count in enumerate(SECTIONS, 1)
    for number in range(1, count + 1)
]
DESIGN = Path(os.environ.get("PROWESS_SHARED", ROOT.parent / "shared")) / "design/requirements.md"


def test_every_requirement_has_a_row_and_they_stand_in_order() -> None:
    told = list(dict.fromkeys(row[0] for row in ROWS))

    assert told == NUMBERS
    assert len(ROWS) == len(re.findall(r"^\| \d", PAGE, re.MULTILINE)), "a row has another form"


def test_what_is_missing_stands_first_and_names_requirements() -> None:
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    named = re.findall(r"^- \*\*(\d+\.\d+),", PAGE, re.MULTILINE)

    assert headings[0] == "What is missing"
    assert set(named) <= set(NUMBERS)


@pytest.mark.skipif(not DESIGN.exists(), reason="the design is not beside the repository")
def test_the_numbers_are_those_of_the_design() -> None:
    sections = re.split(r"^## \d+\. .*$", DESIGN.read_text(encoding="utf-8"), flags=re.MULTILINE)[
        1:
    ]

    assert tuple(len(re.findall(r"^\d+\. ", each, re.MULTILINE)) for each in sections) == SECTIONS


@cache
def run_in(file: Path) -> frozenset[str]:
    """What pytest collects from a file and does not pass over always."""
    if not file.name.startswith("test_"):
        return frozenset()
    return frozenset(
        node.name
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not re.search(r"mark\.(skip\b|xfail)", "".join(map(ast.unparse, node.decorator_list)))
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1][:40]}")
def test_a_row_names_what_is_there_and_a_test_that_is_run(row: tuple[str, ...]) -> None:
    _, _, where, tests, page = row

    assert (ROOT / "src" / "prowess" / where).exists()
    for file, name in re.findall(r"`(.+?)::(\w+)`", tests):
        assert name in run_in(TESTS / file)
    assert (ROOT / "docs" / page.partition("#")[0]).exists()


def test_every_trap_has_a_row_of_one_form() -> None:
    _, _, page = PAGE.partition("\n## Traps\n")
    rows = [line for line in page.splitlines() if line.startswith("| ")]

    assert len(TRAPS) == len(rows) - page.count("| trap | where | test |") > 0


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap[0][:60])
def test_a_trap_names_what_is_there_and_a_test_that_is_run(trap: tuple[str, ...]) -> None:
    _, where, file, name = trap

    assert (ROOT / "src" / "prowess" / where).exists()
    assert name in run_in(TESTS / file)
