"""A log that was tampered with is told from one that was not."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from prowess.core.event import Event, Recorded
from prowess.observe.integrity import examine
from prowess.observe.log import SqliteLog


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    with closing(SqliteLog(str(tmp_path / "log.db"))) as opened:
        yield opened


def tell(log: SqliteLog, run: str, *kinds: str, **payload: Any) -> None:
    for kind in kinds:
        log.append(Event(run=run, kind=kind, payload=payload))


def change(log: SqliteLog, statement: str) -> None:
    with closing(sqlite3.connect(log.path)) as database, database:
        database.execute(statement)


def whats(log: SqliteLog) -> list[str]:
    return [flaw.what for flaw in examine(log).flaws]


def test_runs_side_by_side_are_sound_and_those_under_way_are_named(log: SqliteLog) -> None:
    tell(log, "", "SKILLS_DISCOVERED")
    tell(log, "one", "run.started")
    tell(log, "two", "run.started", "run.finished")
    tell(log, "one", "call.finished")

    found = examine(log)

    assert (found.events, found.runs, found.open, found.flaws) == (5, 2, ("one",), ())


def test_a_lost_event_is_a_gap_in_its_run(log: SqliteLog) -> None:
    tell(log, "one", "run.started", "call.started", "call.finished", "run.finished")
    change(log, "delete from event where seq = 2")

    (flaw,) = examine(log).flaws

    assert (flaw.run, flaw.what) == ("one", "event 3 comes after event 1")


def test_a_run_that_is_told_in_another_order_than_its_own_is_a_flaw(log: SqliteLog) -> None:
    tell(log, "one", "run.started", "run.finished")
    change(log, "update event set seq = 9 where seq = 1")
    change(log, "update event set seq = 1 where seq = 2")

    assert whats(log) == ["event 9 comes after event 0", "event 1 comes after event 9"]


@pytest.mark.parametrize(
    ("kinds", "what"),
    [
        (("run.started", "run.started"), "the run begins twice"),
        (("run.started", "run.finished", "run.finished"), "the run ends twice"),
        (("run.finished",), "the run ends and never began"),
    ],
)
def test_a_run_begins_once_and_ends_once(log: SqliteLog, kinds: tuple[str, ...], what: str) -> None:
    tell(log, "one", *kinds)

    assert whats(log) == [what]


def test_a_run_that_was_cancelled_before_it_began_is_sound(log: SqliteLog) -> None:
    tell(log, "one", "run.finished", outcome={"ending": "cancelled"})

    assert whats(log) == []


def test_what_is_no_json_is_a_flaw_that_names_the_place(log: SqliteLog) -> None:
    tell(log, "one", "run.started", "run.finished")
    change(log, "update event set payload = 'broken' where seq = 2")

    (what,) = whats(log)

    assert what.startswith("what comes after position 0 cannot be read")


def test_a_log_whose_positions_do_not_grow_is_a_flaw(tmp_path: Path) -> None:
    class Backwards(SqliteLog):
        def tail(self, *, after: int = 0, kind: str | None = None) -> Iterator[Recorded]:
            yield from reversed([*super().tail(after=after, kind=kind)])

    with closing(Backwards(str(tmp_path / "log.db"))) as log:
        tell(log, "one", "run.started")
        tell(log, "two", "run.started")

        assert whats(log) == ["position 1 comes after 2"]
