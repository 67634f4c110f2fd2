"""The board at a glance, and in a report."""

from datetime import UTC, datetime

import pytest

from prowess.board import handoffs, tasks
from prowess.board.overview import markdown, overview, report
from prowess.core.board import Board, BoardTask

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


def ended(number: int, finished: str, **more: str) -> BoardTask:
    values = {"title": "Fix it", "role": "Engineer", "priority": "high", "status": "done", **more}
    return BoardTask(number=number, finished=finished, **values)  # type: ignore[arg-type]


@pytest.fixture
def busy(board: Board) -> Board:
    """One task under way, one blocked, two to do, one for testers, and a handoff for them."""
    for title, priority in (("way", "low"), ("stuck", "low"), ("later", "low"), ("now", "high")):
        tasks.create(board, title=title, role="Engineer", priority=priority)
    tasks.create(board, title="try", role="Tester")
    tasks.claim(board, "ENG-L-0001", session="Ogun")
    tasks.update(board, "ENG-L-0002", status="blocked", message="no key")
    handoffs.create(board, sender="Ogun", to_role="Tester", text="try it")
    return board


def test_the_whole_board_at_a_glance(busy: Board) -> None:
    seen = overview(busy)

    assert seen.counts["open"] == 3
    assert [each.title for each in seen.next] == ["now", "try", "later"]
    assert [(each.title, each.reason) for each in seen.blocked] == [("stuck", "no key")]
    assert [each.name for each in seen.sessions] == ["Ogun", "Eris"]
    assert seen.as_json()["sessions"][0]["tasks"] == ["ENG-L-0001"]
    assert len(seen.handoffs) == 1


def test_what_concerns_one_role(busy: Board) -> None:
    engineer, tester = overview(busy, role="engineer"), overview(busy, role="tester")

    assert [each.title for each in engineer.next] == ["now", "later"]
    assert [each.name for each in engineer.sessions] == ["Ogun"]
    assert engineer.handoffs == ()
    assert tester.counts["open"] == 1
    assert len(tester.handoffs) == 1


def test_a_handoff_that_was_accepted_waits_no_more(busy: Board) -> None:
    handoffs.accept(busy, 1, session="Eris")

    assert overview(busy).handoffs == ()


def test_a_report_counts_by_status_and_role(busy: Board) -> None:
    told = report(busy.tasks())

    assert told.by_status == {
        "open": 3, "in-progress": 1, "blocked": 1, "done": 0, "failed": 0, "cancelled": 0,
    }  # fmt: skip
    assert told.by_role["Tester"]["open"] == 1
    assert list(told.by_role) == ["Engineer", "Tester"]


def test_only_what_was_finished_in_the_last_days_is_listed_the_newest_first() -> None:
    found = [
        ended(1, "2026-01-24T11:59:59.999Z"),
        ended(2, "2026-01-24T12:00:00.001Z"),
        ended(3, "2026-01-31T11:00:00.000Z"),
        ended(4, "", status="open"),
    ]

    assert [each.number for each in report(found, days=7, now=NOW).finished] == [3, 2]
    assert [each.number for each in report(found, days=8, now=NOW).finished] == [3, 2, 1]


def test_a_report_is_a_page_of_markdown(busy: Board) -> None:
    page = markdown(report(busy.tasks()))

    assert "| Engineer | 2 | 1 | 1 | 0 | 0 | 0 |" in page
    assert "| all | 3 | 1 | 1 | 0 | 0 | 0 |" in page
    assert "- ENG-L-0001 way (Ogun)" in page
    assert "- ENG-L-0002 stuck: no key" in page
    assert page.endswith("## Finished in the last 7 days\n\nNone.")


def test_a_title_cannot_become_markup() -> None:
    page = markdown(report([ended(1, "2026-01-31", title="<b> [x](y) | `z`")], now=NOW))

    assert r"- ENG-H-0001 \<b\> \[x\](y) \| \`z\`: done on 2026-01-31" in page
