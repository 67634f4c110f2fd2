"""Pages beside runs, in a real browser: settings, REST, and where there is nothing."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from prowess.serve import pages
from prowess.serve.meanings import MEANINGS
from prowess.settings.fields import FIELDS
from serve.looking import Looking, tell
from serve.served import Home, Served

USER = "user" * 5
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def served(home: Path, project: Path, tmp_path: Path) -> Iterator[Served]:
    with Home(project, tmp_path / "data").serving(faces=[pages.include]) as server:
        yield server


def test_every_setting_in_force_is_told_with_what_it_means(looking: Looking) -> None:
    page = looking.at("settings")
    names = page.locator(".settings dt code").all_inner_texts()

    assert {"skills_enabled", "run_max_iterations", "project"} <= set(names)
    assert page.locator(".settings dd:not(:has(.hint))").count() == 0
    enabled = page.locator(".settings > div", has=page.get_by_text("skills_enabled", exact=True))
    expect(enabled).to_contain_text("offer skills to agents in the loop's prompts")
    expect(page.get_by_role("columnheader", name="The run itself")).to_be_visible()


def test_settings_mean_on_the_page_what_they_mean_in_the_docs() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| .*? \| (.*) \|$", (DOCS / "settings.md").read_text(), re.MULTILINE
    )
    beside = re.compile(r"; (see \[[^\]]*\]\([^)]*\)|\*yours\*|\*lower only\*)")
    link = re.compile(r"\[([^\]]*)\]\([^)]*\)")
    told = {name: link.sub(r"\1", beside.sub("", text)) for name, text in rows}

    assert set(FIELDS) <= set(MEANINGS)
    assert {name: MEANINGS[name] for name in told} == told


def test_a_page_that_does_not_exist_leads_to_one_that_does(looking: Looking) -> None:
    looking.expected = "404"  # a browser tells of every refused request
    for place, name, words in (
        ("nope", "Overview", "There is no such page."),
        ("runs/abcdef", "Runs", "Run not found: abcdef"),
        ("skills/nothing", "Skills", "nothing"),
    ):
        page = looking.at(place)
        expect(page.locator("main")).to_contain_text(words)
        expect(page.get_by_role("button", name="Try again")).to_have_count(0)
        page.get_by_role("link", name=f"Go to {name}").click()
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()


def test_what_failed_can_be_tried_again_with_a_button_no_wider_than_its_words(
    looking: Looking,
) -> None:
    looking.expected = "ERR_"
    looking.page.route("**/api/settings", lambda route: route.abort(), times=1)
    page = looking.at("settings")
    again = page.get_by_role("button", name="Try again")
    box = again.bounding_box()

    assert box
    assert box["width"] < 200
    again.click()
    expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_visible()


def test_where_only_loops_ran_no_heading_stands_over_nothing(
    looking: Looking, served: Served
) -> None:
    tell(served, "loop", "run.started", skill="PLAN.md", run_kind="loop")
    outcome = {"ending": "done", "answer": "", "reason": "all tasks are proven"}
    tell(served, "loop", "run.finished", outcome=outcome)
    page = looking.at("")

    expect(page.get_by_role("heading", name="By loop")).to_be_visible()
    for name in ("By skill", "By model"):
        expect(page.get_by_role("heading", name=name)).to_have_count(0)


def test_what_rest_can_do_is_told_also_to_who_needs_a_token(
    home: Path, project: Path, tmp_path: Path, browser: Browser
) -> None:
    owner = Home(project, tmp_path / "data", settings={"serve_tokens": {USER: "END_USER"}})
    with owner.serving(faces=[pages.include]) as served, browser.new_context() as context:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{served.port}/")
        page.get_by_label("Token").fill(USER)
        page.get_by_role("button", name="Enter").click()
        expect(page.get_by_role("heading", name="Overview")).to_be_visible(timeout=60_000)
        page.get_by_role("link", name="REST").click()

        expect(page.get_by_text("GET /api/runs/{id}", exact=True)).to_be_visible(timeout=60_000)
        expect(page.locator("main")).to_contain_text("Authorization: Bearer TOKEN")
        assert USER not in page.locator("main").inner_text()
