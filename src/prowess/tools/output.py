"""
Long output: kept whole in the run's folder, shown with its middle left out.

The model is told where the whole is and can read any part of it; nothing is lost but what may not
be written to disk.
"""

import os
import re

from prowess.core.files import make_private
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


def keep(place: Place, call_id: str, text: str) -> str:
    """Write the whole where only its owner can read it, and return the path."""
    make_private(place.outputs)
    name = re.sub(r"[^A-Za-z0-9_-]", "_", call_id)[:80] or "call"
    path = os.path.join(place.outputs, f"{name}.txt")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8", errors="replace") as file:
        file.write(place.clean(text))
    return path
