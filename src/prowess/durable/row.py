"""
The library's row of a run: whose it is, how the run stands, and handing it over.

Several processes look at a row at once, so it is handed over only if it still says what was seen.
"""

from collections.abc import Collection

import sqlalchemy as sa
from dbos import WorkflowStatus

from prowess.core.ports import RunState
from prowess.durable.patience import patiently
from prowess.durable.queue import ASIDE, OWN

UNDER_WAY = ["PENDING", "ENQUEUED"]
_HAND_OVER = """
    update {table} set status = 'ENQUEUED', queue_name = :queue, owner_xid = null,
        recovery_attempts = 0, started_at_epoch_ms = null, completed_at = null
    where workflow_uuid = :run and status = :status
    and coalesce(queue_name, '') = :from and coalesce(executor_id, '') = :owner
"""


def owner_of(row: WorkflowStatus) -> str:
    """The process that a run under way belongs to."""
    if row.status == "ENQUEUED":
        return (row.queue_name or "").removeprefix(OWN)
    return row.executor_id or ""


def state_of(row: WorkflowStatus, *, alive: Collection[str]) -> RunState:
    if row.status in {"SUCCESS", "ERROR"}:
        return "ended"
    if row.status == "CANCELLED":
        return "cancelled"
    aside = ASIDE.get(row.queue_name or "")
    if aside and row.status == "ENQUEUED":
        return aside
    if owner_of(row) in alive:  # also one that is paused, until it has been laid aside
        return "running"
    return aside or "interrupted"


def hand_over(database: sa.Engine, row: WorkflowStatus, queue: str) -> bool:
    """Whether the run waits in `queue` now; not if somebody did something with it since it was seen."""
    schema = "dbos." if database.dialect.name == "postgresql" else ""
    statement = sa.text(_HAND_OVER.format(table=f"{schema}workflow_status"))
    values = {
        "queue": queue,
        "run": row.workflow_id,
        "status": row.status,
        "from": row.queue_name or "",
        "owner": row.executor_id or "",
    }

    def change() -> bool:
        with database.begin() as connection:
            return connection.execute(statement, values).rowcount > 0

    return patiently(change)()
