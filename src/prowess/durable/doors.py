"""
The inner doors of the library that we use, all of them; its version is pinned because of them.

Steps: the library's own way hops to another thread twice a step, which costs more than the two
statements that it hops for. Queue: what is resumed here must go on here, and the library's own
queue is shared by all processes.
"""

from typing import Any

from dbos import DBOS
from dbos._context import current_owner_xid, snapshot_step_context


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


def own_queue(dbos: DBOS, name: str, *, every: float) -> None:
    """A queue that only this process looks at. To be called before the launch."""
    dbos._registry._register_internal_queue(name, polling_interval_sec=every)  # noqa: SLF001
