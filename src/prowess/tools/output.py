"""
Long output: kept whole in the run's folder, shown with its middle left out.

The model is told where the whole is and can read any part of it; nothing is lost but what may not
be written to disk. That goes before anything is cut: half a secret looks like none, and would stay.
"""

import os
import re
from collections.abc import Callable

from prowess.core.files import make_private
from prowess.core.text import clean_beginning
from prowess.tools.place import Place

SHOWN = 30_000  # characters of one observation
_HEAD = 0.6  # the beginning says what it is; the end says how it went


def shorten(text: str, *, limit: int = SHOWN, whole: str = "") -> str:
    """Head and tail, cut at a line where one is near; `whole` is where the rest can be read."""
    if len(text) <= limit:
        return text
    head, tail = text[: int(limit * _HEAD)], text[len(text) - int(limit * (1 - _HEAD)) :]
    near = limit // 20
    if (end := head.rfind("\n", len(head) - near)) >= 0:
        head = head[:end]
    if (start := tail.find("\n", 0, near)) >= 0:
        tail = tail[start + 1 :]
    left_out = len(text) - len(head) - len(tail)
    where = f"; all of it is in {whole}, Read it with offset and limit" if whole else ""
    return f"{head}\n[… {left_out:,} characters left out{where} …]\n{tail}"


def beginning(text: str, limit: int, clean: Callable[[str], str]) -> str:
    """The first characters of a text; a longer one is cleaned before it is cut."""
    return text if len(text) <= limit else clean_beginning(text, limit, clean)


def keep(place: Place, call_id: str, text: str) -> str:
    """Write the whole where only its owner can read it, and return the path, which was nobody's."""
    make_private(place.outputs)
    name = re.sub(r"[^A-Za-z0-9_-]", "_", call_id)[:80] or "call"
    path, file = _new_file(os.path.join(place.outputs, name))
    with os.fdopen(file, "w", encoding="utf-8", errors="replace") as kept:
        kept.write(text)
    return path


def _new_file(stem: str) -> tuple[str, int]:
    """Some servers number their calls anew in every reply, so an id may come back in the same run."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    path, number = f"{stem}.txt", 1
    while True:
        try:
            return path, os.open(path, flags, 0o600)
        except FileExistsError:
            number += 1
            path = f"{stem}-{number}.txt"
