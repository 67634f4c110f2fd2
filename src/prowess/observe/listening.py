"""
Hearing of events that other processes keep in PostgreSQL, without asking again and again.

Whoever appends sends a notification with the same commit, so it never comes before the event can be
read. What was missed while the server was away is made good by waking everybody.
"""

import os
import select
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from prowess.core.errors import ProwessError
from prowess.core.postgres import LOG_CHANNEL, connect, explained

if TYPE_CHECKING:
    from prowess.core.postgres import Connection

_AGAIN = 0.5  # seconds until a server that is away is tried again


class Listening:
    """A thread with a connection of its own; `heard` is told the number of the one who wrote, or 0."""

    def __init__(self, url: str, heard: Callable[[int], None]) -> None:
        self._url = url
        self._heard = heard
        connection = self._connected()
        self._over = threading.Event()
        self._bell, self._rope = os.pipe()
        self._thread = threading.Thread(target=self._stay, args=(connection,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._over.set()
        os.write(self._rope, b"!")
        self._thread.join()
        os.close(self._bell)
        os.close(self._rope)

    def _connected(self) -> "Connection":
        connection = connect(self._url)
        with explained(self._url):
            connection.execute(f"listen {LOG_CHANNEL}")
        return connection

    def _stay(self, connection: "Connection") -> None:
        import psycopg

        while True:
            try:
                with connection:
                    self._listen(connection)
            except psycopg.Error:
                found = self._found_again()
                if found is None:
                    return
                connection = found
            else:
                return

    def _listen(self, connection: "Connection") -> None:
        while not self._over.is_set():
            for note in connection.notifies(timeout=0):
                self._heard(note.pid)
            select.select([connection.fileno(), self._bell], [], [])

    def _found_again(self) -> "Connection | None":
        """A new connection when there is one again, and None when it is over before."""
        while not self._over.wait(_AGAIN):
            try:
                connection = self._connected()
            except ProwessError:
                continue
            self._heard(0)
            return connection
        return None
