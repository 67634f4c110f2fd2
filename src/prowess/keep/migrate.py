"""
A history in SQLite files carried over to PostgreSQL: the whole of it in one transaction, or nothing.

The tables of both have the same names and columns. Each is streamed across in the order of its key
and read back before the end: as many rows, and one sum over all of them in that order. The files
stand still meanwhile and are left as they are.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from prowess.core.errors import ConflictError, OutsideError
from prowess.core.place import shown
from prowess.core.postgres import connect, explained
from prowess.core.text import storable
from prowess.keep.at_work import refuse_at_work
from prowess.keep.snapshot import explained as file_explained
from prowess.keep.snapshot import nobody_writes, opened

if TYPE_CHECKING:
    from prowess.core.postgres import Connection

# What each database keeps for itself: how far its own tables are, and who is at work there.
_OWN = frozenset(
    {"version", "board_version", "dbos_migrations", "application_versions", "prowess_taker"}
)
_FIRST = ("board_task", "workflow_status")  # others point to them
_TABLES = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"
_COLUMNS = """
    select table_schema, column_name, data_type, is_identity from information_schema.columns
    where table_name = %s and table_schema in ('prowess', 'dbos')
"""
Row = Sequence[str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table on both sides. `key` is what its rows are ordered by; `last` the highest number given."""

    name: str
    schema: str
    columns: Sequence[str]
    kinds: Mapping[str, str]
    key: Sequence[str]
    identity: str | None
    last: int

    @property
    def there(self) -> str:
        return f'{self.schema}."{self.name}"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """How many rows, and what they come to when read in order."""

    rows: int
    sha256: str


def carry_over(paths: Sequence[str], url: str) -> dict[str, Sum]:
    """
    Bring every table of the files `paths` into the database at `url`, where the tables are and
    nothing is in them. Returns what each came to on both sides.
    """
    refuse_at_work(paths)
    with (
        explained(url),
        closing(connect(url)) as connection,
        nobody_writes(paths),
        connection.transaction(),
    ):
        return dict(_carried(paths, connection, url))


def _carried(paths: Sequence[str], connection: "Connection", url: str) -> Iterator[tuple[str, Sum]]:
    for path in paths:
        with opened(path) as source, file_explained(path):
            tables = list(_tables(source, connection, url))
            for table in tables:
                _refuse_used(table, connection, url)
            for table in tables:
                yield table.name, _copied(table, source, connection)


def _tables(source: sqlite3.Connection, connection: "Connection", url: str) -> Iterator[Table]:
    names = {name for (name,) in source.execute(_TABLES)} - _OWN
    for name in sorted(names, key=lambda name: (name not in _FIRST, name)):
        found = connection.execute(_COLUMNS, (name,)).fetchall()
        kinds = {column: kind for _, column, kind, _ in found}
        described = source.execute(f'pragma table_info("{name}")').fetchall()
        columns = [column for _, column, *_ in described]
        if missing := [column for column in columns if column not in kinds]:
            raise OutsideError(
                f"the database {shown(url)} has no place for {name}.{missing[0]}",
                hint="use the same version of Prowess on both sides",
            )
        key = sorted((place, column) for _, column, *_, place in described if place)
        yield Table(
            name=name,
            schema=found[0][0],
            columns=columns,
            kinds=kinds,
            key=[column for _, column in key] or columns,
            identity=next((column for _, column, _, own in found if own == "YES"), None),
            last=_last(source, name),
        )


def _last(source: sqlite3.Connection, name: str) -> int:
    """The highest number ever given, so that no number is given twice, also of rows that are gone."""
    there = "select 1 from sqlite_master where name = 'sqlite_sequence'"
    if source.execute(there).fetchone() is None:
        return 0
    found = source.execute("select seq from sqlite_sequence where name = ?", (name,)).fetchone()
    return int(found[0]) if found else 0


def _refuse_used(table: Table, connection: "Connection", url: str) -> None:
    connection.execute(f"lock table {table.there} in exclusive mode")
    query = f"select exists (select from {table.there})"  # noqa: S608  our own names
    ((used,),) = connection.execute(query).fetchall()
    if used:
        raise ConflictError(
            f"there is something in the table {table.name} of {shown(url)} already",
            hint="name a new database: two histories are not mixed",
        )


def _copied(table: Table, source: sqlite3.Connection, connection: "Connection") -> Sum:
    columns = ", ".join(f'"{column}"' for column in table.columns)
    order = ", ".join(f'"{column}"' for column in table.key)
    told = _Summing(table)
    rows = source.execute(f'select {columns} from "{table.name}" order by {order}')  # noqa: S608  the file's own names
    copying = f"copy {table.there} ({columns}) from stdin"
    with connection.cursor() as cursor, cursor.copy(copying) as target:
        for row in told.passing(_as_text(row, table) for row in rows):
            target.write_row(row)
    if table.identity and table.last:
        place = "select setval(pg_get_serial_sequence(%s, %s), %s)"
        connection.execute(place, (table.there, table.identity, table.last))
    kept = _read_back(table, connection)
    if kept != told.sum:
        raise OutsideError(
            f"the table {table.name} did not arrive as it was: {kept.rows:,} rows of {told.sum.rows:,}",
            hint="nothing was changed on either side; please report it",
        )
    return kept


def _read_back(table: Table, connection: "Connection") -> Sum:
    columns = ", ".join(f'"{column}"' for column in table.columns)
    order = ", ".join(f'"{column}"{_collated(table.kinds[column])}' for column in table.key)
    reading = f"copy (select {columns} from {table.there} order by {order}) to stdout"  # noqa: S608  our own names
    told = _Summing(table)
    with connection.cursor() as cursor, cursor.copy(reading) as rows:
        for _ in told.passing(cast("Iterable[Row]", rows.rows())):
            pass
    return told.sum


def _collated(kind: str) -> str:
    """Text in the order of its bytes, as SQLite has it."""
    return ' collate "C"' if kind in {"text", "character varying"} else ""


class _Summing:
    """Counts and sums the rows that pass, in a form that is the same on both sides."""

    def __init__(self, table: Table) -> None:
        self._alike = [_ALIKE.get(table.kinds[column], str) for column in table.columns]
        self._digest = hashlib.sha256()
        self._rows = 0

    def passing(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            alike = [
                None if value is None else form(value)
                for form, value in zip(self._alike, row, strict=True)
            ]
            self._digest.update(json.dumps(alike).encode() + b"\n")
            self._rows += 1
            yield row

    @property
    def sum(self) -> Sum:
        return Sum(rows=self._rows, sha256=self._digest.hexdigest())


_ALIKE: Mapping[str, Callable[[str], str]] = {
    "double precision": lambda text: repr(float(text)),
    "jsonb": lambda text: json.dumps(json.loads(text), sort_keys=True),
}


def _as_text(row: Sequence[Any], table: Table) -> Row:
    return [
        None if value is None else _word(value, table.kinds[column])
        for value, column in zip(row, table.columns, strict=True)
    ]


def _word(value: Any, kind: str) -> str:
    if kind == "boolean":
        return "t" if value else "f"
    return storable(value) if isinstance(value, str) else str(value)
