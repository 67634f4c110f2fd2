"""Markdown taken apart for a page, whoever wrote it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prowess.serve.rest_markdown import LONGEST
from prowess.workflow.renderers.parts import DEEPEST, MOST, parts_of
from serve.served import Home, Served


@pytest.fixture
def served(home: Path, project: Path, tmp_path: Path) -> Iterator[Served]:
    with Home(project, tmp_path / "data").serving() as server:
        yield server


def test_a_text_comes_back_in_its_parts(served: Served) -> None:
    told = served.post("/api/markdown", {"text": "3. *one*\n"}).json

    emphasis = {"tag": "em", "parts": ["one"]}
    assert told == {
        "parts": [{"tag": "ol", "start": 3, "parts": [{"tag": "li", "parts": [emphasis]}]}]
    }
    assert served.post("/api/markdown", {"text": "x" * (LONGEST + 1)}).status == 400


def test_who_reads_changes_nothing_and_is_not_on_record_for_it(served: Served) -> None:
    served.post("/api/markdown", {"text": "*a*"})

    assert list(served.site.log.run("audit")) == []


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        "&#106;avascript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "//elsewhere.example",
        "/api/runs",
    ],
)
@pytest.mark.parametrize("form", ["[a]({})", "![a]({})", "[a]: {}\n\n[a]", "<{}>"])
def test_an_address_that_is_not_of_the_web_is_no_link(address: str, form: str) -> None:
    assert "a" not in tags(parts_of(form.format(address)))


def test_html_stays_text() -> None:
    (paragraph,) = parts_of("a <b onclick=x>b</b> <!-- c -->")

    assert paragraph == {"tag": "p", "parts": ["a <b onclick=x>b</b> <!-- c -->"]}


def test_what_is_deep_or_many_is_bounded() -> None:
    deep = parts_of("- " * 100 + "*a _b " * 200 + "_ *" * 200)
    table = "|a" * 500 + "\n" + "|-" * 500 + "\n" + "|a\n" * 300

    assert depth(deep) <= DEEPEST
    assert parts_of(table) == [table]
    assert MOST < 500 * 300


def tags(parts: list[Any]) -> set[str]:
    found = set()
    for part in parts:
        if isinstance(part, dict):
            found |= {part["tag"]} | tags(part["parts"])
    return found


def depth(parts: list[Any]) -> int:
    return 1 + max((depth(part["parts"]) for part in parts if isinstance(part, dict)), default=0)
