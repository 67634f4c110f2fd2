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
from typing import Any

from prowess import __version__

# A row is what was seen in one folder, flat and short, because ten thousand are read at every start:
# its state and whether that can be relied on, its definition files, the folders in it to visit (None
# when it is a skill), its problems, and the parts of its skill (None when it gave none).
Row = list[Any]
Rows = dict[str, Row]  # by path below the root
STATE, SETTLED, WATCHED, CHILDREN, PROBLEMS, NAME, DESCRIPTION, FORMAT, FILES, HEADER = range(10)
_MAGIC = f"prowess index 1 {__version__}"


def load(folder: str, root: str) -> Rows:
    """The rows kept for `root`; empty when there are none to trust."""
    try:
        descriptor = os.open(_file(folder, root), os.O_RDONLY | os.O_CLOEXEC)
        try:
            data = os.read(descriptor, os.fstat(descriptor).st_size)
        finally:
            os.close(descriptor)
        start = data.index(b"\n") + 1
        body = memoryview(data)[start:]
        if data[:start] != _head(root, body):
            return {}
        rows: Rows = json.loads(str(body, "utf-8", "surrogatepass"))
    except (OSError, ValueError):
        return {}
    return rows


def save(folder: str, root: str, rows: Rows) -> None:
    """Replace the file in one move. An index that cannot be written costs time and nothing else."""
    body = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
    import tempfile

    with contextlib.suppress(OSError):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=".index-")
        try:
            with open(descriptor, "wb") as file:
                file.write(_head(root, body))
                file.write(body)
            os.replace(name, _file(folder, root))
        except OSError:
            os.unlink(name)
            raise


def _file(folder: str, root: str) -> str:
    """One file a root; the head tells two roots apart that should ever share a name."""
    name = os.fsencode(root)
    return os.path.join(folder, f"{zlib.crc32(name):08x}{zlib.adler32(name):08x}.index")


def _head(root: str, body: bytes | memoryview) -> bytes:
    return f"{_MAGIC} {zlib.crc32(body):08x} {json.dumps(root)}\n".encode()
