"""
Who takes runs from the queue, so that a run that waits can say when nobody does.

A process that takes runs says so in the database, with the project whose runs it takes. Whether it
still lives is for its lock to say: a row that is left of one that died is in nobody's way.
"""

import os

import sqlalchemy as sa

from prowess.core.text import storable
from prowess.durable.patience import patiently
from prowess.durable.postgres import LOCKS
from prowess.durable.standing import opened
from prowess.durable.workers import Workers

NOBODY = "for a worker, and none is at work on {project}; `prowess worker` there starts one"
_ALONE = -1  # the second half of a lock that no process has: two may not make the table at once
_TABLE = "create table if not exists prowess_taker (name text primary key, project text not null)"

_ENTER = """
    insert into prowess_taker (name, project) values (:name, :project) on conflict do nothing
"""


def announce(place: str, name: str, project: str) -> None:
    """From now on the process `name` takes runs of the project."""

    def announced() -> None:
        with opened(place) as (sql, workers):
            if sql is not None:
                _write(sql, workers, name, project)

    patiently(announced)()


def _write(sql: sa.Engine, workers: Workers, name: str, project: str) -> None:
    with sql.begin() as connection:
        if sql.dialect.name == "postgresql":
            lock = {"locks": LOCKS, "alone": _ALONE}
            connection.execute(sa.text("select pg_advisory_xact_lock(:locks, :alone)"), lock)
        connection.execute(sa.text(_TABLE))
        known = set(connection.execute(sa.text("select name from prowess_taker")).scalars())
        for dead in workers.dead(known) if known else ():
            connection.execute(
                sa.text("delete from prowess_taker where name = :name"), {"name": dead}
            )
        connection.execute(
            sa.text(_ENTER),
            {"name": name, "project": storable(project)},
        )


def waits_for(place: str, run: str, reason: str) -> str:
    """The reason why a run waits; or, where nobody takes runs of its project, that."""
    project = patiently(_left_alone)(place, run) if reason else ""
    return NOBODY.format(project=os.path.basename(project) or project) if project else reason


def _left_alone(place: str, run: str) -> str:
    """The project of a run, if nobody takes runs of it; else nothing."""
    with opened(place) as (sql, workers):
        if sql is None or not sa.inspect(sql).has_table("prowess_queue"):
            return ""
        find = "select project from prowess_queue where run = :run"
        with sql.connect() as connection:
            project = connection.execute(sa.text(find), {"run": run}).scalar() or ""
        return "" if _is_taken_from(sql, workers, project) else project


def _is_taken_from(sql: sa.Engine, workers: Workers, project: str) -> bool:
    if not sa.inspect(sql).has_table("prowess_taker"):
        return False
    find = "select name from prowess_taker where project = :project"
    with sql.connect() as connection:
        names = set(connection.execute(sa.text(find), {"project": project}).scalars())
    return bool(names and workers.alive(names))
