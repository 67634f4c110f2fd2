"""
What the log was last told of a search, so that the same news is not told twice.

One small file for each thing that can be asked, with a checksum of the answer. It is written after
the telling: what could not be recorded is told the next time.
"""

import contextlib
import os
import zlib

from prowess.core.files import at_once, make_private
from prowess.discover.catalog import Catalog


def is_told(catalog: Catalog, asked: str, *, folder: str) -> bool:
    try:
        with open(_file(asked, folder), encoding="ascii", opener=at_once) as file:
            return file.read() == _answer(catalog)
    except (OSError, ValueError):
        return False


def remember(catalog: Catalog, asked: str, *, folder: str) -> None:
    """A note that cannot be written costs a repeated event and nothing else."""
    with contextlib.suppress(OSError):
        make_private(folder)
        with open(_file(asked, folder), "w", encoding="ascii", opener=at_once) as file:
            file.write(_answer(catalog))


def _file(asked: str, folder: str) -> str:
    return os.path.join(folder, f"{_sum(asked)}.told")


def _answer(catalog: Catalog) -> str:
    roots = (root.path for root in catalog.roots)
    failed = (f"{name}: {error}" for name, error in catalog.failed)
    return _sum("\n\n".join("\n".join(part) for part in (roots, catalog.skills, failed)))


def _sum(text: str) -> str:
    data = os.fsencode(text)
    return f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}"
