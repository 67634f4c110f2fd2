"""Every promise of docs/requirements.md names a test that exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "requirements.md").read_text()
NAMED = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)


@cache
def named_in(file: Path) -> frozenset[str]:
    found = ast.walk(ast.parse(file.read_text()))
    return frozenset(
        node.name for node in found if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def test_every_row_of_the_page_names_a_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "| promise" not in line]

    assert len(rows) == len(NAMED) > 50


@pytest.mark.parametrize(("file", "name"), NAMED, ids=lambda value: value)
def test_a_named_test_exists(file: str, name: str) -> None:
    assert name in named_in(TESTS / file)
