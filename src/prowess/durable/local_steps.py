"""
Where steps are kept when the database is a file of this machine.

The library builds and plans its statements anew for every step, which over a network is nothing and
here would be most of what a step costs. These are the same statements on the same tables, written
once; they refuse what the library refuses.
"""

import sqlite3
import threading
import time
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from dbos import error as dbos_error

from prowess.durable.doors import owner
from prowess.durable.sqlite import PATIENCE_MS

_LOOK = """
    select status, function_name, operation_outputs.output
    from workflow_status left join operation_outputs
        on operation_outputs.workflow_uuid = workflow_status.workflow_uuid and function_id = ?
    where workflow_status.workflow_uuid = ?
"""
_OWNER = "select owner_xid from workflow_status where workflow_uuid = ?"
_KEEP = """
    insert into operation_outputs (
        workflow_uuid, function_id, function_name, started_at_epoch_ms, completed_at_epoch_ms,
        output, error, child_workflow_id, serialization, application_name, retention_timestamp
    )
    values (
        :workflow_uuid, :function_id, :function_name, :started_at_epoch_ms, :now,
        :output, :error, :child_workflow_id, :serialization, :application_name, :now
    )
    on conflict do nothing
"""


class LocalSteps:
    """What the library offers for steps, by the same names. Closed with the database."""

    def __init__(self, database: sa.Engine, *, application: str | None) -> None:
        self._application = application
        self._one = threading.Lock()  # one thread at a time uses the connection
        self._db = sqlite3.connect(
            str(database.url.database),
            isolation_level=None,
            timeout=PATIENCE_MS / 1000,
            check_same_thread=False,
        )
        self._db.execute("pragma synchronous = normal")
        sa.event.listen(database, "engine_disposed", lambda _: self._db.close())

    def check_operation_execution(self, run: str, step: int, name: str) -> dict[str, Any] | None:
        with self._one:
            row = self._db.execute(_LOOK, (step, run)).fetchone()
        status, kept_name, output = row
        if status == "CANCELLED":
            raise dbos_error.DBOSWorkflowCancelledError(run)
        if kept_name is None:
            return None
        if kept_name != name:
            raise dbos_error.DBOSUnexpectedStepError(run, step, name, kept_name)
        return {"output": output}

    def record_operation_result(self, line: Mapping[str, Any]) -> None:
        run, mine = line["workflow_uuid"], owner(line["workflow_uuid"])
        values = {**line, "application_name": self._application, "now": int(time.time() * 1000)}
        with self._one:
            self._db.execute("begin immediate")
            try:
                self._keep(run, mine, values)
                self._db.execute("commit")
            except BaseException:
                self._db.rollback()
                raise

    def _keep(self, run: str, mine: str | None, values: Mapping[str, Any]) -> None:
        (now_of,) = self._db.execute(_OWNER, (run,)).fetchone()
        if mine is not None and now_of != mine:
            raise dbos_error.DBOSWorkflowConflictIDError(run)
        if not self._db.execute(_KEEP, values).rowcount:
            raise dbos_error.DBOSStepNondeterminismError(run, values["function_id"])
