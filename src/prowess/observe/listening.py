"""
Hearing of events that other processes keep in PostgreSQL, without asking again and again.

Whoever appends sends a notification with the same commit, so it never comes before the event can be
read. What was missed before it listens, or while the server was away, is made good by waking everybody.
"""

import os
import select
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from prowess.core.errors import ProwessError
from prowess.core.postgres import LOG_CHANNEL, connect

if TYPE_CHECKING:
    from prowess.core.postgres import Connection

_AGAIN = 0.5  # seconds until a server that is away is tried again


class Listening:
    """A thread with a connection of its own; `heard` is told the number of the one who wrote, or 0."""

    def __init__(self, url: str, heard: Callable[[int], None]) -> None:
        self._url = url
        self._heard = heard
        self._over = threading.Event()
        self._bell, self._rope = os.pipe()
        self._thread = threading.Thread(target=self._stay, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._over.set()
        os.write(self._rope, b"!")
        self._thread.join()
        os.close(self._bell)
        os.close(self._rope)

    def _stay(self) -> None:
        import psycopg

        while not self._over.is_set():
            try:
                with connect(self._url) as connection:
                    connection.execute(f"listen {LOG_CHANNEL}")
                    self._heard(0)
                    self._listen(connection)
            except (ProwessError, psycopg.Error):
                self._over.wait(_AGAIN)

    def _listen(self, connection: "Connection") -> None:
        waiting = select.poll()  # `select.select` knows no file above 1023, and readers are files
        for file in (connection.fileno(), self._bell):
            waiting.register(file, select.POLLIN)
        while not self._over.is_set():
            for note in connection.notifies(timeout=0):
                self._heard(note.pid)
            waiting.poll()
