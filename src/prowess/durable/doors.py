"""
The inner doors of the library that we use, all of them; its version is pinned because of them.

Steps: the library's own way hops to another thread twice a step, which costs more than the two
statements that it hops for. Queue: what is resumed here must go on here, and the library's own
queue is shared by all processes; what was just put into it begins at once, not at the next look.
"""

from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa
from dbos import DBOS
from dbos._context import current_owner_xid, snapshot_step_context
from dbos._core import execute_dequeued_workflow
from dbos._migration import get_migration_versions, get_sqlite_migration_versions
from dbos._serialization import serialize_value_as
from dbos._sys_db_sqlite import SQLiteSystemDatabase
from dbos._utils import GlobalParams, generate_uuid


def next_step() -> int:
    """The number of the next step of the run that we are in; the run has counted on when it returns."""
    context = snapshot_step_context(reserve_sleep_id=False)
    if context is None or not context.workflow_id:
        raise RuntimeError("a step can only be done inside its run")
    return int(context.function_id)


def owner(run: str) -> str | None:
    """The token by which the run is ours; whoever takes a run over gives it another."""
    return current_owner_xid(run)


def kept_steps(dbos: DBOS) -> Any:
    """Where steps are looked up and written down."""
    return dbos._sys_db  # noqa: SLF001


def hold_owned(steps: Any, connection: Any, run: str) -> None:
    """Until the transaction ends nobody takes the run from us; if somebody has, that is an error here."""
    steps._check_owner_txn(connection, run, current_owner_xid(run))  # noqa: SLF001


def versions(database: sa.Engine) -> tuple[int, int]:
    """Of the library's tables: as they are (0: not there), and as it makes them. Nothing is written."""
    if database.dialect.name == "postgresql":
        return get_migration_versions(database, "dbos", use_listen_notify=True)
    return get_sqlite_migration_versions(database)


def make_or_update(database: sa.Engine) -> None:
    """The library's tables in a file, by way of an engine that decides what is one transaction."""
    library: Any = SimpleNamespace(engine=database)  # nothing else of it is looked at
    SQLiteSystemDatabase.run_migrations(library)


def end(dbos: DBOS, run: str, output: str) -> None:
    """Let a run have ended with this output, of which nobody is left who could say so."""
    text, _ = serialize_value_as(output, "portable_json", dbos._serializer)  # noqa: SLF001
    dbos._sys_db.update_workflow_outcome(run, "SUCCESS", output=text)  # noqa: SLF001


def own_queue(dbos: DBOS, name: str, *, every: float) -> None:
    """A queue that only this process looks at. To be called before the launch."""
    dbos._registry._register_internal_queue(name, polling_interval_sec=every)  # noqa: SLF001


def begin_own(dbos: DBOS, name: str) -> None:
    """Begin what waits in the queue of this process. Not to be called on the event loop."""
    queue, token = dbos._registry.internal_queue_map[name], generate_uuid()  # noqa: SLF001
    begun, _ = dbos._sys_db.start_queued_workflows(  # noqa: SLF001
        queue, GlobalParams.executor_id, GlobalParams.app_version, None, owner_xid=token
    )
    for row in dbos._sys_db.get_workflow_statuses(begun) if begun else ():  # noqa: SLF001
        execute_dequeued_workflow(dbos, row, token)
