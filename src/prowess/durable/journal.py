"""
The journal of a run's steps: one look before the work, one line after it.

Both tell when the run is no longer ours to work on. Where the database is a local file they are so
quick that they happen on the event loop itself.
"""

import sqlite3
import time
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import sqlalchemy as sa

from prowess.core import sqlite_file
from prowess.core.errors import StoreError
from prowess.core.place import shown
from prowess.durable.doors import hold_owned
from prowess.durable.local_steps import LocalSteps
from prowess.durable.patience import patiently
from prowess.durable.settling import in_thread
from prowess.durable.sqlite import WHAT

P = ParamSpec("P")
T = TypeVar("T")

_NO_RIGHT = "42501"  # PostgreSQL's number
_INTENTS = sa.text(
    "create table if not exists prowess_intent"
    " (run text not null, step integer not null, primary key (run, step))"
)
_INTEND = sa.text(
    "insert into prowess_intent (run, step) values (:run, :step) on conflict do nothing"
)
_INTENDED = sa.text("select 1 from prowess_intent where run = :run and step = :step")


class Journal:
    """The kept steps of every run in one database. `steps` is where the library keeps them."""

    def __init__(self, database: sa.Engine, steps: Any) -> None:
        self._database = database
        self._is_local = database.dialect.name == "sqlite"
        self._steps: Any = steps
        if self._is_local:
            self._steps = LocalSteps(database, application=steps.app_name)
        with database.begin() as connection:
            connection.execute(_INTENTS)

    async def read(self, run: str, step: int, name: str) -> str | None:
        """What the step gave, if it was done before."""
        found = await self._call(self._steps.check_operation_execution, run, step, name)
        return found["output"] if found else None

    async def write(self, run: str, step: int, name: str, output: str) -> None:
        line = {
            "workflow_uuid": run,
            "function_id": step,
            "function_name": name,
            "output": output,
            "error": None,
            "serialization": "portable_json",
            "started_at_epoch_ms": int(time.time() * 1000),
            "child_workflow_id": None,
        }
        await self._call(self._steps.record_operation_result, line)

    async def intend(self, run: str, step: int) -> bool:
        """Write down that the step is about to be done; false when that was written before."""
        return await self._call(self._intend if self._is_local else self._intend_far, run, step)

    def _intend(self, run: str, step: int) -> bool:
        with self._database.begin() as connection:
            return connection.execute(_INTEND, {"run": run, "step": step}).rowcount > 0

    def _intend_far(self, run: str, step: int) -> bool:
        """
        The run is ours while it is looked at, so an intent that is there after our own got lost on
        the way back is our own.
        """
        tried = False

        def intend() -> bool:
            nonlocal tried
            with self._steps.engine.begin() as connection:
                hold_owned(self._steps, connection, run)
                if connection.execute(_INTENDED, {"run": run, "step": step}).first():
                    return tried
                tried = True
                connection.execute(_INTEND, {"run": run, "step": step})
            return True

        return patiently(intend)()

    async def _call(self, statement: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            if self._is_local:
                return statement(*args, **kwargs)
            return await in_thread(statement, *args, **kwargs)
        except (sa.exc.SQLAlchemyError, sqlite3.Error) as error:
            raise unusable(self._database, error) from error


def unusable(database: sa.Engine, error: Exception) -> StoreError:
    cause = getattr(error, "orig", None) or error
    if database.dialect.name == "sqlite":
        told = sqlite_file.unusable(WHAT, str(database.url.database), cause)
        return StoreError(str(told), hint=told.hint)
    where = shown(database.url.set(drivername=database.dialect.name).render_as_string())
    if getattr(cause, "sqlstate", "") == _NO_RIGHT:
        return StoreError(
            f"{WHAT} {where} refuses: {str(cause).strip()}",
            hint="let the user make a schema for the engine: grant create on database NAME to USER",
        )
    return StoreError(
        f"{WHAT} {where} cannot be used: {str(cause).strip()}",
        hint="look after its server, and what database_url says",
    )
