"""
Opening and closing the durable engine: the database, the lock that says we live, the library.

The library can be open once in a process. Closed, it leaves nothing behind: no thread, no lock, and
an event loop that can be used on.
"""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from functools import partial

import sqlalchemy as sa
from dbos import DBOS, DBOSPortableJSONSerializer

from prowess.core.errors import OutsideError
from prowess.core.locks import opening
from prowess.core.place import is_database
from prowess.core.ports import Body
from prowess.durable.doors import begin_own, end, kept_steps, own_queue
from prowess.durable.engine import LAYOUT, DurableEngine
from prowess.durable.journal import Journal, unusable
from prowess.durable.postgres import PostgresWorkers, open_postgres
from prowess.durable.queue import OWN, Queue
from prowess.durable.sqlite import open_sqlite
from prowess.durable.tables import refuse_newer
from prowess.durable.whole import make_whole
from prowess.durable.workers import FileWorkers, Workers

ANSWERS = 0.05  # seconds between two looks for an answer
RESUMED = 0.2  # seconds between two looks for what this process is to go on with
RESUMED_FAR = 1.0  # the same where many processes look at one database
THREADS = 64
_one = threading.Lock()


@asynccontextmanager
async def open_engine(place: str, bodies: Mapping[str, Body]) -> AsyncIterator[DurableEngine]:
    """
    The engine on the database `place`: a file, which is made when it is not there, or the
    `postgresql://` address of a database that is.

    `bodies` are the kinds of run that this process can work on. Leaving the block leaves the runs
    that are still under way as they are, to be resumed.
    """
    if not _one.acquire(blocking=False):
        raise RuntimeError("an engine is already open in this process")
    try:
        async with _launched(place, bodies) as engine:
            yield engine
    finally:
        _one.release()


@asynccontextmanager
async def _launched(place: str, bodies: Mapping[str, Body]) -> AsyncIterator[DurableEngine]:
    async with AsyncExitStack() as closing:
        with nullcontext() if is_database(place) else opening(place):
            sql, workers = _opened(place)
            closing.callback(sql.dispose)
            closing.callback(workers.close)
            closing.push_async_callback(_closed)
            try:
                sql.connect().close()
                # Two that make one new database at once would meet half way.
                async with workers.alone():
                    engine = _launch(sql, workers, bodies)
            except sa.exc.SQLAlchemyError as error:
                raise unusable(sql, error) from error
        closing.push_async_callback(engine.close)
        yield engine


def _opened(place: str) -> tuple[sa.Engine, Workers]:
    if is_database(place):
        sql = open_postgres(place)
        return sql, PostgresWorkers(sql)
    try:
        return open_sqlite(place), FileWorkers(place)
    except OSError as error:
        raise OutsideError(
            f"the database of runs {place} cannot be used: {error.strerror}",
            hint="name a folder that you can write to with --data or PROWESS_DATA",
        ) from error


def _launch(sql: sa.Engine, workers: Workers, bodies: Mapping[str, Body]) -> DurableEngine:
    refuse_newer(sql)
    if sql.dialect.name == "sqlite":
        make_whole(sql)
    dbos = DBOS(
        config={
            "name": "prowess",
            "system_database_url": sql.url.render_as_string(),
            "system_database_engine": sql,
            "serializer": DBOSPortableJSONSerializer(),
            "application_version": LAYOUT,
            "executor_id": workers.name,
            "log_level": "CRITICAL",  # what goes wrong with a run is told by its events and errors
            "max_executor_threads": THREADS,
            "notification_listener_polling_interval_sec": ANSWERS,
        }
    )
    own, is_shared = OWN + workers.name, sql.dialect.name == "postgresql"
    own_queue(dbos, own, every=RESUMED_FAR if is_shared else RESUMED)
    workers.enter()
    DBOS.launch()
    queue = Queue(sql, workers.name)
    queue.make()
    return DurableEngine(
        bodies,
        workers=workers,
        journal=Journal(sql, kept_steps(dbos)),
        queue=queue,
        database=sql,
        begin_own=partial(begin_own, dbos, own),
        end=partial(end, dbos),
    )


async def _closed() -> None:
    """Ending the library waits for its threads, so it happens on a thread of its own."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(max_workers=1) as aside:
        await loop.run_in_executor(aside, lambda: DBOS.destroy(destroy_registry=True))
    library = logging.getLogger("dbos")
    for handler in list(library.handlers):  # it holds on to a stderr that may be another by then
        library.removeHandler(handler)
    # It made its threads those of the event loop, where they would now be missing.
    loop.set_default_executor(ThreadPoolExecutor(thread_name_prefix="asyncio"))
