"""
How runs stand, for those who only look: the engine itself is not opened.

The log cannot tell which runs wait in the queue, and of a run whose process died nobody was left to
tell. The database says whose a run is, and the lock of that process whether it is alive.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import sqlalchemy as sa

from prowess.core.locks import opening
from prowess.core.place import is_database
from prowess.core.ports import Standing
from prowess.durable.fair import Limits
from prowess.durable.journal import unusable
from prowess.durable.postgres import PostgresWorkers, open_postgres
from prowess.durable.queue import ASIDE, OWN, Queue
from prowess.durable.sqlite import open_sqlite
from prowess.durable.tables import refuse_newer
from prowess.durable.whole import is_whole
from prowess.durable.workers import FileWorkers, Workers

_UNDER_WAY = """
    select workflow_uuid, coalesce(executor_id, ''), coalesce(queue_name, '') from {table}
    where status = 'PENDING'
    union all select workflow_uuid, '', queue_name from {table} where status = 'ENQUEUED'
"""


def standing(place: str) -> dict[str, Standing]:
    """The runs under way on which nobody works, and why that is so; none where no engine was opened."""
    with opened(place) as (sql, workers):
        if sql is None:
            return {}
        table = "dbos.workflow_status" if is_database(place) else "workflow_status"
        with sql.connect() as connection:
            found = list(connection.execute(sa.text(_UNDER_WAY.format(table=table))))
        owners = {run: owner or queue.removeprefix(OWN) for run, owner, queue in found if owner or queue not in ASIDE}  # fmt: skip
        alive = workers.alive(set(owners.values())) if owners else set()
        nobodys = {run: queue for run, _, queue in found if owners.get(run) not in alive}
        left = [run for run, queue in nobodys.items() if queue not in ASIDE]
        tickets = Queue(sql, workers.name)
        # Workers take up what came through the queue.
        taken_up = bool(left) and is_database(place) and tickets.is_made()
        queued = tickets.tickets(left) if taken_up else set()
        return {
            run: ASIDE.get(queue, "queued" if run in queued else "interrupted")
            for run, queue in nobodys.items()
        }


def why_waiting(place: str, run: str, limits: Limits) -> str:
    """What keeps a queued run from beginning, in words."""
    with opened(place) as (sql, workers):
        queue = Queue(sql, workers.name) if sql is not None else None
        return queue.why(run, limits) if queue and queue.is_made() else ""


@contextmanager
def opened(place: str) -> Iterator[tuple[sa.Engine | None, Workers]]:
    """Nothing is made that is not there."""
    if not is_database(place) and not os.path.exists(place):
        yield None, FileWorkers(place)
        return
    with nullcontext() if is_database(place) else opening(place):
        sql = open_postgres(place) if is_database(place) else open_sqlite(place)
        workers = PostgresWorkers(sql) if is_database(place) else FileWorkers(place)
        try:
            refuse_newer(sql)
            there = _has_tables(sql)
            yield (sql if there else None), workers
        except sa.exc.SQLAlchemyError as error:
            raise unusable(sql, error) from error
        finally:
            sql.dispose()


def _has_tables(sql: sa.Engine) -> bool:
    if sql.dialect.name == "sqlite":
        return is_whole(sql)
    return sa.inspect(sql).has_table("workflow_status", schema="dbos")
