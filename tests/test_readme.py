"""The README is true to the letter: what it shows is what happens."""

import re
from pathlib import Path

from journeys.page import read_page
from journeys.walking import ROOT, Walk

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")


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
