"""Connecting to PostgreSQL: everything that can be wrong is told with what to do, and no password with it."""

import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator

import psycopg
import pytest

from postgres import server
from prowess.core import postgres
from prowess.core.database import Database
from prowess.core.errors import OutsideError, ProwessError, SettingsError
from prowess.core.place import is_database, shown
from prowess.core.postgres import ask, connect

SECRET = "open" + "sesame"


@pytest.fixture(scope="module")
def somebody() -> Iterator[str]:
    """A user with a password and no rights, as the beginning of its URLs."""
    admin = server().url("postgres")
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f"create role somebody login password '{SECRET}'")
    yield f"somebody:{SECRET}"
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("drop role somebody")


def refused(url: str) -> ProwessError:
    """The error, after a look that neither it nor its traceback shows a password."""
    with pytest.raises(ProwessError) as failed:
        connect(url)
    told = "".join(traceback.format_exception(failed.value)) + failed.value.hint
    assert SECRET not in told
    return failed.value


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_a_database_that_answers_tells_its_version_and_how_fast() -> None:
    answer = ask(server().new_database())

    assert int(answer.version.split(".")[0]) >= postgres.OLDEST
    assert answer.seconds > 0


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://user:{SECRET}%zz@host/name",
        f"postgresql://user:two {SECRET}@host/name",
        f"postgresql://user:{SECRET}@[::1/name",
        f"postgresql://user:{SECRET}@host/name?no_such_option={SECRET}",
        f"postgresql://host/name?password={SECRET}&%zz",
        f"postgresql://user:half@{SECRET}@host/name",
    ],
)
def test_a_url_that_cannot_be_read_is_a_wrong_setting(url: str) -> None:
    error = refused(url)

    assert isinstance(error, SettingsError)
    assert "postgresql://user:password@host:5432/database" in error.hint


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "no-such-host.invalid", "host:port"])
def test_a_server_that_cannot_be_reached_is_told_with_where_it_was_looked_for(host: str) -> None:
    where = host.format(port=free_port())

    error = refused(f"postgresql://user:{SECRET}@{where}/name")

    assert isinstance(error, OutsideError)
    assert f"postgresql://{where}/name cannot be reached" in str(error)
    assert "running" in error.hint


def test_a_wrong_password_is_told(somebody: str) -> None:
    url = server().url("postgres", user="somebody:wrong")

    error = refused(url)

    assert "password authentication failed" in str(error)
    assert "check the user and the password" in error.hint
    assert "wrong" not in str(error)


def test_a_password_that_is_missing_is_told(somebody: str) -> None:
    error = refused(server().url("postgres", user="somebody"))

    assert "password" in str(error)
    assert ".pgpass" in error.hint


def test_a_database_that_is_missing_is_told_with_how_to_make_it() -> None:
    error = refused(server().url("nowhere"))

    assert 'database "nowhere" does not exist' in str(error)
    assert "createdb" in error.hint


def test_a_database_that_is_missing_is_told_also_to_a_user_with_the_right_password(
    somebody: str,
) -> None:
    error = refused(server().url("nowhere", user=somebody))

    assert 'database "nowhere" does not exist' in str(error)
    assert "createdb" in error.hint


def test_a_server_that_is_too_old_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "OLDEST", 999)

    error = refused(server().new_database())

    assert "999 or newer" in error.hint


def test_a_user_who_may_make_no_tables_is_told_which_right_is_missing(somebody: str) -> None:
    url = server().url(server().new_database().split("/")[3].split("?")[0], user=somebody)
    database = Database(url, "the log")

    with pytest.raises(OutsideError) as failed:
        database.do(lambda found: postgres.bring_up_to_date(found, "log", [["select 1"]]))

    database.close()
    assert "permission denied" in str(failed.value)
    assert "grant create on database" in failed.value.hint
    assert SECRET not in str(failed.value)


def test_a_schema_that_somebody_made_for_the_user_is_enough(somebody: str) -> None:
    admin = server().new_database()
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("create schema prowess authorization somebody")
    database = Database(admin.replace("postgres@", f"{somebody}@"), "the log")

    database.do(lambda found: postgres.bring_up_to_date(found, "log", [["create table a (b int)"]]))

    database.close()
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("insert into prowess.a values (1)")
        connection.execute("drop owned by somebody")


def test_without_the_extra_it_is_told_how_to_install_it() -> None:
    script = (
        "import sys; sys.modules['psycopg'] = None;"
        "from prowess.core.errors import SettingsError;"
        "from prowess.observe.opening import open_log\n"
        "try: open_log('postgresql://host/name')\n"
        "except SettingsError as error: print(error.hint)"
    )

    told = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )

    assert told.stdout.startswith("install Prowess again with its extra postgres, in brackets")


def test_what_the_url_says_of_the_connection_holds() -> None:
    with connect(server().new_database() + "&application_name=mine") as connection:
        assert connection.execute("show application_name").fetchone() == ("mine",)


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("postgresql://user:pass@host:5432/name?sslmode=require", "postgresql://host:5432/name"),
        ("postgres://user:p@ss@host/name", "postgres://host/name"),
        ("postgresql:///name?password=pass", "postgresql:///name"),
        ("postgresql://host/name", "postgresql://host/name"),
        ("postgresql://user@host/name?password=abc@pass", "postgresql://host/name"),
        ("postgresql://host/name?user=u&password=p@pass", "postgresql://host/name"),
        ("postgresql://user:p?ss@host/name?sslmode=require", "postgresql://host/name"),
        ("postgresql://user:p?a=b@host/name", "postgresql://…"),
        ("postgresql://host?password=p@pass", "postgresql://…"),
        ("postgresql://user:pass@one:1,two:2/name", "postgresql://one:1,two:2/name"),
        ("/home/somebody/log@home?.sqlite3", "/home/somebody/log@home?.sqlite3"),
    ],
)
def test_a_place_is_shown_without_its_secrets(place: str, told: str) -> None:
    assert shown(place) == told
    assert is_database(place) == place.startswith("postgres")


@pytest.mark.parametrize("scheme", ["postgresql+psycopg", "POSTGRESQL", "mysql"])
def test_an_address_that_is_none_of_ours_is_shown_without_its_secrets_too(scheme: str) -> None:
    place = f"{scheme}://u:{SECRET}@h/db"

    assert shown(place) == f"{scheme}://h/db"
    assert not is_database(place)
