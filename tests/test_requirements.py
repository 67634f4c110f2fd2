"""Every requirement of the design, and every trap, has a row with a test that is there and is run."""

import ast
import os
import re
import tomllib
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
MISSING = re.findall(r"^- \*\*(\d+\.\d+),", PAGE, re.MULTILINE)
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

    assert headings[0] == "What is missing"
    assert set(MISSING) <= set(NUMBERS)


@pytest.mark.skipif(not DESIGN.exists(), reason="the design is not beside the repository")
def test_the_numbers_are_those_of_the_design() -> None:
    sections = re.split(r"^## \d+\. .*$", DESIGN.read_text(encoding="utf-8"), flags=re.MULTILINE)[
        1:
    ]

    assert tuple(len(re.findall(r"^\d+\. ", each, re.MULTILINE)) for each in sections) == SECTIONS


@cache
def functions_of(file: Path) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    return {
        node.name: node
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


@cache
def run_in(file: Path) -> frozenset[str]:
    """What pytest collects from a file and does not pass over always."""
    if not file.name.startswith("test_"):
        return frozenset()
    return frozenset(
        name
        for name, node in functions_of(file).items()
        if name.startswith("test_")
        and not re.search(r"mark\.(skip\b|xfail)", "".join(map(ast.unparse, node.decorator_list)))
    )


def may_be_passed_over(file: Path, name: str) -> bool:
    """
    Whether the test, or a fixture or a function of its file that it uses, skips where something is
    not there. One that fails instead where all is required does not count; what other files do is
    not looked at.
    """
    found, left = set(), [name]
    while left:
        node = functions_of(file).get(left.pop())
        if node and node.name not in found:
            found.add(node.name)
            left += [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
            left += [each.arg for each in ast.walk(node) if isinstance(each, ast.arg)]
    texts = [ast.unparse(functions_of(file)[each]) for each in found]
    return any(
        re.search(r"(?:mark|pytest)\.skip", text) and "PROWESS_REQUIRE_ALL" not in text
        for text in texts
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1][:40]}")
def test_a_row_names_what_is_there_and_a_test_that_is_run(row: tuple[str, ...]) -> None:
    _, _, where, tests, page = row

    assert (ROOT / "src" / "prowess" / where).exists()
    for file, name in re.findall(r"`(.+?)::(\w+)`", tests):
        assert name in run_in(TESTS / file)
    assert (ROOT / "docs" / page.partition("#")[0]).exists()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1][:40]}")
def test_a_row_has_a_test_that_is_run_everywhere_or_is_told_among_what_is_missing(
    row: tuple[str, ...],
) -> None:
    named = re.findall(r"`(.+?)::(\w+)`", row[3])
    passed_over = [name for file, name in named if may_be_passed_over(TESTS / file, name)]

    assert len(passed_over) < len(named) or row[0] in MISSING, passed_over


def test_every_trap_has_a_row_of_one_form() -> None:
    _, _, page = PAGE.partition("\n## Traps\n")
    rows = [line for line in page.splitlines() if line.startswith("| ")]

    assert len(TRAPS) == len(rows) - page.count("| trap | where | test |") > 0


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap[0][:60])
def test_a_trap_names_what_is_there_and_a_test_that_is_run(trap: tuple[str, ...]) -> None:
    _, where, file, name = trap

    assert (ROOT / "src" / "prowess" / where).exists()
    assert name in run_in(TESTS / file)
    assert not may_be_passed_over(TESTS / file, name)


CARES = tomllib.loads((ROOT / "bench" / "traps.toml").read_text(encoding="utf-8"))["care"]


def test_every_trap_has_a_care_that_can_be_taken_out() -> None:
    """`bench/traps.py` does it; here only that it could."""
    assert [care["trap"] for care in CARES] == [trap for trap, *_ in TRAPS]
    for care, (trap, where, file, name) in zip(CARES, TRAPS, strict=True):
        assert care["file"].startswith(f"src/prowess/{where}"), trap
        assert care["test"] == f"tests/{file}::{name}", trap
        assert (ROOT / care["file"]).read_text(encoding="utf-8").count(care["old"]) == 1, trap
        assert care["old"] != care["new"], trap
