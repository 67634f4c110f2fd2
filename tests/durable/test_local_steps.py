"""Steps in a local file are kept as the library itself keeps them, and refused where it refuses."""

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from dbos import error as dbos_error
from dbos._dbos import _get_dbos_instance

from prowess.core.errors import CancelledRunError
from prowess.core.ports import Json, Steps
from prowess.durable.journal import Journal
from prowess.durable.opening import open_engine
from prowess.durable.sqlite import open_sqlite

Attempt = Callable[[Any, Mapping[str, Any]], Awaitable[Json]]


@pytest.fixture(params=["ours", "the library's"])
def within(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Attempt], Json]:
    """Call something inside a run with the functions that keep its steps: ours, or the library's."""

    def call(attempt: Attempt) -> Json:
        async def body(steps: Steps, given: Mapping[str, Any]) -> Json:
            journal: Journal = steps._journal  # type: ignore[attr-defined]
            line = {
                "workflow_uuid": steps.run_id,
                "function_id": 1,
                "function_name": "first",
                "output": "kept",
                "error": None,
                "serialization": "portable_json",
                "started_at_epoch_ms": 5,
                "child_workflow_id": None,
            }
            kept = journal._steps if request.param == "ours" else _get_dbos_instance()._sys_db
            return await attempt(kept, line)

        async def run() -> Json:
            async with open_engine(str(tmp_path / "runs.db"), {"body": body}) as engine:
                await engine.start("body", "run", {})
                return await engine.result("run")

        return asyncio.run(run())

    return call


def _change(folder: Path, statement: str, *values: str) -> None:
    with sqlite3.connect(folder / "runs.db") as database:
        database.execute(statement, values)
    database.close()


def test_a_step_that_was_kept_is_read_back_with_all_the_library_knows_of_it(
    within: Callable[[Attempt], Json], tmp_path: Path
) -> None:
    async def keep(kept: Any, line: Mapping[str, Any]) -> Json:
        before = kept.check_operation_execution("run", 1, "first")
        kept.record_operation_result(line)
        return [before, kept.check_operation_execution("run", 1, "first")["output"]]

    assert within(keep) == [None, "kept"]
    with sqlite3.connect(tmp_path / "runs.db") as database:
        query = "select function_name, output, error, serialization, started_at_epoch_ms, application_name, completed_at_epoch_ms > 5, retention_timestamp > 5 from operation_outputs"
        rows = database.execute(query).fetchall()
    database.close()
    assert rows == [("first", "kept", None, "portable_json", 5, "prowess", 1, 1)]


def test_a_step_of_another_name_is_refused(within: Callable[[Attempt], Json]) -> None:
    async def read(kept: Any, line: Mapping[str, Any]) -> Json:
        kept.record_operation_result(line)
        with pytest.raises(dbos_error.DBOSUnexpectedStepError, match="second"):
            kept.check_operation_execution("run", 1, "second")
        return "refused"

    assert within(read) == "refused"


def test_a_step_that_is_kept_twice_is_refused(within: Callable[[Attempt], Json]) -> None:
    async def twice(kept: Any, line: Mapping[str, Any]) -> Json:
        kept.record_operation_result(line)
        await asyncio.sleep(0.005)  # the library tells them apart by the millisecond
        with pytest.raises(dbos_error.DBOSStepNondeterminismError):
            kept.record_operation_result({**line, "output": "another"})
        return kept.check_operation_execution("run", 1, "first")["output"]

    assert within(twice) == "kept"


def test_a_run_that_somebody_else_has_keeps_nothing(
    within: Callable[[Attempt], Json], tmp_path: Path
) -> None:
    async def late(kept: Any, line: Mapping[str, Any]) -> Json:
        ((mine,),) = _rows(tmp_path, "select owner_xid from workflow_status")
        _change(tmp_path, "update workflow_status set owner_xid = 'somebody'")
        with pytest.raises(dbos_error.DBOSWorkflowConflictIDError):
            kept.record_operation_result(line)
        _change(tmp_path, "update workflow_status set owner_xid = ?", mine)
        return len(_rows(tmp_path, "select 1 from operation_outputs"))

    assert within(late) == 0


def test_a_cancelled_run_is_told_at_its_next_look(
    within: Callable[[Attempt], Json], tmp_path: Path
) -> None:
    told = []

    async def cancelled(kept: Any, line: Mapping[str, Any]) -> Json:
        _change(tmp_path, "update workflow_status set status = 'CANCELLED'")
        with pytest.raises(dbos_error.DBOSWorkflowCancelledError):
            kept.check_operation_execution("run", 1, "first")
        told.append("cancelled")

    with pytest.raises(CancelledRunError):
        within(cancelled)

    assert told == ["cancelled"]


def _rows(folder: Path, query: str) -> list[Any]:
    database = sqlite3.connect(folder / "runs.db")
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def test_any_sqlite_tells_parts_of_a_second_as_the_library_asks_for_them(tmp_path: Path) -> None:
    database = open_sqlite(str(tmp_path / "runs.db"))

    with database.connect() as connection:
        now = connection.execute(sa.text("select unixepoch('subsec')")).scalar()

    assert abs(float(str(now)) - time.time()) < 60
    database.dispose()
