"""
Connecting to PostgreSQL: who may, what is wrong when it fails, and tables that several processes may
bring up to date at once.

No message shows a password. psycopg is an extra, so it is imported with the first connection.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from prowess.core.errors import OutsideError, ProwessError, SettingsError
from prowess.core.extras import IN_BRACKETS
from prowess.core.place import shown

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

PATIENCE = (
    30  # seconds to wait for another process that writes, or for a server that was there before
)
OLDEST = 14  # the first release that has everything we ask for
SCHEMA = "prowess"
LOG_CHANNEL = "prowess_event"  # where everybody who keeps an event says so
# Whoever holds one of these until its transaction ends is alone with it; of two, the board's is first.
UPDATING, BOARD, LOG = 7_077_501, 7_077_502, 7_077_503
# A network that swallows everything is noticed; who stopped in the middle of a change loses it.
_CONNECTING = {
    "application_name": "prowess",
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
_STOPPED = (
    "-c idle_in_transaction_session_timeout=60s"
    " -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
)
_SESSION = """
    select set_config('search_path', %s, false),
        set_config('lock_timeout', %s, false),
        set_config('idle_in_transaction_session_timeout', '60s', false),
        set_config('default_transaction_isolation', 'read committed', false),
        set_config('client_min_messages', 'warning', false)
"""
Migrations = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    version: str
    seconds: float  # for one round trip


def ask(url: str) -> Answer:
    """Whether the database answers, and how fast."""
    with explained(url), connect(url) as connection:
        began = time.perf_counter()
        connection.execute("select 1")
        seconds = time.perf_counter() - began
        return Answer(version=_release(connection), seconds=seconds)


def connect(url: str) -> "Connection":
    """A connection on which every statement is a transaction until one is begun."""
    where = _where(url)
    import psycopg

    # It complains on standard error of connections that we find again.
    logging.getLogger("psycopg").addHandler(logging.NullHandler())
    try:
        connection = psycopg.connect(where, autocommit=True)
    except psycopg.OperationalError as error:
        raise _unreachable(url, error) from None
    try:
        _refuse_old(url, connection)
        with explained(url):
            connection.execute(_SESSION, (SCHEMA, f"{max(1, int(PATIENCE * 1000))}ms"))
    except BaseException:
        connection.close()
        raise
    return connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """For a library that keeps connections of its own: what makes one, and where it leads."""

    connect: "Callable[[], Connection]"
    host: str
    port: str
    database: str


def door(url: str) -> Door:
    where = _where(url)
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    given = {word: str(value) for word, value in conninfo_to_dict(where).items()}
    options = f"{_STOPPED} {given.get('options', '')} -c search_path={SCHEMA}"
    where = make_conninfo(where, options=options)
    return Door(
        connect=lambda: psycopg.connect(where),
        host=given.get("host", ""),
        port=given.get("port", ""),
        database=given.get("dbname") or given.get("user", ""),
    )


def _where(url: str) -> str:
    """What libpq connects with: all that the URL says, and what we say where it says nothing."""
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict, make_conninfo
    except ImportError:
        raise SettingsError(
            "database_url is set, and what speaks to PostgreSQL is not installed",
            hint=f"install Prowess again with its extra postgres, {IN_BRACKETS}",
        ) from None
    try:
        given = conninfo_to_dict(url)
        # libpq would look for a host that has half a password in its name, and tell of it.
        readable = "@" not in str(given.get("host", ""))[1:]
    except psycopg.ProgrammingError:  # its message quotes the URL, or the password alone
        readable = False
    if not readable:
        raise SettingsError(
            "database_url is no URL that PostgreSQL can read",
            hint="write postgresql://user:password@host:5432/database, with %40 for an @ in the password",
        )
    ours = {word: value for word, value in _CONNECTING.items() if word not in given}
    return make_conninfo(url, **ours)


@contextmanager
def explained(url: str) -> Iterator[None]:
    """What psycopg raises, as an error with what to do next."""
    import psycopg

    try:
        yield
    except psycopg.errors.LockNotAvailable:
        raise OutsideError(
            f"the database {shown(url)} is locked: somebody has been writing to it for {PATIENCE:g} s",
            hint="try again; `select * from pg_stat_activity` on the server tells who it is",
        ) from None
    except psycopg.errors.InsufficientPrivilege as error:
        raise OutsideError(
            f"the database {shown(url)} refuses: {_words(error)}",
            hint="let the user make a schema of its own: grant create on database NAME to USER",
        ) from None
    except psycopg.Error as error:
        raise OutsideError(
            f"the database {shown(url)} cannot be used: {_words(error)}",
            hint="`prowess doctor` asks whether it answers",
        ) from None


def bring_up_to_date(connection: "Connection", part: str, migrations: Migrations) -> None:
    """Several processes may come at once; the first does it and the others wait."""
    version = _version(connection, part)
    if version > len(migrations):
        raise OutsideError(
            f"the {part} in the database was written by a newer version of Prowess",
            hint="update Prowess, or name another database in database_url",
        )
    if version == len(migrations):
        return
    with connection.transaction():
        connection.execute("select pg_advisory_xact_lock(%s)", (UPDATING,))
        there = connection.execute("select to_regnamespace(%s)", (SCHEMA,)).fetchone()
        if there == (None,):  # "if not exists" would ask for the right to make one that is there
            connection.execute(f"create schema {SCHEMA}")
        connection.execute(
            "create table if not exists version (part text, version integer, primary key (part, version))"
        )
        version = _version(connection, part)  # somebody may have been faster
        for number, statements in enumerate(migrations[version:], version + 1):
            for statement in statements:
                connection.execute(statement)
            connection.execute("insert into version values (%s, %s)", (part, number))


def _version(connection: "Connection", part: str) -> int:
    there = connection.execute("select to_regclass('version')").fetchone()
    if there is None or there[0] is None:
        return 0
    query = "select coalesce(max(version), 0) from version where part = %s"
    ((version,),) = connection.execute(query, (part,)).fetchall()
    return int(version)


def _refuse_old(url: str, connection: "Connection") -> None:
    if connection.info.server_version // 10_000 < OLDEST:
        raise OutsideError(
            f"the database {shown(url)} is PostgreSQL {_release(connection)}",
            hint=f"Prowess needs PostgreSQL {OLDEST} or newer",
        )


def _release(connection: "Connection") -> str:
    return connection.info.parameter_status("server_version") or "of an unknown version"


def _unreachable(url: str, error: "psycopg.OperationalError") -> ProwessError:
    """Why there is no connection. The server's words are told as they are; they hold no password."""
    said = _words(error)
    if "database" in said and "does not exist" in said:  # told to those whose password is right
        hint = "make it with `createdb`, or name another in database_url"
    elif getattr(error.pgconn, "used_password", False) or "authentication" in said:
        hint = "check the user and the password in database_url, or in PGPASSWORD or ~/.pgpass"
    else:
        hint = "is the server running, and does database_url name its host and port?"
    return OutsideError(f"the database {shown(url)} cannot be reached: {said}", hint=hint)


def _words(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
