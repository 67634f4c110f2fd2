"""
What a dead process leaves behind, and which of its runs it may have died of.

A process dies of one run and leaves all that it had, so a death counts for each of them that was at
work; a run that gets a step further afterwards was not the one, and is counted anew.
"""
# ruff: noqa: S608  every name in a statement is our own; values are bound

from collections.abc import Collection

import sqlalchemy as sa


def has_left(connection: sa.Connection, owner: str) -> bool:
    """
    Whether a process that is gone ended in order, as one that is replaced does: it has taken its row
    away. On one machine nothing tells, and it is taken to have died.
    """
    if connection.dialect.name != "postgresql":
        return False
    query = sa.text("select 1 from prowess_worker where name = :owner")
    return connection.execute(query, {"owner": owner}).first() is None


def left_by(connection: sa.Connection, own: str, *, state: str, steps: str) -> dict[str, bool]:
    """
    Runs of the queue that the dead process has in its queue `own`, which nobody else changes until the
    transaction ends, and whether it was at work on them: not if they had not begun, or waited for an
    answer (the library notes for how long, as the step after it). `state` and `steps` are its tables.
    """
    is_shared = connection.dialect.name == "postgresql"  # who writes to a file has it alone
    query = f"""
        select workflow_uuid, status = 'PENDING' and not exists (
            select 1 from {steps} asked where function_name = 'DBOS.sleep'
            and asked.workflow_uuid = taken.workflow_uuid and not exists (
                select 1 from {steps} answered where answered.workflow_uuid = asked.workflow_uuid
                and answered.function_id = asked.function_id - 1
            )
        ) as is_at_work
        from {state} taken where status in ('PENDING', 'ENQUEUED') and queue_name = :own
        and exists (select 1 from prowess_queue where run = workflow_uuid)
        order by workflow_uuid {"for update" if is_shared else ""}
    """
    rows = connection.execute(sa.text(query), {"own": own})
    return {row.workflow_uuid: bool(row.is_at_work) for row in rows}


def count_deaths(connection: sa.Connection, runs: Collection[str], *, steps: str) -> None:
    kept = f"(select count(*) from {steps} where workflow_uuid = run)"
    change = f"""
        update prowess_queue set reached = {kept},
        deaths = case when {kept} > reached then 1 else deaths + 1 end where run in :runs
    """
    connection.execute(among(change), {"runs": list(runs)})


def died_often(connection: sa.Connection, runs: Collection[str], *, most: int) -> set[str]:
    """Those of them at which so many processes died, or more."""
    query = among("select run from prowess_queue where run in :runs and deaths >= :most")
    return set(connection.execute(query, {"runs": list(runs), "most": most}).scalars())


def among(statement: str) -> sa.TextClause:
    """A statement with a list of `runs`, which may be empty."""
    return sa.text(statement).bindparams(sa.bindparam("runs", expanding=True, type_=sa.Text))
