"""
What was found under a root last time, kept on disk so that unchanged skills are not read again.

One file a root. It is only ever a shortcut: each row is used when the folder and its files still
have the size, times and inode that they had, and a file that is torn, edited, foreign or of
another version is passed over in silence and written anew.
"""

import contextlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from mmap import ACCESS_READ, mmap
from typing import Any

from prowess import __version__
from prowess.core.files import at_once, make_private

# A row is what was seen in one folder, flat and short, because ten thousand are read at every start:
# its state and whether that can be relied on, its definition files, the folders and the links in it
# to visit (None when it is a skill), its problems, the parts of its skill (None when it gave none).
Row = list[Any]
Rows = dict[str, Row]  # by path below the root
# "SKILL.md" alone, which most folders hold, is written as a 0; so is its format.
PLAIN = 0
STATE, SETTLED, WATCHED, CHILDREN, PROBLEMS, NAME, DESCRIPTION, FORMAT, FILES, NEEDY, HEADER = (
    range(11)
)
_MAGIC = f"prowess index 9.{HEADER} {__version__}"


class Kept(Mapping[str, Any]):
    """The header of a skill as the index keeps it: a piece of its JSON until somebody asks for a field."""

    __slots__ = ("_fields", "_lines", "_start", "_stop")

    def __init__(self, lines: bytes, start: int, stop: int) -> None:
        self._lines = lines
        self._start = start
        self._stop = stop
        self._fields: dict[str, Any] | None = None

    @property
    def json(self) -> bytes:
        return self._lines[self._start : self._stop]

    def _read(self) -> dict[str, Any]:
        if self._fields is None:
            self._fields = json.loads(self.json)
        return self._fields

    def __getitem__(self, key: str) -> Any:
        return self._read()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and self._read() == dict(other)

    __hash__ = None  # type: ignore[assignment]  # as for any mapping

    def __repr__(self) -> str:
        return repr(self._read())


def load(folder: str, root: str) -> Rows:
    """The rows kept for `root`; empty when there are none to trust."""
    try:
        with (
            open(_file(folder, root), "rb", opener=at_once) as file,
            mmap(file.fileno(), 0, access=ACCESS_READ) as data,
        ):
            start = data.find(b"\n") + 1
            with memoryview(data) as view, view[start:] as body:
                if data[:start] != _head(root, body):
                    return {}
                stop = data.find(b"\n", start)
                rows: Rows = json.loads(str(body[: stop - start], "utf-8", "surrogatepass"))
            lines = data[stop + 1 :]
        if any(length != HEADER + 1 for length in set(map(len, rows.values()))):
            return {}
        start = 0
        for row in rows.values():
            stop = start + row.pop()
            row.append(Kept(lines, start, stop) if stop > start else None)
            start = stop
    except (OSError, ValueError, TypeError, AttributeError, IndexError, RecursionError):
        return {}
    return rows


def save(folder: str, root: str, rows: Rows) -> None:
    """Replace the file in one move. An index that cannot be written costs time and nothing else."""
    import tempfile

    headers = [_header(row[HEADER]) for row in rows.values()]
    flat = {
        below: [*row[:HEADER], len(kept)]
        for (below, row), kept in zip(rows.items(), headers, strict=True)
    }
    body = _json(flat) + b"\n" + b"".join(headers)
    with contextlib.suppress(OSError):
        make_private(folder)
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=".index-")
        try:
            with open(descriptor, "wb") as file:
                file.write(_head(root, body))
                file.write(body)
            os.replace(name, _file(folder, root))
        except OSError:
            os.unlink(name)
            raise


def _header(header: Mapping[str, Any] | None) -> bytes:
    """Unchanged ones go back as they came."""
    if isinstance(header, Kept):
        return header.json
    return _json(header) if header is not None else b""


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def _file(folder: str, root: str) -> str:
    """One file a root; the head tells two roots apart that should ever share a name."""
    name = os.fsencode(root)
    return os.path.join(folder, f"{zlib.crc32(name):08x}{zlib.adler32(name):08x}.index")


def _head(root: str, body: bytes | memoryview) -> bytes:
    return f"{_MAGIC} {zlib.crc32(body):08x} {json.dumps(root)}\n".encode()
