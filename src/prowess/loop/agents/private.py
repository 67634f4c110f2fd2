"""
The private folder of an agent at work: its settings, its histories, what it thinks temporary.

It is gone afterwards. One that a killed process left, which may hold the settings of MCP servers, is
cleared away by the next.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from prowess.core.scratch import scratch

TEMPORARY = "tmp"  # inside of it


@contextmanager
def private_folder() -> Iterator[str]:
    """A folder that only the owner can look into, with one inside for what is temporary."""
    with scratch("agent") as place:
        os.mkdir(os.path.join(place, TEMPORARY))
        yield place


def write_files(place: str, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = os.path.join(place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
