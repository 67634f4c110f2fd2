"""
Which runs nobody works on any more, for those who only look: the engine itself is not opened.

The log cannot tell, because the process that would have said so is gone. The database says whose a
run is, and the lock of that process whether it is alive.
"""

import os

import sqlalchemy as sa

from prowess.durable.sqlite import open_sqlite
from prowess.durable.workers import FileWorkers

_QUEUE = "prowess-"  # before the name of its process, as in `engine`
_UNDER_WAY = sa.text(
    "select workflow_uuid, executor_id from workflow_status where status = 'PENDING' union all"
    " select workflow_uuid, queue_name from workflow_status"
    " where status = 'ENQUEUED' and queue_name like 'prowess-%'"
)


def interrupted(database: str) -> frozenset[str]:
    """The runs in the file `database` that were under way when their process ended; none without a file."""
    if not os.path.exists(database):
        return frozenset()
    sql = open_sqlite(database)
    try:
        with sql.connect() as connection:
            found = [(run, owner or "") for run, owner in connection.execute(_UNDER_WAY)]
    except sa.exc.OperationalError:  # a file that no engine has written to yet
        return frozenset()
    finally:
        sql.dispose()
    owners = {run: owner.removeprefix(_QUEUE) for run, owner in found}
    alive = FileWorkers(database).alive(set(owners.values()))
    return frozenset(run for run, owner in owners.items() if owner not in alive)
