"""A loop as somebody watches it on the dashboard: the list of loops, and the board of one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from prowess.serve import pages
from serve.looking import Looking, tell
from serve.served import Home, Served

PARSER, MANUAL, MOON = "Write the parser", "Write its manual", "Paint the moon"


@pytest.fixture
def served(home: Path, project: Path, tmp_path: Path) -> Iterator[Served]:
    with Home(project, tmp_path / "data", {}).serving(faces=[pages.include]) as server:
        yield server


def planned(label: str, line: int, *, mark: str = " ", after: tuple[str, ...] = ()) -> Any:
    return {"task": label, "line": line, "mark": mark, "after": list(after)}


def begin(served: Served, *labels: str, phase: str = "implement") -> None:
    """A loop over the plan, with these tasks at work side by side."""
    tell(served, "loop", "run.started", skill="PLAN.md", run_kind="loop")
    tasks = [planned(PARSER, 1), planned(MANUAL, 2), planned(MOON, 3, after=(PARSER,))]
    tell(served, "loop", "loop.planned", tasks=tasks)
    for number, label in enumerate(labels, 1):
        tell(served, "loop", "loop.task", task=label, abreast=len(labels))
        tell(served, "loop", "loop.phase", task=label, phase=phase, attempt=0)
        facts = {"child": f"loop.{number}", "skill": "codex", "task": label, "attempt": 1}
        tell(served, "loop", "agent.forked", **facts)
        alone = {"run_kind": "attempt", "skill": "codex", "parent": "loop"}
        tell(served, f"loop.{number}", "attempt.started", **alone)


def checked(served: Served, label: str, *texts: str) -> None:
    for text in texts:
        facts = {"verdict": "PASS", "text": text, "summary": f"PASS: {text}"}
        tell(served, "loop", "check.criterion", task=label, **facts)
    tell(served, "loop", "check.finished", task=label, report={})


def card(page: Page, label: str) -> Locator:
    return page.locator(".task", has=page.locator(".task-name", has_text=label))


def test_a_later_check_of_a_task_takes_the_place_of_the_one_before(
    looking: Looking, served: Served
) -> None:
    begin(served, PARSER)
    checked(served, PARSER, "It parses")
    tell(served, "loop", "loop.merged", task=PARSER)
    checked(served, PARSER, "It parses")
    page = looking.at("loop/loop")
    expect(card(page, PARSER)).to_contain_text("1 of 1 criterion seen to hold")
    tell(served, "loop", "agent.forked", child="loop.9", skill="x", task=PARSER, attempt=2)
    expect(card(page, PARSER)).not_to_contain_text("seen to hold")


def test_what_holds_only_as_cited_is_not_counted_among_what_was_seen(
    looking: Looking, served: Served
) -> None:
    begin(served, PARSER)
    seen = {"verdict": "PASS", "text": "It parses", "summary": "PASS: It parses"}
    tell(served, "loop", "check.criterion", task=PARSER, **seen)
    cited = {**seen, "text": "It is kind", "cited": True}
    tell(served, "loop", "check.criterion", task=PARSER, **cited)
    page = looking.at("loop/loop")

    expect(card(page, PARSER)).to_contain_text("1 of 2 criteria seen to hold, 1 as cited")
    expect(page.get_by_label("PASS, as cited")).to_have_count(1)


def test_a_review_is_no_attempt_in_the_facts_of_a_loop(looking: Looking, served: Served) -> None:
    begin(served, PARSER)
    asked = {"child": "loop.2", "skill": "codex", "task": PARSER, "attempt": 1, "review": True}
    tell(served, "loop", "agent.forked", **asked)
    alone = {"run_kind": "attempt", "skill": "codex", "parent": "loop"}
    tell(served, "loop.2", "attempt.started", **alone)
    page = looking.at("loop/loop")

    attempts = page.locator("dt", has_text="Attempts").locator("xpath=following-sibling::dd[1]")
    expect(attempts).to_have_text("1")


def test_the_list_of_loops_moves_and_has_those_behind_many_other_runs(
    looking: Looking, served: Served
) -> None:
    tell(served, "loop", "run.started", skill="PLAN.md", run_kind="loop")
    for number in range(210):
        tell(served, f"other{number}", "run.started", skill="other", run_kind="skill")
    page = looking.at("loop")

    row = page.get_by_role("row", name="PLAN.md")
    expect(row).to_contain_text("running")
    tell(served, "loop", "loop.phase", task=PARSER, summary="implement: it")
    expect(row).to_contain_text("implement: it")
    tell(served, "second", "run.started", skill="OTHER.md", run_kind="loop")
    expect(page.get_by_role("row", name="OTHER.md")).to_be_visible()
    tell(served, "loop", "run.finished", outcome={"ending": "done", "answer": "", "reason": "so"})
    expect(row).to_contain_text("done")


def test_who_comes_late_sees_what_agents_at_work_said_last(
    looking: Looking, served: Served
) -> None:
    begin(served, PARSER)
    tell(served, "loop.1", "call.finished", summary="Bash make parser")
    page = looking.at("loop/loop")

    expect(card(page, PARSER).locator(".heard")).to_have_text("Bash make parser")


def test_an_attempt_is_unfolded_into_what_it_said_and_called(
    looking: Looking, served: Served
) -> None:
    begin(served, PARSER)
    said = {"iteration": 1, "thought": "I look.\nAnd more.", "summary": "I look."}
    tell(served, "loop.1", "model.replied", visibility="FULL", **said)
    call = {"call_id": "1", "tool": "Bash", "summary": "Bash make parser", "iteration": 1}
    tell(served, "loop.1", "call.started", visibility="FULL", input={}, **call)
    page = looking.at("loop/loop")
    page.locator(".timeline summary", has_text="agent.forked").click()

    inner = page.locator(".timeline .timeline")
    expect(inner).to_contain_text("I look.")
    expect(inner).to_contain_text("Bash make parser")
    expect(inner).not_to_contain_text("And more.")


def test_a_task_that_is_ready_before_the_others_says_that_it_waits(
    looking: Looking, served: Served
) -> None:
    begin(served, PARSER, MANUAL)
    page = looking.at("loop/loop")
    verdict = card(page, PARSER).locator(".verdict")
    expect(verdict).to_have_text("implement")
    tell(served, "loop.1", "attempt.finished", outcome={"ending": "done"})
    expect(verdict).to_have_text("waits for the others")
    expect(card(page, MANUAL).locator(".verdict")).to_have_text("implement")

    tell(served, "loop", "agent.joined", child="loop.1", task=PARSER, end={"trouble": "none"})
    tell(served, "loop", "loop.phase", task=PARSER, phase="check", attempt=1)
    expect(verdict).to_have_text("check")
    checked(served, PARSER, "It parses")
    expect(verdict).to_have_text("waits for the others")
    tell(served, "loop", "loop.merged", task=PARSER)
    expect(verdict).to_have_text("merge")


def test_a_card_names_what_it_waits_for_its_commit_and_its_branch(
    looking: Looking, served: Served
) -> None:
    begin(served, PARSER, MANUAL)
    page = looking.at("loop/loop")
    expect(card(page, MOON)).to_contain_text(f"after {PARSER}")

    ends = {"commit": "e4d48d4e05a2aaaa", "branch": "prowess/loop/task-2", "reason": "no"}
    tell(served, "loop", "loop.recorded", task=PARSER, mark="R", **{**ends, "branch": ""})
    tell(served, "loop", "loop.recorded", task=MANUAL, mark="~", **ends)

    expect(card(page, PARSER)).to_contain_text("commit e4d48d4e05a2")
    expect(card(page, MANUAL)).to_contain_text("branch prowess/loop/task-2")
    expect(card(page, MANUAL)).not_to_contain_text("commit")
    expect(card(page, MOON)).not_to_contain_text("after")


def test_a_usage_limit_is_told_on_top_until_it_is_over(looking: Looking, served: Served) -> None:
    begin(served, PARSER)
    until = "2026-01-31T10:00:00+00:00"
    told = "Paused until the usage limit resets: no more today"
    tell(served, "loop", "loop.paused", task=PARSER, until=until, summary=told)
    page = looking.at("loop/loop")

    paused = page.locator(".paused")
    expect(paused).to_contain_text("Paused until 31/01/2026")
    expect(paused).to_contain_text("no more today")
    tell(served, "loop", "agent.forked", child="loop.2", skill="codex", task=PARSER, attempt=1)
    expect(paused).to_have_count(0)


def test_the_board_of_a_loop_stands_above_its_report(looking: Looking, served: Served) -> None:
    begin(served, PARSER)
    outcome = {"ending": "partial", "answer": "# PLAN.md\n\nTold at length.", "reason": "no time"}
    used: dict[str, Any] = {"iterations": 1, "tokens": 0, "cost": None, "details": {}}
    tell(served, "loop", "run.finished", outcome={**outcome, **used})
    page = looking.at("loop/loop")

    report = page.get_by_text("Told at length.").bounding_box()
    board = card(page, PARSER).bounding_box()
    assert report
    assert board
    assert board["y"] < report["y"]


def test_an_attempt_that_ended_shows_when_and_how(looking: Looking, served: Served) -> None:
    begin(served, PARSER)
    tell(served, "loop", "agent.joined", child="loop.1", task=PARSER, end={"trouble": "timeout"})
    page = looking.at("loop/loop")

    line = page.locator(".timeline .line", has_text="agent.joined")
    expect(line.locator(".state")).to_have_text("✕failed")
    last = [each for each in served.site.log.run("loop") if each.event.kind == "agent.joined"][-1]
    expect(line.locator("time")).to_have_attribute("datetime", last.at)
