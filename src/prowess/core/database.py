"""
A PostgreSQL database as the event log and the board use it: one connection that threads take in
turn, and that is found again when the server was away.

What is done outside of a change may be done twice, when nobody knows whether it was done once. A
change is made once: if its end is in doubt, the server is asked how it ended.

A server that is away is waited for, once: who asks when all patience was spent is told at once.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from prowess.core import postgres
from prowess.core.errors import OutsideError
from prowess.core.place import shown
from prowess.core.postgres import connect, explained

if TYPE_CHECKING:
    from prowess.core.postgres import Connection

_OPEN = "in progress"
_AGAIN = 0.2  # seconds between two looks for a server that is away
_STOPPED = (
    "5s"  # who stops in the middle of a change that long loses it: others wait for their turn
)
Statement = tuple[str, Any]  # and its values
T = TypeVar("T")


class Database:
    """The connection of one log or one board; `what` it is, for messages."""

    def __init__(self, url: str, what: str) -> None:
        self.url = url
        self.what = what
        self._one = threading.RLock()
        self._changing = False
        self._lost: float | None = None  # when the server was missed, until it has answered again
        self._connect()
        self._over = False

    def do(self, work: "Callable[[Connection], T]") -> T:
        """
        What `work` returns. When the connection is lost it is all done again on a new one, though
        the server may have done it already: twice must be the same as once. Inside a change nothing
        is done again.
        """
        import psycopg

        with self._one, explained(self.url):
            while True:
                connection = self._found()
                try:
                    done = work(connection)
                except psycopg.Error as error:
                    if not _is_lost(connection, error):
                        self._lost = None
                        raise
                    if self._changing or self._is_long_gone():
                        raise
                    connection.close()
                else:
                    self._lost = None
                    return done

    @contextmanager
    def changing(self, lock: int) -> Iterator[list[Statement]]:
        """
        One transaction for all that this thread does, alone with the lock. An error inside leaves
        everything as it was. What is put into the list is sent last, together with the commit: a
        lock that is taken there is held for as long as the server needs, and no network is in it.
        """
        with self._one:
            transaction = self.do(lambda connection: _begin(connection, lock))
            self._changing = True
            last: list[Statement] = []
            try:
                yield last
            except BaseException:
                self._roll_back()
                raise
            finally:
                self._changing = False
            self._commit(transaction, last)

    def close(self) -> None:
        self._over = True  # whoever looks for the server in the meantime stops
        with self._one:
            self._connection.close()

    def __del__(self) -> None:
        if not getattr(self, "_over", True):  # a command ends without closing its log
            self._connection.close()

    def _roll_back(self) -> None:
        import psycopg

        try:
            self._connection.rollback()
        except psycopg.Error:  # without its connection it is rolled back by itself
            self._connection.close()

    def _commit(self, transaction: str, last: Sequence[Statement]) -> None:
        """When the connection is lost with the answer on its way, the server is asked again."""
        import psycopg

        with explained(self.url):
            try:
                _send(self._connection, [*last, ("commit", None)])
            except psycopg.Error as error:
                if not _is_lost(self._connection, error):
                    self._roll_back()
                    raise
                self._connection.close()
                self._settle(transaction)

    def _settle(self, transaction: str) -> None:
        until = time.monotonic() + postgres.PATIENCE
        while (state := self.do(lambda connection: _state(connection, transaction))) == _OPEN:
            if time.monotonic() > until:
                break
            time.sleep(_AGAIN)
        if state != "committed":
            raise OutsideError(
                f"the database {shown(self.url)} went away, and the change was not kept",
                hint="nothing was changed; do it again",
            )

    def _connect(self) -> None:
        self._connection = connect(self.url)
        self.process = self._connection.info.backend_pid  # by which the server knows it

    def _is_long_gone(self) -> bool:
        """Whether all patience is spent, which begins with the first who misses the server."""
        if self._lost is None:
            self._lost = time.monotonic()
        return time.monotonic() - self._lost > postgres.PATIENCE

    def _found(self) -> "Connection":
        """The connection, or a new one once the server is there again."""
        while True:
            if self._over:
                raise OutsideError(f"{self.what} is closed", hint="open it again")
            if self._changing or not self._connection.closed:
                return self._connection
            try:
                self._connect()
            except OutsideError:
                if self._is_long_gone():
                    raise
                time.sleep(_AGAIN)


def _begin(connection: "Connection", lock: int) -> str:
    """The name of the transaction that has begun, by which the server knows it ever after."""
    try:
        with connection.pipeline():
            connection.execute("begin")
            connection.execute(f"set local idle_in_transaction_session_timeout = '{_STOPPED}'")
            connection.execute("select pg_advisory_xact_lock(%s)", (lock,))
            found = connection.execute("select pg_current_xact_id()::text")
        ((transaction,),) = found.fetchall()
    except BaseException:
        if not connection.closed:
            connection.rollback()
        raise
    return str(transaction)


def _send(connection: "Connection", statements: Sequence[Statement]) -> None:
    """All in one go. What comes after a statement that fails is not done."""
    with connection.pipeline():
        for words, values in statements:
            connection.execute(words, values)


def _state(connection: "Connection", transaction: str) -> str:
    query = "select pg_xact_status(%s::xid8)"
    ((state,),) = connection.execute(query, (transaction,)).fetchall()
    return str(state)


def _is_lost(connection: "Connection", error: Exception) -> bool:
    """Whether it failed because the server went away, and not because of what it was asked."""
    return connection.closed or (getattr(error, "sqlstate", None) or "").startswith("57P")
