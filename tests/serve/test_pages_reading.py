"""What runs, skills and people wrote, as it is read on the page: in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from house import skill_file
from prowess.model.scripted import call, final
from prowess.serve import pages
from serve.looking import NASTY, Looking, tell
from serve.served import Home, Served

ASKS = [
    call("Ask", question="Which colour?", options=["red", "blue"]),
    call("Ask", question="And why?"),
    final("Thank you."),
]
# What an answer may hold: every kind of Markdown, and whatever somebody tries with it.
REPORT = f"""
# Sales

**41** apples, see [the shop](https://shop.example/a) or [write](mailto:shop).

| fruit | sold |
|---|--:|
| pears | 7 |

1. first
2. second with `code`

```
two  spaces
```

![a picture](https://shop.example/picture.png) ![{NASTY}](//shop.example/x.png)

[run it](javascript:document.title='taken') [or this](data:text/html;base64,AAAA) [there](/api/runs)

{NASTY} <script>document.title='taken'</script> <style>body {{ display: none }}</style>
"""


@pytest.fixture
def served(home: Path, project: Path, tmp_path: Path) -> Iterator[Served]:
    skill_file(project, "asks", "Do it.")
    with Home(project, tmp_path / "data", {"asks": ASKS}).serving(faces=[pages.include]) as server:
        yield server


def test_markdown_is_read_as_it_was_meant_and_nothing_more(
    looking: Looking, served: Served
) -> None:
    asked: list[str] = []
    looking.page.on("request", lambda request: asked.append(request.url))
    outcome = {"ending": "done", "answer": REPORT, "reason": ""}
    tell(served, "told", "run.started", skill="told", run_kind="skill")
    tell(served, "told", "run.finished", outcome=outcome)
    answer = looking.at("runs/told").locator(".answer")

    expect(answer.get_by_role("heading", name="Sales")).to_be_visible()
    expect(answer.locator("strong")).to_have_text("41")
    expect(answer.get_by_role("cell", name="7")).to_be_visible()
    expect(answer.locator("ol li code")).to_have_text("code")
    expect(answer.locator("pre")).to_have_text("two  spaces\n")
    links = {each.inner_text(): each.get_attribute("href") for each in answer.locator("a").all()}
    assert links == {
        "the shop": "https://shop.example/a",
        "write": "mailto:shop",
        "a picture": "https://shop.example/picture.png",
    }
    expect(answer).to_contain_text("[run it](javascript:document.title='taken')")
    expect(answer).to_contain_text("<script>document.title='taken'</script>")
    assert answer.locator("img, script, style, iframe, [style], [onerror], [src]").count() == 0
    assert looking.page.title() != "taken"
    assert [url for url in asked if not url.startswith((looking.address, "about:"))] == []


def test_a_page_makes_no_element_that_is_not_listed_whatever_the_server_says(
    looking: Looking, served: Served
) -> None:
    evil = [
        {"tag": "script", "parts": ["document.title = 'taken'"]},
        {"tag": "img", "src": "/x.png", "onerror": "document.title = 'taken'", "parts": []},
        {"tag": "a", "href": "javascript:document.title='taken'", "parts": ["press me"]},
        {"tag": "p", "onclick": "document.title='taken'", "style": "color: red", "parts": ["So."]},
        {"tag": "constructor", "parts": ["There."]},
    ]
    looking.page.route("**/api/markdown", lambda route: route.fulfill(json={"parts": evil}))
    tell(served, "told", "run.started", skill="told", run_kind="skill")
    outcome = {"ending": "done", "answer": "**bold**", "reason": ""}
    tell(served, "told", "run.finished", outcome=outcome)
    answer = looking.at("runs/told").locator(".answer")

    expect(answer).to_contain_text("press me")
    expect(answer).to_contain_text("There.")
    assert answer.locator("script, img, a, [onclick], [style], constructor").count() == 0
    assert looking.page.title() != "taken"


def test_questions_and_what_a_workflow_shows_are_read_as_markdown_where_they_are(
    looking: Looking, served: Served
) -> None:
    asked = {"id": "q1", "prompt": "Who is **it** for?", "options": ["all"], "default": None}
    tell(served, "flow", "run.started", skill="flow", run_kind="workflow")
    tell(served, "flow", "output.shown", text="_One_", format="markdown", step="one")
    tell(served, "flow", "output.shown", text="_Two_", format="text", step="two")
    tell(served, "flow", "question.asked", **asked)
    page = looking.at("runs/flow")

    expect(page.locator(".ask strong")).to_have_text("it")
    expect(page.locator(".timeline em")).to_have_text("One")
    expect(page.locator(".timeline")).to_contain_text("_Two_")


def test_an_answered_question_stays_in_the_story_with_its_answer(
    looking: Looking, served: Served
) -> None:
    run = served.start("asks")
    page = looking.at(f"runs/{run}")
    page.get_by_role("button", name="blue").click()
    page.get_by_label("Your answer").fill("It is calm.")
    page.get_by_role("button", name="Answer").click()
    expect(page.locator(".run-head .state")).to_contain_text("done")
    timeline = page.locator(".timeline")

    expect(timeline.locator(".line", has_text="Which colour?")).to_contain_text("blue")
    expect(timeline.locator(".line", has_text="And why?")).to_contain_text("It is calm.")


def test_a_loop_says_why_it_ended_and_its_report_is_there_once(
    looking: Looking, served: Served
) -> None:
    why, report = "1 of 2 tasks are blocked", "# PLAN.md\n\n1 of 2 tasks are blocked.\n"
    tell(served, "loop", "run.started", skill="PLAN.md", run_kind="loop")
    tell(served, "loop", "loop.task", task="Paint the moon")
    feedback = "# Task Feedback\n\n- FAIL: It shines"
    tell(served, "loop", "loop.recorded", task="Paint the moon", mark="~", reason=feedback)
    said = {"text": "It shines: `make moon`", "summary": "FAIL: `make moon`"}
    tell(served, "loop", "check.criterion", task="Paint the moon", verdict="FAIL", **said)
    outcome = {"ending": "partial", "answer": report, "reason": why}
    tell(served, "loop", "run.finished", outcome=outcome, summary="# PLAN.md")

    for place in ("loop", "runs"):
        expect(looking.at(place).get_by_role("row", name="PLAN.md")).to_contain_text(why)
    page = looking.at("runs/loop")
    expect(page.locator(".answer").get_by_role("heading", name="PLAN.md")).to_be_visible()
    expect(page.locator(".answer").get_by_text(why)).to_have_count(1)
    expect(page.locator(".timeline")).to_contain_text(f"partial: {why}")
    expect(page.locator(".timeline code")).to_have_text("make moon")
    expect(page.get_by_role("heading", name="Report", exact=True)).to_be_visible()
    shown = page.locator(".task pre")
    expect(page.locator(".task").get_by_text("It shines").filter(visible=True)).to_have_count(0)
    expect(shown.filter(visible=True)).to_have_count(0)
    page.get_by_text("Why Paint the moon is blocked").click()
    expect(shown).to_have_text(feedback)
    expect(page.get_by_role("heading", name="Task Feedback")).to_have_count(0)
