"""Commands for a sandbox, and a look at what they left running."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from prowess.core.process import Finished, Limits, Order
from support import write_file

Run = Callable[..., Finished]


def an_order(workspace: Path, *argv: str, limits: Limits | None = None, **order: Any) -> Order:
    return Order(
        argv=argv,
        cwd=str(workspace),
        limits=limits or Limits(seconds=60),
        **{"writable": [str(workspace)], **order},
    )


def python(code: str, *words: object) -> list[str]:
    return [sys.executable, "-ISc", code, *map(str, words)]


def alive(token: str) -> list[int]:
    """The processes of this machine that have the token among their arguments."""
    return [pid for pid, words in _commands() if token.encode() in words]


def _commands() -> Iterator[tuple[int, list[bytes]]]:
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            yield int(name), words


def without_overlays(folder: Path, bwrap: str) -> str:
    """A bwrap like those before 0.11."""
    text = f'#!/bin/sh\ncase "$*" in *--overlay*) exit 1 ;; esac\nexec {bwrap} "$@"\n'
    place = write_file(folder / "bwrap", text)
    place.chmod(0o755)
    return str(place)
