"""
The shared database: PostgreSQL, and who is alive there.

Every process that works on runs holds a lock of its own in the database, for as long as its
connection lasts. A lock that is there is proof of life, whatever any clock says: the server ends the
connection of one who says nothing for a lease, be it frozen, hung or without power. One that is gone
proves little: the server may have been restarted. So a process is taken for dead only when its lock
is gone and it has not come back for a lease, before whose end it has given its runs up itself; or,
at once, when it was on this machine and is there no more.
"""

import os
import socket
import threading
import time
import uuid
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from typing import Any

import sqlalchemy as sa

from prowess.core.errors import OutsideError
from prowess.core.postgres import SCHEMA, Door, door
from prowess.durable.patience import patiently
from prowess.durable.settling import in_thread

KEPT, CONNECTIONS = 8, 20  # of one process, when little is to be done and at most
LEASE = 10.0  # seconds that a process has to come back
GIVE_UP = 8.0  # seconds without a sign of life after which a process works on nothing
BEAT = 1.0  # seconds between two signs of life
HUNG = 4.0  # seconds that an event loop may stand still before there are none
LOCKS = 715_715  # the first half of every lock of ours
PATIENCE = 60.0  # seconds to wait for others to have their turn
# The second half of the locks that processes take turns with: to change tables, and to take runs.
TURN, TAKING = 0, 2_147_483_647  # which no process has as its number

_TABLE = sa.text("""
    create table if not exists prowess_worker (
        number integer generated always as identity primary key,
        name text not null unique,
        machine text not null,
        process integer not null,
        seen timestamptz not null default clock_timestamp()
    )
""")
_ENTER = sa.text("""
    insert into prowess_worker (name, machine, process) values (:name, :machine, :process)
    on conflict (name) do update set seen = clock_timestamp() returning number
""")
_SILENT = sa.text(f"set idle_session_timeout = '{LEASE:.0f}s'")
_LOCK = sa.text("select pg_try_advisory_lock(:locks, :number)")
_BEAT = sa.text("update prowess_worker set seen = clock_timestamp() where name = :name")
_LEAVE = sa.text("delete from prowess_worker where name = :name")
# A clock that was set back is no sign of life either.
_FRESH = f"extract(epoch from clock_timestamp() - seen) between -{LEASE} and {LEASE}"
_LOCKED = f"""
    exists (
        select 1 from pg_locks where locktype = 'advisory' and objsubid = 2
        and database = (select oid from pg_database where datname = current_database())
        and classid = {LOCKS} and objid = number
    )
"""  # noqa: S608  our own numbers
# Long after: whoever is not there at all is known to have left.
_FORGET = sa.text(
    f"delete from prowess_worker where seen < clock_timestamp() - interval '1 day' and not {_LOCKED}"  # noqa: S608
)
_KNOWN = sa.text(f"""
    select name, machine, process, {_FRESH}, {_LOCKED} from prowess_worker where name in :names
""").bindparams(sa.bindparam("names", expanding=True))  # noqa: S608


def open_postgres(place: str) -> sa.Engine:
    """
    Nothing is connected yet. A connection whose other end vanished is noticed within half a minute,
    and who stopped in the middle of a change loses it.
    """
    found = door(place)
    return sa.create_engine(
        _name(found),
        creator=found.connect,
        pool_size=KEPT,
        max_overflow=CONNECTIONS - KEPT,
        pool_timeout=600,  # who waits for a connection while the server is away goes on later
    )


def _name(found: Door) -> sa.URL:
    """By which the database is known and told; it is not what is connected to."""
    is_socket = found.host.startswith("/")
    return sa.URL.create(
        "postgresql+psycopg",
        host=None if is_socket else found.host or None,
        port=int(found.port) if found.port.isdecimal() else None,
        database=found.database or "default",
    )


class PostgresWorkers:
    """The processes that share the database; a thread of this one keeps its lock and shows life."""

    def __init__(self, database: sa.Engine) -> None:
        self.name = f"{os.getpid()}@{socket.gethostname()}-{uuid.uuid4().hex[:12]}"
        self._me = {"name": self.name, "machine": _machine(), "process": os.getpid()}
        self._database = database
        self._held, self._leaving = threading.Event(), threading.Event()
        self._seen = 0.0  # when the last sign of life was given
        self._steady = 0.0  # since when they were given without a break
        self._ticked = float("inf")  # when the event loop was last seen to go on; it begins later
        self._keeper = threading.Thread(target=self._keep, name="prowess-alive", daemon=True)

    def enter(self) -> None:
        with self._database.begin() as connection:
            connection.execute(sa.text(f"create schema if not exists {SCHEMA}"))
            connection.execute(_TABLE)
            connection.execute(_FORGET)
            connection.execute(_ENTER, self._me)
        self._keeper.start()
        self._held.wait(LEASE)

    def alive(self, names: Collection[str]) -> set[str]:
        known = self._known(names)
        return {each for each, (fresh, gone) in known.items() if fresh and not gone}

    def dead(self, names: Collection[str]) -> set[str]:
        """Of one that is only silent, whoever has just come back itself cannot say that it is dead."""
        known = self._known(names)
        judges = time.monotonic() - self._steady > LEASE
        left = {name for name in names if name not in known}
        return left | {
            name for name, (fresh, gone) in known.items() if gone or (judges and not fresh)
        }

    def _known(self, names: Collection[str]) -> dict[str, tuple[bool, bool]]:
        """Of those who have not left: whether there is a sign of life, and whether it is surely over."""

        def read() -> list[Any]:
            with self._database.connect() as connection:
                return list(connection.execute(_KNOWN, {"names": list(names)}))

        here = self._me["machine"]
        return {
            name: (fresh or locked, not locked and machine == here and _is_gone(process))
            for name, machine, process, fresh, locked in patiently(read)()
        }

    @property
    def is_cut_off(self) -> bool:
        return time.monotonic() - self._seen > GIVE_UP

    def tick(self) -> None:
        self._ticked = time.monotonic()

    @property
    def _hangs(self) -> bool:
        return time.monotonic() - self._ticked > HUNG

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        connection = await in_thread(patiently(self._take_turn))
        try:
            yield
        finally:
            connection.close()

    def _take_turn(self) -> sa.Connection:
        """
        A connection of its own that has the lock until it is closed. It is asked for again and again:
        who waits for it inside a statement would hold up whoever has it and changes tables.
        """
        connection = self._database.connect().execution_options(isolation_level="AUTOCOMMIT")
        connection.detach()
        until = time.monotonic() + PATIENCE
        try:
            while time.monotonic() < until:
                if connection.execute(_LOCK, {"locks": LOCKS, "number": TURN}).scalar():
                    return connection
                time.sleep(0.05)
        except BaseException:
            connection.close()
            raise
        connection.close()
        raise OutsideError(
            f"another process has had its turn for {PATIENCE:.0f} seconds",
            hint="`select * from pg_stat_activity` on the server tells who it is",
        )

    def close(self) -> None:
        self._leaving.set()
        if self._keeper.is_alive():
            self._keeper.join()
            with suppress(sa.exc.SQLAlchemyError), self._database.begin() as connection:
                connection.execute(_LEAVE, {"name": self.name})

    def _keep(self) -> None:
        while not self._leaving.is_set():
            if not self._hangs:
                with suppress(sa.exc.SQLAlchemyError):
                    self._keep_while_connected()
            self._leaving.wait(BEAT / 4)

    def _keep_while_connected(self) -> None:
        """Returns when others have forgotten us, which is when we were away for too long, or when we hang."""
        connection = self._database.connect().execution_options(isolation_level="AUTOCOMMIT")
        with connection:
            connection.detach()  # it is nobody else's, and ends with us
            connection.execute(_SILENT)
            number = connection.execute(_ENTER, self._me).scalar_one()
            lock = {"locks": LOCKS, "number": number}
            while not connection.execute(_LOCK, lock).scalar():  # a connection we lost has it still
                if self._leaving.wait(BEAT / 4):
                    return
            self._steady = now = time.monotonic()
            while not self._hangs and connection.execute(_BEAT, {"name": self.name}).rowcount:
                self._seen = now
                self._held.set()
                if self._leaving.wait(BEAT):
                    return
                now = time.monotonic()


def _machine() -> str:
    """Where a process's number is its own: the same kernel, started once, and the same space of numbers."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip() + os.readlink("/proc/self/ns/pid")
    except OSError:
        return uuid.uuid4().hex  # unlike every other


def _is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
